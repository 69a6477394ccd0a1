"""Cancellation, deadlines and progress."""

from __future__ import annotations

import re
import threading
import time
from threading import Event

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import ConnectionClosed, RequestTimeout
from mcp_bindings_runtime.features.limits import Limits
from mcp_bindings_runtime.transports.memory import pair
from support.echo_server import echo_server
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE, eventually, package, scripted_client, scripted_server, text_of, times_out

each_revision = pytest.mark.parametrize("revision", REVISIONS)
LATEST = HANDSHAKE[-1]


def greet(spoken, revision, capabilities=None):
    """Plays the server's part until the client is connected."""
    if revision in STATELESS:
        spoken.answer(
            spoken.hear(),
            {
                "resultType": "complete",
                "supportedVersions": [revision],
                "capabilities": {"tools": {}},
                "ttlMs": 0,
                "cacheScope": "private",
            },
        )
    else:
        spoken.welcome(revision, capabilities)


@each_revision
def test_a_request_that_takes_too_long_is_cancelled_with_the_reason(revision):
    heard = []

    def play(spoken):
        greet(spoken, revision)
        asked = spoken.hear()
        heard.extend((asked, spoken.hear()))
        # The late answer reaches nobody.
        spoken.answer(asked, {"resultType": "complete", "content": []})
        asked = spoken.hear()
        spoken.answer(asked, {"resultType": "complete", "content": [{"type": "text", "text": "second"}]})

    with scripted_server(package(revision).Client, play) as (client, _):
        client.connect()
        late = times_out(lambda seconds: client.call_tool("first", {}, timeout=seconds), lambda: heard)
        assert text_of(client.call_tool("second", {})) == "second"
        # The caller may go on before the thread that reads has forgotten the call.
        eventually(lambda: not client.connection.calls)
        assert not client.connection.session._pending
    asked, cancelled = heard
    assert cancelled["method"] == "notifications/cancelled"
    assert cancelled["params"]["requestId"] == asked["id"]
    assert cancelled["params"]["reason"] == str(late)
    assert re.fullmatch(r"tools/call: no answer in [0-9.]+ s", str(late))


@each_revision
def test_nobody_waits_without_end_though_no_timeout_is_set(revision, monkeypatch):
    mcp = package(revision)
    server = mcp.Server("s", "1")
    waits, timeouts = [], []

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params, context):
        timeouts.append(context.connection.timeout)
        return mcp.types.CallToolResult(content=[])

    mine, theirs = pair()
    receive, me = mine.receive, threading.get_ident()

    def note(timeout=None):
        # The client's own thread waits without end, whenever the caller does not read.
        if threading.get_ident() == me:
            waits.append(timeout)
        return receive(timeout)

    monkeypatch.setattr(mine, "receive", note)
    threading.Thread(target=server.serve, args=(theirs,), name="test-server", daemon=True).start()
    with mcp.Client.over(mine) as client:
        client.call_tool("x", {})
        timeouts.append(client.connection.timeout)
    # Of initialize, or server/discover, and of the call.
    assert len(waits) >= 2
    assert None not in waits
    # Those of requests that have none of their own, on either side.
    assert timeouts == [60.0, 60.0]


@each_revision
def test_the_handler_of_a_cancelled_request_sees_it_and_its_answer_is_not_sent(revision):
    server, seen = echo_server(revision)
    with package(revision).Client.in_memory(server, timeout=PATIENCE) as client:
        times_out(
            lambda seconds: client.call_tool("echo", {"n": 7, "hold": True}, timeout=seconds), lambda: 7 in seen.numbers
        )
        eventually(lambda: set(seen.cancelled) == {7})
        assert text_of(client.call_tool("echo", {"n": 8})) == "8"


def test_nothing_is_sent_in_answer_to_a_cancelled_request():
    server, seen = echo_server(LATEST)
    spoken = scripted_client(server)
    spoken.introduce(LATEST)
    spoken.request("tools/call", 1, {"name": "echo", "arguments": {"hold": True}, "_meta": {"progressToken": "t"}})
    eventually(lambda: seen.running)
    spoken.notify("notifications/cancelled", {"requestId": 1, "reason": "enough"})
    eventually(lambda: seen.ended)
    spoken.request("ping", 2)
    assert spoken.hear()["id"] == 2
    # The number may be used again.
    spoken.request("tools/call", 1, {"name": "echo", "arguments": {"n": "again"}})
    assert spoken.hear()["result"]["content"][0]["text"] == "again"
    spoken.close()


def ask_to_hold(spoken, revision, **arguments):
    """Plays a client that calls the tool and wants all that a server may send of it."""
    meta = {"progressToken": "t"}
    if revision in STATELESS:
        meta |= {
            "io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/logLevel": "debug",
        }
    else:
        spoken.introduce(revision)
    spoken.request("tools/call", 1, {"name": "echo", "arguments": {"hold": True, **arguments}, "_meta": meta})


@each_revision
def test_a_handler_that_goes_on_after_cancellation_sends_nothing(revision):
    mcp = package(revision)
    server = mcp.Server("s", "1")
    running, ended = Event(), Event()

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params, context):
        running.set()
        eventually(lambda: context.cancelled)
        context.progress(1)
        if revision in STATELESS:
            # Elsewhere log messages belong to the session, and not to a request.
            context.log("error", "late")
        ended.set()
        return mcp.types.CallToolResult(content=[])

    spoken = scripted_client(server)
    ask_to_hold(spoken, revision)
    assert running.wait(PATIENCE)
    spoken.notify("notifications/cancelled", {"requestId": 1})
    assert ended.wait(PATIENCE)
    assert spoken.overhear(0.05) is None
    spoken.close()


@each_revision
def test_what_waits_for_the_limits_is_not_sent_after_cancellation(revision):
    server, seen = echo_server(revision, limits=Limits(progress=0.001, burst=1))
    spoken = scripted_client(server)
    ask_to_hold(spoken, revision, progress=5)
    assert spoken.hear()["params"]["progress"] == 1
    eventually(lambda: seen.running)
    spoken.notify("notifications/cancelled", {"requestId": 1})
    eventually(lambda: seen.ended)
    assert spoken.overhear(0.05) is None
    spoken.close()


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_initialize_is_never_cancelled(revision):
    heard = []

    def play(spoken):
        heard.append(spoken.hear()["method"])
        heard.append(spoken.hear())

    with scripted_server(package(revision).Client, play, timeout=0.5) as (client, _):
        with pytest.raises(RequestTimeout):
            client.connect()
        eventually(lambda: heard)
    assert heard == ["initialize"]


# Progress.


@each_revision
def test_progress_is_told_in_the_calling_thread_before_the_result(revision):
    server, _ = echo_server(revision)
    told = []
    with package(revision).Client.in_memory(server, timeout=PATIENCE) as client:
        for _ in range(30):
            told.clear()
            client.call_tool(
                "echo",
                {"progress": 5},
                on_progress=lambda params: told.append((params.progress, threading.get_ident())),
            )
            assert [value for value, _ in told] == [1, 2, 3, 4, 5]
            assert {thread for _, thread in told} == {threading.get_ident()}


def test_progress_is_heard_by_its_own_request_only():
    server, _ = echo_server(LATEST)
    with package(LATEST).Client.in_memory(server, timeout=PATIENCE) as client:
        told: dict[int, list[float]] = {n: [] for n in range(8)}

        def call(n):
            for _ in range(20):
                told[n].clear()
                client.call_tool("echo", {"progress": n}, on_progress=lambda params: told[n].append(params.progress))

        threads = [threading.Thread(target=call, args=(n,)) for n in told]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
    assert told == {n: list(range(1, n + 1)) for n in told}


@pytest.mark.parametrize(("other_reads", "revision"), [(False, LATEST), (True, LATEST), (False, STATELESS[-1])])
def test_progress_extends_the_deadline_up_to_the_limit(other_reads, revision):
    sent = []
    stop = Event()

    def play(spoken):
        greet(spoken, revision)
        if other_reads:
            spoken.hear()
        token = spoken.hear()["params"]["_meta"]["progressToken"]
        while not stop.is_set():
            sent.append(time.monotonic())
            spoken.notify("notifications/progress", {"progressToken": token, "progress": len(sent)})
            stop.wait(0.02)

    with scripted_server(package(revision).Client, play, limit=3.0) as (client, _):
        client.connect()
        if other_reads:

            def wait():
                with pytest.raises(ConnectionClosed):
                    client.call_tool("other", {}, timeout=PATIENCE)

            reader = threading.Thread(target=wait)
            reader.start()
            eventually(lambda: client.connection.session._pending and client.connection._threads.has_leader)
        begun = time.monotonic()
        told = []
        with pytest.raises(RequestTimeout):
            client.call_tool("x", {}, timeout=1.0, on_progress=told.append)
        lasted = time.monotonic() - begun
        stop.set()
        client.close()
        if other_reads:
            reader.join(PATIENCE)
    # It outlived its patience, which began anew with each sign of progress, but not its limit.
    assert lasted >= 3.0
    assert len(told) > 10


def test_progress_that_does_not_increase_or_comes_late_is_told_to_nobody():
    told = []

    def play(spoken):
        spoken.welcome(LATEST)
        asked = spoken.hear()
        token = asked["params"]["_meta"]["progressToken"]
        for value in (1, 3, 2, 3, 4):
            spoken.notify("notifications/progress", {"progressToken": token, "progress": value})
        spoken.notify("notifications/progress", {"progressToken": "another", "progress": 9})
        spoken.answer(asked, {"content": []})
        spoken.notify("notifications/progress", {"progressToken": token, "progress": 10})
        spoken.answer(spoken.hear(), {})

    with scripted_server(package(LATEST).Client, play) as (client, _):
        client.connect()
        client.call_tool("x", {}, on_progress=lambda params: told.append(params.progress))
        client.ping()
    assert told == [1, 3, 4]


def test_a_callback_that_raises_cancels_the_call_and_leaves_the_client_usable():
    server, seen = echo_server(LATEST)

    def fail(params):
        raise LookupError

    with package(LATEST).Client.in_memory(server, timeout=PATIENCE) as client:
        with pytest.raises(LookupError):
            client.call_tool("echo", {"n": 1, "progress": 1, "hold": True}, on_progress=fail)
        eventually(lambda: seen.cancelled == [1])
        assert text_of(client.call_tool("echo", {"n": 2})) == "2"


def test_a_callback_may_call_the_server():
    server, _ = echo_server(LATEST)
    inner = []
    with package(LATEST).Client.in_memory(server, timeout=PATIENCE) as client:
        client.call_tool(
            "echo",
            {"progress": 3},
            on_progress=lambda params: inner.append(text_of(client.call_tool("echo", {"n": 5}))),
        )
    assert inner[-1:] == ["5"]


@each_revision
def test_the_reason_of_a_cancellation_is_logged_on_both_sides(revision, caplog):
    caplog.set_level("DEBUG", "mcp_bindings.runtime")
    server, seen = echo_server(revision)
    with package(revision).Client.in_memory(server) as client:
        late = times_out(
            lambda seconds: client.call_tool("echo", {"hold": True}, timeout=seconds), lambda: seen.running
        )
        eventually(lambda: f"tools/call is cancelled: {late}" in caplog.text)
        assert f"cancelling tools/call: {late}" in caplog.text
        seen.go.set()
