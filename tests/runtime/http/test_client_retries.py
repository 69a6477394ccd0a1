"""What a client over HTTP tries again: the retry policy, and its use against servers that refuse, reset and restart."""

from __future__ import annotations

import logging
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from queue import Queue
from random import Random
from threading import Event
from time import monotonic
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindgen.catalog import package_name
from mcp_bindings import RetryPolicy, connect
from mcp_bindings_runtime.errors import ConnectionClosed, HttpError, McpError, UsageError
from mcp_bindings_runtime.http.client import response_stream
from mcp_bindings_runtime.http.client.exchange import Exchange
from mcp_bindings_runtime.http.client.repeater import Repeater, Retry
from mcp_bindings_runtime.http.client.retry import COLUMNS, FLOOR, TABLE, UNSENT, Failure, Reaction, Row, row_of
from support.ports import port_for_a_server
from support.scripted_http_server import END, Cut, McpPeer, Request, answer, called, event, head, result
from support.scripted_peers import PATIENCE, environment, eventually, package, text_of

NEWEST, STATELESS, OLDEST = "2025-11-25", "2026-07-28", "2024-11-05"
each_transport = pytest.mark.parametrize("revision", [OLDEST, NEWEST, STATELESS])
both_eras = pytest.mark.parametrize("revision", [NEWEST, STATELESS])
AT_ONCE = RetryPolicy(pause=0.0)


def client_of(peer: McpPeer, revision: str, **options: Any) -> Any:
    return package(revision).Client.http(peer.url, **{"timeout": PATIENCE, "retries": AT_ONCE, **options})


# The policy, which neither waits nor sends.

METHODS = {Row.INITIALIZE: "initialize", Row.READ: "tools/list", Row.CALL: "tools/call"}


def exact(**options: Any) -> RetryPolicy:
    """A policy without jitter."""
    return RetryPolicy(**options, random=lambda: 0.0)


def failure(column: int | str, retry_after: float | None = None) -> Failure:
    if isinstance(column, int):
        return Failure(column, retry_after=retry_after)
    return Failure(sent=column != UNSENT)


@pytest.mark.parametrize("row", METHODS)
@pytest.mark.parametrize("column", [*COLUMNS, 400, 401, 403, 404, 405, 501])
def test_the_table_decides(row: Row, column: int | str) -> None:
    assert row_of(METHODS[row]) is row
    reaction = TABLE[row].get(column, Reaction.REPORT)
    plain = exact().before_repeating(METHODS[row], failure(column), 1, PATIENCE)
    asked = exact().before_repeating(METHODS[row], failure(column, 7.0), 1, PATIENCE)
    repeats = reaction in {Reaction.REPEAT, Reaction.RESUME_OR_REPEAT}
    assert plain == (0.5 if repeats else None)
    if isinstance(column, int):
        assert asked == (7.0 if repeats or reaction is Reaction.REPEAT_IF_DELAYED else None)


@pytest.mark.parametrize("method", ["tools/call", "acme/do", "notifications/progress", "tasks/cancel", ""])
@pytest.mark.parametrize("failed", [Failure(500), Failure(502), Failure(503), Failure(504), Failure(sent=True)])
def test_what_might_be_executed_twice_is_never_repeated(method: str, failed: Failure) -> None:
    for idle in (False, True):
        assert exact(retries=9).before_repeating(method, failed._replace(idle=idle), 1, PATIENCE) is None


def test_pauses_double_up_to_the_longest_and_end_with_the_retries() -> None:
    policy = exact(retries=6, pause=1.0, longest=10.0)
    found = [policy.before_repeating("ping", Failure(503), failures, 1e9) for failures in range(1, 8)]
    assert found == [1, 2, 4, 8, 10, 10, None]
    assert exact(retries=0).before_repeating("ping", Failure(503), 1, 1e9) is None


def test_a_request_is_not_repeated_beyond_its_deadline_or_the_longest_pause() -> None:
    policy = exact()
    assert policy.before_repeating("ping", Failure(503), 1, 0.5) is None
    assert policy.before_repeating("ping", Failure(503), 1, 0.51) == 0.5
    assert policy.before_repeating("ping", Failure(503, retry_after=60.0), 1, 1e9) == 60.0
    assert policy.before_repeating("ping", Failure(503, retry_after=61.0), 1, 1e9) is None


def test_a_read_on_a_connection_that_was_closed_while_idle_is_repeated_at_once_and_once() -> None:
    for retries in (0, 3):
        assert exact(retries=retries).before_repeating("ping", Failure(idle=True), 1, PATIENCE) == 0.0
    assert exact().before_repeating("ping", Failure(idle=True), 2, PATIENCE) == 1.0
    assert exact(retries=0).before_repeating("ping", Failure(idle=True), 2, PATIENCE) is None


@given(st.integers(0, 200), st.none() | st.floats(0, 1e6), st.floats(0, 100), st.floats(0, 100), st.integers(0, 2**32))
def test_a_pause_has_a_floor_a_cap_and_jitter(
    failures: int, asked: float | None, pause: float, longest: float, seed: int
) -> None:
    found = RetryPolicy(pause=pause, longest=longest, random=Random(seed).random).seconds(failures, asked)
    assert found >= max(FLOOR, asked or 0.0)
    assert found <= max(FLOOR, min(pause * 2.0 ** max(failures - 1, 0), longest), (asked or 0.0) * 1.1)


def test_the_jitter_has_a_source_of_its_own() -> None:
    import random

    random.seed(1)
    state = random.getstate()
    pauses = {RetryPolicy().seconds(3) for _ in range(20)}
    assert random.getstate() == state
    assert len(pauses) > 1


def test_streams_are_resumed_without_a_limit_and_never_hastily() -> None:
    policy = exact()
    assert policy.before_resuming(None, 0, server_delay=0.0) == FLOOR
    assert policy.before_resuming(None, 0, server_delay=5.0) == 5.0
    assert policy.before_resuming(None, 0) == 0.5
    assert policy.before_resuming(Failure(503), 500) == 60.0
    assert policy.before_resuming(Failure(503, retry_after=3600.0), 1) == 60.0
    assert policy.before_resuming(Failure(503, retry_after=3.0), 1, server_delay=5.0) == 5.0
    assert policy.before_resuming(Failure(401), 1) is None
    assert policy.before_resuming(Failure(401), 1, wanted=True) == 0.5


UNREACHABLE = ConnectionClosed("no connection")
REFUSED = HttpError(503, "Service Unavailable")


@pytest.mark.parametrize(
    ("fault", "server_delay", "least"),
    [
        (UNREACHABLE, None, FLOOR),
        (UNREACHABLE, 7.0, 7.0),
        (UNREACHABLE, 0.0, FLOOR),
        (REFUSED, None, None),
        (None, 7.0, None),
    ],
)
def test_the_pause_of_a_stream_can_end_early_if_the_server_could_not_be_reached(
    fault: Exception | None, server_delay: float | None, least: float | None
) -> None:
    repeater = Repeater(exact(pause=600.0, longest=600.0))
    retry = repeater.before_resuming(fault, Exchange("x"), 1, wanted=True, server_delay=server_delay)
    assert retry is not None
    assert (retry.pause, retry.least) == (600.0, least)


def test_a_response_to_another_request_ends_the_pauses_of_streams_that_may_end_early() -> None:
    repeater = Repeater(exact())
    kept, ended = Exchange("kept"), Exchange("ended")
    with ThreadPoolExecutor(2) as threads:
        waits = [
            threads.submit(repeater.wait, kept, Retry("kept", "refused", 1, 600.0)),
            threads.submit(repeater.wait, ended, Retry("ended", "unreachable", 1, 600.0, 0.2)),
        ]
        eventually(lambda: len(repeater.waiting) == 2)
        begun = monotonic()
        repeater.note_response()
        assert waits[1].result(PATIENCE) is False
        # The server may have asked for a pause.
        assert monotonic() - begun > 0.1
        assert [each.what for each in repeater.waiting] == ["kept"]
        kept.end()
        assert waits[0].result(PATIENCE) is True
    assert repeater.waiting == ()


@pytest.mark.parametrize("retries", [-1, 1.5, "3", None, True], ids=repr)
@pytest.mark.parametrize("reach", [package(NEWEST).Client.http, connect.http, lambda _, retries: RetryPolicy(retries)])
def test_invalid_retries_are_refused_at_once(retries: Any, reach: Callable[..., Any]) -> None:
    with pytest.raises(UsageError, match=r"`retries` must be an integer >= 0, a RetryPolicy or False, got "):
        reach("http://127.0.0.1:1/", retries=retries)


@pytest.mark.parametrize("options", [{"pause": -1}, {"longest": "x"}, {"random": 5}], ids=repr)
def test_invalid_pauses_are_refused_at_once(options: Any) -> None:
    with pytest.raises(UsageError, match=next(iter(options))):
        RetryPolicy(**options)


# Requests that fail once.


class FailingOnce:
    """Fails the next request with a method: ``failure`` is a status, or where the connection is reset."""

    def __init__(self) -> None:
        self.method = ""
        self.failure: int | str | None = None
        self.fields: dict[str, str] = {}

    def __call__(self, request: Request) -> Any:
        if request.method != "POST" or request.json.get("method") != self.method or self.failure is None:
            return None
        failed, self.failure = self.failure, None
        if isinstance(failed, int):
            return answer({"jsonrpc": "2.0", "id": request.json.get("id"), "error": ERROR}, failed, **self.fields)
        raise Cut(reset=True)


ERROR = {"code": -32603, "message": "busy"}
CALLS: dict[Row, Callable[[Any], Any]] = {
    Row.READ: lambda client: client.list_tools_page(),
    Row.CALL: lambda client: client.call_tool("t"),
}


@both_eras
@pytest.mark.parametrize("row", CALLS)
def test_requests_are_repeated_or_reported_as_the_table_says(revision: str, row: Row) -> None:
    play = FailingOnce()
    with McpPeer(revision, play) as peer, client_of(peer, revision) as client:
        client.list_tools_page()
        for column in [each for each in COLUMNS if each != UNSENT]:
            for play.fields in [{}, {"Retry_After": "0"}]:
                peer.requests.clear()
                play.method, play.failure = METHODS[row], column
                reaction = TABLE[row][column]
                repeated = reaction in {Reaction.REPEAT, Reaction.RESUME_OR_REPEAT} or (
                    reaction is Reaction.REPEAT_IF_DELAYED and bool(play.fields)
                )
                if repeated:
                    CALLS[row](client)
                else:
                    with pytest.raises((HttpError, ConnectionClosed)):
                        CALLS[row](client)
                assert peer.methods().count(METHODS[row]) == 1 + repeated, (column, play.fields)


@both_eras
@pytest.mark.parametrize("column", [503, "reset"])
def test_the_first_request_of_a_client_is_repeated(revision: str, column: int | str) -> None:
    play = FailingOnce()
    play.method, play.failure = "server/discover" if revision == STATELESS else "initialize", column
    with McpPeer(revision, play) as peer, client_of(peer, revision) as client:
        assert text_of(client.call_tool("t")) == "ok"
        assert peer.methods()[:2] == [play.method] * 2


@both_eras
@pytest.mark.parametrize("cut", [1, -5])
def test_a_read_whose_answer_breaks_off_is_repeated(revision: str, cut: int) -> None:
    broken = [True]

    def play(request: Request) -> Any:
        if request.method == "POST" and request.json.get("method") == "tools/list" and broken.pop():
            return breaking(answer(result(request, {})))
        return None

    def breaking(whole: bytes) -> Iterator[bytes]:
        broken.append(False)
        yield whole[:cut]
        raise Cut

    with McpPeer(revision, play) as peer, client_of(peer, revision) as client:
        assert client.list_tools_page().tools == []
        assert peer.methods().count("tools/list") == 2


@both_eras
def test_a_request_is_repeated_so_often_and_then_reported(revision: str, caplog: pytest.LogCaptureFixture) -> None:
    def play(request: Request) -> Any:
        return answer(status=429) if request.method == "POST" and request.json.get("method") == "tools/call" else None

    with McpPeer(revision, play) as peer, caplog.at_level(logging.INFO, "mcp_bindings"):
        with client_of(peer, revision, retries=RetryPolicy(2, pause=0.0)) as client:
            with pytest.raises(HttpError, match="429"):
                client.call_tool("t")
            assert peer.methods().count("tools/call") == 3
        peer.requests.clear()
        with client_of(peer, revision, retries=False) as client, pytest.raises(HttpError, match="429"):
            client.call_tool("t")
        assert peer.methods().count("tools/call") == 1
    told = [each.getMessage() for each in caplog.records if "trying again" in each.getMessage()]
    assert len(told) == 2
    assert all(each.startswith("tools/call: http") and "429" in each and "in 0.10 s" in each for each in told)


def test_the_log_of_a_retry_names_the_request_once(caplog: pytest.LogCaptureFixture) -> None:
    with socket.socket() as bound:
        # Nobody listens, and nobody else can have the port.
        bound.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{bound.getsockname()[1]}/mcp"
        client = package(STATELESS).Client.http(url, retries=RetryPolicy(1, pause=0.0), timeout=PATIENCE)
        with caplog.at_level(logging.INFO, "mcp_bindings"), pytest.raises(ConnectionClosed):
            client.connect()
    told = [each.getMessage() for each in caplog.records if "trying again" in each.getMessage()]
    assert told[0].startswith("server/discover: http://127.0.0.1:")
    assert "cannot be reached" in told[0]


@both_eras
def test_a_client_shows_what_it_waits_for(revision: str) -> None:
    refuse = Event()

    def play(request: Request) -> Any:
        refused = refuse.is_set() and request.method == "POST" and request.json.get("method") == "tools/call"
        return answer(status=503, Retry_After="30") if refused else None

    with McpPeer(revision, play) as peer, client_of(peer, revision, timeout=60.0) as client:
        assert client.retrying == ()
        refuse.set()
        call = client.start(client.call_tool, "t")
        eventually(lambda: client.retrying)
        (waiting,) = client.retrying
        assert (waiting.what, waiting.failures) == ("tools/call", 1)
        assert 30 <= waiting.pause <= 33
        assert "503" in waiting.reason
        # A pause ends with the call.
        call.cancel()
        eventually(lambda: client.retrying == ())
        assert peer.methods().count("tools/call") == 1


@both_eras
def test_a_pause_ends_with_the_client(revision: str) -> None:
    refuse = Event()

    def play(request: Request) -> Any:
        return answer(status=503, Retry_After="30") if refuse.is_set() else None

    with McpPeer(revision, play) as peer, client_of(peer, revision, timeout=60.0) as client:
        refuse.set()
        call = client.start(client.call_tool, "t")
        eventually(lambda: client.retrying)
        client.close()
        with pytest.raises(ConnectionClosed):
            call.result(PATIENCE)


# Streams.


def test_the_stream_of_the_server_begins_anew_if_its_last_event_is_unknown() -> None:
    heard: Queue[Any] = Queue()

    def play(request: Request) -> Any:
        if request.method != "GET":
            return None
        if "last-event-id" in request.headers:
            return answer(status=400)
        return first() if not seen else rest()

    seen: list[Any] = []

    def first() -> Iterator[bytes]:
        seen.append(1)
        yield head()
        yield event(CHANGED, "e-1")
        yield END

    def rest() -> Iterator[bytes]:
        yield head()
        yield event(CHANGED, "e-2")
        peer.over.wait(PATIENCE)

    with McpPeer(NEWEST, play) as peer, client_of(peer, NEWEST, on_tools_changed=lambda: heard.put(1)):
        for _ in range(2):
            heard.get(timeout=PATIENCE)
        asked = [each.headers.get("last-event-id") for each in peer.requests if each.method == "GET"]
        assert asked == [None, "e-1", None]


CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


@pytest.mark.parametrize("retry", [0, None])
def test_a_stream_that_brings_nothing_is_not_opened_in_haste(retry: int | None) -> None:
    pauses: list[float] = []

    class Counting(RetryPolicy):
        def seconds(self, failures: int, server_delay: float | None = None) -> float:
            pauses.append(super().seconds(failures, server_delay))
            return 0.0

    def play(request: Request) -> Any:
        if request.method != "GET":
            return None
        return head() + (b"" if retry is None else event(retry=retry)) + END

    policy = Counting(pause=1.0, random=lambda: 0.0)
    with McpPeer(NEWEST, play) as peer, client_of(peer, NEWEST, retries=policy, on_tools_changed=lambda: None):
        eventually(lambda: len(pauses) >= 6)
    assert pauses[:6] == ([FLOOR] * 6 if retry == 0 else [1.0, 2.0, 4.0, 8.0, 16.0, 32.0])


@pytest.mark.parametrize("refusals", [1, 8])
def test_an_answer_that_can_be_resumed_arrives_however_often_the_server_refuses(refusals: int) -> None:
    refuse = [503, 502, 429, 504, 500, 503, 408, 425][:refusals]

    def play(request: Request) -> Any:
        if request.method == "GET":
            assert request.headers["last-event-id"] == "e-1"
            return answer(status=refuse.pop()) if refuse else head() + event(result(asked[0], called("late"))) + END
        if request.json.get("method") != "tools/call":
            return None
        asked.append(request)
        return cut()

    def cut() -> Iterator[bytes]:
        yield head() + event(None, "e-1")
        raise Cut

    asked: list[Request] = []
    with McpPeer(NEWEST, play) as peer, client_of(peer, NEWEST) as client:
        assert text_of(client.call_tool("t")) == "late"
        assert len(asked) == 1


def test_a_stream_that_is_opened_again_and_does_not_begin_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response_stream, "OPENING", 0.1)

    def play(request: Request) -> Any:
        if request.method == "GET":
            opened.append(request)
            return silence() if len(opened) == 1 else head() + event(result(asked[0], called("late"))) + END
        if request.json.get("method") != "tools/call":
            return None
        asked.append(request)
        return cut()

    def silence() -> Iterator[bytes]:
        peer.over.wait(PATIENCE)
        yield b""

    def cut() -> Iterator[bytes]:
        yield head() + event(None, "e-1")
        raise Cut

    asked: list[Request] = []
    opened: list[Request] = []
    with McpPeer(NEWEST, play) as peer, client_of(peer, NEWEST) as client:
        assert text_of(client.call_tool("t")) == "late"
        assert len(opened) == 2


def test_a_busy_server_does_not_refuse_a_subscription() -> None:
    heard: Queue[Any] = Queue()
    refuse = [True] * 6

    def play(request: Request) -> Any:
        if request.method != "POST" or request.json.get("method") != "subscriptions/listen":
            return None
        if refuse and refuse.pop():
            return answer({"jsonrpc": "2.0", "id": request.json["id"], "error": ERROR}, 503)
        return subscribed(request)

    def subscribed(request: Request) -> Iterator[bytes]:
        meta = {"_meta": {"io.modelcontextprotocol/subscriptionId": request.json["id"]}}
        told = {"notifications": {"toolsListChanged": True}, **meta}
        yield head()
        yield event({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": told})
        yield event({**CHANGED, "params": meta})
        peer.over.wait(PATIENCE)

    with McpPeer(STATELESS, play) as peer:
        client = client_of(peer, STATELESS, discover=False, on_tools_changed=lambda: heard.put(1))
        with client:
            heard.get(timeout=PATIENCE)


# Servers that restart.

PROGRAM = """
import sys
from importlib import import_module
port, name = int(sys.argv[1]), sys.argv[2]
package = import_module(f"mcp_bindings.{name}")
server = package.Server("demo", "1.0")

@server.resource("demo://n")
def n() -> str:
    return "n"

@server.tool
def change() -> str:
    server.notify(package.methods.TOOL_LIST_CHANGED)
    server.resources.updated("demo://n")
    return "done"

server.run_http(port=port, path="/mcp", sse_path="/sse", messages_path="/messages")
"""


class Restartable:
    """A server in a process of its own, which can be started again on the same port."""

    def __init__(self, revision: str) -> None:
        self.revision = revision
        self.port = port_for_a_server()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-c", PROGRAM, str(self.port), package_name(self.revision)]
        self._process = subprocess.Popen(command, env=environment(), stderr=subprocess.DEVNULL)
        eventually(self._accepts)

    def stop(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)
        self._process.wait(PATIENCE)

    def _accepts(self) -> bool:
        with socket.socket() as tried:
            return tried.connect_ex(("127.0.0.1", self.port)) == 0


@contextmanager
def restartable(revision: str) -> Iterator[Restartable]:
    server = Restartable(revision)
    server.start()
    try:
        yield server
    finally:
        server.stop(signal.SIGKILL)


@each_transport
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_every_listener_hears_the_next_change_after_a_restart(revision: str, number: signal.Signals) -> None:
    tools, resources = Queue[Any](), Queue[Any]()
    with restartable(revision) as server:
        client = package(revision).Client.http(
            f"http://127.0.0.1:{server.port}/{'sse' if revision == OLDEST else 'mcp'}",
            timeout=PATIENCE,
            retries=RetryPolicy(1000, pause=0.1, longest=0.5),
            on_tools_changed=lambda: tools.put(1),
            on_resource_updated=lambda params: resources.put(params.uri),
        )
        with client:
            client.subscribe("demo://n")
            assert text_of(client.call_tool("change")) == "done"
            tools.get(timeout=PATIENCE)
            assert resources.get(timeout=PATIENCE) == "demo://n"
            server.stop(number)
            server.start()
            # Changes are not heard before the stream is open again.
            eventually(lambda: changed(client) and not tools.empty() and not resources.empty())


@both_eras
def test_a_call_that_succeeds_ends_the_pause_of_a_listener(revision: str) -> None:
    tools = Queue[Any]()
    with restartable(revision) as server:
        client = package(revision).Client.http(
            f"http://127.0.0.1:{server.port}/mcp",
            timeout=PATIENCE,
            retries=RetryPolicy(pause=1000.0, longest=1000.0),
            on_tools_changed=lambda: tools.put(1),
        )
        with client:
            assert text_of(client.call_tool("change")) == "done"
            tools.get(timeout=PATIENCE)
            server.stop(signal.SIGKILL)
            eventually(lambda: client.retrying)
            server.start()
            eventually(lambda: changed(client) and not tools.empty())


def changed(client: Any) -> bool:
    try:
        return text_of(client.call_tool("change")) == "done"
    except McpError:
        # The server has closed the idle connection.
        return False


@each_transport
def test_a_call_is_made_while_the_server_restarts(revision: str) -> None:
    with restartable(revision) as server:
        url = f"http://127.0.0.1:{server.port}/{'sse' if revision == OLDEST else 'mcp'}"
        # The start may take long; the timeout of the call bounds the retries.
        policy = RetryPolicy(1000, pause=0.1, longest=0.2)
        with package(revision).Client.http(url, timeout=PATIENCE, retries=policy) as client:
            assert text_of(client.call_tool("change")) == "done"
            server.stop(signal.SIGKILL)
            if revision == OLDEST:
                # A call that is sent before the end of the stream is noticed fails: it may have been executed.
                eventually(lambda: client.retrying)
            call = client.start(client.call_tool, "change")
            eventually(lambda: client.retrying or call.done())
            server.start()
            assert text_of(call.result(PATIENCE)) == "done"
