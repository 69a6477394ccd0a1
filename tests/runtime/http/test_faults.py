"""Real clients and servers when what is between them fails, or one of them is killed."""

from __future__ import annotations

import gc
import io
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from threading import Event, Lock
from time import monotonic
from typing import Any

import pytest
from mcp_bindings_runtime.errors import ConnectionClosed, McpError, RequestTimeout
from mcp_bindings_runtime.http.client import retry
from mcp_bindings_runtime.http.client.retry import RetryPolicy
from mcp_bindings_runtime.http.server import connection_handler
from mcp_bindings_runtime.http.server.event_stream import EventStream
from mcp_bindings_runtime.http.server.session_store import MemorySessionStore
from mcp_bindings_runtime.http.server.store import MemoryStore
from mcp_bindings_runtime.http.sse import KEEP_ALIVE
from support.echo_server import echo_server
from support.ports import port_for_a_server
from support.raw_http_client import NEW, PLAIN, call, endpoint, modern, request
from support.revisions import HANDSHAKE, facts
from support.scripted_peers import PATIENCE, WHO, environment, eventually, package, text_of, threads_of
from support.tcp_proxy import Cut, Proxy

LATEST = HANDSHAKE[-1]
STEP = 7
"""How many bytes further the next connection is reset."""
both_eras = pytest.mark.parametrize("revision", [LATEST, NEW])


def client_of(revision: str, port: int, **options: Any) -> Any:
    return package(revision).Client.http(f"http://127.0.0.1:{port}/mcp", **{"timeout": PATIENCE, **options})


# A server that is killed.

SERVED = """
import sys
from support.echo_server import echo_server
server, _ = echo_server(sys.argv[1])
server.run_http(port=int(sys.argv[2]), retry=10)
"""


@contextmanager
def process(revision: str, port: int) -> Iterator[subprocess.Popen[bytes]]:
    child = subprocess.Popen([sys.executable, "-c", SERVED, revision, str(port)], env=environment())
    try:
        eventually(lambda: accepts(port))
        yield child
    finally:
        child.kill()
        child.wait(PATIENCE)


def accepts(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


@both_eras
def test_a_server_that_is_killed_fails_the_call_and_serves_the_next_when_it_is_back(revision: str) -> None:
    port = port_for_a_server()
    with process(revision, port) as child:
        client = client_of(revision, port)
        client.connect()
        with pytest.raises((ConnectionClosed, RequestTimeout)):
            client.call_tool(
                "echo", {"progress": 1, "hold": True}, on_progress=lambda params: child.kill(), timeout=1.0
            )
    with process(revision, port):
        assert text_of(client.call_tool("echo", {"n": 7})) == "7"
        client.close()
    eventually(lambda: not threads_of("mcp-http-answer"))


# Proxies.


def single_bytes(data: bytes) -> Iterator[bytes]:
    return (data[at : at + 1] for at in range(len(data)))


def slowly(data: bytes) -> Iterator[bytes]:
    for at in range(0, len(data), 100):
        Event().wait(0.001)
        yield data[at : at + 100]


class Buffering:
    """Keeps a stream until its end."""

    def __init__(self) -> None:
        self.held = b""

    def __call__(self, data: bytes) -> Iterator[bytes]:
        self.held += data
        if b"text/event-stream" not in self.held or self.held.endswith(b"\r\n0\r\n\r\n"):
            held, self.held = self.held, b""
            yield held


@both_eras
@pytest.mark.parametrize("shape", [single_bytes, slowly, Buffering])
def test_a_proxy_that_delays_changes_nothing(revision: str, shape: Any) -> None:
    server, _ = echo_server(revision)
    told: list[float] = []
    with (
        endpoint(server, keepalive=0.1) as wire,
        Proxy(wire.port, down=shape() if shape is Buffering else shape) as proxy,
        client_of(revision, proxy.port) as client,
    ):
        proxy.up = single_bytes if shape is slowly else proxy.up
        for number in range(3):
            arguments = {"n": number, "progress": 5}
            result = client.call_tool("echo", arguments, on_progress=lambda params: told.append(params.progress))
            assert text_of(result) == str(number)
    assert told.count(5) == 3


class Cutting:
    """Passes on so many bytes, then resets the connection that the next one comes on; after that, everything."""

    def __init__(self, position: int) -> None:
        self._left = position
        self._lock = Lock()
        self.cut = False

    def __call__(self, data: bytes) -> Iterator[bytes]:
        with self._lock:
            cuts = not self.cut and self._left < len(data)
            part = data[: self._left] if cuts else data
            self._left -= len(part)
            self.cut = self.cut or cuts
        yield part
        if cuts:
            raise Cut


@pytest.mark.parametrize("way", ["up", "down"])
@both_eras
def test_a_connection_that_is_reset_anywhere_runs_no_call_twice(
    revision: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each position has a proxy of its own, so that nothing of one exchange is counted as another's."""
    # There are hundreds of positions, and no outcome depends on the pause before a repetition.
    monkeypatch.setattr(retry, "FLOOR", 0.0)
    server, seen = echo_server(revision)
    answered = failed = position = 0
    cut = True
    with endpoint(server, retry=10) as wire:
        while cut:
            cutting = Cutting(position)
            with Proxy(wire.port, **{way: cutting}) as proxy:
                try:
                    with client_of(revision, proxy.port, timeout=5.0, retries=RetryPolicy(pause=0.0)) as client:
                        result = client.call_tool(
                            "echo", {"n": position, "progress": 2}, on_progress=lambda params: None
                        )
                except McpError:
                    failed += 1
                else:
                    assert text_of(result) == str(position)
                    answered += 1
            cut = cutting.cut
            position += STEP
        eventually(lambda: not seen.running)
    assert len(set(seen.numbers)) == len(seen.numbers)
    assert answered
    assert failed


# Clients that go, or do nothing.


def test_a_client_that_has_hung_up_is_noticed_within_two_comments(monkeypatch: pytest.MonkeyPatch) -> None:
    server, seen = echo_server(NEW)
    comments: list[bytes] = []
    following = EventStream.__next__

    def counted(stream: EventStream) -> bytes:
        part = following(stream)
        comments.extend([part] * (part == KEEP_ALIVE))
        return part

    monkeypatch.setattr(EventStream, "__next__", counted)
    with endpoint(server, keepalive=0.2) as wire:
        whole, headers = modern(call(1, hold=True))
        stream = wire.stream(whole, **headers)
        stream.block()
        stream.close()
        before = len(comments)
        eventually(lambda: seen.cancelled)
        # One may have been on its way.
        assert len(comments) - before <= 3


def test_a_client_that_sends_no_more_still_gets_its_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """If it comes soon; the server waits longer here, as the machine may be slow."""
    monkeypatch.setattr(connection_handler, "POLL_INTERVAL", PATIENCE / 4)
    server, _ = echo_server(NEW)
    with endpoint(server) as wire, socket.create_connection(("127.0.0.1", wire.port), PATIENCE) as raw:
        whole, headers = modern(call(1, n=5, progress=2, meta={"progressToken": 1}))
        body = json.dumps(whole).encode()
        names = {"Host": f"127.0.0.1:{wire.port}", "Content-Length": str(len(body)), **PLAIN, **headers}
        raw.sendall(b"POST /mcp HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in names.items()).encode() + b"\r\n")
        raw.sendall(body)
        raw.shutdown(socket.SHUT_WR)
        assert b'"text":"5"' in raw.makefile("rb").read()


def test_a_client_that_sends_no_more_and_then_goes_is_found_to_have_gone() -> None:
    server, seen = echo_server(NEW)
    with endpoint(server) as wire, socket.create_connection(("127.0.0.1", wire.port), PATIENCE) as raw:
        whole, headers = modern(call(1, n=5, progress=1, hold=True, meta={"progressToken": 1}))
        body = json.dumps(whole).encode()
        names = {"Host": f"127.0.0.1:{wire.port}", "Content-Length": str(len(body)), **PLAIN, **headers}
        raw.sendall(b"POST /mcp HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in names.items()).encode() + b"\r\n")
        raw.sendall(body)
        # The head and the first event may come in parts.
        answer = raw.makefile("rb")
        while b"notifications/progress" not in (line := answer.readline()):
            assert line
        raw.shutdown(socket.SHUT_WR)
        eventually(lambda: seen.cancelled)


HELD = 12
"""More connections than there are threads."""


def test_connections_that_say_nothing_hold_no_thread() -> None:
    server, _ = echo_server(NEW)
    with endpoint(server, threads=2, idle=PATIENCE) as wire, ExitStack() as stack:
        for _ in range(HELD):
            stack.enter_context(socket.create_connection(("127.0.0.1", wire.port), PATIENCE))
        whole, headers = modern(call(1, n=5))
        assert wire.post(whole, **headers).text == "5"


def drip(raw: socket.socket, data: bytes) -> bytes:
    """Sends single bytes without end, the last of them over and over; what the server says until it hangs up."""
    limit = monotonic() + PATIENCE
    raw.settimeout(0.01)
    said, at = b"", 0
    with suppress(ConnectionError):
        while monotonic() < limit:
            raw.sendall(data[at : at + 1] or data[-1:])
            at += 1
            with suppress(TimeoutError):
                part = raw.recv(4096)
                said += part
                if not part:
                    break
    assert monotonic() < limit
    return said


@pytest.mark.parametrize("coding", ["", "Content-Length: 4000\r\n", "Transfer-Encoding: chunked\r\n"])
def test_a_request_that_drips_in_is_given_up(coding: str) -> None:
    server, _ = echo_server(NEW)
    _, headers = modern(call(1))
    with (
        endpoint(server, idle=PATIENCE, head_time=0.2 if not coding else PATIENCE, body_time=0.2) as wire,
        socket.create_connection(("127.0.0.1", wire.port), PATIENCE) as raw,
    ):
        names = {"Host": f"127.0.0.1:{wire.port}", **PLAIN, **headers}
        head = "POST /mcp HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in names.items())
        if coding:
            raw.sendall(f"{head}{coding}\r\n".encode())
        said = drip(raw, b"00000000" if coding else head.encode())
        # The answer is lost where what was still on its way has the connection reset.
        assert said.startswith(b"HTTP/1.1 408 ") or not said


def test_slow_heads_give_their_threads_back() -> None:
    server, _ = echo_server(NEW)
    with endpoint(server, threads=2, idle=PATIENCE, head_time=0.2) as wire, ExitStack() as stack:
        for _ in range(HELD):
            raw = stack.enter_context(socket.create_connection(("127.0.0.1", wire.port), PATIENCE))
            raw.sendall(b"POST /mcp HTTP/1.1\r\nX-")
        whole, headers = modern(call(1, n=5))
        assert wire.post(whole, **headers).text == "5"


def test_a_client_that_reads_nothing_is_left() -> None:
    mcp = package(LATEST)
    server = mcp.Server("loud", "1.0", timeout=0.5)
    ended = Event()

    @server.handler(mcp.methods.CALL_TOOL)
    def shout(params: Any, context: Any) -> Any:
        try:
            for _ in range(params.arguments["times"]):
                context.log("info", "x" * 200_000)
        finally:
            ended.set()
        return mcp.CallToolResult(content=[mcp.TextContent(text="done")])

    with endpoint(server, idle=0.5, threads=2, streams=1) as wire:
        wire.initialize(LATEST)
        with socket.socket() as raw:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            raw.settimeout(PATIENCE)
            raw.connect(("127.0.0.1", wire.port))
            body = json.dumps(call(1, times=200)).encode()
            names = {"Host": f"127.0.0.1:{wire.port}", "Content-Length": str(len(body)), **PLAIN, **wire.headers}
            head = "".join(f"{name}: {value}\r\n" for name, value in names.items())
            raw.sendall(f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body)
            assert ended.wait(PATIENCE)
            assert wire.post(request("ping", 2)).status == 200


def test_ten_thousand_sessions_expire_without_a_trace() -> None:
    server, _ = echo_server(LATEST)
    now = [0.0]
    store = MemoryStore()
    store.sessions = MemorySessionStore(lifetime=60.0, clock=lambda: now[0])
    store.sessions.on_end(store.end_streams)
    application = server.wsgi_app(store=store)
    hello = {"protocolVersion": LATEST, "capabilities": {}, "clientInfo": WHO}
    body = json.dumps(request("initialize", 0, hello)).encode()
    environ = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/",
        "HTTP_HOST": "localhost",
        "HTTP_ACCEPT": PLAIN["Accept"],
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(body)),
    }
    statuses: set[str] = set()

    def begin(number: int) -> int:
        for _ in range(number):
            list(application({**environ, "wsgi.input": io.BytesIO(body)}, lambda status, _: statuses.add(status)))
        now[0] += 61
        gc.collect()
        return len(gc.get_objects())

    begin(1)
    before = begin(1)
    for _ in range(10):
        begin(1000)
    after = begin(1)
    assert statuses == {"200 OK"}
    # A thousand went at the last step, and one came.
    assert begin(1) - before < 1000
    assert after < before + 1000


# Revisions.


def test_every_client_meets_every_server() -> None:
    from mcp_bindings import connect
    from support.revisions import HANDSHAKE, STATELESS

    everything = [*HANDSHAKE, *STATELESS]
    for theirs in everything:
        server, _ = echo_server(theirs)
        with endpoint(server) as wire:
            place = f"http://127.0.0.1:{wire.port}"
            for mine in everything:
                path = "/sse" if facts(mine).only_sse else "/mcp"
                client = package(mine).Client.http(place + path, timeout=5.0, revisions=[mine])
                if mine == theirs:
                    with client:
                        assert text_of(client.call_tool("echo", {"n": 3})) == "3"
                    continue
                with pytest.raises(McpError) as caught, client:
                    pass
                assert str(caught.value).isprintable()
            with connect.http(f"{place}/sse" if facts(theirs).only_sse else f"{place}/mcp", timeout=5.0) as found:
                assert found.binding.revision == theirs
                assert text_of(found.call_tool("echo", {"n": 4})) == "4"
    eventually(lambda: not threads_of("mcp-http-listen"))
