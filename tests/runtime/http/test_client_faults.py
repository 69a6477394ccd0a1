"""Clients over HTTP when the network fails: nothing hangs, nothing is delivered twice, and the next call works."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from threading import Event
from typing import Any

import pytest
from mcp_bindings_runtime.errors import (
    ConnectionClosed,
    HttpError,
    McpError,
    ProtocolError,
    RequestTimeout,
    ResponseError,
)
from mcp_bindings_runtime.http.client.exchange import Exchange
from mcp_bindings_runtime.http.client.options import HttpClientOptions
from mcp_bindings_runtime.http.client.wire import Wire, discard, read_body
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_http_server import (
    END,
    Cut,
    HttpPeer,
    McpPeer,
    Request,
    answer,
    called,
    chunk,
    event,
    head,
    result,
    stream,
)
from support.scripted_peers import PATIENCE, eventually, package, text_of, threads_of

NEWEST, NEW = HANDSHAKE[-1], STATELESS[-1]
both_eras = pytest.mark.parametrize("revision", [NEWEST, NEW])


def client_of(peer: McpPeer, revision: str, **options: Any) -> Any:
    return package(revision).Client.http(peer.url, **{"timeout": PATIENCE, **options})


@both_eras
@pytest.mark.parametrize("kind", ["json", "stream"])
def test_a_connection_may_end_at_any_byte_of_an_answer(revision: str, kind: str) -> None:
    cut = [-1]
    asked: list[Any] = []
    sizes: list[int] = []

    def play(request: Request) -> Any:
        if request.method != "POST" or request.json.get("method") != "tools/call":
            return None
        asked.append(request.json["id"])
        said = result(request, called("ok"))
        whole = answer(said) if kind == "json" else stream(event(said))
        sizes.append(len(whole))
        return whole if cut[0] < 0 else broken(whole[: cut[0]])

    def broken(part: bytes) -> Any:
        yield part
        raise Cut(reset=cut[0] % 2 == 0)

    with McpPeer(revision, play) as peer, client_of(peer, revision) as client:
        client.list_tools_page()
        assert text_of(client.call_tool("t")) == "ok"
        outcomes: list[bool] = []
        for position in range(sizes[0]):
            cut[0] = position
            try:
                outcomes.append(text_of(client.call_tool("t")) == "ok")
            except (ConnectionClosed, ProtocolError):
                outcomes.append(False)
        cut[0] = -1
        assert text_of(client.call_tool("t")) == "ok"
        # No call has reached the server twice, as nobody knows what the first one did.
        assert len(asked) == len(set(asked)) == sizes[0] + 2
        # What came of a stream after the answer does not matter.
        assert outcomes == sorted(outcomes)
        assert any(outcomes) == (kind == "stream")
    eventually(lambda: not threads_of("mcp-http"))


@both_eras
def test_connections_that_the_server_closes_while_they_are_idle_are_no_trouble(revision: str) -> None:
    def play(request: Request) -> Any:
        return closing(request) if request.method == "POST" and request.json.get("method") == "tools/list" else None

    def closing(request: Request) -> Any:
        value = {"resultType": "complete", "tools": [], "ttlMs": 0, "cacheScope": "private"}
        yield answer(result(request, value))
        raise Cut

    with McpPeer(revision, play) as peer, client_of(peer, revision) as client:
        for _ in range(30):
            assert client.list_tools_page().tools == []


@both_eras
def test_a_proxy_that_holds_a_stream_back_delays_it_only(revision: str) -> None:
    def play(request: Request) -> Any:
        if request.method != "POST" or request.json.get("method") != "tools/call":
            return None
        token = request.json["params"]["_meta"]["progressToken"]
        told = [
            {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": token, "progress": each}}
            for each in range(1, 6)
        ]
        return stream(chunk(b": hello\n\n"), *map(event, told), event(result(request, called("ok"))))

    seen: list[int] = []
    with McpPeer(revision, play) as peer, client_of(peer, revision) as client:
        assert text_of(client.call_tool("t", on_progress=lambda params: seen.append(params.progress))) == "ok"
    assert seen == sorted(set(seen))
    assert seen[-1] == 5


@both_eras
def test_an_answer_in_single_bytes_is_an_answer(revision: str) -> None:
    def play(request: Request) -> Any:
        if request.method != "POST" or request.json.get("method") != "tools/call":
            return None
        whole = stream(event(result(request, called("ok"))))
        return (whole[at : at + 1] for at in range(len(whole)))

    with McpPeer(revision, play) as peer, client_of(peer, revision) as client:
        assert text_of(client.call_tool("t")) == "ok"


@both_eras
def test_a_peer_that_is_silent_is_left_in_time(revision: str) -> None:
    def play(request: Request) -> Any:
        peer.over.wait(PATIENCE)
        raise Cut

    with McpPeer(revision, play) as peer, pytest.raises(RequestTimeout):
        client_of(peer, revision, timeout=0.3).connect()
    eventually(lambda: not threads_of("mcp-http"))


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@both_eras
def test_a_closed_client_holds_no_connection(revision: str) -> None:
    with McpPeer(revision) as peer, without_garbage_collection():
        for _ in range(5):
            with client_of(peer, revision) as client, ThreadPoolExecutor(8) as threads:
                calls = [threads.submit(client.call_tool, "t") for _ in range(16)]
                assert {text_of(each.result(PATIENCE)) for each in calls} == {"ok"}
            eventually(lambda: not peer.connected())


@both_eras
def test_a_client_that_is_closed_during_calls_holds_no_connection(revision: str) -> None:
    def play(request: Request) -> Any:
        if request.method != "POST" or request.json.get("method") != "tools/call":
            return None
        return slow(request) if request.json["params"]["name"] == "slow" else None

    def slow(request: Request) -> Any:
        yield head()
        # What is sent on a connection that is closed shows the server that it is.
        while not peer.over.wait(0.01):
            yield chunk(b":\n\n")

    def call(client: Any, name: str) -> None:
        with suppress(ConnectionClosed):
            client.call_tool(name)

    with McpPeer(revision, play) as peer, without_garbage_collection(), ThreadPoolExecutor(8) as threads:
        for _ in range(5):
            client = client_of(peer, revision)
            client.connect()
            peer.requests.clear()
            calls = [threads.submit(call, client, "slow" if each % 2 else "t") for each in range(8)]
            eventually(lambda: peer.methods().count("tools/call") >= 4)
            client.close()
            for each in calls:
                each.result(PATIENCE)
            eventually(lambda: not peer.connected())


@both_eras
def test_a_client_that_could_not_connect_holds_no_connection(revision: str) -> None:
    def play(request: Request) -> Any:
        return answer({}, status=503)

    with McpPeer(revision, play) as peer, without_garbage_collection():
        for _ in range(5):
            with pytest.raises(HttpError):
                client_of(peer, revision, retries=False).connect()
        eventually(lambda: not peer.connected())


@pytest.mark.parametrize("end", ["killed", "ended", "stopped"])
def test_a_subscription_outlives_its_server(end: str) -> None:
    heard = Event()

    def play(request: Request) -> Any:
        return changes(request) if request.json["method"] == "subscriptions/listen" else None

    def changes(request: Request) -> Any:
        meta = {"_meta": {"io.modelcontextprotocol/subscriptionId": request.json["id"]}}
        yield head()
        told = {"notifications": {"toolsListChanged": True}, **meta}
        yield event({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": told})
        if heard.is_set():
            peer.over.wait(PATIENCE)
        # A reset takes with it what has not been read yet.
        assert heard.wait(PATIENCE)
        if end == "stopped":
            yield event(result(request, {"resultType": "complete", **meta}))
        if end != "killed":
            yield END
        raise Cut(reset=end == "killed")

    with McpPeer(NEW, play) as peer, client_of(peer, NEW) as client:
        client.connection.session.peer_capabilities = None
        with client.listen(tools=True) as subscription:
            heard.set()
            # Nobody knows what has changed meanwhile.
            assert subscription.get(PATIENCE).key is package(STATELESS[-1]).methods.TOOL_LIST_CHANGED
            with pytest.raises(RequestTimeout):
                subscription.get(0.05)
        assert text_of(client.call_tool("t")) == "ok"


def test_a_subscription_that_the_server_refuses_to_open_again_ends_with_the_error() -> None:
    opened = Event()

    def play(request: Request) -> Any:
        if request.json["method"] != "subscriptions/listen":
            return None
        if opened.is_set():
            return answer({"jsonrpc": "2.0", "id": request.json["id"], "error": {"code": -32603, "message": "gone"}})
        return once(request)

    def once(request: Request) -> Any:
        opened.set()
        meta = {"_meta": {"io.modelcontextprotocol/subscriptionId": request.json["id"]}}
        told = {"notifications": {"toolsListChanged": True}, **meta}
        yield head()
        yield event({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": told})
        raise Cut

    with McpPeer(NEW, play) as peer, client_of(peer, NEW) as client:
        client.connection.session.peer_capabilities = None
        with client.listen(tools=True) as subscription, pytest.raises(ResponseError, match="gone"):
            subscription.get(PATIENCE)


def test_what_comes_after_the_answer_is_no_second_one() -> None:
    def play(request: Request) -> Any:
        if request.method != "POST" or request.json.get("method") != "tools/call":
            return None
        first, second = result(request, called("first")), result(request, called("second"))
        return head() + event(first) + event(second) + END

    with McpPeer(NEWEST, play) as peer, client_of(peer, NEWEST) as client:
        assert text_of(client.call_tool("t")) == "first"
        assert text_of(client.call_tool("t")) == "first"


def test_many_failing_calls_leave_nothing_behind() -> None:
    def play(request: Request) -> Any:
        if request.method == "POST" and request.json.get("method") == "tools/call":
            raise Cut(reset=True)
        return None

    with McpPeer(NEWEST, play) as peer, client_of(peer, NEWEST) as client:
        for _ in range(100):
            with pytest.raises(McpError):
                client.call_tool("t")
        transport = client.connection._transport
        assert not transport._pending
        assert not transport._exchanges
        # The caller may go on before the thread that reads has forgotten the call.
        eventually(lambda: not client.connection.calls)


@pytest.mark.parametrize("kind", ["plain", "chunked"])
@pytest.mark.parametrize("finish", [discard, lambda response, exchange: read_body(response, exchange, 100)])
def test_a_response_whose_deadline_passes_before_its_body_is_closed_at_once(finish: Any, kind: str) -> None:
    whole = answer({}) if kind == "plain" else head() + chunk(b"{}") + END
    with HttpPeer(lambda request: whole) as peer:
        wire, exchange = Wire(peer.url, HttpClientOptions()), Exchange("test")
        response = wire.open("POST", exchange, {}, b"{}")
        discard(response, exchange)
        response = wire.open("POST", exchange, {}, b"{}")
        assert peer.connected() == 1
        exchange.deadline = 0.0
        with pytest.raises(RequestTimeout):
            finish(response, exchange)
        # The test still refers to the response, so this is not the work of the garbage collector.
        eventually(lambda: not peer.connected())
        wire.close()
