"""Limits that no other test shows; ``tests/docs/limits.toml`` has all of them."""

from __future__ import annotations

import json
import socket
import threading
from collections import deque
from time import monotonic
from types import SimpleNamespace
from typing import Any

import pytest
from mcp_bindings_runtime.client import output_check
from mcp_bindings_runtime.client.output_check import bounded_checker
from mcp_bindings_runtime.connection.thread_pool import IDLE, ThreadPool
from mcp_bindings_runtime.errors import ConnectionClosed, HttpError, RequestTimeout, ResponseError, UsageError
from mcp_bindings_runtime.features import elicitation
from mcp_bindings_runtime.features.elicitation import VisitedPages
from mcp_bindings_runtime.http.client import error_responses, fast_path, param_headers, response_stream, streamable
from mcp_bindings_runtime.http.client.exchange import Exchange
from mcp_bindings_runtime.http.client.inbox import CAPACITY, Inbox
from mcp_bindings_runtime.http.client.param_headers import ToolHeaders
from mcp_bindings_runtime.http.server import connection_handler, http_server, session_expiry
from mcp_bindings_runtime.http.server import param_headers as server_param_headers
from mcp_bindings_runtime.http.server import store as stores
from mcp_bindings_runtime.http.server.options import HttpServerOptions
from mcp_bindings_runtime.http.server.origin_policy import RefusalLog
from mcp_bindings_runtime.http.server.store import MemoryStore
from mcp_bindings_runtime.session.events import Incoming
from mcp_bindings_runtime.tasks.store import MemoryTasks
from support.echo_server import echo_server
from support.raw_http_client import NEW, PLAIN, Wire, call, endpoint, modern
from support.revisions import HANDSHAKE
from support.scripted_http_server import HttpPeer
from support.scripted_peers import PATIENCE, eventually, package, text_of

LATEST = HANDSHAKE[-1]


# Connections and features.


def test_idle_threads_of_a_pool_end() -> None:
    pool = ThreadPool("mcp-limit", 1, idle=0.01)
    assert pool.start(lambda: None)
    eventually(lambda: not [each for each in threading.enumerate() if each.name == "mcp-limit"])
    assert ThreadPool("x", 1)._seconds == IDLE


def test_large_arrays_are_not_compared_item_by_item(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jsonschema")
    monkeypatch.setattr(output_check, "_ITEMS", 3)
    check = bounded_checker({"uniqueItems": True})
    assert check([1, 1, 2])
    assert not check([1, 1, 2, 3])


def test_the_oldest_pages_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elicitation, "_MAX_PAGES", 2)
    pages = VisitedPages()
    for name in "abc":
        pages.expect(name)
        pages.complete(name)
    pages.wait("b", 0)
    pages.wait("c", 0)
    with pytest.raises(UsageError, match="'a'"):
        pages.wait("a", 0)


def test_a_server_waits_so_long_for_an_answer() -> None:
    mcp = package(LATEST)
    server = mcp.Server("s", "1", timeout=0.05)
    go = threading.Event()

    def ask(context: Any) -> str:
        try:
            return str(context.list_roots())
        except RequestTimeout:
            return "late"

    ask.__annotations__["context"] = mcp.Context
    server.tool(ask)
    client = mcp.Client.in_memory(server)

    @client.handler(mcp.methods.LIST_ROOTS)
    def roots(_params: Any, _context: Any) -> Any:
        go.wait(PATIENCE)
        return mcp.types.ListRootsResult(roots=[])

    with client:
        assert text_of(client.call_tool("ask")) == "late"
        go.set()


def test_all_requestors_together_have_so_many_tasks() -> None:
    mcp = package(LATEST)
    server = mcp.Server("s", "1", tasks=MemoryTasks(tools={"hold": "optional"}, most=2))
    go = threading.Event()

    @server.tool
    def hold() -> str:
        go.wait(PATIENCE)
        return ""

    clients = [mcp.Client.in_memory(server) for _ in range(3)]
    for client in clients:
        client.connect()
        list(client.list_tools())
    try:
        for client in clients[:2]:
            client.call_tool_as_task("hold")
        with pytest.raises(ResponseError, match="Too many tasks"):
            clients[2].call_tool_as_task("hold")
    finally:
        go.set()
        for client in clients:
            client.close()


# The HTTP client.


def refused(peer: HttpPeer) -> HttpError:
    with pytest.raises(HttpError) as found:
        package(NEW).Client.http(peer.url, timeout=PATIENCE, retries=False).connect()
    return found.value


def refusal(length: int, body: bytes) -> bytes:
    return b"HTTP/1.1 403 No\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%b" % (length, body)


def test_the_body_of_a_refusal_is_read_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(error_responses, "_MOST", 100)
    # The rest never arrives.
    with HttpPeer(lambda _: refusal(10**9, b"because " + b"x" * 1000)) as peer:
        assert refused(peer).text.startswith("because")


def test_the_body_of_a_refusal_is_not_awaited_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(error_responses, "_BODY_TIME", 0.05)
    with HttpPeer(lambda _: refusal(100, b"because")) as peer:
        error = refused(peer)
        assert (error.status, error.text) == (403, "")


def test_the_body_of_a_refusal_is_awaited_for_half_of_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[float] = []

    def late(_response: object, exchange: Exchange) -> bytes:
        left.append(exchange.deadline - monotonic())
        raise exchange.timed_out()

    monkeypatch.setattr(error_responses, "_BODY_TIME", 10 * PATIENCE)
    monkeypatch.setattr(error_responses, "next_part", late)
    with HttpPeer(lambda _: refusal(100, b"because")) as peer:
        error = refused(peer)
        assert (error.status, error.text) == (403, "")
    # The caller waits for so long.
    assert 0 < left[0] <= PATIENCE / 2


def test_few_names_of_fields_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_path, "_NAMES", 2)
    path = fast_path.FastPath(None, "/", "localhost")
    for number in range(5):
        path.accept({f"X-{number}": ""})
    assert len(path._accepted) == 2


def test_streams_wait_while_messages_are_queued() -> None:
    inbox = Inbox(capacity=10)
    assert Inbox()._capacity == CAPACITY
    inbox.put(b"x" * 11, wait=True)
    second = threading.Thread(target=inbox.put, args=(b"y",), kwargs={"wait": True}, daemon=True)
    second.start()
    second.join(0.05)
    assert len(inbox._items) == 1
    assert inbox.get(PATIENCE) == b"x" * 11
    assert inbox.get(PATIENCE) == b"y"
    second.join(PATIENCE)


def test_opening_a_connection_has_a_time() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        port = full.getsockname()[1]
        waiting = [socket.socket() for _ in range(3)]
        try:
            for each in waiting:
                each.setblocking(False)
                each.connect_ex(("127.0.0.1", port))
            client = package(NEW).Client.http(
                f"http://127.0.0.1:{port}/", timeout=PATIENCE, connect_timeout=0.1, retries=False
            )
            with pytest.raises(ConnectionClosed, match=r"0\.1"):
                client.connect()
        finally:
            for each in waiting:
                each.close()


def test_the_oldest_tools_are_looked_up_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(param_headers, "MOST", 2)
    tools = ToolHeaders()
    listed = [{"name": name, "inputSchema": {"type": "object"}} for name in "abc"]
    tools.learn(json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": listed}}).encode())
    assert list(tools._tools) == ["b", "c"]


def test_remembered_ids_are_bounded() -> None:
    client = streamable.StreamableHttp(Any)
    pending = SimpleNamespace(exchange=None)
    nothing: Any = None
    stream = response_stream.ResponseStream(
        nothing, pending, nothing, limit=1, repeater=nothing, deliver=nothing, fail=nothing, resume=None
    )
    for remembered, most in ((client._aborted, streamable._ABORTED), (stream._seen, response_stream._REMEMBERED)):
        remembered.extend(map(str, range(most + 1)))
        assert (len(remembered), remembered[0]) == (most, "1")


# The HTTP server.


@pytest.mark.parametrize("option", ["memory", "memory_per_source"])
def test_what_clients_make_a_server_keep_is_bounded(option: str) -> None:
    server, _ = echo_server(LATEST)
    with endpoint(server, **{option: 100_000}) as wire:
        clients = [Wire(wire.port) for _ in range(30)]
        for client in clients:
            client.initialize(LATEST)
        kept = [client.post(call(n=1)).status for client in clients]
    # Each session counts 8 KiB.
    assert 1 <= kept.count(200) <= 12
    assert set(kept) == {200, 404}


def test_sources_without_anything_to_drop_are_remembered_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(stores, "monotonic", lambda: now[0])
    monkeypatch.setattr(stores, "_MAX_FRUITLESS", 2)
    store = MemoryStore()
    searched: list[Any] = []
    monkeypatch.setattr(store, "_drop_delivered", lambda *each: searched.append(each) or 0)
    store.open("s", "1")
    for time, searches in ((0.0, 1), (stores._PAUSE - 0.1, 1), (stores._PAUSE + 0.1, 2)):
        now[0] = time
        store._shrink(None, 1)
        assert len(searched) == searches
    for source in "abcde":
        store._shrink(source, 1)
        assert len(store._fruitless) <= 2


# Redis.


def test_a_redis_store_has_so_many_connections() -> None:
    pytest.importorskip("redis")
    from mcp_bindings_runtime.http.redis.client import RedisClient

    client = RedisClient("redis://127.0.0.1:1/0", prefix="", timeout=0.1, connections=2)
    assert client._redis.connection_pool.max_connections == 2


def test_few_logs_are_ended_later(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("redis")
    from mcp_bindings_runtime.http.redis import event_log

    monkeypatch.setattr(event_log, "_MAX_UNENDED", 2)
    readers = event_log.LocalReaders()
    ended: list[int] = []
    for number in range(5):
        log: Any = SimpleNamespace(end=lambda number=number: ended.append(number))
        readers.end_later(log)
    readers.catch_up()
    assert ended == [0, 1]


def test_so_many_connections_wait_to_be_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Any] = []
    create = socket.create_server

    def note(*arguments: Any, **options: Any) -> socket.socket:
        found.append(options["backlog"])
        return create(*arguments, **options)

    monkeypatch.setattr(socket, "create_server", note)
    http_server.make_server([echo_server(NEW)[0]]).close()
    assert found == [http_server._BACKLOG]


def test_without_an_option_there_are_fewer_connections_than_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")
    for soft, connections in ((256, 192), (100_000, 4096), (-1, 4096)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, soft=soft: (soft, soft))
        assert HttpServerOptions().open_connections == connections


def test_fewer_connections_than_the_option_says_are_reported(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 256))
    assert HttpServerOptions(connections=192).open_connections == 192
    assert not caplog.records
    assert HttpServerOptions(connections=193).open_connections == 192
    assert "`connections` is 193" in caplog.text
    assert "192 connections are accepted (ulimit -n)" in caplog.text


def test_a_client_that_does_not_close_is_left_after_the_last_response(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_handler, "_DRAIN_TIME", 0.05)
    server, _ = echo_server(NEW)
    with (
        http_server.make_server([server]) as served,
        socket.create_connection(("127.0.0.1", served.port), PATIENCE) as raw,
    ):
        raw.sendall(b"GET /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        while raw.recv(65536):
            pass
        eventually(lambda: not served._connections._connections)


def chunked(port: int, body: bytes) -> bytes:
    """Post a body that is framed in chunks; return the beginning of the response."""
    whole, headers = modern(call(1, n=1))
    names = {**PLAIN, **headers, "Host": "localhost", "Transfer-Encoding": "chunked", "Connection": "close"}
    head = "".join(f"{name}: {value}\r\n" for name, value in names.items())
    text = json.dumps(whole).encode()
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as raw:
        raw.sendall(
            f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body.replace(b"TEXT", b"%x\r\n%b\r\n" % (len(text), text))
        )
        return raw.recv(65536).partition(b"\r\n")[0]


@pytest.mark.parametrize(("size", "status"), [(1000, b"404"), (70_000, b"4")])
def test_a_head_has_so_many_bytes(size: int, status: bytes) -> None:
    server, _ = echo_server(NEW)
    with endpoint(server) as wire, socket.create_connection(("127.0.0.1", wire.port), PATIENCE) as raw:
        raw.sendall(b"GET /nowhere HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * size + b"\r\n\r\n")
        found = raw.recv(65536).split(b" ")[1]
        assert found.startswith(status)
        assert (found == b"404") is (size < 65536)


@pytest.mark.parametrize(("size", "status"), [(1000, b"200"), (1100, b"400")])
def test_the_line_of_a_chunk_has_so_many_bytes(size: int, status: bytes) -> None:
    server, _ = echo_server(NEW)
    with endpoint(server) as wire:
        last = b"0;" + b"x" * size + b"\r\n\r\n"
        assert chunked(wire.port, b"TEXT" + last).split(b" ")[1] == status


@pytest.mark.parametrize(("number", "status"), [(31, b"200"), (40, b"400")])
def test_a_body_has_so_many_trailers(number: int, status: bytes) -> None:
    server, _ = echo_server(NEW)
    with endpoint(server) as wire:
        assert chunked(wire.port, b"TEXT0\r\n" + b"X: y\r\n" * number + b"\r\n").split(b" ")[1] == status


def test_a_stream_that_nobody_resumes_expires(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(stores, "monotonic", lambda: now[0])
    store = MemoryStore()
    log = store.open("s", "1")
    log.since = now[0]
    now[0] += session_expiry.STREAM_LIFETIME - 1
    store.open("s", "2").since = now[0]
    assert store.find("s", "1") is log
    now[0] += 2
    store.open("s", "3")
    assert store.find("s", "1") is None
    assert store.find("s", "2") is not None


def test_the_beginning_of_a_refused_name_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    RefusalLog().log("Host", "a" * 79 + "bc")
    (line,) = (each.getMessage() for each in caplog.records)
    assert "ab'" in line
    assert "bc" not in line


def listing(pages: int) -> tuple[Any, deque[Any]]:
    """Return the headers of a server whose handler lists tools on so many pages, and the cursors that it received."""
    mcp = package(NEW)
    server = mcp.Server("s", "1")
    cursors: deque[Any] = deque()

    @server.handler(mcp.methods.LIST_TOOLS)
    def list_tools(params: Any, _context: Any) -> Any:
        cursors.append(params.cursor)
        following = str(len(cursors)) if len(cursors) < pages else mcp.UNSET
        return mcp.types.ListToolsResult(tools=[], next_cursor=following, ttl_ms=0, cache_scope="private")

    return server_param_headers.ToolParamHeaders(server), cursors


def look_up(headers: server_param_headers.ToolParamHeaders) -> Any:
    """Return the headers for a call of a tool; the server lists its tools if it has to."""
    message = modern(call(1))[0]
    known = headers.known(message, None)
    if known is not None:
        return known
    return headers.listed(message, Incoming(package(NEW).methods.CALL_TOOL, message["id"], None))


def test_a_list_of_tools_has_so_many_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_param_headers, "_MAX_TOOLS", 5)
    headers, cursors = listing(100)
    look_up(headers)
    assert len(cursors) == 5


def test_the_tools_of_a_handler_are_listed_again_after_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(server_param_headers, "monotonic", lambda: now[0])
    headers, cursors = listing(1)
    for time, listed in ((0.0, 1), (server_param_headers.FRESH, 1), (server_param_headers.FRESH + 0.1, 2)):
        now[0] = time
        look_up(headers)
        assert len(cursors) == listed
