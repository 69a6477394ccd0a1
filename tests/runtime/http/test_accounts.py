"""What clients make a server keep is counted for each source and for all; beyond a limit, the unused ends first."""

from __future__ import annotations

import gc
import json
import random
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from threading import Event
from typing import Any
from weakref import WeakSet

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindings_runtime.connection.account import Account
from mcp_bindings_runtime.errors import ConnectionClosed, RequestTimeout, UsageError
from mcp_bindings_runtime.features.resources import MAX_SUBSCRIPTIONS_SIZE
from mcp_bindings_runtime.http.server import client_request_limit, session_store
from mcp_bindings_runtime.http.server.client_request_limit import ClientRequestLimit, TooManyClientRequests
from mcp_bindings_runtime.http.server.event_log import Priority
from mcp_bindings_runtime.http.server.session_channel import SessionChannel
from mcp_bindings_runtime.http.server.session_store import (
    MAX_RECORD_SIZE,
    MemorySessionStore,
    SessionRecord,
    TooManySessions,
)
from mcp_bindings_runtime.http.server.store import MemoryStore
from mcp_bindings_runtime.http.server.unsent_responses import UnsentResponses
from support.echo_server import echo_server
from support.raw_http_client import PLAIN, Wire, call, endpoint, notification, request
from support.revisions import HANDSHAKE
from support.scripted_peers import PATIENCE, WHO, eventually, package

LATEST = HANDSHAKE[-1]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 50))))
def test_an_account_is_what_its_entries_are(entries: list[tuple[str, int]]) -> None:
    account = Account("bytes", 200, 90)
    kept: list[tuple[str, int]] = []

    def amount_of(source: str | None) -> int:
        return sum(size for name, size in kept if source in {None, name})

    def evict(source: str | None, excess: int) -> None:
        while excess > 0:
            oldest = next(each for each in kept if source in {None, each[0]})
            kept.remove(oldest)
            account.release(*oldest)
            excess -= oldest[1]

    account.add_eviction(evict)
    for source, size in entries:
        account.charge(source, size)
        kept.append((source, size))
        assert account.admits(source) == (amount_of(source) <= 90 and amount_of(None) <= 200)
        assert account.make_room(source)
        assert account.used == account.amount_of(None) == amount_of(None) <= 200
        assert all(account.amount_of(each) == amount_of(each) <= 90 for each in "abc")


def store_of(ended: list[str], **limits: Any) -> MemorySessionStore:
    store = MemorySessionStore(**limits)
    store.on_end(ended.append)
    return store


def test_sessions_that_never_began_end_first_then_those_unused_for_longest() -> None:
    ended: list[str] = []
    store = store_of(ended, limit=4, per_source=4)
    for name, state in (("a", "open"), ("b", "agreed"), ("c", "open"), ("d", "agreed")):
        store.create(SessionRecord(name, LATEST, state=state))
    assert store.load("a") is not None
    for name in "efgh":
        store.create(SessionRecord(name, LATEST, state="open"))
    assert ended == ["b", "d", "c", "a"]


def test_sessions_in_use_stay() -> None:
    ended: list[str] = []
    store = store_of(ended, limit=2, per_source=2)
    store.add_use_check(lambda session_id: session_id == "a")
    for name in "abc":
        store.create(SessionRecord(name, LATEST, state="open"))
    assert ended == ["b"]


def test_a_new_session_does_not_look_at_all_others_while_the_table_is_full() -> None:
    looks: list[str] = []
    store = store_of([], limit=500, per_source=500)
    store.add_use_check(lambda session_id: bool(looks.append(session_id)))
    for number in range(500):
        store.create(record := SessionRecord(str(number), LATEST))
        before = record.values()
        record.state = "open"
        store.save(record, before)
    for number in range(20):
        store.create(SessionRecord(f"new {number}", LATEST, state="open"))
    assert looks == [str(number) for number in range(20)]


def test_sessions_in_use_are_passed_over_once_and_not_for_each_new_session() -> None:
    looks: list[str] = []

    def is_used(session_id: str) -> bool:
        looks.append(session_id)
        return session_id.isdigit()

    store = store_of([], limit=500, per_source=500)
    store.add_use_check(is_used)
    for number in range(400):
        store.create(SessionRecord(str(number), LATEST, state="open"))
    for number in range(120):
        store.create(SessionRecord(f"new {number}", LATEST, state="open"))
    assert len(looks) == 400 + 20


def test_while_all_sessions_are_in_use_they_are_looked_at_once_a_second() -> None:
    now = [100.0]
    in_use = {str(number) for number in range(5)}
    looks: list[str] = []
    store = store_of([], limit=5, per_source=5, clock=lambda: now[0])
    store.add_use_check(lambda session_id: looks.append(session_id) or session_id in in_use)
    for name in sorted(in_use):
        store.create(SessionRecord(name, LATEST, state="open"))
    for _ in range(20):
        with pytest.raises(TooManySessions):
            store.create(SessionRecord("new", LATEST, state="open"))
    # Among those of the source, and among all.
    assert len(looks) == 2 * 5
    in_use.clear()
    now[0] += session_store._PAUSE
    store.create(SessionRecord("new", LATEST, state="open"))


@given(st.data())
def test_the_sessions_of_a_source_end_in_the_order_of_their_last_use(data: st.DataObject) -> None:
    ended: list[str] = []
    store = store_of(ended, limit=100, per_source=4)
    unopened: dict[str, list[str]] = {"a": [], "b": []}
    opened: dict[str, list[str]] = {"a": [], "b": []}
    expected: list[str] = []
    for number in range(30):
        source = data.draw(st.sampled_from("ab"))
        kept = unopened[source] + opened[source]
        if kept and data.draw(st.booleans()):
            used = data.draw(st.sampled_from(kept))
            assert store.load(used) is not None
            if used in opened[source]:
                opened[source].remove(used)
                opened[source].append(used)
            continue
        state = data.draw(st.sampled_from(["open", "agreed"]))
        store.create(SessionRecord(str(number), LATEST, state=state, source=source))
        if len(kept) == 4:
            expected.append((unopened[source] or opened[source]).pop(0))
        (opened if state == "open" else unopened)[source].append(str(number))
    assert ended == expected


def test_one_source_cannot_end_the_sessions_of_others() -> None:
    ended: list[str] = []
    store = store_of(ended, limit=8, per_source=2)
    for name in "ab":
        store.create(SessionRecord(name, LATEST, state="open", source="honest"))
    for number in range(50):
        store.create(SessionRecord(str(number), LATEST, source="flood"))
    assert store.load("a") is not None
    assert store.load("b") is not None
    assert len(ended) == 48


def test_sessions_are_counted_by_their_bytes_too() -> None:
    ended: list[str] = []
    store = store_of(ended, limit=100, per_source=100, memory=Account("bytes", 400_000, 400_000))
    for number in range(50):
        store.create(SessionRecord(str(number), LATEST, client={"name": "x" * 50_000}, source=str(number)))
    assert len(ended) == 47
    record = store.load("49")
    assert record is not None
    before = record.values()
    record.subscribed = ["x" * 100_000]
    store.save(record, before)
    assert ended[47:] == ["47", "48"][: len(ended) - 47]
    assert store.load("49") is record


def test_newcomers_begin_sessions_while_others_flood_the_table() -> None:
    server, seen = echo_server(LATEST)
    with endpoint(server, store=MemoryStore(sessions=8, sessions_per_source=8)) as wire:
        listening, working, silent = Wire(wire.port), Wire(wire.port), Wire(wire.port)
        for each in (listening, working, silent):
            each.initialize(LATEST)
        stream = listening.stream()
        held = working.stream(call(1, {"progressToken": 1}, progress=1, hold=True))
        held.message()
        hello = {"protocolVersion": LATEST, "capabilities": {}, "clientInfo": WHO}
        for number in range(40):
            assert wire.post(request("initialize", number, hello)).status == 200
        newcomer = Wire(wire.port)
        newcomer.initialize(LATEST)
        assert newcomer.post(call(2, n=2)).text == "2"
        # A stream and a running call keep their sessions; and nobody ends one that has begun for one that has not.
        assert silent.post(call(3, n=3)).text == "3"
        server.notify(package(LATEST).methods.TOOL_LIST_CHANGED)
        assert stream.message()["method"] == "notifications/tools/list_changed"
        seen.go.set()
        assert held.messages()[-1]["result"]["content"][0]["text"] == "0"
        eventually(lambda: not seen.running)
        for each in (listening, working, newcomer):
            each.close()
        held.close()
        stream.close()


@pytest.fixture
def without_garbage_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("without_garbage_collector")
def test_a_session_that_ends_leaves_the_memory_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    channels, ended = WeakSet[SessionChannel](), list[str]()
    close = SessionChannel.close

    def closed(channel: SessionChannel, *lines: Any) -> None:
        channels.add(channel)
        ended.append(channel.record.id)
        close(channel, *lines)

    monkeypatch.setattr(SessionChannel, "close", closed)
    server, _ = echo_server(LATEST)
    with endpoint(server, store=MemoryStore(sessions=4, sessions_per_source=4)) as wire:
        hello = {"protocolVersion": LATEST, "capabilities": {}, "clientInfo": WHO}
        for number in range(12):
            assert wire.post(request("initialize", number, hello)).status == 200
        assert len(ended) == 8
        # The account has released them, so nothing else may keep them.
        eventually(lambda: not channels)


def test_what_a_client_says_of_itself_is_bounded() -> None:
    server, _ = echo_server(LATEST)
    with endpoint(server) as wire:
        hello = {"protocolVersion": LATEST, "capabilities": {}, "clientInfo": {**WHO, "title": "x" * MAX_RECORD_SIZE}}
        refused = wire.post(request("initialize", 0, hello))
        assert refused.status == 413
        assert str(MAX_RECORD_SIZE) in refused.json["error"]["data"]["reason"]
        assert "mcp-session-id" not in refused.headers


def test_the_uris_of_subscriptions_are_bounded() -> None:
    mcp = package(LATEST)
    server = mcp.Server("long", "1.0")

    @server.resource_template("x:///{+name}")
    def anything(name: str) -> str:
        return name

    with endpoint(server, body_limit=1_000_000) as wire:
        wire.initialize(LATEST)

        def subscribe(number: int) -> Any:
            uri = f"x:///{number}" + "x" * (MAX_SUBSCRIPTIONS_SIZE // 4)
            return wire.post(request("resources/subscribe", number, {"uri": uri})).json

        answers = [subscribe(number) for number in range(5)]
        assert ["result" in each for each in answers] == [True] * 3 + [False] * 2
        assert str(MAX_SUBSCRIPTIONS_SIZE) in answers[-1]["error"]["data"]["reason"]


@pytest.mark.parametrize("option", ["sessions", "sessions_per_source"])
def test_limits_of_stores_are_validated(option: str) -> None:
    with pytest.raises(UsageError, match=rf"`{option}` must be an integer >= 1, got 0"):
        MemoryStore(**{option: 0})


def talkative(revision: str) -> Any:
    """Return a server whose tool reports progress, so that its answer of ``size`` characters is streamed."""
    mcp = package(revision)
    server = mcp.Server("talkative", "1.0")

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        context.progress(1)
        return mcp.CallToolResult(content=[mcp.TextContent(text="x" * params.arguments["size"])])

    return server


def say(number: int, size: int) -> Any:
    params = {"name": "say", "arguments": {"size": size}, "_meta": {"progressToken": number}}
    return request("tools/call", number, params)


def test_answers_that_are_kept_for_clients_that_reconnect_are_bounded(caplog: pytest.LogCaptureFixture) -> None:
    store, size = MemoryStore(), 200_000
    with endpoint(talkative(LATEST), store=store, memory=4_000_000, memory_per_source=2_000_000) as wire:
        wires = [Wire(wire.port) for _ in range(4)]
        for each in wires:
            each.initialize(LATEST)
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            for number in range(1, 13):
                for each in wires:
                    answered = each.stream(say(number, size))
                    assert len(answered.messages()[-1]["result"]["content"][0]["text"]) == size
                    answered.close()
                    assert store.memory.used <= 2_000_000
            gc.collect()
            kept = tracemalloc.get_traced_memory()[0] - before
        finally:
            tracemalloc.stop()
        # 48 answers of 200 kB take 9.6 MB.
        assert kept < 3_000_000
        assert store.memory.used > 1_000_000
        (warning,) = [text for each in caplog.records if "limit on bytes" in (text := each.getMessage())]
        assert "'127.0.0.1' has" in warning
        for each in wires:
            assert each.ask("DELETE").status == 204
        assert store.memory.used == 0


def test_an_account_says_what_is_kept() -> None:
    """Compare the account with the memory that Python has allocated."""
    store = MemoryStore()
    hostile = {"experimental": {f"{number:x}": {} for number in range(2000)}}
    with endpoint(talkative(LATEST), store=store) as wire:
        wire.initialize(LATEST)
        session_id = wire.headers["Mcp-Session-Id"]

        def stream(number: int, size: int) -> None:
            store.open(session_id, f"{size} {number}").append(random.randbytes(size), 0)

        kinds: dict[str, Callable[[int], object]] = {
            "sessions": lambda _: Wire(wire.port).initialize(LATEST),
            "large sessions": lambda _: Wire(wire.port).initialize(LATEST, hostile),
            "streams": lambda number: stream(number, 100),
            "large streams": lambda number: stream(number, 30_000),
        }
        tracemalloc.start()
        try:
            for name, make in kinds.items():
                make(0)
                gc.collect()
                before, charged = tracemalloc.get_traced_memory()[0], store.memory.used
                for number in range(20):
                    make(1 + number)
                gc.collect()
                kept, charged = tracemalloc.get_traced_memory()[0] - before, store.memory.used - charged
                assert 1 / 3 < charged / kept < 3, f"{name}: {charged} are charged, and {kept} are kept"
        finally:
            tracemalloc.stop()


class Slow:
    """A connection whose client reads nothing."""

    def __init__(self, address: str, size: int) -> None:
        self.remote_addr = address
        self.unsent = b"x" * size
        self.unsent_charged = 0


def test_connections_whose_clients_read_slowest_are_closed_at_a_limit() -> None:
    memory, closed = Account("bytes", 1000, 500), list[Any]()

    def close(connection: Any) -> None:
        closed.append(connection)
        unsent.forget(connection)

    unsent = UnsentResponses(memory, close)

    def add(address: str, size: int) -> Any:
        connection: Any = Slow(address, size)
        unsent.update(connection)
        return connection

    a, b = add("192.0.2.1", 300), add("192.0.2.1", 100)
    c = add("192.0.2.1", 200)
    assert closed == [a]
    # One of any size passes alone.
    d = add("192.0.2.1", 2000)
    assert closed == [a, b, c]
    d.unsent = b"x" * 500
    unsent.update(d)
    assert memory.used == 500
    # Beyond the total, those go first that have waited for longest, wherever they are.
    e = add("192.0.2.2", 400)
    f = add("192.0.2.3", 200)
    assert closed == [a, b, c, d]
    for each in (e, f):
        each.unsent = b""
        unsent.update(each)
    assert memory.used == 0
    assert closed == [a, b, c, d]


def test_what_a_client_has_not_read_is_charged_until_it_has() -> None:
    store, size = MemoryStore(), 12_000_000
    with endpoint(talkative(LATEST), store=store) as wire:
        wire.initialize(LATEST)
        message = say(1, size)
        del message["params"]["_meta"]
        connection, response = wire.send("POST", json.dumps(message).encode(), PLAIN)
        with closing(connection):
            # The kernel has the rest.
            eventually(lambda: store.memory.used > 1_000_000)
            assert len(response.read()) > size
        eventually(lambda: store.memory.used < 1_000_000)


def test_notifications_that_no_client_reads_are_dropped_before_answers() -> None:
    store = MemoryStore()
    store.memory.set_limits(100_000, 100_000)
    for name in "abc":
        store.sessions.create(SessionRecord(name, LATEST, state="open", source="flood"))
    answered = store.open("a", "1")
    answered.append(b"x" * 10_000)
    answered.end()
    for number in range(300):
        for name in "abc":
            store.open(name, "0").append(b"%d" % number + b"x" * 1000, 0, Priority.OPTIONAL)
        assert store.memory.used <= 100_000
    assert answered.read(answered.attach(), 0, 0).events
    # The newest are kept.
    log = store.open("c", "0")
    events = log.read(log.attach(), 0, 0).events
    assert events
    assert events[-1].line.startswith(b"299x")


def test_answers_whose_client_has_gone_are_dropped_at_last() -> None:
    store = MemoryStore()
    store.memory.set_limits(100_000, 100_000)
    store.sessions.create(SessionRecord("a", LATEST, state="open", source="flood"))
    for number in range(30):
        log = store.open("a", str(number))
        log.append(b"x" * 10_000, 0)
        log.end()
        assert store.memory.used <= 100_000
    assert store.find("a", "0") is None
    assert store.find("a", "29") is not None


def test_an_answer_waits_for_room_until_clients_have_read() -> None:
    store = MemoryStore()
    store.memory.set_limits(100_000, 100_000)
    store.sessions.create(SessionRecord("a", LATEST, state="open", source="slow"))
    first, second = store.open("a", "1"), store.open("a", "2")
    reader = first.attach()
    second.attach()
    first.append(b"x" * 200_000, 0)
    with pytest.raises(RequestTimeout, match="clients read too slowly: for 0 s there"):
        second.append(b"answer", 0)
    assert second.append(b"progress", 0, Priority.OPTIONAL) == 1
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(second.append, b"answer", PATIENCE)
        first.read(reader, 0, 0)
        assert waiting.result(PATIENCE) == 0


def test_answers_that_wait_for_room_are_bounded_in_bytes() -> None:
    store = MemoryStore()
    store.memory.set_limits(100_000, 100_000)
    store.sessions.create(SessionRecord("a", LATEST, state="open", source="slow"))
    logs = [store.open("a", str(number)) for number in range(4)]
    for log in logs:
        log.attach()
    logs[0].append(b"x" * 200_000, 0)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(logs[1].append, b"y" * 20_000, PATIENCE)
        eventually(lambda: store.memory.waiting.amount_of("slow"))
        with pytest.raises(RequestTimeout, match="clients read too slowly: for 0 s there"):
            logs[2].append(b"z" * 20_000, PATIENCE)
        store.end_streams("a")
        with pytest.raises(ConnectionClosed):
            waiting.result(PATIENCE)
    assert not store.memory.waiting.used


def parked(wire: Wire, session: dict[str, str], number: int) -> Any:
    """Call a tool that asks the client, which does not answer; return the stream once the question is there."""
    stream = wire.stream(call(number, ask=0), **session)
    stream.message()
    return stream


def test_requests_to_clients_that_wait_are_bounded_and_charged() -> None:
    server, _ = echo_server(LATEST)
    # Nobody answers the last questions, so the handlers would use all the time that they are given to finish.
    with endpoint(server, handlers=8, grace=0.1) as wire:
        wire.initialize(LATEST, {"roots": {}})
        streams = [parked(wire, {}, number) for number in range(4)]
        refused = wire.post(call(9, ask=0))
        assert refused.status == 503
        assert wire.post(call(10, n=1)).text == "1"
        # The end of a call makes room for another one.
        assert wire.post(notification("notifications/cancelled", {"requestId": 0})).status == 202
        streams[0].messages()
        parked(wire, {}, 11)


def test_requests_to_clients_leave_handlers_for_other_sources() -> None:
    memory = Account("bytes", 100 * client_request_limit.SIZE)
    limit = ClientRequestLimit(8, memory)
    with ExitStack() as stack:
        for source in "aaaa":
            stack.enter_context(limit.charged(source))
        with pytest.raises(TooManyClientRequests, match="of too many clients; try again"), limit.charged("a"):
            raise AssertionError
        for source in "bb":
            stack.enter_context(limit.charged(source))
        with pytest.raises(TooManyClientRequests), limit.charged("b"):
            raise AssertionError
        assert memory.used == 6 * client_request_limit.SIZE
    assert not memory.used
    memory.set_limits(client_request_limit.SIZE, client_request_limit.SIZE)
    with limit.charged("a"), pytest.raises(TooManyClientRequests, match="has no memory"), limit.charged("a"):
        raise AssertionError


def test_equal_changes_of_a_client_are_handled_once() -> None:
    mcp = package(LATEST)
    server, begun, go = mcp.Server("slow", "1.0"), list[Any](), Event()

    @server.handler(mcp.methods.ROOTS_LIST_CHANGED)
    def changed(params: Any, _context: Any) -> None:
        begun.append(params)
        go.wait(PATIENCE)

    with endpoint(server) as wire:
        wire.initialize(LATEST, {"roots": {"listChanged": True}})
        assert wire.post(notification("notifications/roots/list_changed")).status == 202
        eventually(lambda: begun)
        for _ in range(50):
            assert wire.post(notification("notifications/roots/list_changed")).status == 202
        go.set()
        eventually(lambda: len(begun) == 2)
        assert wire.post(request("ping", 1)).status == 200
    assert len(begun) == 2
