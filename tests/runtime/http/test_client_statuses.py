"""What clients make of HTTP error statuses: no status is lost, and only some say anything about a revision."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from itertools import product
from math import isfinite
from threading import Event
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mcp_bindings import connect
from mcp_bindings_runtime.errors import (
    Challenge,
    HttpError,
    HttpResponseError,
    McpError,
    ResponseError,
    UnsupportedRevision,
)
from mcp_bindings_runtime.http.client.error_responses import retry_after
from mcp_bindings_runtime.http.client.statuses import rejects_message
from mcp_bindings_runtime.http.server.store import MemoryStore
from support.raw_http_client import endpoint
from support.revisions import HANDSHAKE, STATELESS, STREAMABLE
from support.scripted_http_server import HttpPeer, McpPeer, Request, answer
from support.scripted_peers import PATIENCE, package, text_of

NEWEST, NEW = HANDSHAKE[-1], STATELESS[-1]
STATUSES = [
    400,
    401,
    402,
    403,
    404,
    405,
    406,
    407,
    408,
    410,
    413,
    415,
    421,
    422,
    425,
    429,
    431,
    500,
    501,
    502,
    503,
    504,
]
OF_THE_MESSAGE = {400, 404, 405, 406, 410, 415, 422}
"""Statuses that may mean that the server does not understand a message."""


def client_of(peer: HttpPeer, revision: str, **options: Any) -> Any:
    settings = {"timeout": PATIENCE, "retries": False, "revisions": [revision], **options}
    return package(revision).Client.http(f"{peer.url}?key=secret", **settings)


class Body(NamedTuple):
    """A body of a refusal: its bytes, made for a request, and its media type."""

    made: Callable[[Request], bytes | None]
    kind: str = "application/json"
    code: int | None = None
    """Of the JSON-RPC error."""
    answers: bool = False
    """Whether it has the id of the request."""


def error(code: int, *, answers: bool, data: Any = None) -> Body:
    def made(request: Request) -> bytes:
        said = {"code": code, "message": "Refused", **({} if data is None else {"data": data})}
        number = {"id": request.json["id"]} if answers else {}
        return json.dumps({"jsonrpc": "2.0", **number, "error": said}).encode()

    return Body(made, code=code, answers=answers)


BODIES = {
    "none": Body(lambda request: None),
    "html": Body(lambda request: b"<!doctype html><h1>Refused</h1>", "text/html"),
    "text": Body(lambda request: b"Unsupported protocol version", "text/plain"),
    "error": error(-32600, answers=True),
    "error without id": error(-32600, answers=False),
    "ours": error(-32600, answers=False, data={"reason": "the limit on sessions is reached; try again"}),
    "no method": error(-32601, answers=True),
    "headers": error(-32020, answers=True),
    "capability": error(-32021, answers=True),
    "unsupported": error(-32022, answers=True, data={"supported": ["1999-01-01"], "requested": "x"}),
    "unsupported without id": error(-32022, answers=False, data={"supported": ["1999-01-01"], "requested": "x"}),
    "unsupported by initialize": error(-32602, answers=True, data={"supported": ["1999-01-01"], "requested": "x"}),
    "unsupported, unnamed": error(-32022, answers=True),
}
NAMING = {"unsupported", "unsupported without id", "unsupported by initialize"}
"""Bodies that name the revisions that the server speaks."""
CASES = list(product(STATUSES, BODIES))


class Refusing:
    """Refuses a method with a status and a body, which may be changed on the way."""

    def __init__(self, method: str, status: int = 400, body: str = "none") -> None:
        self.method = method
        self.status = status
        self.body = body

    def __call__(self, request: Request) -> Any:
        if request.method != "POST":
            return answer(status=405)
        if request.json.get("method") != self.method:
            return None
        body = BODIES[self.body]
        return answer(body.made(request), self.status, body.kind, Retry_After="7")


def check_refusal(fault: McpError | None, status: int, body: Body, url: str) -> None:
    """What an error tells of the response that it is about."""
    assert isinstance(fault, HttpError)
    assert (fault.status, fault.reason, fault.retry_after, fault.url) == (status, "Status", 7.0, url)
    assert str(status) in str(fault)
    assert "secret" not in str(fault)
    assert (fault.error is None) == (body.code is None)
    assert isinstance(fault, ResponseError) == body.answers
    if body.code is not None:
        assert fault.error["error"]["code"] == body.code
    if isinstance(fault, HttpResponseError):
        assert (fault.code, fault.message) == (body.code, "Refused")


@pytest.mark.parametrize("revision", STREAMABLE)
def test_a_refused_call_tells_all_that_came_with_the_refusal(revision: str) -> None:
    play = Refusing("tools/call")
    with McpPeer(revision, play) as peer, client_of(peer, revision) as client:
        for play.status, play.body in CASES:
            with pytest.raises(McpError) as caught:
                client.call_tool("t")
            fault: Any = caught.value
            # With -32602 a tool may refuse its arguments, whatever the data.
            named = play.body in NAMING - {"unsupported by initialize"} and play.status in OF_THE_MESSAGE
            assert isinstance(fault, UnsupportedRevision) == named, (play.status, play.body)
            if named:
                assert fault.supported == ("1999-01-01",)
                fault = fault.__cause__
            check_refusal(fault, play.status, BODIES[play.body], f"{peer.url}?key=secret")


def unsupported(revision: str, status: int, body: str) -> bool:
    """Whether a refusal of the first request of a client says that its revision is not supported."""
    if status not in OF_THE_MESSAGE:
        return False
    if body in NAMING:
        return True
    if revision in HANDSHAKE:
        return False
    # Revisions before 2026-07-28 have no server/discover, and refuse with 400 what belongs to no session of theirs.
    if body in {"headers", "capability"}:
        return False
    return status == 400 or body in {"no method", "unsupported, unnamed"}


@pytest.mark.parametrize("revision", STREAMABLE)
def test_only_what_says_that_a_revision_is_not_supported_is_taken_for_that(revision: str) -> None:
    play = Refusing("server/discover" if revision in STATELESS else "initialize")
    with McpPeer(revision, play) as peer:
        for play.status, play.body in CASES:
            with pytest.raises(McpError) as caught:
                client_of(peer, revision).connect()
            fault: Any = caught.value
            expected = unsupported(revision, play.status, play.body)
            assert isinstance(fault, UnsupportedRevision) == expected, (play.status, play.body)
            if isinstance(fault, UnsupportedRevision):
                assert fault.supported == (("1999-01-01",) if play.body in NAMING else ())
                fault = fault.__cause__
            check_refusal(fault, play.status, BODIES[play.body], f"{peer.url}?key=secret")


def test_connect_tries_another_revision_only_where_the_refusal_may_be_about_the_message() -> None:
    play = Refusing("server/discover")
    with McpPeer(NEWEST, play) as peer:
        for play.status, play.body in CASES:
            peer.requests.clear()
            if play.status not in OF_THE_MESSAGE:
                with pytest.raises(HttpError) as caught:
                    connect.http(peer.url, timeout=PATIENCE, retries=False)
                check_refusal(caught.value, play.status, BODIES[play.body], peer.url)
                assert [each.method for each in peer.requests] == ["POST"]
            elif play.body in NAMING | {"headers", "capability"}:
                with pytest.raises((UnsupportedRevision, ResponseError)):
                    connect.http(peer.url, timeout=PATIENCE, retries=False)
                assert [each.method for each in peer.requests] == ["POST"]
            else:
                with connect.http(peer.url, timeout=PATIENCE, retries=False) as client:
                    assert client.binding.revision == NEWEST
                    assert text_of(client.call_tool("t")) == "ok"


@pytest.mark.parametrize("revision", [each for each in STREAMABLE if each in HANDSHAKE])
def test_http_and_sse_is_tried_only_where_no_newer_server_can_have_refused_the_message(revision: str) -> None:
    play = Refusing("initialize")
    with McpPeer(revision, play) as peer:
        for play.status, play.body in CASES:
            peer.requests.clear()
            with pytest.raises((HttpError, UnsupportedRevision)):
                client_of(peer, revision).connect()
            newer = play.body in NAMING | {"headers", "capability", "no method", "unsupported, unnamed"}
            tried = play.status in OF_THE_MESSAGE and not newer
            assert [each.method for each in peer.requests] == ["POST", *["GET"] * tried], (play.status, play.body)


@pytest.mark.parametrize("revision", [NEWEST, NEW])
def test_a_call_of_a_server_of_ours_that_is_busy_may_be_made_again(revision: str) -> None:
    mcp = package(revision)
    server = mcp.Server("x", "1")
    begun, over = Event(), Event()

    @server.tool
    def wait() -> str:
        begun.set()
        over.wait(PATIENCE)
        return "done"

    with endpoint(server, handlers=1) as wire, ThreadPoolExecutor(1) as threads:
        url = f"http://127.0.0.1:{wire.port}{wire.path}"
        with mcp.Client.http(url, timeout=PATIENCE, retries=False) as client:
            first = threads.submit(client.call_tool, "wait")
            assert begun.wait(PATIENCE)
            with pytest.raises(HttpError, match=r"503 .*try again") as caught:
                client.call_tool("wait")
            over.set()
            check_busy(caught.value, url, 1.0)
            assert text_of(first.result(PATIENCE)) == "done"
            assert text_of(client.call_tool("wait")) == "done"


@pytest.mark.parametrize("reach", [package(NEWEST).Client.http, connect.http])
def test_a_server_of_ours_with_as_many_sessions_as_may_be_is_not_taken_for_another(reach: Any) -> None:
    server = package(NEWEST).Server("x", "1", revisions=[NEWEST])
    store = MemoryStore(sessions=1)
    store.sessions.add_use_check(lambda _: True)
    with endpoint(server, store=store) as wire:
        url = f"http://127.0.0.1:{wire.port}{wire.path}"
        with package(NEWEST).Client.http(url, timeout=PATIENCE):
            with pytest.raises(HttpError, match=r"503 .*sessions") as caught:
                # A client of one revision has connected when it is entered.
                reach(url, timeout=PATIENCE).__enter__()
            check_busy(caught.value, url, 60.0)


def check_busy(fault: HttpError, url: str, seconds: float) -> None:
    assert (fault.status, fault.retry_after, fault.url) == (503, seconds, url)
    assert fault.error["error"]["code"] == -32600
    assert not isinstance(fault, ResponseError)


def test_a_refusal_without_a_challenge_names_the_options_to_pass() -> None:
    hint = r"answered with HTTP status 401 .*\(pass `headers=` or `auth=`\)$"
    with HttpPeer(lambda request: answer(status=401)) as peer, pytest.raises(HttpError, match=hint):
        package(NEWEST).Client.http(peer.url, timeout=PATIENCE).connect()


@pytest.mark.parametrize(("path", "hint"), [("/", True), ("/api", True), ("/mcp", False), ("/app/mcp/", False)])
def test_a_url_where_nothing_is_gets_the_usual_path(path: str, hint: bool) -> None:
    with (
        HttpPeer(lambda request: answer(status=404)) as peer,
        pytest.raises(HttpError, match="answered with HTTP status 404") as caught,
    ):
        package(NEWEST).Client.http(f"{peer.origin}{path}", timeout=PATIENCE).connect()
    assert str(caught.value).endswith("(the path of an MCP server is usually /mcp)") is hint


def test_a_refused_redirect_names_the_url_that_it_led_to() -> None:
    def play(request: Request) -> Any:
        return answer(status=404) if request.path == "/there" else answer(status=307, Location="/there")

    with HttpPeer(play) as peer, pytest.raises(HttpError, match=f"^{peer.origin}/there answered with HTTP status 404"):
        package(NEWEST).Client.http(peer.url, timeout=PATIENCE).connect()


def test_an_answer_with_an_error_status_is_recorded(tmp_path: Any) -> None:
    record = tmp_path / "record"
    with McpPeer(NEW, Refusing("tools/call", 404, "no method")) as peer:
        with client_of(peer, NEW, record=record) as client, pytest.raises(ResponseError):
            client.call_tool("t")
        (call,) = [each.json["id"] for each in peer.requests if each.json["method"] == "tools/call"]
    *_, last = map(json.loads, record.read_text().splitlines())
    assert last["message"] == {"jsonrpc": "2.0", "id": call, "error": {"code": -32601, "message": "Refused"}}


@given(st.integers(0, 10**6), st.sampled_from([-7200, 0, 7200]))
def test_the_time_to_wait_may_be_seconds_or_a_date_by_the_clock_of_the_server(seconds: int, skew: int) -> None:
    now = 1_800_000_000 + skew
    assert retry_after({"Retry-After": f" {seconds} "}) == seconds
    dates = {"Date": formatdate(now, usegmt=True), "Retry-After": formatdate(now + seconds, usegmt=True)}
    assert retry_after(dates) == seconds
    assert retry_after({**dates, "Retry-After": formatdate(now - seconds, usegmt=True)}) == 0
    assert retry_after({"Retry-After": formatdate(1_000_000_000, usegmt=True)}) == 0


@given(
    st.text(max_size=30)
    | st.sampled_from(["-1", "1.5", "²", "Fri, 99 Foo 2026 00:00:00 GMT", "Mon, 1 Jan 0000 00:00:00 GMT"])
)
@example("9" * 5000)
@example("9007199254740993")
@example("0\x1f")
def test_any_other_time_to_wait_is_none(text: str) -> None:
    found = retry_after({"Retry-After": text, "Date": text})
    assert found is None or found == 0 or (isfinite(found) and found == float(text.strip()))


@pytest.mark.parametrize("kind", [HttpError, HttpResponseError])
def test_http_errors_can_be_pickled(kind: type[HttpError]) -> None:
    said = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "No", "data": [1]}}
    fault = kind(404, "Not Found", "No", said, [Challenge("Bearer", {})], "https://example.com/mcp", 5.0)
    copy = pickle.loads(pickle.dumps(fault))
    assert type(copy) is kind
    assert vars(copy) == vars(fault)
    assert str(copy) == str(fault)


@given(st.integers(100, 599))
def test_statuses_of_success_redirection_and_server_faults_say_nothing_about_the_message(status: int) -> None:
    assert rejects_message(status) <= (400 <= status < 500)
    assert not (rejects_message(status) and status in {*STATUSES} - OF_THE_MESSAGE)
