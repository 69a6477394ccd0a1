"""Clients of servers that mean harm or are broken: a clear error within the deadline, and bounded memory."""

from __future__ import annotations

import gzip
import json
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from mcp_bindings_runtime.errors import (
    ConnectionClosed,
    HttpError,
    McpError,
    MessageTooLarge,
    ProtocolError,
    RequestTimeout,
)
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

NEWEST, NEW, OLD = HANDSHAKE[-1], STATELESS[-1], "2024-11-05"
both_eras = pytest.mark.parametrize("revision", [NEWEST, NEW])
MOST = 100_000
"""Bytes of a message, in these tests."""


def client_of(peer: HttpPeer, revision: str = NEWEST, **options: Any) -> Any:
    return package(revision).Client.http(peer.url, **{"timeout": PATIENCE, "max_message": MOST, **options})


def on_call(revision: str, play: Any) -> McpPeer:
    """A server that is well behaved but for the calls of its tool ``bad``."""

    def rest(request: Request) -> Any:
        asked = request.json if request.method == "POST" else {}
        return play(request) if asked.get("method") == "tools/call" and asked["params"]["name"] == "bad" else None

    return McpPeer(revision, rest)


def with_length(length: str, *, chunked: bool = False, status: int = 200, kind: str = "application/json") -> Any:
    """Answers with this ``Content-Length``."""

    def play(request: Request) -> bytes:
        body = json.dumps(result(request, called("ok"))).encode()
        framing = "Transfer-Encoding: chunked\r\n" if chunked else ""
        fields = f"Content-Type: {kind}\r\nContent-Length: {length}\r\n{framing}\r\n"
        return f"HTTP/1.1 {status} Status\r\n".encode() + fields.encode() + (chunk(body) + END if chunked else body)

    return play


def peak_of_second(call: Callable[[], object], kind: type[Exception], match: str = ".") -> int:
    """Return the peak of allocated bytes while a call fails for the second time; the first time fills caches.

    The bytes of all threads count, those of the scripted server too.
    """
    with pytest.raises(kind, match=match):
        call()
    tracemalloc.start()
    try:
        with pytest.raises(kind, match=match):
            call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def endless(first: bytes, more: bytes) -> Any:
    """Says this until the client has had enough of it."""

    def play(request: Request) -> Iterator[bytes]:
        yield first
        for _ in range(150):
            yield more
        raise Cut

    return play


def told(number: int) -> Any:
    return {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x" * number}}


FILLED = b"x" * 16_000
OK = b"HTTP/1.1 200 OK\r\n"
JSON = OK + b"Content-Type: application/json\r\n"


@both_eras
@pytest.mark.parametrize(
    ("play", "kind"),
    [
        (endless(OK, b"X-More: 1\r\n" * 200), ConnectionClosed),
        (endless(OK + b"X-Long: ", FILLED), ConnectionClosed),
        (endless(b"HTTP/1.1 200 ", FILLED), ConnectionClosed),
        (endless(JSON + b"\r\n", FILLED), MessageTooLarge),
        (endless(JSON + b"Transfer-Encoding: chunked\r\n\r\n", chunk(FILLED)), MessageTooLarge),
        (endless(JSON + b"Transfer-Encoding: chunked\r\n\r\n", FILLED), ConnectionClosed),
        (endless(head() + b"10;", FILLED), ConnectionClosed),
        (endless(head(), chunk(b"data: " + FILLED)), ConnectionClosed),
        (endless(head(), chunk(b"data: " + FILLED + b"\n")), ConnectionClosed),
        (endless(head(), chunk(b"data:" + b"\ndata:" * 600)), ConnectionClosed),
        (endless(head(), chunk(b"data:" + b"x" * (MOST + 1) + b"\n\n")), MessageTooLarge),
        (endless(head(), chunk(b": " + FILLED)), ConnectionClosed),
        (endless(head(), chunk(b"event: " + FILLED)), ConnectionClosed),
        (endless(head(), chunk(b"junk\n\n" * 500)), ConnectionClosed),
        (endless(b"HTTP/1.1 500 No\r\nContent-Type: text/plain\r\n\r\n", FILLED), HttpError),
        (endless(b"HTTP/1.1 404 No\r\nContent-Type: application/json\r\n\r\n", b"[" * 16_000), McpError),
    ],
)
def test_an_endless_answer_is_left_and_not_kept(revision: str, play: Any, kind: Any) -> None:
    with on_call(revision, play) as peer, client_of(peer, revision) as client:
        assert text_of(client.call_tool("t")) == "ok"
        most = peak_of_second(lambda: client.call_tool("bad"), kind)
        # Less than five times is usual: parts of the message are joined, and the server has them too.
        assert most < 7 * MOST
        assert text_of(client.call_tool("t")) == "ok"
    eventually(lambda: not threads_of("mcp-http"))


@both_eras
@pytest.mark.parametrize("part", [b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"])
def test_interim_answers_without_end_do_not_outlast_the_deadline(revision: str, part: bytes) -> None:
    def play(request: Request) -> Iterator[bytes]:
        while not peer.over.wait(0.005):
            yield part
        raise Cut

    with on_call(revision, play) as peer, client_of(peer, revision) as client:
        with pytest.raises((RequestTimeout, ConnectionClosed, HttpError)):
            client.call_tool("bad", timeout=0.4)
        assert text_of(client.call_tool("t")) == "ok"


@pytest.mark.parametrize("part", [chunk(b":\n\n"), chunk(b"id: 1\ndata:\n\n"), event(told(10)), event(told(10), "1")])
@both_eras
def test_events_without_end_do_not_outlast_the_deadline(revision: str, part: bytes) -> None:
    def play(request: Request) -> Iterator[bytes]:
        yield head()
        while not peer.over.wait(0.005):
            yield part
        raise Cut

    with on_call(revision, play) as peer, client_of(peer, revision) as client:
        with pytest.raises(RequestTimeout):
            client.call_tool("bad", timeout=0.4)
        assert text_of(client.call_tool("t")) == "ok"
    eventually(lambda: not threads_of("mcp-http"))


def nested(data: bytes, layers: int) -> bytes:
    """Return data compressed so many times."""
    for _ in range(layers):
        data = gzip.compress(data)
    return data


BOMB = nested(b"x" * 100_000_000, 2)
"""A few hundred bytes that decompress to 100 MB."""


@both_eras
@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
@pytest.mark.parametrize(
    ("body", "coding"),
    [
        pytest.param(gzip.compress(b"{}"), "gzip", id="gzip"),
        pytest.param(zlib.compress(b"{}"), "deflate", id="deflate"),
        pytest.param(BOMB, "gzip, gzip", id="nested"),
        pytest.param(BOMB, "identity, gzip,gzip", id="identity-first"),
        pytest.param(BOMB, ",".join(["gzip"] * 10_000), id="many"),
        pytest.param(b"{}", "br", id="br"),
        pytest.param(b"{}", "x-unknown", id="unknown"),
    ],
)
def test_bodies_with_a_content_coding_are_refused_unread(revision: str, kind: str, body: bytes, coding: str) -> None:
    def play(request: Request) -> bytes:
        assert request.headers["accept-encoding"] == "identity"
        return answer(body, kind=kind, Content_Encoding=coding)

    with on_call(revision, play) as peer, client_of(peer, revision) as client:
        refused = r"content coding '.*Accept-Encoding: identity"
        most = peak_of_second(lambda: client.call_tool("bad"), ProtocolError, refused)
        # The parser of headers copies a long one about twelve times.
        assert most < 10 * MOST
        assert text_of(client.call_tool("t")) == "ok"


@both_eras
@pytest.mark.parametrize("coding", ["identity", "Identity, identity", ""])
def test_the_identity_coding_is_none(revision: str, coding: str) -> None:
    def play(request: Request) -> bytes:
        return answer(result(request, called("bare")), Content_Encoding=coding)

    with on_call(revision, play) as peer, client_of(peer, revision) as client:
        for _ in range(2):
            assert text_of(client.call_tool("bad")) == "bare"


@both_eras
def test_a_refusal_with_a_content_coding_keeps_its_status(revision: str) -> None:
    with (
        on_call(revision, lambda request: answer(BOMB, 503, Content_Encoding="gzip, gzip")) as peer,
        client_of(peer, revision) as client,
    ):
        with pytest.raises(HttpError) as caught:
            client.call_tool("bad")
        assert (caught.value.status, caught.value.text, caught.value.error) == (503, "", None)
        assert text_of(client.call_tool("t")) == "ok"


def test_the_body_of_an_accepted_notification_does_not_matter() -> None:
    said = iter([answer(BOMB, 202, Content_Encoding="gzip"), answer(b"x" * 1_000_000, 202), answer(b"ok", 202)])

    def play(request: Request) -> bytes | None:
        return next(said) if request.json.get("method") == "notifications/roots/list_changed" else None

    with McpPeer(NEWEST, play) as peer, client_of(peer, roots=["/srv"]) as client:
        for _ in range(3):
            client.notify(client.binding.notifications["notifications/roots/list_changed"])
        assert text_of(client.call_tool("t")) == "ok"


@both_eras
@pytest.mark.parametrize("length", ["9" * 5000, "0" * 5000, "-5", "five", "5.0", "0x5"], ids=lambda text: text[:6])
def test_a_content_length_that_is_no_number_of_bytes_is_an_error(revision: str, length: str) -> None:
    with on_call(revision, with_length(length)) as peer, client_of(peer, revision) as client:
        with pytest.raises(ProtocolError, match=r"Content-Length"):
            client.call_tool("bad")
        assert text_of(client.call_tool("t")) == "ok"


@both_eras
@pytest.mark.parametrize("length", ["9" * 5000, "five"], ids=lambda text: text[:6])
@pytest.mark.parametrize(
    ("status", "kind"), [(200, "text/event-stream"), (403, "application/json"), (401, "text/plain"), (503, "text/html")]
)
def test_the_content_length_of_streams_and_refusals_is_checked_too(
    revision: str, length: str, status: int, kind: str
) -> None:
    peer = on_call(revision, with_length(length, status=status, kind=kind))
    with peer, client_of(peer, revision) as client:
        with pytest.raises(ProtocolError, match=r"tools/call: Content-Length must be a number of bytes, got '(9|five)"):
            client.call_tool("bad")
        assert text_of(client.call_tool("t")) == "ok"


@both_eras
def test_a_chunked_answer_is_bounded_whatever_its_content_length(revision: str) -> None:
    first = JSON + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
    peer = on_call(revision, endless(first, chunk(FILLED)))
    with peer, client_of(peer, revision) as client, pytest.raises(MessageTooLarge):
        client.call_tool("bad")
    with on_call(revision, with_length("9" * 5000, chunked=True)) as peer, client_of(peer, revision) as client:
        assert text_of(client.call_tool("bad")) == "ok"


@both_eras
@pytest.mark.parametrize(
    ("said", "kind", "text"),
    [
        (b"<!doctype html>", "text/html", "text/html"),
        (b"{}", "", "no type"),
        (b"{}", "application/jsonx", "application/jsonx"),
        (b"\xff\xfe", "application/json", "no response"),
        (b"[]", "application/json", "no response"),
        (b"[" * 50_000, "application/json", "no response"),
        (b'{"jsonrpc":"2.0","id":' + b"9" * 6000 + b',"result":{}}', "application/json", "no response"),
        (zlib.compress(b"{}"), "application/json", "no response"),
    ],
)
def test_a_success_that_is_none_is_told(revision: str, said: bytes, kind: str, text: str) -> None:
    with (
        on_call(revision, lambda request: answer(said, kind=kind)) as peer,
        client_of(peer, revision) as client,
    ):
        with pytest.raises(ProtocolError, match=text):
            client.call_tool("bad")
        assert text_of(client.call_tool("t")) == "ok"


@pytest.mark.parametrize(
    "session", ["a\r\nX-Evil: 1", "a\r\n b", "a\x0bb", "\x7f", "caf\xe9", "a b", "\x1b[31m"], ids=repr
)
def test_a_session_id_that_could_become_a_header_is_never_sent_back(session: str) -> None:
    def play(request: Request) -> Any:
        if request.method == "POST" and request.json.get("method") == "initialize":
            value = {
                "protocolVersion": NEWEST,
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "x", "version": "1"},
            }
            return answer(result(request, value)).replace(
                b"\r\n\r\n", b"\r\nMcp-Session-Id: " + session.encode("latin-1") + b"\r\n\r\n", 1
            )
        return None

    with McpPeer(NEWEST, play) as peer:
        # It is refused, or was never one header.
        with suppress(ProtocolError), client_of(peer) as client:
            client.list_tools_page()
        for each in peer.requests:
            assert "x-evil" not in each.headers
            assert each.headers.get("mcp-session-id", "a") == "a"


@pytest.mark.parametrize("event_id", ["1\0", "\xff", "x" * 5000, "a\tb", "\u2028"], ids=repr)
def test_a_stream_is_resumed_from_ids_of_any_kind_or_given_up(event_id: str) -> None:
    def play(request: Request) -> Any:
        if request.method == "GET":
            return answer(status=405)
        return head() + event(None, event_id, retry=1) + END

    def rest(request: Request) -> Any:
        if request.method == "GET" or request.json.get("method") == "tools/call":
            return play(request)
        return None

    with McpPeer(NEWEST, rest) as peer, client_of(peer) as client:
        with pytest.raises(McpError):
            client.call_tool("bad", timeout=5)
        assert client.list_tools_page().tools == []
        for each in peer.requests:
            assert len(each.headers.get("last-event-id", "")) <= 8192


def test_one_id_for_all_events_loses_none_that_is_new_and_hangs_nothing() -> None:
    def play(request: Request) -> bytes:
        return stream(event(told(3), "1"), event(told(4), "1"), event(result(request, called("late")), "2"))

    with on_call(NEWEST, play) as peer, client_of(peer) as client:
        assert text_of(client.call_tool("bad")) == "late"


def test_answers_to_the_calls_of_others_are_not_delivered() -> None:
    def play(request: Request) -> bytes:
        other = {**request.json, "id": 10_000}
        return stream(event(result(other, called("theirs"))), event(result(request, called("mine"))))

    with on_call(NEWEST, play) as peer, client_of(peer) as client:
        assert text_of(client.call_tool("bad")) == "mine"


@pytest.mark.parametrize(
    "target",
    [
        "http://evil.example/messages",
        "//evil.example/messages",
        "https://127.0.0.1/messages",
        "http://127.0.0.1:1/messages",
        "http://127.0.0.1@evil.example/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "\\\\evil.example\\x",
        "http://[::1",
        "",
    ],
)
def test_an_endpoint_elsewhere_is_an_error_and_nothing_is_sent_there(target: str) -> None:
    def play(request: Request) -> Any:
        if request.method == "POST":
            return answer(status=202)
        return head() + event(target, kind="endpoint") + END

    with HttpPeer(play) as peer:
        with pytest.raises(McpError), client_of(peer, OLD, timeout=2.0):
            pass
        assert {each.path for each in peer.requests if each.method == "POST"} <= {"/mcp", "/%5C%5Cevil.example%5Cx"}


STRANGE: list[tuple[str, bytes, str]] = [
    ("json", answer(b"{}"), "returned application/json instead of text/event-stream"),
    ("text", answer(b"hello", kind="text/plain"), "returned text/plain instead of text/event-stream"),
    ("empty", answer(kind=""), "returned no media type instead of text/event-stream"),
    ("stream", head() + event("hello") + END, "ended without an `endpoint` event, so it is not HTTP\\+SSE"),
    *((f"status {status}", answer(status=status), f"answered with HTTP status {status}") for status in (400, 406, 415)),
    ("loop", answer(status=301, Location="/mcp"), "redirects more than 5 times"),
]
"""Responses of servers that are not servers of HTTP+SSE."""


@pytest.mark.parametrize(("said", "text"), [each[1:] for each in STRANGE], ids=[each[0] for each in STRANGE])
@pytest.mark.parametrize("beside", [answer(status=404), head() + END], ids=["nothing", "a stream that ends"])
def test_a_server_without_http_sse_is_reported_with_its_url_and_response(said: bytes, text: str, beside: bytes) -> None:
    with HttpPeer(lambda request: beside if request.path.endswith("/sse") else said) as peer:
        for revisions in (None, [OLD]):
            with pytest.raises(ProtocolError, match=f"{peer.url} {text}") as raised:
                client_of(peer, OLD, revisions=revisions).connect()
            assert "There is no stream of HTTP+SSE (2024-11-05) at" in raised.value.__notes__[0]


def test_a_stream_that_never_says_where_to_post_is_left_in_time() -> None:
    def play(request: Request) -> Iterator[bytes]:
        yield head()
        while not peer.over.wait(0.005):
            yield event("x")
        raise Cut

    with HttpPeer(play) as peer, pytest.raises(RequestTimeout), client_of(peer, OLD, timeout=0.4):
        pass
    eventually(lambda: not threads_of("mcp-http"))


@pytest.mark.parametrize(
    "where", ["http://evil.example/", "https://127.0.0.1/mcp", "file:///etc/passwd", "http://[", "/\r\nX: 1"]
)
@pytest.mark.parametrize("status", [301, 307])
def test_a_redirect_elsewhere_is_an_error(status: int, where: str) -> None:
    def play(request: Request) -> bytes:
        return answer(status=status, Location=where)

    with on_call(NEWEST, play) as peer, client_of(peer) as client:
        with pytest.raises(McpError):
            client.call_tool("bad")
        assert text_of(client.call_tool("t")) == "ok"
