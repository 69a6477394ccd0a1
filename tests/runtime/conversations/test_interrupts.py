"""Ctrl-C, as a real signal to a real process: it ends what the main thread waits for, and nothing else."""

from __future__ import annotations

import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from threading import get_ident

import pytest
from mcp_bindings_runtime.connection.deferred_interrupt import MOMENT
from mcp_bindings_runtime.transports.memory import serve_in_thread
from support.echo_server import echo_server
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE, Piped, environment, eventually, package, program

LATEST, NEW = HANDSHAKE[-1], STATELESS[-1]


def said(where, revision=LATEST):
    done = subprocess.run(
        program("interrupted.py", where, revision),
        capture_output=True,
        env=environment(),
        timeout=2 * PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode().splitlines()


@pytest.mark.parametrize("revision", [LATEST, NEW])
def test_a_call_is_cancelled_and_the_client_stays_usable(revision):
    assert said("reads", revision) == ["interrupted at once", "cancelled", "2"]


@pytest.mark.parametrize("revision", [LATEST, NEW])
def test_while_another_thread_reads_only_the_main_threads_call_ends(revision):
    assert said("other reads", revision) == ["interrupted at once", "cancelled", "2", "other done"]


def test_a_request_that_waits_to_be_sent_is_given_up_at_once():
    # It was not sent, or it was and then cancelled; never a part of it.
    heard = said("send")
    assert heard[0] == "interrupted at once"
    assert heard[-1] == "ping False"
    assert "tools/call False" not in heard


def test_a_notification_that_waits_to_be_sent_is_given_up_at_once():
    heard = said("notify")
    assert heard[0] == "interrupted at once"
    assert heard[-1] == "ping False"


def test_initialize_is_interrupted_and_not_cancelled():
    assert said("connect") == ["interrupted at once", "initialize", "closed"]


def test_a_subscription_goes_on_after_an_interruption():
    assert said("subscription", NEW) == ["interrupted at once", "notifications/tools/list_changed"]


def test_a_program_that_ignores_the_signal_is_not_interrupted():
    assert said("ignored") == ["not interrupted", "SIG_IGN"]


def test_signals_at_any_moment_break_nothing():
    assert said("storm") == ["survived"]


@pytest.mark.parametrize("mode", ["", "pump"])
@pytest.mark.parametrize("busy", [False, True])
def test_a_server_ends_by_ctrl_c(mode, busy):
    with Piped(program("echo.py", LATEST, mode), stderr=subprocess.PIPE) as server:
        server.introduce(LATEST)
        params = {"name": "echo", "arguments": {"n": 1, "progress": 1, "hold": True}, "_meta": {"progressToken": 1}}
        if busy:
            server.say({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
            assert server.hear()["method"] == "notifications/progress"
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(PATIENCE) == -signal.SIGINT
        told = server.process.stderr.read()
        # The loop of who pumps is the program's own.
        assert b"KeyboardInterrupt" in told if mode else told == b""
        if busy and mode:
            # The handler ran in the main thread, and so was what the signal has ended.
            assert server.hear()["error"]["code"] == -32603


class Waits:
    """A transport that notes for how long callers wait for it; the client's own thread does so without end."""

    def __init__(self, transport):
        self.seconds = {}
        """Seconds of the waits of each thread."""
        self._transport = transport
        self.send, self.interrupt, self.close = transport.send, transport.interrupt, transport.close

    def receive(self, timeout=None):
        self.seconds.setdefault(get_ident(), []).append(timeout)
        return self._transport.receive(timeout)


def test_the_main_thread_looks_up_now_and_then_as_a_signal_may_have_come_right_before_it_waits():
    server, _seen = echo_server(LATEST)
    waits = Waits(serve_in_thread(server.serve))
    with package(LATEST).Client.over(waits, timeout=PATIENCE) as client:
        assert max(waits.seconds[get_ident()]) <= MOMENT
        with ThreadPoolExecutor(1) as pool:
            other = pool.submit(get_ident).result(PATIENCE)

            def has_waited():
                # The client's own thread reads first if the other comes late, and so may have to call again.
                pool.submit(client.call_tool, "echo", {"n": 1}).result(PATIENCE)
                return waits.seconds.get(other)

            eventually(has_waited)
        assert max(waits.seconds[other]) > MOMENT
