"""One thread waits for everything: what is slow, idle or gone keeps no thread from the requests of others."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from http.client import HTTPConnection
from typing import Any

import pytest
from mcp_bindgen.catalog import package_name
from mcp_bindings_runtime.http.server import acceptor, http_server
from support.echo_server import echo_server
from support.raw_http_client import NEW, PLAIN, Wire, answer_of, call, endpoint, modern, request
from support.revisions import HANDSHAKE
from support.scripted_peers import PATIENCE, eventually, package

LATEST = HANDSHAKE[-1]
MANY = 60
"""More than there are threads for requests."""


def asked(wire: Wire, message: Any, revision: str) -> tuple[bytes, dict[str, str]]:
    """Body and headers of a request of an era."""
    whole, more = modern(message) if revision == NEW else (message, {})
    return json.dumps(whole).encode(), {**PLAIN, **wire.headers, **more}


def raw_request(wire: Wire, message: Any, revision: str, *, length: int | None = None) -> bytes:
    """A whole POST; ``length`` is what it says of its body."""
    body, headers = asked(wire, message, revision)
    fields = {"Host": f"127.0.0.1:{wire.port}", "Content-Length": str(length or len(body)), **headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body


@contextmanager
def connections(wire: Wire, number: int, data: bytes = b"") -> Iterator[list[socket.socket]]:
    """So many connections on which these bytes are sent."""
    with ExitStack() as stack:
        opened = []
        for _ in range(number):
            raw = stack.enter_context(socket.create_connection(("127.0.0.1", wire.port), PATIENCE))
            raw.sendall(data)
            opened.append(raw)
        yield opened


@pytest.mark.parametrize("revision", [LATEST, NEW])
def test_slow_calls_stop_neither_pings_nor_cancellation_nor_new_clients(revision: str) -> None:
    server, seen = echo_server(revision)
    with endpoint(server, threads=1) as wire, ThreadPoolExecutor(MANY) as threads:
        if revision != NEW:
            wire.initialize(revision)
        held = [threads.submit(wire.ask, "POST", *asked(wire, call(n, n=n, hold=True), revision)) for n in range(MANY)]
        eventually(lambda: seen.running == MANY)
        other = Wire(wire.port)
        if revision == NEW:
            body, headers = asked(other, request("server/discover", 1), revision)
        else:
            other.initialize(revision)
            body, headers = asked(other, request("ping", 1), revision)
            cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 0}}
            assert wire.post(cancelled).status == 202
            eventually(lambda: seen.cancelled == [0])
        assert other.ask("POST", body, headers).status == 200
        seen.go.set()
        assert sum(each.result(PATIENCE).status == 200 for each in held) >= MANY - 1


@pytest.mark.parametrize("revision", [LATEST, NEW])
@pytest.mark.parametrize("part", ["head", "body"])
def test_half_sent_requests_hold_no_thread(revision: str, part: str) -> None:
    server, _ = echo_server(revision)
    with endpoint(server, threads=1, idle=PATIENCE) as wire:
        if revision != NEW:
            wire.initialize(revision)
        whole = raw_request(wire, call(1, n=1), revision)
        with connections(wire, MANY, whole[:-1] if part == "body" else whole[:40]):
            body, headers = asked(wire, call(2, n=2), revision)
            assert wire.ask("POST", body, headers).text == "2"


def test_clients_that_read_slowly_hold_no_thread_and_do_not_delay_the_end() -> None:
    server = package(NEW).Server("long", "1.0")

    @server.tool()
    def long(n: int) -> str:
        return "x" * n

    def named(n: int) -> Any:
        return request("tools/call", 1, {"name": "long", "arguments": {"n": n}})

    with endpoint(server, threads=1, body_limit=1000) as wire, ExitStack() as stack:
        slow = raw_request(wire, named(8_000_000), NEW)
        for _ in range(12):
            raw = stack.enter_context(socket.socket())
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            raw.settimeout(PATIENCE)
            raw.connect(("127.0.0.1", wire.port))
            raw.sendall(slow)
            # The response has begun, and is not read any further.
            assert raw.recv(1)
        body, headers = asked(wire, named(3), NEW)
        assert wire.ask("POST", body, headers).text == "xxx"


def test_a_response_that_is_not_read_in_time_is_cut_off(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "mcp_bindings")
    server = package(NEW).Server("long", "1.0")

    @server.tool()
    def long(n: int) -> str:
        return "x" * n

    with endpoint(server, send_time=0.2) as wire, socket.socket() as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.settimeout(PATIENCE)
        raw.connect(("127.0.0.1", wire.port))
        raw.sendall(raw_request(wire, request("tools/call", 1, {"name": "long", "arguments": {"n": 8_000_000}}), NEW))
        assert raw.recv(1)
        eventually(lambda: any("did not read" in each.getMessage() for each in caplog.records))
        received = 0
        with suppress(ConnectionResetError):
            while part := raw.recv(1_000_000):
                received += len(part)
        assert received < 8_000_000


def test_idle_streams_cost_no_thread() -> None:
    server, _ = echo_server(LATEST)
    with endpoint(server, threads=1, streams=300) as wire, ExitStack() as stack:
        clients = [Wire(wire.port) for _ in range(300)]
        before = threading.active_count()
        for client in clients:
            client.initialize(LATEST)
            stack.callback(client.close)
            client.stream()
        assert threading.active_count() - before < 10
        server.notify(package(LATEST).methods.TOOL_LIST_CHANGED)
        for client in clients:
            assert client._opened[0].message()["method"] == "notifications/tools/list_changed"


@pytest.mark.parametrize("revision", [LATEST, NEW])
def test_short_visits_leave_room_at_once(revision: str) -> None:
    """Command line clients open a stream, ask something, and hang up."""
    server, _ = echo_server(revision)
    with endpoint(server, streams=1, keepalive=PATIENCE) as wire:
        # There is room for one stream, so the second visit already shows whether the first has left.
        for number in range(4):
            visitor = Wire(wire.port)
            if revision == NEW:
                params = {"notifications": {"toolsListChanged": True}}
                message: Any = request("subscriptions/listen", number, params)
                whole, headers = modern(message)
            else:
                visitor.initialize(revision)
                whole, headers = None, {}

            def opened(visitor: Wire = visitor, whole: Any = whole, headers: dict[str, str] = headers) -> bool:
                connection, response = visitor.send(
                    "GET" if whole is None else "POST",
                    None if whole is None else json.dumps(whole).encode(),
                    {**PLAIN, **headers},
                )
                with closing(connection):
                    response.close()
                    return response.status == 200

            eventually(opened)


def test_eighty_nested_questions_are_answered() -> None:
    server, _ = echo_server(LATEST)
    mcp = package(LATEST)
    roots = mcp.ListRootsResult(roots=[mcp.Root(uri="file:///x", name="x")])
    with endpoint(server) as wire:
        client = mcp.Client.http(f"http://127.0.0.1:{wire.port}/mcp", timeout=PATIENCE)

        @client.handler(mcp.methods.LIST_ROOTS)
        def list_roots(_params: Any, _context: Any) -> Any:
            return roots

        with client, ThreadPoolExecutor(80) as threads:
            found = [
                each.content[0].text for each in threads.map(lambda _: client.call_tool("echo", {"ask": 0}), range(80))
            ]
        assert found == ["x"] * 80


def test_idle_connections_are_closed_for_those_that_wait(caplog: pytest.LogCaptureFixture) -> None:
    server, _ = echo_server(NEW)
    with endpoint(server, connections=10, idle=PATIENCE) as wire, connections(wire, 40) as idle:
        body, headers = asked(wire, call(1, n=1), NEW)
        assert wire.ask("POST", body, headers).text == "1"
        closed = 0
        for raw in idle:
            raw.settimeout(0.0)
            try:
                closed += raw.recv(1) == b""
            except BlockingIOError:
                continue
        assert closed >= 31
    assert len([each for each in caplog.records if "which is the limit" in each.getMessage()]) == 1


def test_a_single_idle_connection_makes_room() -> None:
    server, _ = echo_server(NEW)
    with endpoint(server, connections=1, idle=PATIENCE) as wire:
        body, headers = asked(wire, call(1, n=1), NEW)
        for _ in range(3):
            with connections(wire, 1):
                assert wire.ask("POST", body, headers).text == "1"


class Block:
    """Stops the event loop of a server."""

    def __init__(self, loop: Any) -> None:
        self.begun, self.go = threading.Event(), threading.Event()
        loop.call(self)

    def __call__(self) -> None:
        self.begun.set()
        assert self.go.wait(PATIENCE)


@pytest.mark.parametrize("reason", ["another client", "the time", "the end of the server"])
def test_a_connection_is_not_closed_when_a_request_has_just_arrived(
    monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    monkeypatch.setattr(acceptor, "_GRACE", 0.0)
    server, _ = echo_server(NEW)
    options: dict[str, Any] = {"connections": 1} if reason == "another client" else {}
    with ExitStack() as stack:
        served = stack.enter_context(http_server.make_server([server], **options))
        wire = Wire(served.port)
        sent = raw_request(wire, call(1, n=1), NEW)
        (kept,) = stack.enter_context(connections(wire, 1, sent))
        assert kept.recv(65536).startswith(b"HTTP/1.1 200 ")
        handler = served._connections
        eventually(lambda: handler._acceptor._idle)
        (idle,) = handler._acceptor._idle
        block = Block(handler.loop)
        assert block.begun.wait(PATIENCE)
        if reason == "another client":
            stack.enter_context(connections(wire, 1))
        elif reason == "the time":
            handler.loop.set_deadline(idle, 0.0)
        else:
            ending = threading.Thread(target=served.close)
            ending.start()
            stack.callback(ending.join)
            eventually(lambda: handler._stop_at is not None)
        kept.sendall(sent)
        block.go.set()
        status = b"503" if reason == "the end of the server" else b"200"
        assert kept.recv(65536).startswith(b"HTTP/1.1 " + status)


def test_a_connection_that_becomes_idle_makes_room_for_those_that_wait(caplog: pytest.LogCaptureFixture) -> None:
    server, seen = echo_server(NEW)
    with ThreadPoolExecutor(1) as threads, endpoint(server, connections=1, idle=PATIENCE) as wire, ExitStack() as held:
        (busy,) = held.enter_context(connections(wire, 1, raw_request(wire, call(1, n=1, hold=True), NEW)))
        eventually(lambda: seen.running == 1)
        answer = threads.submit(wire.ask, "POST", *asked(wire, call(2, n=2), NEW))
        eventually(lambda: any("which is the limit" in each.getMessage() for each in caplog.records))
        seen.go.set()
        assert busy.recv(100).startswith(b"HTTP/1.1 200 ")
        assert answer.result(PATIENCE).text == "2"


@pytest.mark.parametrize("revision", [LATEST, NEW])
def test_with_room_for_two_all_of_many_clients_are_answered(revision: str) -> None:
    server, _ = echo_server(revision)
    with endpoint(server, connections=2) as wire, ThreadPoolExecutor(20) as clients:
        if revision != NEW:
            wire.initialize(revision)
        found = list(clients.map(lambda n: wire.ask("POST", *asked(wire, call(n, n=n), revision)).text, range(200)))
        assert found == [str(n) for n in range(200)]


SCARCE = f"""
import socket, sys
from mcp_bindings import {package_name(NEW)} as mcp
from mcp_bindings_runtime.http.server.http_server import make_server

server = mcp.Server("s", "1")
@server.tool()
def double(n: int) -> int:
    return 2 * n

with make_server([server]) as served:
    print(served.port, flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit on descriptors to set")
def test_a_server_with_few_descriptors_serves_on_while_many_connect() -> None:
    with subprocess.Popen(
        ["bash", "-c", 'ulimit -n 256; exec "$0" -c "$1"', sys.executable, SCARCE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        wire = Wire(int(process.stdout.readline()))
        with connections(wire, 600):
            message = request("tools/call", 1, {"name": "double", "arguments": {"n": 2}})
            for _ in range(5):
                body, headers = asked(wire, message, NEW)
                assert wire.ask("POST", body, headers).text == "4"
        _, said = process.communicate(b"", PATIENCE)
    assert process.returncode == 0
    # Warnings are logged, and nothing was set up to show them.
    assert len(said) < 2000


def test_requests_that_are_never_completed_are_bounded_together(caplog: pytest.LogCaptureFixture) -> None:
    server, _ = echo_server(NEW)
    with endpoint(server, buffered=1_000_000, idle=PATIENCE) as wire:
        start = raw_request(wire, call(1), NEW, length=1_000_000)
        with connections(wire, 8, start + b" " * 200_000) as opened:
            eventually(lambda: any("incomplete or in progress" in each.getMessage() for each in caplog.records))
            body, headers = asked(wire, call(1, n=1), NEW)
            assert wire.ask("POST", body, headers).text == "1"
            refused = 0
            for raw in opened:
                raw.settimeout(0.3)
                try:
                    refused += raw.recv(100).startswith(b"HTTP/1.1 503 ")
                except TimeoutError:
                    continue
            assert 1 <= refused < 8


def test_large_requests_in_progress_are_bounded_together() -> None:
    server, seen = echo_server(NEW)
    with endpoint(server, buffered=1_000_000) as wire, ExitStack() as stack:
        opened = []
        large = raw_request(wire, call(1, hold=True, text="x" * 300_000), NEW)
        for number in range(3):
            raw = stack.enter_context(socket.create_connection(("127.0.0.1", wire.port), PATIENCE))
            raw.sendall(large)
            opened.append(raw)
            eventually(lambda number=number: seen.running == number + 1)
        body, headers = asked(wire, call(2, n=1, text="x" * 300_000), NEW)
        assert wire.ask("POST", body, headers).status == 503
        small, small_headers = asked(wire, call(2, n=1), NEW)
        assert wire.ask("POST", small, small_headers).text == "1"
        seen.go.set()
        for raw in opened:
            assert raw.recv(100).startswith(b"HTTP/1.1 200 ")
        eventually(lambda: wire.ask("POST", body, headers).status == 200)


def states(wire: Wire) -> dict[str, bytes]:
    """What is sent on connections that are in different states when the server closes."""
    whole = raw_request(wire, call(1, n=1), NEW)
    return {
        "silent": b"",
        "within a head": whole[:30],
        "within a body": whole[:-1],
        "between requests": whole,
        "waiting for a handler": raw_request(wire, call(2, n=1, hold=True), NEW),
        "listening": raw_request(
            wire, request("subscriptions/listen", 3, {"notifications": {"toolsListChanged": True}}), NEW
        ),
    }


def test_close_ends_every_connection_and_answers_what_runs() -> None:
    server, seen = echo_server(NEW)
    served = http_server.make_server([server], grace=PATIENCE)
    wire = Wire(served.port)
    with ExitStack() as stack:
        served.start()
        opened: dict[str, socket.socket] = {}
        for name, data in states(wire).items():
            raw = opened[name] = stack.enter_context(socket.create_connection(("127.0.0.1", wire.port), PATIENCE))
            raw.sendall(data)
        assert opened["between requests"].recv(20)
        assert opened["listening"].recv(20)
        eventually(lambda: seen.running == 1)
        closing_thread = threading.Thread(target=served.close)
        closing_thread.start()
        # New clients are refused while handlers finish.
        eventually(lambda: not can_connect(wire.port))
        seen.go.set()
        closing_thread.join(PATIENCE)
        assert not closing_thread.is_alive()
        answer = opened["waiting for a handler"].makefile("rb").read()
        assert b'"text":"1"' in answer
        assert b"Connection: close" in answer
        for raw in opened.values():
            while raw.recv(65536):
                pass
    served.close()


def can_connect(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), PATIENCE).close()
    except ConnectionError:
        return False
    return True


def test_requests_that_come_while_the_server_closes_are_refused_and_never_accepted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server, seen = echo_server(LATEST)
    served = http_server.make_server([server], grace=PATIENCE)
    wire = Wire(served.port)
    served.start()
    wire.initialize(LATEST)
    with closing(HTTPConnection("127.0.0.1", wire.port, timeout=PATIENCE)) as kept, ThreadPoolExecutor(1) as threads:
        # Half of a request keeps the connection from being closed as an idle one.
        body, headers = asked(wire, call(2, n=2), LATEST)
        kept.putrequest("POST", "/mcp")
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            kept.putheader(name, value)
        kept.endheaders(body[:5])
        held = threads.submit(wire.post, call(1, n=1, hold=True))
        eventually(lambda: seen.running == 1)
        # The thread that closes pauses as soon as clients cannot connect.
        stop_accepting, go_on = served._connections.stop_accepting, threading.Event()
        monkeypatch.setattr(served._connections, "stop_accepting", lambda: (stop_accepting(), go_on.wait(PATIENCE)))
        closing_thread = threading.Thread(target=served.close)
        closing_thread.start()
        eventually(lambda: not can_connect(wire.port))
        kept.send(body[5:])
        refused = answer_of(kept.getresponse())
        go_on.set()
        assert (refused.status, refused.headers["connection"]) == (503, "close")
        assert int(refused.headers["retry-after"]) > 0
        seen.go.set()
        assert held.result(PATIENCE).text == "1"
        closing_thread.join(PATIENCE)
    assert seen.begun == 1


def test_a_request_whose_handler_has_not_begun_when_a_closing_server_has_waited_for_handlers_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server, seen = echo_server(LATEST)
    served = http_server.make_server([server], grace=PATIENCE)
    application, accepted, waited, answered = served._application, *(threading.Event() for _ in range(3))
    run, wait_idle = application.run, application._pool.wait_idle
    monkeypatch.setattr(application, "run", lambda each: (accepted.set(), waited.wait(PATIENCE), run(each))[-1])
    monkeypatch.setattr(
        application._pool, "wait_idle", lambda seconds: (wait_idle(seconds), waited.set(), answered.wait(PATIENCE))
    )
    wire = Wire(served.port)
    served.start()
    wire.initialize(LATEST)
    with ThreadPoolExecutor(1) as threads:
        late = threads.submit(wire.post, call(1, n=1))
        assert accepted.wait(PATIENCE)
        closing_thread = threading.Thread(target=served.close)
        closing_thread.start()
        refused = late.result(PATIENCE)
        answered.set()
        closing_thread.join(PATIENCE)
    assert (refused.status, seen.begun) == (503, 0)
    assert "the server is closing" in refused.json["error"]["data"]["reason"]


@pytest.mark.parametrize("accepted", [True, False])
def test_a_request_that_the_server_has_not_read_when_it_closes_is_refused_with_the_reason(accepted: bool) -> None:
    server, _ = echo_server(LATEST)
    served = http_server.make_server([server])
    wire, stalled, go_on = Wire(served.port), threading.Event(), threading.Event()
    served.start()
    wire.initialize(LATEST)
    handler = served._connections
    data = raw_request(wire, call(1, n=1), LATEST)

    def stall() -> None:
        """Let the loop read and accept nothing for a while."""
        handler.loop.call(lambda: (stalled.set(), go_on.wait(PATIENCE)))
        assert stalled.wait(PATIENCE)

    if not accepted:
        stall()
    with connections(wire, 1) as (kept,):
        if accepted:
            eventually(lambda: kept.getsockname()[1] in {each.remote_port for each in handler._connections})
            stall()
        kept.sendall(data)
        with connections(wire, 1, data) as (early,), connections(wire, 1) as (silent,):
            closing_thread = threading.Thread(target=served.close)
            closing_thread.start()
            # All that closes the server has been asked of the loop.
            eventually(lambda: handler._stop_at is not None)
            go_on.set()
            for each in (kept, early):
                with each.makefile("rb") as reader:
                    assert reader.readline() == b"HTTP/1.1 503 Service Unavailable\r\n"
            assert silent.recv(1) == b""
            closing_thread.join(PATIENCE)


TERMINATED = f"""
import time
from mcp_bindings import {package_name(NEW)} as mcp

server = mcp.Server("s", "1")
@server.tool()
def slow() -> str:
    print("begun", flush=True)
    time.sleep(1)
    return "done"

server.run_http(port=0, ready=lambda made: print(made.port, flush=True), grace=60)
print("the end", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM to handle")
def test_a_program_that_is_terminated_answers_what_runs_and_ends_normally() -> None:
    with (
        subprocess.Popen([sys.executable, "-c", TERMINATED], stdout=subprocess.PIPE, text=True) as process,
        ThreadPoolExecutor(1) as threads,
    ):
        assert process.stdout is not None
        wire = Wire(int(process.stdout.readline()))
        body, headers = asked(wire, request("tools/call", 1, {"name": "slow", "arguments": {}}), NEW)
        answer = threads.submit(wire.ask, "POST", body, headers)
        assert process.stdout.readline() == "begun\n"
        process.terminate()
        assert answer.result(PATIENCE).text == "done"
        assert process.stdout.read() == "the end\n"
    assert process.returncode == 0


ALIVE = """
from mcp_bindings import v2026_07_28 as mcp
from mcp_bindings_runtime.http.server.http_server import make_server

made = make_server([mcp.Server("s", "1")])
made.start()
{more}
print("the end")
"""


@pytest.mark.parametrize("more", ["", "import urllib.request\nurllib.request.urlopen(made.url('/mcp')) if 0 else None"])
def test_a_started_server_does_not_keep_a_program_alive(more: str) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-c", ALIVE.format(more=more)], capture_output=True, timeout=PATIENCE, check=True
    )
    assert done.stdout == b"the end\n"
