"""Clients whose server ends their session, or has no stream of its own: what begins anew, how often, and for whom."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from mcp_bindings_runtime.errors import ConnectionClosed, HttpError, RequestTimeout
from mcp_bindings_runtime.http.client.retry import RetryPolicy
from support.revisions import HANDSHAKE, STREAMABLE
from support.scripted_http_server import END, Cut, HttpPeer, McpPeer, Request, answer, event, head
from support.scripted_peers import PATIENCE, eventually, package, text_of, threads_of

NEWEST = HANDSHAKE[-1]
SESSION = "mcp-session-id"
with_sessions = pytest.mark.parametrize("revision", [each for each in STREAMABLE if each in HANDSHAKE])
CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


def client_of(peer: HttpPeer, revision: str = NEWEST, **options: Any) -> Any:
    return package(revision).Client.http(peer.url, **{"timeout": PATIENCE, **options})


def asks(request: Request, method: str) -> bool:
    return request.method == "POST" and bool(request.json.get("method") == method)


class Renewing(McpPeer):
    """A server that has lost the session ``old`` once ``lost`` is set, and takes ``initialized`` only when it may.

    As the specification lets it, it refuses requests of a session that ``initialized`` was not sent in.
    """

    def __init__(self, revision: str, *, refusal: bytes | None = None) -> None:
        self.lost = Event()
        self.asked_anew = Event()
        self.go_on = Event()
        self.opened = {"old"}
        self.refusal = refusal
        super().__init__(revision, self._renew, session="old")

    def _renew(self, request: Request) -> Any:
        if not self.lost.is_set():
            return None
        session = request.headers.get(SESSION)
        self.session = "new"
        if session == "old":
            return answer(status=404)
        if asks(request, "initialize") and self.refusal is not None:
            self.asked_anew.set()
            assert self.go_on.wait(PATIENCE)
            return self.refusal
        if asks(request, "notifications/initialized"):
            self.asked_anew.set()
            assert self.go_on.wait(PATIENCE)
            self.opened.add(str(session))
        elif session is not None and session not in self.opened:
            return answer(status=400)
        return None

    def begun(self) -> int:
        """How many sessions were begun."""
        return self.methods().count("initialize")


@with_sessions
def test_no_call_overtakes_the_notification_that_opens_a_new_session(revision: str) -> None:
    with Renewing(revision) as peer, client_of(peer, revision) as client, ThreadPoolExecutor(40) as threads:
        peer.lost.set()
        first = [threads.submit(client.call_tool, "t") for _ in range(20)]
        assert peer.asked_anew.wait(PATIENCE)
        # These begin while the new session is not open yet.
        then = [threads.submit(client.call_tool, "t") for _ in range(20)]
        peer.go_on.set()
        assert [text_of(each.result(PATIENCE)) for each in (*first, *then)] == ["ok"] * 40
        assert peer.begun() == 2


def test_each_call_waits_for_a_new_session_until_its_own_deadline() -> None:
    with Renewing(NEWEST) as peer, client_of(peer) as client, ThreadPoolExecutor(2) as threads:
        peer.lost.set()
        patient = threads.submit(client.call_tool, "t")
        assert peer.asked_anew.wait(PATIENCE)
        hasty = threads.submit(client.call_tool, "t", timeout=0.2)
        with pytest.raises(RequestTimeout):
            hasty.result(PATIENCE)
        assert not patient.done()
        peer.go_on.set()
        assert text_of(patient.result(PATIENCE)) == "ok"


def test_a_call_whose_deadline_passes_while_it_renews_the_session_leaves_that_to_another() -> None:
    with Renewing(NEWEST) as peer, client_of(peer) as client, ThreadPoolExecutor(2) as threads:
        peer.lost.set()
        hasty = threads.submit(client.call_tool, "t", timeout=PATIENCE / 10)
        assert peer.asked_anew.wait(PATIENCE)
        patient = threads.submit(client.call_tool, "t")
        with pytest.raises(RequestTimeout):
            hasty.result(PATIENCE)
        eventually(lambda: peer.begun() == 3)
        peer.go_on.set()
        assert text_of(patient.result(PATIENCE)) == "ok"


def test_closing_ends_the_wait_for_a_new_session() -> None:
    with Renewing(NEWEST) as peer, ThreadPoolExecutor(4) as threads:
        client = client_of(peer)
        client.connect()
        peer.lost.set()
        calls = [threads.submit(client.call_tool, "t") for _ in range(4)]
        assert peer.asked_anew.wait(PATIENCE)
        client.close()
        for each in calls:
            with pytest.raises(ConnectionClosed):
                each.result(PATIENCE)
        peer.go_on.set()
    eventually(lambda: not threads_of("mcp-http"))


@pytest.mark.parametrize(
    ("refusal", "raised"),
    [
        (answer(status=404), ConnectionClosed),
        (answer(status=400), ConnectionClosed),
        (answer(status=401, WWW_Authenticate="Bearer"), HttpError),
        (answer(status=503, Retry_After="7"), HttpError),
    ],
    ids=["404", "400", "401", "503"],
)
def test_a_refused_renewal_fails_for_all_that_wait_for_it(refusal: bytes, raised: type[Exception]) -> None:
    peer = Renewing(NEWEST, refusal=refusal)
    with peer, client_of(peer, retries=False) as client, ThreadPoolExecutor(8) as threads:
        peer.lost.set()
        calls = [threads.submit(client.call_tool, "t") for _ in range(8)]
        assert peer.asked_anew.wait(PATIENCE)
        session = client.connection._transport._session
        eventually(lambda: len(session._renewal._attempt.waiting) == 7)
        peer.go_on.set()
        faults = [each.exception(PATIENCE) for each in calls]
        assert {type(each) for each in faults} == {raised}
        # Each has a traceback of its own.
        assert len({id(each) for each in faults}) == 8
        assert peer.begun() == 2


# The stream of the server.


def listener_of(peer: HttpPeer, heard: Event | None = None, **options: Any) -> Any:
    client = client_of(peer, **options)
    seen = Event() if heard is None else heard
    client.handles(package(NEWEST).methods.TOOL_LIST_CHANGED, lambda params, context: seen.set())
    return client


@pytest.mark.parametrize("status", [404, 405])
@pytest.mark.parametrize("session", ["s-1", None])
def test_a_server_without_a_stream_of_its_own_is_asked_once(status: int, session: str | None) -> None:
    def play(request: Request) -> Any:
        return answer(status=status) if request.method == "GET" else None

    with McpPeer(NEWEST, play, session=session) as peer, listener_of(peer) as client:
        # The thread that has asked is over.
        eventually(lambda: not threads_of("mcp-http-listen"))
        for _ in range(3):
            assert text_of(client.call_tool("t")) == "ok"
        assert peer.methods().count("initialize") == 1
        assert [each.method for each in peer.requests].count("GET") == 1


def test_a_stream_that_was_not_found_is_asked_for_in_the_next_session() -> None:
    heard, lost = Event(), Event()

    def play(request: Request) -> Any:
        if request.headers.get(SESSION) == "old" and (lost.is_set() or request.method == "GET"):
            return answer(status=404)
        if lost.is_set():
            peer.session = "new"
        return open_stream() if request.method == "GET" else None

    def open_stream() -> Any:
        yield head()
        yield event(CHANGED)
        peer.over.wait(PATIENCE)
        raise Cut

    with McpPeer(NEWEST, play, session="old") as peer, listener_of(peer, heard) as client:
        eventually(lambda: not threads_of("mcp-http-listen"))
        lost.set()
        assert text_of(client.call_tool("t")) == "ok"
        assert heard.wait(PATIENCE)
        assert peer.methods().count("initialize") == 2
    eventually(lambda: not threads_of("mcp-http"))


@pytest.mark.parametrize("refusals", [0, 3])
def test_a_stream_that_is_not_found_any_more_shows_that_the_session_is_lost(refusals: int) -> None:
    heard, cut = Event(), Event()
    # A stream that was there is wanted until the client closes.
    new = [answer(status=404) for _ in range(refusals)]

    def play(request: Request) -> Any:
        if request.method == "GET":
            return open_stream(request.headers[SESSION])
        if cut.is_set():
            peer.session = "new"
        return None

    def open_stream(session: str) -> Any:
        if cut.is_set() and (session == "old" or new):
            yield answer(status=404) if session == "old" else new.pop()
            return
        yield head()
        if session == "old":
            yield event(retry=10)
            cut.set()
            yield END
            return
        yield event(CHANGED)
        peer.over.wait(PATIENCE)
        raise Cut

    policy = RetryPolicy(pause=0.01)
    with McpPeer(NEWEST, play, session="old") as peer, listener_of(peer, heard, retries=policy) as client:
        assert heard.wait(PATIENCE)
        assert text_of(client.call_tool("t")) == "ok"
        assert peer.methods().count("initialize") == 2
        asked = [each.headers[SESSION] for each in peer.requests if each.method == "GET"]
        assert asked == ["old", "old", "new", *["new"] * refusals]


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("losses", [1, 2])
def test_a_subscription_that_is_refused_for_a_while_is_made_again(status: int, losses: int) -> None:
    """A server that restarts refuses everything for a time, and may begin a session meanwhile."""
    sessions = [f"s-{number}" for number in range(losses + 1)]
    subscribed: list[str] = []
    refusals: list[bytes] = []
    heard = Event()

    def play(request: Request) -> Any:
        session = request.headers.get(SESSION)
        if asks(request, "initialize"):
            peer.session = sessions[len(subscribed)]
        elif session is not None and session != peer.session:
            return answer(status=404)
        elif asks(request, "resources/subscribe"):
            if refusals:
                return refusals.pop()
            subscribed.append(str(session))
        elif request.method == "GET":
            return open_stream(str(session))
        return None

    def open_stream(session: str) -> Any:
        yield head()
        eventually(lambda: session in subscribed)
        if session != sessions[-1]:
            # The session is lost, and more refusals come than a request is repeated.
            refusals.extend(answer(status=status) for _ in range(4))
            peer.session = ""
            yield event(retry=10)
            yield END
            return
        yield event(CHANGED)
        peer.over.wait(PATIENCE)
        raise Cut

    policy = RetryPolicy(1, pause=0.01, longest=0.01)
    peer = McpPeer(NEWEST, play, session=sessions[0], capabilities={"resources": {"subscribe": True}})
    with peer, listener_of(peer, heard, retries=policy) as client:
        client.subscribe("file:///a")
        assert heard.wait(PATIENCE)
        assert subscribed == sessions


def test_a_stream_that_is_refused_for_a_while_is_asked_for_again() -> None:
    heard = Event()
    refusals = [answer(status=503, Retry_After="0")]

    def play(request: Request) -> Any:
        return None if request.method != "GET" else refusals.pop() if refusals else open_stream()

    def open_stream() -> Any:
        yield head()
        yield event(CHANGED)
        peer.over.wait(PATIENCE)
        raise Cut

    with McpPeer(NEWEST, play) as peer, listener_of(peer, heard):
        assert heard.wait(PATIENCE)
