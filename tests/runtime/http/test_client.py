"""Clients over HTTP, of every revision, with servers that the tests play (Transports; Streamable HTTP)."""

from __future__ import annotations

import logging
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import Any

import pytest
from mcp_bindings import connect
from mcp_bindings_runtime.errors import (
    ConnectionClosed,
    HttpError,
    MessageTooLarge,
    ProtocolError,
    RequestTimeout,
    ResponseError,
    UnsupportedRevision,
    UsageError,
)
from mcp_bindings_runtime.http.client.retry import RetryPolicy
from support.raw_http_client import endpoint
from support.revisions import HANDSHAKE, STATELESS, STREAMABLE, facts
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
from support.scripted_peers import PATIENCE, eventually, package, text_of, threads_of, times_out

NEWEST = HANDSHAKE[-1]
NEW = STATELESS[-1]
IN_SESSIONS = [each for each in STREAMABLE if each in HANDSHAKE]
each_revision = pytest.mark.parametrize("revision", STREAMABLE)
each_session = pytest.mark.parametrize("revision", IN_SESSIONS)


def client_of(peer: HttpPeer, revision: str = NEWEST, **options: Any) -> Any:
    return package(revision).Client.http(peer.url, **{"timeout": PATIENCE, **options})


def on_call(revision: str, play: Any, **options: Any) -> McpPeer:
    """A server that answers tools/call with what ``play`` gives."""

    def rest(request: Request) -> Any:
        asked = request.method == "POST" and request.json.get("method") == "tools/call"
        return play(request) if asked else None

    return McpPeer(revision, rest, **options)


def progress(request: Request, value: int) -> Any:
    token = request.json["params"]["_meta"]["progressToken"]
    return {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": token, "progress": value}}


# Requests and answers.


@each_revision
def test_answers_come_as_json_or_as_a_stream(revision: str) -> None:
    def play(request: Request) -> bytes:
        said = result(request, called(request.json["params"]["name"]))
        return answer(said) if request.json["params"]["name"] == "json" else stream(event(said))

    with on_call(revision, play) as peer, client_of(peer, revision) as client:
        assert text_of(client.call_tool("json")) == "json"
        assert text_of(client.call_tool("sse")) == "sse"
        assert text_of(client.call_tool("json")) == "json"
        assert peer.connections == 1


@each_session
def test_requests_say_which_session_and_revision_they_belong_to(revision: str) -> None:
    with McpPeer(revision, session="a-b!~") as peer:
        with client_of(peer, revision) as client:
            client.call_tool("t")
        first, *rest = peer.requests
        assert "mcp-session-id" not in first.headers
        assert "mcp-protocol-version" not in first.headers
        assert {each.headers.get("mcp-session-id") for each in rest} == {"a-b!~"}
        wanted = revision if facts(revision).version_header else None
        assert {each.headers.get("mcp-protocol-version") for each in rest} == {wanted}
        for each in peer.requests[:-1]:
            assert each.method == "POST"
            assert each.headers["content-type"] == "application/json"
            assert {kind.strip() for kind in each.headers["accept"].split(",")} == {
                "application/json",
                "text/event-stream",
            }
        assert peer.methods() == ["initialize", "notifications/initialized", "tools/call"]
        # The session ends with the client.
        assert peer.requests[-1].method == "DELETE"
        assert {each.path for each in peer.requests} == {"/mcp"}


@each_session
def test_a_server_without_sessions_is_not_asked_to_end_one(revision: str) -> None:
    with McpPeer(revision, session=None) as peer:
        with client_of(peer, revision) as client:
            client.call_tool("t")
        assert {each.method for each in peer.requests} == {"POST"}


def test_a_session_that_the_server_does_not_let_end_is_no_fault() -> None:
    with McpPeer(NEWEST, lambda request: answer(status=405) if request.method == "DELETE" else None) as peer:
        with client_of(peer) as client:
            client.close()
            client.close()
        assert peer.requests[-1].method == "DELETE"


@pytest.mark.parametrize("bad", ["ä", "a b", "a\x01"])
def test_a_session_id_of_other_than_visible_characters_is_refused(bad: str) -> None:
    with McpPeer(NEWEST, session=bad) as peer, pytest.raises(ProtocolError, match="session id"), client_of(peer):
        pass


@each_revision
def test_progress_arrives_while_the_stream_goes_on(revision: str) -> None:
    heard = threading.Event()

    def play(request: Request) -> Any:
        yield head()
        yield event(progress(request, 1))
        assert heard.wait(PATIENCE)
        yield event(progress(request, 2)) + event(result(request, called("done"))) + END

    seen: list[int] = []

    def on_progress(params: Any) -> None:
        seen.append(params.progress)
        heard.set()

    with on_call(revision, play) as peer, client_of(peer, revision) as client:
        assert text_of(client.call_tool("t", on_progress=on_progress)) == "done"
        assert seen == [1, 2]


@each_revision
def test_a_slow_call_holds_nothing_up(revision: str) -> None:
    slow, go = threading.Event(), threading.Event()

    def play(request: Request) -> bytes:
        if request.json["params"]["name"] == "slow":
            slow.set()
            assert go.wait(PATIENCE)
        return answer(result(request, called("ok")))

    with on_call(revision, play) as peer, client_of(peer, revision) as client:
        texts: list[str] = []
        thread = threading.Thread(target=lambda: texts.append(text_of(client.call_tool("slow"))))
        thread.start()
        assert slow.wait(PATIENCE)
        for _ in range(5):
            assert text_of(client.call_tool("fast")) == "ok"
        assert not texts
        go.set()
        thread.join(PATIENCE)
        assert texts == ["ok"]


@each_revision
@pytest.mark.parametrize("begun", [False, True], ids=["no headers", "an open stream"])
def test_a_call_that_takes_too_long_is_cancelled(revision: str, begun: bool) -> None:
    ended = threading.Event()

    def play(request: Request) -> Any:
        # Cancellation, or the test's end, shows in that nothing can be sent any more.
        try:
            if begun:
                yield head()
            while not peer.over.wait(0.01):
                yield chunk(b": still here\n\n") if begun else b""
                if not begun and "notifications/cancelled" in peer.methods():
                    break
        finally:
            ended.set()
        raise Cut

    with on_call(revision, play) as peer, client_of(peer, revision) as client:
        times_out(lambda seconds: client.call_tool("t", timeout=seconds), lambda: "tools/call" in peer.methods())
        if revision in STATELESS:
            if begun:
                assert ended.wait(PATIENCE)
            assert "notifications/cancelled" not in peer.methods()
        else:
            told = [
                each.json["params"]["requestId"]
                for each in peer.requests
                if each.method == "POST" and each.json["method"] == "notifications/cancelled"
            ]
            assert call_of(peer).json["id"] in told
            assert ended.wait(PATIENCE)
        assert client.list_tools_page().tools == []


@each_revision
def test_ctrl_c_ends_a_call_that_has_no_answer_yet(revision: str) -> None:
    def play(request: Request) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        peer.over.wait(PATIENCE)
        raise Cut
        yield b""

    with on_call(revision, play) as peer, client_of(peer, revision) as client:
        with pytest.raises(KeyboardInterrupt):
            client.call_tool("t")
        assert client.list_tools_page().tools == []


@each_revision
def test_closing_ends_calls_in_other_threads(revision: str) -> None:
    waiting, open_stream = threading.Event(), threading.Event()

    def play(request: Request) -> Any:
        if request.json["params"]["name"] == "stream":
            yield head()
            open_stream.set()
        else:
            waiting.set()
        peer.over.wait(PATIENCE)
        raise Cut

    raised: list[BaseException] = []

    def call(name: str) -> None:
        try:
            client.call_tool(name)
        except ConnectionClosed as fault:
            raised.append(fault)

    with on_call(revision, play) as peer:
        client = client_of(peer, revision)
        client.connect()
        client.list_tools_page()
        threads = [threading.Thread(target=call, args=(name,)) for name in ("stream", "none")]
        for each in threads:
            each.start()
        assert waiting.wait(PATIENCE)
        assert open_stream.wait(PATIENCE)
        client.close()
        for each in threads:
            each.join(PATIENCE)
        assert len(raised) == 2
    eventually(lambda: not threads_of("mcp-http"))


@each_revision
def test_many_threads_call_at_once(revision: str) -> None:
    def play(request: Request) -> bytes:
        said = result(request, called(str(request.json["params"]["arguments"]["n"])))
        return answer(said) if request.json["params"]["arguments"]["n"] % 2 else stream(event(said))

    wrong: list[Any] = []

    def call(thread: int) -> None:
        for number in range(10):
            said = text_of(client.call_tool("t", {"n": 100 * thread + number}))
            if said != str(100 * thread + number):
                wrong.append(said)

    with on_call(revision, play) as peer, client_of(peer, revision) as client:
        threads = [threading.Thread(target=call, args=(number,)) for number in range(8)]
        for each in threads:
            each.start()
        for each in threads:
            each.join(PATIENCE)
        assert not wrong
        assert len(peer.methods()) >= 80


# What goes wrong.


@each_revision
@pytest.mark.parametrize(
    ("said", "kind", "text"),
    [
        (lambda request: answer(b"<html>", kind="text/html"), ProtocolError, "text/html"),
        (lambda request: answer(status=202), ProtocolError, "202"),
        (lambda request: answer(b"", kind="application/json"), ProtocolError, "no response"),
        (lambda request: answer({"jsonrpc": "2.0", "id": "other", "result": {}}), ProtocolError, "no response"),
        (lambda request: answer(b'{"jsonrpc": "2.0", "id"'), ProtocolError, "no response"),
        (lambda request: stream(), ConnectionClosed, "ended before the answer"),
        (lambda request: stream(event({"jsonrpc": "2.0", "id": "other", "result": {}})), ConnectionClosed, "ended before"),
        (lambda request: answer(b"it is\nbroken", status=500, kind="text/plain"), HttpError, "500 Status: it is$"),
        (lambda request: answer(b"<h1>", status=502, kind="text/html"), HttpError, "502 Status$"),
        (lambda request: b"SSH-2.0-Open\r\n\r\n", ConnectionClosed, "ended"),
        (lambda request: answer({"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "no"}}, status=400),
         HttpError, "400 Status: no$"),
        (lambda request: answer({"jsonrpc": "2.0", "error": {"code": -32603, "message": "no"}}, status=500),
         HttpError, "500 Status: no$"),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_an_error_of_that_call_only(revision: str, said: Any, kind: Any, text: str) -> None:
    calls: list[Request] = []

    def play(request: Request) -> bytes:
        calls.append(request)
        if len(calls) == 1:
            return said(request)
        return answer(result(request, called("ok")))

    with on_call(revision, play) as peer, client_of(peer, revision) as client:
        with pytest.raises(kind, match=text) as raised:
            client.call_tool("t")
        assert peer.url in str(raised.value)
        assert text_of(client.call_tool("t")) == "ok"
        assert len(calls) == 2
        assert "notifications/cancelled" not in peer.methods()


def test_a_server_that_is_not_there_is_said_so() -> None:
    with McpPeer(NEWEST) as peer:
        pass
    # The query may hold a secret.
    for revision in (NEWEST, "2024-11-05"):
        with pytest.raises(ConnectionClosed, match=f"{peer.url} cannot be reached: ") as raised:
            package(revision).Client.http(f"{peer.url}?key=secret", retries=False, timeout=PATIENCE).connect()
        assert "secret" not in str(raised.value)


@pytest.mark.parametrize("url", ["mcp", "ftp://x/mcp", "http://", "http://user:secret@x/mcp", "http://[::1/mcp"])
def test_a_url_that_is_none_is_refused_before_anything_is_sent(url: str) -> None:
    with pytest.raises(UsageError, match="URL"), package(NEWEST).Client.http(url):
        pass


@pytest.mark.parametrize("headers", [{"Mcp-Session-Id": "x"}, {"accept": "x"}, {"X-Mine": "a\r\nb: c"}])
def test_headers_that_are_not_the_users_to_give_are_refused(headers: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="header"), package(NEWEST).Client.http("http://127.0.0.1:1/", headers=headers):
        pass


@each_revision
def test_an_answer_beyond_the_limit_is_not_read(revision: str) -> None:
    big = called("x" * 5000)

    def play(request: Request) -> bytes:
        said = result(request, big if request.json["params"]["name"] != "small" else called("ok"))
        return stream(event(said)) if request.json["params"]["name"] == "stream" else answer(said)

    with on_call(revision, play) as peer, client_of(peer, revision, max_message=4000) as client:
        for name in ("json", "stream"):
            with pytest.raises(MessageTooLarge):
                client.call_tool(name)
        assert text_of(client.call_tool("small")) == "ok"


def test_a_server_that_drips_is_held_to_the_deadline() -> None:
    def play(request: Request) -> Any:
        yield b"HTTP/1.1 200 OK\r\nX-Long: "
        while not peer.over.wait(0.02):
            yield b"x"
        raise Cut

    expected = r"^tools/call: no answer from http://127\.0\.0\.1:\d+/mcp in 0\.4 s$"
    with on_call(NEWEST, play) as peer, client_of(peer) as client, pytest.raises(RequestTimeout, match=expected):
        client.call_tool("t", timeout=0.4)


@each_revision
def test_a_server_that_is_gone_is_left_after_some_pings(revision: str, caplog: pytest.LogCaptureFixture) -> None:
    with McpPeer(revision) as peer:
        client = client_of(peer, revision, ping=0.1, ping_failures=2, retries=False)
        client.connect()
        assert text_of(client.call_tool("t")) == "ok"
    with client:
        eventually(lambda: client.connection.closed)
        with pytest.raises(ConnectionClosed, match=r"has answered none of 2 pings, each within 0\.1 s"):
            client.call_tool("t")
    told = [each.getMessage() for each in caplog.records if each.getMessage().startswith("ping ")]
    assert [each.endswith(f"({number} of 2)") for number, each in enumerate(told, 1)] == [True, True]


# Redirects.


@each_revision
def test_a_redirect_within_the_origin_is_followed(revision: str) -> None:
    def play(request: Request) -> Any:
        return answer(status=307, Location="/other?x=1") if request.path == "/mcp" else None

    with McpPeer(revision, play) as peer, client_of(peer, revision) as client:
        assert text_of(client.call_tool("t")) == "ok"
        assert {each.path for each in peer.requests} == {"/mcp", "/other?x=1"}


@pytest.mark.parametrize(
    ("status", "where", "why"),
    [
        (307, "http://localhost:1/mcp", "another origin"),
        (302, "/other", "turns POST into GET"),
        (308, "/mcp", "more than"),
    ],
)
def test_other_redirects_are_not(status: int, where: str, why: str) -> None:
    with (
        McpPeer(NEWEST, lambda request: answer(status=status, Location=where)) as peer,
        pytest.raises(ProtocolError, match=why),
        client_of(peer),
    ):
        pass


# Sessions.


@each_session
def test_a_lost_session_is_begun_anew_and_the_call_made_again(revision: str) -> None:
    lost = threading.Event()

    def play(request: Request) -> Any:
        if request.headers.get("mcp-session-id") == "old" and lost.is_set() and request.method == "POST":
            # The SDKs of others give an error of JSON-RPC with it.
            return answer({"jsonrpc": "2.0", "id": None, "error": {"code": -32001, "message": "gone"}}, status=404)
        if lost.is_set():
            peer.session = "new"
        return None

    with McpPeer(revision, play, session="old") as peer, client_of(peer, revision) as client:
        client.call_tool("t")
        lost.set()
        assert text_of(client.call_tool("t")) == "ok"
        begun = [each for each in peer.requests if each.method == "POST" and b'"initialize"' in each.body]
        assert [each.headers.get("mcp-session-id") for each in begun] == [None, None]
        assert peer.methods()[-4:] == ["tools/call", "initialize", "notifications/initialized", "tools/call"]
        assert peer.requests[-1].headers["mcp-session-id"] == "new"
        assert peer.requests[-1].body == peer.requests[-4].body


def test_a_lost_session_is_begun_anew_once_for_all_threads() -> None:
    lost = threading.Event()

    def play(request: Request) -> Any:
        if request.headers.get("mcp-session-id") == "old" and lost.is_set():
            return answer(status=404)
        if lost.is_set():
            peer.session = "new"
        return None

    with McpPeer(NEWEST, play, session="old") as peer, client_of(peer) as client:
        lost.set()
        texts: list[str] = []
        threads = [threading.Thread(target=lambda: texts.append(text_of(client.call_tool("t")))) for _ in range(6)]
        for each in threads:
            each.start()
        for each in threads:
            each.join(PATIENCE)
        assert texts == ["ok"] * 6
        assert peer.methods().count("initialize") == 2


def test_a_session_that_cannot_be_begun_anew_fails_the_call() -> None:
    lost = threading.Event()

    def play(request: Request) -> Any:
        return answer(status=404) if lost.is_set() else None

    with McpPeer(NEWEST, play) as peer, client_of(peer) as client:
        lost.set()
        with pytest.raises(ConnectionClosed, match="session was lost"):
            client.call_tool("t")


# Resumption.


def resumable(rest: Any, **options: Any) -> McpPeer:
    """A server whose call primes its stream and breaks off; ``rest`` is what GET brings."""

    def play(request: Request) -> Any:
        if request.method == "GET":
            return rest(peer, request)
        if request.method == "POST" and request.json.get("method") == "tools/call":
            return stream(event(None, "e-1", retry=20))
        return None

    peer = McpPeer(NEWEST, play, **options)
    return peer


def call_of(peer: McpPeer) -> Request:
    return next(each for each in peer.requests if each.method == "POST" and each.json.get("method") == "tools/call")


def test_a_stream_that_ends_early_is_resumed_where_it_ended() -> None:
    def rest(peer: McpPeer, request: Request) -> bytes:
        assert request.headers["last-event-id"] == "e-1"
        assert request.headers["mcp-session-id"] == "s-1"
        assert request.headers["mcp-protocol-version"] == NEWEST
        assert request.headers["accept"] == "text/event-stream"
        return stream(event(result(call_of(peer), called("late")), "e-2"))

    with resumable(rest) as peer, client_of(peer) as client:
        assert text_of(client.call_tool("t")) == "late"


def test_a_stream_is_resumed_no_sooner_than_the_server_says() -> None:
    came: list[float] = []

    def rest(peer: McpPeer, request: Request) -> bytes:
        came.append(monotonic())
        if len(came) == 1:
            return stream(event(None, "e-2", retry=150))
        return stream(event(result(call_of(peer), called("late")), "e-3"))

    with resumable(rest) as peer, client_of(peer) as client:
        assert text_of(client.call_tool("t")) == "late"
    first, second = came
    assert second - first >= 0.15


def test_a_stream_may_be_resumed_often_and_nothing_comes_twice() -> None:
    def rest(peer: McpPeer, request: Request) -> bytes:
        last = int(request.headers["last-event-id"].split("-")[1])
        call = call_of(peer)
        # One more each time, and one that has come before: a server that counts wrongly.
        events = [event(progress(call, each), f"e-{each + 1}") for each in range(max(last - 1, 1), last + 1)]
        if last == 4:
            events.append(event(result(call, called("done")), "e-9"))
        return stream(*events)

    seen: list[int] = []
    with resumable(rest) as peer, client_of(peer) as client:
        text = text_of(client.call_tool("t", on_progress=lambda params: seen.append(params.progress)))
        assert text == "done"
        assert seen == sorted(set(seen))
        assert [each.headers["last-event-id"] for each in peer.requests if each.method == "GET"] == [
            "e-1",
            "e-2",
            "e-3",
            "e-4",
        ]


def test_an_event_that_is_sent_again_after_a_resumption_is_not_delivered_again() -> None:
    said = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "once"}}

    def rest(peer: McpPeer, request: Request) -> bytes:
        if request.headers.get("last-event-id") is None:
            return answer(status=405)
        if request.headers["last-event-id"] == "e-1":
            return stream(event(said, "e-2"))
        return stream(event(said, "e-2"), event(result(call_of(peer), called("done")), "e-3"))

    heard: list[Any] = []
    with resumable(rest) as peer:
        client = client_of(peer)
        client.handles(package(NEWEST).methods.LOGGING_MESSAGE, lambda params, context: heard.append(params.data))
        with client:
            assert text_of(client.call_tool("t")) == "done"
            eventually(lambda: heard)
    assert heard == ["once"]


@pytest.mark.parametrize("status", [400, 404, 405])
def test_a_stream_that_cannot_be_resumed_fails_its_call(status: int) -> None:
    with resumable(lambda peer, request: answer(status=status)) as peer, client_of(peer) as client:
        with pytest.raises(ConnectionClosed, match=f"cannot be resumed: .*{status}"):
            client.call_tool("t")
        assert client.list_tools_page().tools == []


def test_a_stream_whose_resumption_is_refused_for_a_while_is_resumed_later() -> None:
    refusals = [answer(status=503, Retry_After="0"), answer(status=429, Retry_After="0")]

    def rest(peer: McpPeer, request: Request) -> bytes:
        return refusals.pop() if refusals else stream(event(result(call_of(peer), called("late")), "e-2"))

    with resumable(rest) as peer, client_of(peer) as client:
        assert text_of(client.call_tool("t")) == "late"
        assert [each.method for each in peer.requests].count("GET") == 3


def test_a_stream_whose_resumption_is_refused_is_resumed_until_the_deadline_of_its_call() -> None:
    with resumable(lambda peer, request: answer(status=503, Retry_After="0")) as peer, client_of(peer) as client:
        call = client.start(client.call_tool, "t")
        eventually(lambda: [each.method for each in peer.requests].count("GET") >= 3)
        call.cancel()
        assert peer.methods().count("tools/call") == 1


@pytest.mark.parametrize("status", [400, 401, 404, 410])
def test_a_stream_whose_resumption_is_refused_for_good_fails_its_call(status: int) -> None:
    with resumable(lambda peer, request: answer(status=status)) as peer, client_of(peer) as client:
        with pytest.raises(ConnectionClosed, match=rf"cannot be resumed: .*{status}") as caught:
            client.call_tool("t")
        assert isinstance(caught.value.__cause__, HttpError)
        assert [each.method for each in peer.requests].count("GET") == 1


def test_a_stream_is_resumed_in_the_session_that_it_belongs_to() -> None:
    """Though there is another by then."""
    renewed = threading.Event()
    resumed: list[str] = []

    def play(request: Request) -> Any:
        if request.method == "GET":
            assert renewed.wait(PATIENCE)
            resumed.append(request.headers["mcp-session-id"])
            if len(resumed) == 1:
                return answer(status=503, Retry_After="0")
            return stream(event(result(call_of(peer), called("late")), "e-2"))
        session = request.headers.get("mcp-session-id")
        if request.method == "POST" and request.json.get("method") == "tools/call" and request.json["id"] == 2:
            return stream(event(None, "e-1", retry=20))
        if request.method == "POST" and session == "old" and request.json.get("method") == "tools/list":
            peer.session = "new"
            return answer(status=404)
        return None

    with McpPeer(NEWEST, play, session="old") as peer, client_of(peer) as client, ThreadPoolExecutor(1) as threads:
        call = threads.submit(client.call_tool, "t")
        eventually(lambda: "GET" in {each.method for each in peer.requests} or "tools/call" in peer.methods())
        assert client.list_tools_page().tools == []
        renewed.set()
        assert text_of(call.result(PATIENCE)) == "late"
        assert resumed == ["old", "old"]


def test_a_call_that_is_given_up_is_not_resumed() -> None:
    with resumable(lambda peer, request: stream(event(None, "e-1", retry=20))) as peer, client_of(peer) as client:
        with pytest.raises(RequestTimeout):
            client.call_tool("t", timeout=0.3)
        eventually(lambda: not threads_of("mcp-http-answer"))
        assert "notifications/cancelled" in peer.methods()


def test_streams_of_2026_are_not_resumed() -> None:
    with (
        on_call(NEW, lambda request: stream(event(None, "e-1", retry=1))) as peer,
        client_of(peer, NEW) as client,
    ):
        for _ in range(2):
            with pytest.raises(ConnectionClosed, match="ended before the answer"):
                client.call_tool("t")
        assert {each.method for each in peer.requests} == {"POST"}
        calls = [each.json["id"] for each in peer.requests if each.json.get("method") == "tools/call"]
        assert len(calls) == len(set(calls)) == 2


# What the server says unasked.


@each_session
def test_the_stream_of_the_server_is_opened_only_for_who_listens(revision: str) -> None:
    mcp = package(revision)
    changed = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}

    def play(request: Request) -> Any:
        if request.method == "GET":
            assert request.headers["mcp-session-id"] == "s-1"
            return open_stream()
        return None

    def open_stream() -> Any:
        yield head()
        yield event(changed, "n-1")
        peer.over.wait(PATIENCE)
        raise Cut

    heard = threading.Event()
    with McpPeer(revision, play) as peer, client_of(peer, revision) as client:
        client.call_tool("t")
        assert "GET" not in {each.method for each in peer.requests}
        client.handles(mcp.methods.TOOL_LIST_CHANGED, lambda params, context: heard.set())
        assert heard.wait(PATIENCE)
    eventually(lambda: not threads_of("mcp-http"))


@each_session
def test_the_server_may_ask_on_its_own_stream_while_a_call_has_no_headers_yet(revision: str) -> None:
    mcp = package(revision)
    answered = threading.Event()

    def play(request: Request) -> Any:
        if request.method == "GET":
            return open_stream()
        if "result" in request.json:
            answered.set()
            return answer(status=202)
        if request.json.get("method") == "tools/call":
            assert answered.wait(PATIENCE)
        return None

    def open_stream() -> Any:
        yield head()
        eventually(lambda: "tools/call" in peer.methods())
        yield event({"jsonrpc": "2.0", "id": "r-1", "method": "roots/list"})
        peer.over.wait(PATIENCE)
        raise Cut

    with McpPeer(revision, play) as peer:
        client = client_of(peer, revision)
        client.handles(mcp.methods.LIST_ROOTS, lambda params, context: mcp.ListRootsResult(roots=[]))
        with client:
            assert text_of(client.call_tool("t")) == "ok"


def test_a_question_of_a_task_is_taken_on_any_stream() -> None:
    """On the server's own, and on that of a call that has nothing to do with the task."""
    mcp = package(NEWEST)
    meta = {"io.modelcontextprotocol/related-task": {"taskId": "t-1"}}
    answers: list[Any] = []

    def ask(number: str) -> Any:
        return event({"jsonrpc": "2.0", "id": number, "method": "roots/list", "params": {"_meta": meta}})

    def play(request: Request) -> Any:
        if request.method == "GET":
            return own_stream()
        if "result" in request.json:
            answers.append(request.json)
            return answer(status=202)
        return call(request) if request.json.get("method") == "tools/call" else None

    def own_stream() -> Any:
        yield head()
        yield ask("own")
        peer.over.wait(PATIENCE)
        raise Cut

    def call(request: Request) -> Any:
        yield head()
        yield ask("call")
        eventually(lambda: len(answers) == 2)
        yield event(result(request, called("ok"))) + END

    with McpPeer(NEWEST, play) as peer:
        client = client_of(peer)
        client.handles(mcp.methods.LIST_ROOTS, lambda params, context: mcp.ListRootsResult(roots=[]))
        with client:
            assert text_of(client.call_tool("t")) == "ok"
    assert {each["id"]: each["result"]["_meta"] for each in answers} == {"own": meta, "call": meta}


def test_a_server_without_a_stream_of_its_own_is_asked_once() -> None:
    mcp = package(NEWEST)
    with McpPeer(NEWEST) as peer:
        client = client_of(peer)
        client.handles(mcp.methods.TOOL_LIST_CHANGED, lambda params, context: None)
        with client:
            client.call_tool("t")
            client.call_tool("t")
        assert [each.method for each in peer.requests].count("GET") == 1


# Who may come in.


def test_a_challenge_is_told_to_the_user() -> None:
    asks = 'Bearer realm="a \\"b\\"", resource_metadata="https://x/.well-known", error=invalid_token, Basic abc=='
    with (
        McpPeer(
            NEWEST, lambda request: answer(b"who are you\n?", status=401, kind="text/plain", WWW_Authenticate=asks)
        ) as peer,
        pytest.raises(HttpError, match=r"401 Status: who are you .*Bearer, Basic") as raised,
        client_of(peer),
    ):
        pass
    bearer, basic = raised.value.challenges
    assert bearer.parameters == {
        "realm": 'a "b"', "resource_metadata": "https://x/.well-known", "error": "invalid_token"
    }  # fmt: skip
    assert (basic.scheme, basic.parameters) == ("Basic", {"token68": "abc=="})


@each_revision
def test_who_lets_requests_in_is_asked_again_after_a_refusal(revision: str) -> None:
    asked: list[Any] = []
    token = ["old"]

    def auth(refusal: HttpError | None) -> dict[str, str]:
        asked.append(refusal)
        if refusal is not None:
            token[0] = "new"
        return {"Authorization": f"Bearer {token[0]}"}

    def play(request: Request) -> Any:
        return (
            None if request.headers["authorization"] == "Bearer new" else answer(status=401, WWW_Authenticate="Bearer")
        )

    with McpPeer(revision, play) as peer, client_of(peer, revision, auth=auth) as client:
        assert text_of(client.call_tool("t")) == "ok"
    refusals = [each for each in asked if each is not None]
    assert [each.status for each in refusals] == [401]
    assert refusals[0].challenges[0].scheme == "Bearer"


def test_a_second_refusal_is_final() -> None:
    asked: list[Any] = []

    def auth(refusal: HttpError | None) -> dict[str, str]:
        asked.append(refusal)
        return {"Authorization": "x"}

    with (
        McpPeer(NEWEST, lambda request: answer(status=401, WWW_Authenticate="Bearer")) as peer,
        pytest.raises(HttpError, match="401"),
        client_of(peer, auth=auth),
    ):
        pass
    assert len(asked) == 2


def test_the_users_headers_go_with_every_request() -> None:
    with McpPeer(NEWEST) as peer:
        with client_of(peer, headers={"X-Mine": "1", "User-Agent": "me"}) as client:
            client.call_tool("t")
        assert {(each.headers["x-mine"], each.headers["user-agent"]) for each in peer.requests} == {("1", "me")}


def test_a_proxy_is_given_the_whole_url() -> None:
    with McpPeer(NEWEST) as proxy:
        with package(NEWEST).Client.http("http://mcp.example/x", proxy=proxy.origin, timeout=PATIENCE) as client:
            assert text_of(client.call_tool("t")) == "ok"
        assert {each.path for each in proxy.requests} == {"http://mcp.example/x"}


# 2026-07-28.

REGION = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}


def tools_of(request: Request, *tools: Any) -> bytes:
    return answer(
        result(request, {"resultType": "complete", "tools": list(tools), "ttlMs": 0, "cacheScope": "private"})
    )


def tool(name: str, schema: Any) -> Any:
    return {"name": name, "inputSchema": schema}


def listing(*tools: Any, on: Any = None) -> McpPeer:
    def play(request: Request) -> Any:
        if request.json["method"] == "tools/list":
            return tools_of(request, *tools)
        return on(request) if on is not None else None

    return McpPeer(NEW, play)


def test_requests_of_2026_repeat_what_they_are_in_headers() -> None:
    with listing(tool("t", REGION)) as peer, client_of(peer, NEW) as client:
        list(client.list_tools())
        client.call_tool("t", {"region": " ä"})
        for each in peer.requests:
            assert each.headers["mcp-method"] == each.json["method"]
            assert each.headers["mcp-protocol-version"] == NEW
            assert each.json["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] == NEW
            assert {kind.strip() for kind in each.headers["accept"].split(",")} == {
                "application/json",
                "text/event-stream",
            }
            assert "mcp-session-id" not in each.headers
        assert peer.requests[-1].headers["mcp-name"] == "t"
        assert peer.requests[-1].headers["mcp-param-region"] == "=?base64?IMOk?="
        assert peer.methods() == ["server/discover", "tools/list", "tools/call"]


def test_a_tool_that_was_not_listed_is_looked_up_before_it_is_called() -> None:
    with listing(tool("t", REGION)) as peer, client_of(peer, NEW) as client:
        for region in ("a", "b"):
            client.call_tool("t", {"region": region})
            assert peer.requests[-1].headers["mcp-param-region"] == region
        client.call_tool("unknown", {"region": "c"})
        client.call_tool("unknown", {"region": "c"})
        assert "mcp-param-region" not in peer.requests[-1].headers
        assert peer.methods().count("tools/list") == 2


def test_a_tool_whose_headers_have_changed_is_looked_up_anew() -> None:
    wanted = ["Region"]

    def play(request: Request) -> Any:
        if request.json["method"] == "tools/list":
            schema = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": wanted[0]}}}
            return tools_of(request, tool("t", schema))
        if request.json["method"] == "tools/call" and f"mcp-param-{wanted[0].lower()}" not in request.headers:
            error = {"code": -32020, "message": "Header mismatch"}
            return answer({"jsonrpc": "2.0", "id": request.json["id"], "error": error}, status=400)
        return None

    with McpPeer(NEW, play) as peer, client_of(peer, NEW) as client:
        client.call_tool("t", {"region": "a"})
        wanted[0] = "Place"
        assert text_of(client.call_tool("t", {"region": "a"})) == "ok"
        assert peer.requests[-1].headers["mcp-param-place"] == "a"


def test_tools_whose_annotations_break_the_rules_are_left_out_with_a_warning(caplog: Any) -> None:
    bad = {"type": "object", "properties": {"a": {"type": "number", "x-mcp-header": "A"}}}
    with (
        listing(tool("bad", bad), tool("good", REGION)) as peer,
        client_of(peer, NEW) as client,
        caplog.at_level(logging.WARNING, "mcp_bindings.runtime"),
    ):
        assert [each.name for each in client.list_tools()] == ["good"]
        assert "'bad'" in caplog.text
        assert "number" in caplog.text


def test_an_argument_that_no_header_carries_is_refused_before_it_is_sent() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer", "x-mcp-header": "N"}}}
    with listing(tool("t", schema)) as peer, client_of(peer, NEW) as client:
        with pytest.raises(UsageError, match="Mcp-Param-N"):
            client.call_tool("t", {"n": 2**60})
        assert "tools/call" not in peer.methods()


def test_a_subscription_is_an_answer_that_goes_on() -> None:
    ended = threading.Event()

    def play(request: Request) -> Any:
        if request.json["method"] != "subscriptions/listen":
            return None
        return changes(request)

    def changes(request: Request) -> Any:
        meta = {"_meta": {"io.modelcontextprotocol/subscriptionId": request.json["id"]}}
        yield head()
        told = {"notifications": {"toolsListChanged": True}, **meta}
        yield event({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": told})
        yield event({"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": meta})
        try:
            while not peer.over.wait(0.01):
                yield chunk(b":\n\n")
        finally:
            ended.set()

    with McpPeer(NEW, play) as peer, client_of(peer, NEW) as client:
        client.connection.session.peer_capabilities = None
        with client.listen(tools=True) as subscription:
            assert subscription.acknowledged.tools_list_changed
            change = subscription.get(PATIENCE)
            assert change is not None
            assert change.key.name == "notifications/tools/list_changed"
        # Closing it closes the stream, and says no more.
        assert ended.wait(PATIENCE)
        assert "notifications/cancelled" not in peer.methods()


def test_a_notification_beyond_the_limit_is_skipped_and_the_subscription_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def play(request: Request) -> Any:
        return changes(request) if request.json["method"] == "subscriptions/listen" else None

    def changes(request: Request) -> Any:
        meta = {"_meta": {"io.modelcontextprotocol/subscriptionId": request.json["id"]}}
        told = {"notifications": {"toolsListChanged": True}, **meta}
        changed = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": meta}
        yield head()
        yield event({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": told})
        yield event({**changed, "params": {**meta, "x": "x" * 5000}})
        yield event(changed)
        peer.over.wait(PATIENCE)

    with (
        McpPeer(NEW, play) as peer,
        client_of(peer, NEW, max_message=4000) as client,
        caplog.at_level(logging.WARNING, "mcp_bindings"),
    ):
        client.connection.session.peer_capabilities = None
        with client.listen(tools=True) as subscription:
            assert subscription.get(PATIENCE).key.name == "notifications/tools/list_changed"
    assert peer.methods().count("subscriptions/listen") == 1
    assert any("subscriptions/listen: " in each.getMessage() for each in caplog.records), caplog.text


def test_rounds_of_input_are_requests_of_their_own() -> None:
    def play(request: Request) -> Any:
        params = request.json["params"]
        if "inputResponses" not in params:
            wanted = {"roots": {"method": "roots/list"}}
            said = {"resultType": "input_required", "inputRequests": wanted, "requestState": "s"}
            return answer(result(request, said))
        assert (params["requestState"], params["inputResponses"]) == ("s", {"roots": {"roots": []}})
        return None

    mcp = package(NEW)
    with on_call(NEW, play) as peer:
        client = client_of(peer, NEW)
        client.handles(mcp.methods.LIST_ROOTS, lambda params, context: mcp.ListRootsResult(roots=[]))
        with client:
            assert text_of(client.call_tool("t")) == "ok"
        first, second = [each.json["id"] for each in peer.requests if each.json["method"] == "tools/call"]
        assert first != second


# Any revision.


def legacy(status: int, body: Any = None) -> Any:
    """How a server of a revision with sessions refuses what it does not know."""

    def play(request: Request) -> Any:
        if request.method == "POST" and request.json["method"] == "server/discover":
            return answer(body, status=status)
        return None

    return play


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, None),
        (404, None),
        (400, {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "Session required"}}),
        (200, {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}}),
    ],
)
def test_a_server_with_sessions_is_found_out(status: int, body: Any) -> None:
    with McpPeer(NEWEST, legacy(status, body)) as peer, connect.http(peer.url, timeout=PATIENCE) as client:
        assert client.binding.revision == NEWEST
        assert text_of(client.call_tool("t")) == "ok"


def test_a_server_without_sessions_is_found_out() -> None:
    with McpPeer(NEW) as peer, connect.http(peer.url, timeout=PATIENCE) as client:
        assert client.binding.revision == NEW
        assert "initialize" not in peer.methods()


@pytest.mark.parametrize("code", [-32020, -32021])
def test_an_error_that_only_newer_servers_give_is_no_reason_to_fall_back(code: int) -> None:
    error = {"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": "no"}}
    with McpPeer(NEW, legacy(400, error)) as peer:
        with pytest.raises(ResponseError) as raised:
            connect.http(peer.url, timeout=PATIENCE)
        assert raised.value.code == code
        assert "initialize" not in peer.methods()


@pytest.mark.parametrize("status", [401, 403, 500, 503])
def test_a_server_that_lets_nobody_in_is_not_tried_otherwise(status: int) -> None:
    with McpPeer(NEWEST, legacy(status)) as peer:
        with pytest.raises(HttpError, match=str(status)):
            connect.http(peer.url, timeout=PATIENCE, retries=False)
        assert peer.methods() == ["server/discover"]


def test_a_connection_that_fails_says_nothing_about_the_revision() -> None:
    def play(request: Request) -> Any:
        raise Cut

    with McpPeer(NEWEST, play) as peer:
        with pytest.raises(ConnectionClosed):
            connect.http(peer.url, timeout=PATIENCE, retries=False)
        assert peer.methods() == ["server/discover"]


def test_a_refused_revision_is_asked_for_once_more_where_the_server_says_it_speaks_it() -> None:
    def play(request: Request) -> Any:
        if len(peer.requests) > refusals[0]:
            return None
        data = {"supported": [NEW], "requested": NEW}
        error = {"code": -32022, "message": "Unsupported protocol version", "data": data}
        return answer({"jsonrpc": "2.0", "id": request.json["id"], "error": error}, status=400)

    refusals = [1]
    with McpPeer(NEW, play) as peer, connect.http(peer.url, timeout=PATIENCE) as client:
        assert client.binding.revision == NEW
    refusals = [10]
    with McpPeer(NEW, play) as peer, pytest.raises(UnsupportedRevision):
        connect.http(peer.url, timeout=PATIENCE)
    assert len(peer.requests) == 2


# HTTP+SSE.


class OldPeer(HttpPeer):
    """A server of 2024-11-05 by HTTP+SSE, with its stream at /mcp."""

    def __init__(self, endpoint: str = "/messages?id=1", other: int = 405) -> None:
        self.endpoint = endpoint
        self.other = other
        self.stream = threading.Event()
        self.said: list[bytes] = []
        self.more = threading.Condition()
        super().__init__(self._answer)

    def _answer(self, request: Request) -> Any:
        if request.method == "GET":
            return self._stream()
        if request.path != "/messages?id=1":
            return answer(status=self.other)
        asked = request.json
        if "id" in asked and "method" in asked:
            method = asked["method"]
            value = {
                "protocolVersion": "2024-11-05",
                "capabilities": {"tools": {}, "logging": {}},
                "serverInfo": {"name": "x", "version": "1"},
            }
            said = value if method == "initialize" else called("old") if method == "tools/call" else {}
            with self.more:
                self.said.append(event(result(asked, said), kind="message"))
                self.more.notify_all()
        return answer(b"Accepted", status=202, kind="text/plain")

    def _stream(self) -> Any:
        yield head()
        yield event(self.endpoint, kind="endpoint")
        while not self.over.is_set():
            with self.more:
                self.more.wait_for(lambda: self.said or self.over.is_set(), 0.1)
                said, self.said = self.said, []
            yield b"".join(said)
            if self.stream.is_set():
                yield END
                return


def test_a_server_of_2024_is_spoken_to_by_http_and_sse() -> None:
    with OldPeer() as peer, client_of(peer, "2024-11-05") as client:
        assert text_of(client.call_tool("t")) == "old"
        assert peer.requests[0].method == "GET"
        assert {each.path for each in peer.requests} == {"/mcp", "/messages?id=1"}


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("/mcp", ""),
        ("/mcp/", ""),
        ("/mcp?key=1", ""),
        ("/", ""),
        ("/sse", ""),
        ("/mcp", "/mcp"),
        ("/a/mcp", "/a"),
        ("/a/mcp", "/a/mcp"),
        ("/a/mcp/sse", "/a/mcp"),
    ],
)
def test_the_stream_of_a_server_of_ours_is_found_from_the_url_of_its_endpoint(url: str, place: str) -> None:
    mcp = package("2024-11-05")
    server = mcp.Server("x", "1")
    server.tool(lambda: "old", name="t")
    paths = {"sse_path": f"{place}/sse", "messages_path": f"{place}/messages"}
    path = "/other" if url.endswith("/sse") else url.partition("?")[0]
    with (
        endpoint(server, path=path, **paths) as wire,
        mcp.Client.http(f"http://127.0.0.1:{wire.port}{url}", timeout=PATIENCE) as client,
    ):
        assert text_of(client.call_tool("t")) == "old"


def test_a_stream_that_is_nowhere_is_an_error_of_the_url_that_was_given() -> None:
    with HttpPeer(lambda request: answer(status=405)) as peer:
        client = client_of(peer, "2024-11-05", revisions=["2024-11-05"])
        with pytest.raises(HttpError, match="405") as caught:
            client.connect()
        assert caught.value.url == peer.url
        (note,) = caught.value.__notes__
        assert all(f"{peer.origin}{path}" in note for path in ("/mcp", "/sse", "/mcp/sse"))
        assert [each.path for each in peer.requests] == ["/mcp", "/sse", "/mcp/sse"]


@pytest.mark.parametrize("status", [401, 403, 429, 503])
def test_a_stream_is_looked_for_only_where_there_is_none(status: int) -> None:
    busy_at: list[str] = ["/mcp"]

    def play(request: Request) -> Any:
        return answer(status=status if request.path in busy_at else 404)

    with HttpPeer(play) as peer:
        for busy_at[0], tried in (("/mcp", ["/mcp"]), ("/sse", ["/mcp", "/sse"])):
            peer.requests.clear()
            with pytest.raises(HttpError, match=str(status)):
                client_of(peer, "2024-11-05", retries=False).connect()
            assert [each.path for each in peer.requests] == tried


@pytest.mark.parametrize("other", [400, 404, 405])
def test_a_server_of_2024_is_found_out(other: int) -> None:
    with OldPeer(other=other) as peer, connect.http(peer.url, timeout=PATIENCE) as client:
        assert client.binding.revision == "2024-11-05"
        assert text_of(client.call_tool("t")) == "old"


def test_messages_are_not_posted_to_another_origin() -> None:
    with (
        OldPeer(endpoint="http://localhost:1/messages") as peer,
        pytest.raises(ProtocolError, match="another origin"),
        client_of(peer, "2024-11-05"),
    ):
        pass


def test_a_stream_that_ends_is_opened_again_in_a_session_with_the_same_state() -> None:
    with OldPeer() as peer, client_of(peer, "2024-11-05", retries=RetryPolicy(pause=0.01)) as client:
        assert text_of(client.call_tool("t")) == "old"
        client.request(client.binding.requests["logging/setLevel"], LEVEL)
        peer.requests.clear()
        peer.stream.set()
        eventually(lambda: any(each.method == "GET" for each in peer.requests))
        peer.stream.clear()
        # A call waits for the new session.
        assert text_of(client.call_tool("t")) == "old"
        eventually(lambda: peer.methods()[-1] == "tools/call")
        *_, first, second, third, _ = peer.methods()
        assert [first, second, third] == ["initialize", "notifications/initialized", "logging/setLevel"]


LEVEL = package("2024-11-05").SetLevelRequestParams(level="error")


def test_what_is_in_flight_when_the_stream_ends_is_reported_and_not_sent_again() -> None:
    class Deaf(OldPeer):
        def _answer(self, request: Request) -> Any:
            if request.method == "POST" and request.json.get("method") == "tools/call":
                return answer(b"Accepted", status=202, kind="text/plain")
            return super()._answer(request)

    with Deaf() as peer, client_of(peer, "2024-11-05", retries=RetryPolicy(pause=0.01)) as client:
        call = client.start(client.call_tool, "t")
        eventually(lambda: "tools/call" in peer.methods())
        peer.stream.set()
        with pytest.raises(ConnectionClosed, match="stream of the server ended before the answer"):
            call.result(PATIENCE)
        peer.stream.clear()
        client.ping()
        assert peer.methods().count("tools/call") == 1


def test_the_reason_of_a_refusal_is_told() -> None:
    said = {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Bad Request", "data": {"reason": "no session"}}}
    with HttpPeer(lambda request: answer(said, status=400)) as peer:
        client = client_of(peer, "2024-11-05")
        with pytest.raises(HttpError, match=r"400 Status: Bad Request: no session\nThere is no stream"):
            client.connect()


def test_a_server_that_is_neither_is_an_error_of_the_first_refusal() -> None:
    with HttpPeer(lambda request: answer(b"nothing here", status=404, kind="text/plain")) as peer:
        with pytest.raises(HttpError, match="404 Status: nothing here"):
            connect.http(peer.url, timeout=PATIENCE)
        with pytest.raises(HttpError, match="404"), client_of(peer, "2024-11-05"):
            pass
