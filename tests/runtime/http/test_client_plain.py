"""Plain answers are read without http.client: what they say is the same, and all else is still left to it."""

from __future__ import annotations

import io
import socket
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPResponse
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindings_runtime.errors import RequestTimeout
from mcp_bindings_runtime.http.client import wire
from mcp_bindings_runtime.http.client.connections import Pool
from mcp_bindings_runtime.http.client.exchange import Exchange
from mcp_bindings_runtime.http.client.fast_path import (
    FastPath,
    HeaderFields,
    PlainResponse,
    acquire,
    plain_head,
    send_over,
)
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_http_server import McpPeer, Request, answer, called, result
from support.scripted_peers import PATIENCE, package, text_of

NEWEST, NEW = HANDSHAKE[-1], STATELESS[-1]

_LINES = [
    b"Content-Length: 3",
    b"content-length:3 ",
    b"Content-Length: 4",
    b"Content-Length: +3",
    b"Content-Length : 3",
    b"Content-Type: application/json",
    b"CONTENT-TYPE: Application/JSON; charset=utf-8",
    b"Content-Type: text/event-stream",
    b"Transfer-Encoding: chunked",
    b"Content-Encoding: gzip",
    b"Connection: close",
    b"Connection: keep-alive",
    b"Mcp-Session-Id: abc",
    b"X-Odd: caf\xe9",
    b" folded",
    b"\tfolded",
    b"no colon",
    b": no name",
    b"X-Bare: a\rb",
    b"X-Null: a\0b",
    b"",
]
_STARTS = [
    b"HTTP/1.1 200 OK",
    b"HTTP/1.1 200 ",
    b"HTTP/1.0 200 OK",
    b"HTTP/1.1 204 None",
    b"HTTP/1.1 100 Continue",
    b"no",
]
_GOOD = [_LINES[0], _LINES[5]]


@given(
    st.sampled_from([*_STARTS[:1] * 5, *_STARTS]),
    st.lists(st.sampled_from([*_GOOD * 5, *_LINES]), max_size=5),
    st.sampled_from([b"\r\n"] * 5 + [b"\n"]),
    st.sampled_from([b"", b"{}\n", b"{}\n more"]),
)
def test_what_is_taken_for_plain_says_the_same_to_http_client(
    start: bytes, lines: list[bytes], end: bytes, body: bytes
) -> None:
    data = end.join([start, *lines, b"", b""]) + body
    found = plain_head(data)
    if found is None:
        return
    fields, length, at = found
    judge = HTTPResponse(_Canned(data))  # type: ignore[arg-type]  # it only asks for a file
    judge.begin()
    assert judge.status == 200
    assert judge.length == length
    assert not judge.will_close
    assert not judge.chunked
    assert {name: fields[name] for name in judge.headers} == {
        name: value.strip() for name, value in judge.headers.items()
    }
    assert data[at:] == judge.fp.peek()  # type: ignore[attr-defined]  # a buffered reader
    assert fields["content-TYPE"].lower().startswith("application/json")


def test_the_usual_answer_is_plain() -> None:
    found = plain_head(answer({"a": 1}, Mcp_Session_Id="x y"))
    assert found is not None
    assert found[0]["mcp-session-id"] == "x y"
    assert found[0].getlist("MCP-Session-Id") == ["x y"]
    assert found[0].getlist("WWW-Authenticate") == []


@pytest.mark.parametrize("data", [b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n", b"HTTP/1.1 200 OK\r\n\r\n", b""])
def test_heads_that_are_incomplete_are_left_alone(data: bytes) -> None:
    assert plain_head(data) is None


def _whole(body: bytes, *lines: str) -> bytes:
    return "\r\n".join(["HTTP/1.1 200 OK", *lines, "", ""]).encode() + body


JSON = "Content-Type: application/json"


def _shapes(body: bytes) -> dict[str, list[bytes]]:
    """The same answer in many ways, each as the pieces in which it is sent."""
    length = f"Content-Length: {len(body)}"
    plain = _whole(body, JSON, length)
    chunked = _whole(b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body), JSON, "Transfer-Encoding: chunked")
    return {
        "plain": [plain],
        "byte by byte": [plain[at : at + 1] for at in range(len(plain))],
        "head, then body": [plain[: -len(body)], body],
        "body in two": [plain[:-5], plain[-5:]],
        "chunked": [chunked],
        "length twice": [_whole(body, JSON, length, length)],
        "folded": [_whole(body, JSON, length, "X-Long: a", " b")],
        "continued": [b"HTTP/1.1 100 Continue\r\n\r\n" + plain],
        "continued, then it": [b"HTTP/1.1 100 Continue\r\n\r\n", plain],
        "closing": [_whole(body, JSON, length, "Connection: close")],
        "many fields": [_whole(body, JSON, length, *(f"X-{each}: a" for each in range(60)))],
        "more than announced": [plain + b"rest"],
    }


@pytest.mark.parametrize("revision", [NEWEST, NEW])
def test_answers_of_every_shape_are_heard_on_connections_that_are_kept(revision: str) -> None:
    shapes = list(_shapes(b"{}"))
    turn = [0]

    def play(request: Request) -> Any:
        if request.method != "POST" or request.json.get("method") != "tools/call":
            return None
        body = answer(result(request, called(shapes[turn[0]]))).partition(b"\r\n\r\n")[2]
        return iter(_shapes(body)[shapes[turn[0]]])

    with McpPeer(revision, play) as peer, package(revision).Client.http(peer.url, timeout=PATIENCE) as client:
        client.list_tools_page()
        for _ in range(3):
            for turn[0], shape in enumerate(shapes):
                assert text_of(client.call_tool("t")) == shape


@pytest.mark.parametrize("revision", [NEWEST, NEW])
def test_requests_on_a_kept_connection_are_those_on_a_new_one(revision: str) -> None:
    closing = [True]

    def play(request: Request) -> Any:
        if request.method != "POST" or request.json.get("method") != "tools/call":
            return None
        more: dict[str, str] = {"Connection": "close"} if closing[0] else {}
        return answer(result(request, called("ok")), **more)

    with McpPeer(revision, play) as peer, package(revision).Client.http(peer.url, timeout=PATIENCE) as client:
        client.list_tools_page()
        client.call_tool("t")
        client.call_tool("t")
        closing[0] = False
        opened = peer.connections
        for _ in range(3):
            client.call_tool("t")
        assert peer.connections <= opened + 1
        calls = [each for each in peer.requests if each.method == "POST" and each.json.get("method") == "tools/call"]
        heads = [{name: value for name, value in each.headers.items() if name != "content-length"} for each in calls]
        assert len(heads) == 5
        assert all(head == heads[1] for head in heads)
        assert len({each.path for each in calls}) == 1


class _Canned:
    def __init__(self, data: bytes) -> None:
        self._data = data

    def makefile(self, mode: str) -> Any:
        assert mode == "rb"
        return io.BufferedReader(io.BytesIO(self._data))  # type: ignore[type-var]  # raw enough


def test_a_connection_that_waits_to_be_used_again_is_watched() -> None:
    ours, theirs = socket.socketpair()
    connection = Pool("localhost").ConnectionCls("localhost")
    with ours, theirs:
        assert not connection.is_connected
        connection.sock = ours
        assert connection.is_connected
        theirs.sendall(b"HTTP/1.1 408 Request Timeout\r\n\r\n")
        assert not connection.is_connected
        ours.recv(100)
        assert connection.is_connected
    other, theirs = socket.socketpair()
    with other, theirs:
        connection.sock = other
        assert connection.is_connected
        theirs.shutdown(socket.SHUT_WR)
        assert not connection.is_connected
        connection.sock = None


def test_as_many_connections_are_kept_as_the_pool_is_for() -> None:
    pool = Pool("localhost", maxsize=2)
    made = [pool._get_conn() for _ in range(3)]
    for connection in made:
        pool._put_conn(connection)
    # The one that was used last is the least likely to have been closed meanwhile.
    kept = [pool._get_conn() for _ in range(3)]
    assert kept[:2] == made[1::-1]
    assert kept[2] not in made


def test_ending_an_exchange_that_is_over_leaves_its_connection_to_others() -> None:
    pool = Pool("localhost")
    ours, theirs = socket.socketpair()
    with ours, theirs:
        connection = pool._get_conn()
        connection.sock = ours
        theirs.sendall(answer({}))
        exchange = Exchange("a test")
        assert send_over(connection, "POST", exchange, b"POST / HTTP/1.1\r\n\r\n", pool, pool.pool).read() == b"{}"
        exchange.end()
        assert connection.is_connected
        assert acquire(pool.pool) is connection
        other = Exchange("another")
        connection.attach(other)
        other.end()
        assert not connection.is_connected
        connection.sock = None


def test_a_connection_that_is_given_back_while_its_pool_is_closed_is_closed() -> None:
    pool = Pool("localhost", maxsize=1)

    class ClosedBefore(list[Any]):
        def append(self, item: Any) -> None:
            pool.close()
            super().append(item)

    ours, theirs = socket.socketpair()
    with ours, theirs:
        connection = pool._get_conn()
        connection.sock = ours
        pool.pool._items = ClosedBefore()
        pool._put_conn(connection)
        assert connection.sock is None


def test_no_part_of_a_body_is_read_after_the_deadline() -> None:
    # All of it has arrived, so that nothing has to be read from the socket, which looks at the deadline by itself.
    fields = HeaderFields({"content-type": "application/json"})
    late = Exchange("a test", 0.0)
    response = PlainResponse(fields, 2, b"{}", None, late, lambda whole: None)
    for read in (lambda: wire.next_part(response, late), lambda: wire.read_body(response, late, 100)):
        with pytest.raises(RequestTimeout, match="a test"):
            read()
    assert wire.next_part(response, Exchange("a test")) == b"{}"


def test_who_rests_in_an_exchange_wakes_when_it_ends() -> None:
    exchange = Exchange("a test")
    assert not exchange.sleep(0.01)
    with ThreadPoolExecutor(1) as threads:
        resting = threads.submit(exchange.sleep, PATIENCE)
        exchange.end()
        assert resting.result(PATIENCE)
    assert exchange.sleep(PATIENCE)


@pytest.mark.parametrize("revision", [NEWEST, NEW])
def test_without_connections_from_the_pool_urllib3_does_all(revision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def play(request: Request) -> Any:
        if request.method != "POST" or request.json.get("method") != "tools/call":
            return None
        return answer(result(request, called("done")))

    monkeypatch.setattr(FastPath, "send", lambda *_: None)
    with McpPeer(revision, play) as peer, package(revision).Client.http(peer.url, timeout=PATIENCE) as client:
        for _ in range(3):
            assert text_of(client.call_tool("echo")) == "done"
