"""Several processes that serve one endpoint, with their sessions and streams in a real Redis."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from checkout import ROOT
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp_bindings_runtime.errors import ConnectionClosed, RequestTimeout, UsageError
from mcp_bindings_runtime.features.limits import Limits
from mcp_bindings_runtime.http.redis import store as redis_store
from mcp_bindings_runtime.http.server import session_channel
from mcp_bindings_runtime.http.server.event_log import MemoryEventLog, Priority, ReadResult
from mcp_bindings_runtime.http.server.session_store import SessionRecord, new_session_id
from mcp_bindings_runtime.http.server.store import MemoryStore, StoreUnavailable
from mcp_bindings_runtime.tasks.store import MemoryTasks
from support.echo_server import echo_server
from support.ports import port_for_a_server
from support.raw_http_client import NEW, PLAIN, Stream, Wire, call, endpoint, modern, notification, request
from support.redis_server import RedisServer
from support.revisions import HANDSHAKE
from support.scripted_peers import PATIENCE, WHO, environment, eventually, package

LATEST = HANDSHAKE[-1]
GET = {"Accept": "text/event-stream"}


@contextmanager
def two(stores: Any, one: Any, other: Any, **options: Any) -> Iterator[tuple[Wire, Wire]]:
    with (
        endpoint(*one, store=stores(), **options) as here,
        endpoint(*other, store=stores(), **options) as there,
    ):
        there.headers = here.headers
        yield here, there


def offering(revision: str) -> Any:
    server = package(revision).Server("s", "1")

    @server.tool()
    def first() -> str:
        """Is there from the beginning."""
        return "1"

    for name in "ab":
        server.resources.add_text(f"test://{name}", name)
    return server


def add_tool(server: Any, name: str) -> None:
    @server.tool(name=name)
    def more() -> str:
        """Comes later."""
        return "x"


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_session_goes_on_in_another_process(stores, revision):
    one, _ = echo_server(revision)
    other, seen = echo_server(revision)
    with two(stores, [one], [other]) as (here, there):
        here.initialize(revision, {"roots": {}})
        assert there.post(call(n=3)).text == "3"
        stream = there.stream(call(9, ask=0))
        asked = stream.message()
        answer = {"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": [{"uri": "file:///r", "name": "found"}]}}
        assert here.post(answer).status == 202
        (answered,) = stream.messages()
        assert answered["result"]["content"][0]["text"] == "found"
        held = there.stream(call(10, {"progressToken": 1}, progress=1, hold=True))
        held.message()
        assert here.post(notification("notifications/cancelled", {"requestId": 10})).status == 202
        assert [each for each in held.messages() if "result" in each] == []
        eventually(lambda: len(seen.cancelled) == 1)
        assert here.ask("DELETE").status == 204
        assert there.post(call()).status == 404


def bus(stores: Any) -> int:
    """How many messages the processes have sent each other."""
    store = stores()
    length: int = store.client.execute("XLEN", f"{store.client.prefix}bus")
    return length


def test_what_no_process_can_use_is_not_broadcast(stores):
    one, seen = echo_server(LATEST)
    with two(stores, [one], [echo_server(LATEST)[0]]) as (here, _):
        here.initialize(LATEST)
        held = here.stream(call(7, {"progressToken": 1}, progress=1, hold=True))
        held.message()
        before = bus(stores)
        for message in (
            notification("notifications/unheard-of", {"text": "x" * 1000}),
            notification("notifications/cancelled", {"requestId": 7}),
        ):
            assert here.post(message).status == 202
        eventually(lambda: not seen.running)
        assert here.post({"jsonrpc": "2.0", "method": 1}).status == 400
        assert bus(stores) == before


@pytest.mark.parametrize("revision", HANDSHAKE)
@pytest.mark.parametrize("shared", [False, True], ids=["memory", "redis"])
def test_a_response_to_no_request_is_accepted_and_dropped(stores, revision, shared):
    """The sender may have been too slow, so it is no error (Transports: Sending Messages)."""
    with endpoint(echo_server(revision)[0], **({"store": stores()} if shared else {})) as wire:
        wire.initialize(revision, {"roots": {}})
        for forged in (12345, "forged"):
            answer = wire.post({"jsonrpc": "2.0", "id": forged, "result": {"roots": []}})
            assert (answer.status, answer.body) == (202, b"")
        assert wire.post({"jsonrpc": "2.0", "id": None, "result": {}}).status == 400
        assert wire.post(call(n=1)).text == "1"


def store_at(redis: RedisServer) -> Any:
    from mcp_bindings_runtime.http.redis.store import RedisStore

    return RedisStore(redis.url)


def limited(folder: Path, policy: str) -> RedisServer:
    """Return a Redis server that may keep 20 MB, and has to keep its policy then."""
    found = RedisServer(folder)
    with closing(store_at(found)) as store:
        store.client.execute("CONFIG", "SET", "maxmemory", "20mb")
        store.client.execute("CONFIG", "SET", "maxmemory-policy", policy)
    return found


def keep(store: Any, wire: Wire, number: int) -> None:
    store.open(wire.headers["Mcp-Session-Id"], f"s{number}").append(b"x" * 900_000, 0)


def test_redis_that_may_forget_drops_streams_before_sessions_and_heartbeats(tmp_path):
    redis = limited(tmp_path, "volatile-ttl")
    with closing(store_at(redis)) as store, endpoint(echo_server(LATEST)[0], store=store) as wire:
        wire.initialize(LATEST)
        for number in range(30):
            other = Wire(wire.port)
            other.initialize(LATEST)
            with suppress(ConnectionClosed):
                # It is forgotten at once if that frees the most.
                keep(store, other, number)
            assert wire.post(call(n=number)).text == str(number)
            assert any(key.startswith("alive:") for key in keys(store))
    redis.stop()


def test_redis_that_may_not_forget_keeps_no_more_messages_when_it_is_full(tmp_path):
    redis = limited(tmp_path, "noeviction")
    with closing(store_at(redis)) as store, endpoint(echo_server(LATEST)[0], store=store) as wire:
        wire.initialize(LATEST)
        store.client.execute("CONFIG", "SET", "maxmemory", "1mb")
        with pytest.raises(StoreUnavailable, match=r"^Redis reports an error .*memory"):
            keep(store, wire, 1)
        assert wire.post(call(n=1)).text == "1"
        store.client.execute("CONFIG", "SET", "maxmemory", "0")
        keep(store, wire, 1)
    redis.stop()


def test_what_one_session_broadcasts_is_bounded(stores, monkeypatch):
    monkeypatch.setattr(session_channel, "FORWARD_RATE", 1e-6)
    monkeypatch.setattr(session_channel, "FORWARD_BURST", 3 * session_channel.FORWARD_COST + 1000)
    with two(stores, [echo_server(LATEST)[0]], [echo_server(LATEST)[0]]) as (here, _):
        here.initialize(LATEST)
        before = bus(stores)
        unknown = [notification("notifications/cancelled", {"requestId": f"no {n}"}) for n in range(6)]
        answers = [here.post(each) for each in unknown]
        assert [each.status for each in answers] == [202] * 3 + [503] * 3
        assert int(answers[-1].headers["retry-after"]) > 0
        assert bus(stores) == before + 3
        # Others are not affected, nor is the rest of the session.
        assert here.post(call(n=1)).text == "1"
        other = Wire(here.port)
        other.initialize(LATEST)
        assert other.post(unknown[0]).status == 202


@pytest.mark.parametrize(("limit", "value"), [("BUS_COUNT", 3), ("BUS_BYTES", 3000)])
def test_messages_between_processes_are_kept_up_to_a_limit(stores, monkeypatch, limit, value):

    monkeypatch.setattr(redis_store, limit, value)
    store, received = stores(), []

    def receive(*message: Any) -> None:
        received.append(message)

    store.on_message(receive)
    for _ in range(10):
        store.forward("s", b"x" * 900, receive)
    assert 1 <= bus(stores) <= 3


def test_a_batch_is_broadcast_once(stores):
    revision = "2025-03-26"
    with two(stores, [echo_server(revision)[0]], [echo_server(revision)[0]]) as (here, _):
        here.initialize(revision)
        before = bus(stores)
        batch = [notification("notifications/cancelled", {"requestId": f"no {n}"}) for n in range(5)]
        assert here.post(batch).status == 202
        assert bus(stores) == before + 1


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_stream_is_resumed_in_another_process(stores, revision):
    one, seen = echo_server(revision)
    other, _ = echo_server(revision)
    with two(stores, [one], [other]) as (here, there):
        here.initialize(revision)
        stream = here.stream(call(1, {"progressToken": "t"}, n=8, progress=3, hold=True))
        event = stream.next()
        while not event.fields.get("data"):
            event = stream.next()
        stream.close()
        again = there.stream(Last_Event_ID=event.id)
        assert [again.message()["params"]["progress"] for _ in range(2)] == [2, 3]
        # From here on the messages come from where the handler runs to where the client reads.
        seen.go.set()
        (answered,) = again.messages()
        assert answered["result"]["content"][0]["text"] == "8"
        assert seen.cancelled == []
        for wire in (here, there):
            assert len(wire.stream(Last_Event_ID=event.id).messages()) == 3


def test_a_stream_is_only_for_its_session(stores):
    one, _ = echo_server(LATEST)
    other, _ = echo_server(LATEST)
    with two(stores, [one], [other]) as (here, there):
        here.initialize(LATEST)
        event = here.stream(call(1, {"progressToken": "t"}, progress=1)).next()
        stranger = Wire(there.port)
        stranger.initialize(LATEST)
        assert stranger.ask("GET", headers={**GET, "Last-Event-ID": event.id}).status == 400


MESSAGES = st.lists(st.tuples(st.binary(min_size=1, max_size=8), st.sampled_from(Priority)), max_size=20)


@settings(
    max_examples=settings.default.max_examples // 4,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(MESSAGES, MESSAGES, st.sampled_from(["0", "1"]), st.booleans())
def test_a_stream_in_redis_keeps_and_drops_the_same_as_one_in_memory(stores, monkeypatch, before, after, stream, keep):
    from mcp_bindings_runtime.http.redis import event_log as redis_log

    monkeypatch.setattr(redis_log, "CAPACITY", 20)
    monkeypatch.setattr(redis_log, "COUNT", 6)
    store = stores()
    record = SessionRecord(new_session_id(), LATEST)
    store.sessions.create(record)
    logs = [
        store.open(record.id, stream, keep=keep),
        MemoryEventLog(keep=keep, expected=stream != "0", capacity=20, count=6),
    ]

    def does(log: Any) -> list[Any]:
        found = [appended(log, *each) for each in before]
        reader = log.attach()
        found += [log.read(reader, 0, 0), log.delivered]
        log.detach(reader)
        found += [appended(log, *each) for each in after]
        return [*found, log.read(log.attach(), 1, 0)]

    here, there = (does(log) for log in logs)
    assert [list(each.events) if isinstance(each, ReadResult) else each for each in here] == [
        list(each.events) if isinstance(each, ReadResult) else each for each in there
    ]


def appended(log: Any, line: bytes, priority: Priority) -> Any:
    try:
        return log.append(line, 0, priority)
    except RequestTimeout:
        return "no room"


def test_who_comes_back_elsewhere_takes_the_stream_over(stores):
    one, _ = echo_server(LATEST)
    other, _ = echo_server(LATEST)
    with two(stores, [one], [other]) as (here, there):
        here.initialize(LATEST)
        first = here.stream()
        assert first.block() == [":"]
        second = there.stream()
        assert second.block() == [":"]
        assert first.messages() == []
        assert here.ask("DELETE").status == 204
        assert second.messages() == []


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_changes_reach_the_streams_of_every_process_once(stores, revision):
    one, other = offering(revision), offering(revision)
    with two(stores, [one], [other]) as (here, there):
        here.initialize(revision)
        # Both have the session, and a second one is held by the other process alone.
        assert there.post(request("tools/list", 1)).status == 200
        second = Wire(there.port)
        second.initialize(revision)
        streams = [here.stream(), second.stream()]
        for uri in ("test://a", "test://b"):
            assert there.post(request("resources/subscribe", 2, {"uri": uri})).json["result"] == {}
        assert here.post(request("resources/unsubscribe", 3, {"uri": "test://b"})).json["result"] == {}
        for server in (one, other):
            for number in range(3):
                add_tool(server, f"more{number}")
            server.resources.updated("test://b")
            server.resources.updated("test://b/part", about="test://a")
        names = []
        while names.count("notifications/resources/updated") < 2:
            message = streams[0].message()
            names.append(message["method"])
            assert message.get("params", {}).get("uri", "test://b/part") == "test://b/part"
        assert names.count("notifications/tools/list_changed") == 6
        assert [streams[1].message()["method"] for _ in range(6)] == ["notifications/tools/list_changed"] * 6
        for wire, stream in zip((here, second), streams, strict=True):
            wire.ask("DELETE")
            assert stream.messages() == []
        second.close()


def test_changes_reach_the_subscriptions_of_every_process_once(stores):
    one, other = offering(NEW), offering(NEW)
    with two(stores, [one], [other]) as (here, there):
        wanted = {"notifications": {"toolsListChanged": True, "resourceSubscriptions": ["test://a"]}}
        streams = []
        for wire in (here, there, there):
            message, headers = modern(request("subscriptions/listen", len(streams), wanted))
            streams.append(wire.stream(message, **headers))
            assert streams[-1].message()["method"] == "notifications/subscriptions/acknowledged"
        add_tool(one, "more")
        other.resources.updated("test://b")
        other.resources.updated("test://b/part", about="test://a")
        expected = ["notifications/tools/list_changed", "notifications/resources/updated"]
        for stream in streams:
            told = {message["method"]: message["params"] for message in (stream.message() for _ in range(2))}
            assert sorted(told) == sorted(expected)
            assert told[expected[1]]["uri"] == "test://b/part"
        for server in (one, other):
            server.close()
        for stream in streams:
            assert [each for each in stream.messages() if each.get("method") in expected] == []


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_log_messages_of_the_server_reach_the_streams_of_every_process_once(stores, revision):
    servers = [package(revision).Server("s", "1", logging=True, redact=lambda data: data.upper()) for _ in "12"]
    one, other = servers
    with two(stores, [one], [other]) as (here, there):
        here.initialize(revision)
        # Both processes know the session from here on.
        assert there.post(request("logging/setLevel", 1, {"level": "warning"})).status == 200
        assert here.post(request("ping", 2)).status == 200
        quiet = Wire(there.port)
        quiet.initialize(revision)
        assert quiet.post(request("logging/setLevel", 1, {"level": "emergency"})).status == 200
        stream, silent = here.stream(), quiet.stream()
        one.log("info", "not wanted")
        one.log("error", "first")
        told = [stream.message()["params"]["data"]]
        other.log("error", "second", logger="there")
        told.append(stream.message()["params"]["data"])
        other.log("emergency", "last")
        told.append(stream.message()["params"]["data"])
        assert told == ["FIRST", "SECOND", "LAST"]
        assert silent.message()["params"]["data"] == "LAST"
        for wire, opened in ((here, stream), (quiet, silent)):
            assert wire.ask("DELETE").status == 204
            assert opened.messages() == []
        quiet.close()
        with pytest.raises(UsageError, match="must be one of debug"):
            one.log("loud", "x")


def test_log_messages_that_come_too_fast_are_passed_over_for_all(stores):
    now = [0.0]
    limits = Limits(log=1.0, burst=2.0, clock=lambda: now[0])
    one, other = (package(LATEST).Server("s", "1", logging=True, limits=limits) for _ in "12")
    with two(stores, [one], [other]) as (here, there):
        there.initialize(LATEST)
        there.headers, here.headers = here.headers, there.headers
        stream = there.stream(**here.headers)
        for number in range(50):
            one.log("error", number)
        assert [stream.message()["params"]["data"] for _ in range(2)] == [0, 1]
        assert here.ask("DELETE").status == 204
        assert stream.messages() == []
        # What waits for its turn would wait on while the clock stands.
        now[0] = 60.0


def test_the_status_of_a_task_is_told_on_the_stream_of_any_process(stores):
    mcp = package(LATEST)

    def working():
        server = mcp.Server("s", "1", tasks=MemoryTasks(tools={"work": "optional"}))

        @server.tool()
        def work() -> str:
            """Works."""
            return "done"

        return server

    with two(stores, [working()], [working()]) as (here, there):
        here.initialize(LATEST)
        stream = there.stream()
        begun = request("tools/call", 1, {"name": "work", "arguments": {}, "task": {}})
        task_id = here.post(begun).json["result"]["task"]["taskId"]
        told = stream.message()
        assert told["method"] == "notifications/tasks/status"
        assert (told["params"]["taskId"], told["params"]["status"]) == (task_id, "completed")


def test_the_older_transport_is_posted_to_in_any_process(stores):
    revision = "2024-11-05"
    one, _ = echo_server(revision)
    other, _ = echo_server(revision)
    with two(stores, [one], [other]) as (here, there):
        connection, response = here.send("GET", None, GET, "/sse")
        opened = Stream(connection, response)
        event = opened.next()
        place = event.fields["data"]

        def post(message: Any) -> int:
            return there.ask("POST", json.dumps(message).encode(), PLAIN, place).status

        params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": WHO}
        assert post(request("initialize", 0, params)) == 202
        assert opened.message()["result"]["protocolVersion"] == revision
        assert post(notification("notifications/initialized")) == 202
        assert here.ask("POST", json.dumps(call(1, n=4)).encode(), PLAIN, place).status == 202
        assert opened.message()["result"]["content"][0]["text"] == "4"
        opened.close()


def keys(store: Any) -> dict[str, int]:
    prefix = store.client.prefix
    found = store.client.execute("KEYS", f"{prefix}*")
    return {key.decode().removeprefix(prefix): store.client.execute("PTTL", key) for key in found}


def test_everything_expires(stores):
    server, _ = echo_server(LATEST)
    store = stores(lifetime=100.0)
    with endpoint(server, store=store) as wire:
        wire.initialize(LATEST)
        wire.stream(call(1, {"progressToken": 1}, progress=2)).messages()
        wire.stream().block()
        server.notify(package(LATEST).methods.TOOL_LIST_CHANGED)
        eventually(lambda: any(each.startswith("told:") for each in keys(store)))
        longest = {"alive": redis_store.HEARTBEATS_KEPT * 1000, "began": redis_store.HEARTBEATS_KEPT * 1000}
        lasting = {
            key: left
            for key, left in keys(store).items()
            if not 0 < left <= longest.get(key.partition(":")[0], 400_000)
        }
        assert lasting == {}
        wire.ask("DELETE")
        eventually(lambda: {each.partition(":")[0] for each in keys(store)} <= {"alive", "began", "bus", "inbox"})


def test_a_session_that_nobody_uses_expires(stores):
    server, _ = echo_server(LATEST)
    ended: list[str] = []
    store = stores(lifetime=2.0)
    store.sessions.on_end(ended.append)
    with endpoint(server, store=store) as wire:
        wire.initialize(LATEST)
        session = wire.headers["Mcp-Session-Id"]
        eventually(lambda: session in ended)
        assert wire.post(call()).status == 404


def test_there_are_only_so_many_sessions(stores, caplog):
    server, _ = echo_server(LATEST)
    other, _ = echo_server(LATEST)
    hello = request("initialize", 0, {"protocolVersion": LATEST, "capabilities": {}, "clientInfo": WHO})
    with (
        endpoint(server, store=stores(sessions=1)) as here,
        endpoint(other, store=stores(sessions=1)) as there,
    ):
        here.initialize(LATEST)
        stream = here.stream()
        refused = there.post(hello)
        assert (refused.status, refused.headers["retry-after"]) == (503, "60")
        assert "a limit on sessions is reached: " in caplog.text
        stream.close()
        eventually(lambda: there.post(hello).status == 200)
        assert here.post(request("ping", 1)).status == 404


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.data())
def test_sessions_end_for_new_ones_as_in_memory(stores, data):
    """The first to end are those that never began, then those that are unused for longest, of the same source at its limit."""
    ended: tuple[list[str], list[str]] = ([], [])
    limits = {"sessions": 6, "sessions_per_source": 3}
    both = (MemoryStore(**limits), stores(prefix=f"{new_session_id()}:", **limits))
    for store, found in zip(both, ended, strict=True):
        store.sessions.on_end(found.append)
    opened: set[str] = set()
    for number in range(15):
        name, source, began = str(number), data.draw(st.sampled_from("abc")), data.draw(st.booleans())
        for store in both:
            store.sessions.create(record := SessionRecord(name, LATEST, source=source))
            if began:
                before = record.values()
                record.state = "open"
                store.sessions.save(record, before)
        opened |= {name} if began else set()
        for used in sorted(data.draw(st.sets(st.sampled_from(sorted(opened))))) if opened else ():
            first, second = (store.sessions.load(used) for store in both)
            assert (first is None) == (second is None)
    assert ended[0] == ended[1] != []
    for name in map(str, range(15)):
        for store in both:
            store.sessions.delete(name)
    left = both[1].client.execute("KEYS", f"{both[1].client.prefix}*")
    assert [each for each in left if b"session" in each or b"unopened" in each] == []


def test_a_session_that_ends_for_a_new_one_ends_in_all_processes(stores):
    store, other = stores(sessions=1), stores(sessions=1)
    ended: list[str] = []
    other.sessions.on_end(ended.append)
    other.on_message(lambda *_: None)
    store.sessions.create(SessionRecord("s", LATEST))
    store.open("s", "a").append(b"answer")
    assert other.sessions.load("s") is not None
    store.sessions.create(SessionRecord("t", LATEST))
    eventually(lambda: ended == ["s"])
    assert other.find("s", "a") is None


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.data())
def test_the_streams_of_one_source_hold_so_many_bytes(stores, data):
    store = stores(prefix=f"{new_session_id()}:", memory_per_source=1000)
    for name in "abx":
        store.sessions.create(SessionRecord(name, LATEST, source="flood" if name in "ab" else "honest"))
    honest = store.open("x", "0")
    honest.append(b"h" * 900, 0)
    readers: dict[str, tuple[Any, int]] = {}
    for number in range(data.draw(st.integers(5, 40))):
        name = data.draw(st.sampled_from(["a 0", "a 1", "a 2", "b 0", "b 1"]))
        step = data.draw(st.sampled_from(["append", "append", "append", "read", "detach", "end", "vanish"]))
        log = store.open(*name.split())
        if step == "append":
            size, priority = data.draw(st.integers(1, 600)), data.draw(st.sampled_from(Priority))
            with suppress(ConnectionClosed, RequestTimeout):
                log.append(b"%d" % (number % 10) * size, 0, priority)
        elif step == "read":
            readers[name] = readers.get(name) or (log, log.attach())
            readers[name][0].read(readers[name][1], log.delivered, 0)
        elif step == "detach" and name in readers:
            reading, reader = readers.pop(name)
            reading.detach(reader)
        elif step == "end":
            log.end()
        elif step == "vanish":
            key = f"{store.client.prefix}%s:{name.replace(' ', ':')}"
            store.client.execute("DEL", key % "log", key % "events")
        held = 0
        for key in store.client.execute("KEYS", f"{store.client.prefix}events:[ab]:*"):
            held += sum(len(each.split(b":", 2)[2]) for each in store.client.execute("LRANGE", key, 0, -1))
        assert held <= 1000
    assert sizes_in(honest) == [900]


def test_a_source_at_its_limit_loses_first_what_is_missed_least(stores):
    store = stores(memory_per_source=1000)
    store.sessions.create(SessionRecord("s", LATEST, source="a"))
    read, ended, waiting = (store.open("s", name) for name in "123")

    def kept(name: str) -> int:
        number: int = store.client.execute("LLEN", f"{store.client.prefix}events:s:{name}")
        return number

    read.append(b"r" * 400)
    assert len(read.read(read.attach(), 0, 0).events) == 1
    ended.append(b"e" * 300)
    ended.end()
    waiting.append(b"w" * 200)
    # What was delivered is dropped first,
    waiting.append(b"n" * 300, 0, Priority.OPTIONAL)
    assert (kept("1"), kept("2")) == (0, 1)
    # then what has ended without a reader,
    waiting.append(b"v" * 300)
    assert store.find("s", "2") is None
    # then notifications that nobody reads.
    waiting.append(b"u" * 400)
    assert waiting.append(b"m" * 200, 0, Priority.OPTIONAL) == 1
    with pytest.raises(RequestTimeout):
        waiting.append(b"t" * 200, 0)
    assert sizes_in(waiting) == [200, 300, 400]
    # What was read makes room.
    waiting.append(b"t" * 200, 0)


def sizes_in(log: Any) -> list[int]:
    return [len(each.line) for each in log.read(log.attach(), 0, 0).events]


def test_a_log_holds_so_much_and_a_reader_who_is_behind_slows_its_writer(stores):
    from mcp_bindings_runtime.http.server.event_log import CAPACITY

    store, other = stores(), stores()
    store.on_message(lambda *_: None)
    store.sessions.create(SessionRecord("s", LATEST))
    log = store.open("s", "a")
    reader = other.open("s", "a").attach()
    assert reader == 1
    # The process that reads does not say that it lives.
    assert sum(log.append(b"%d" % number, 0, Priority.OPTIONAL) for number in range(2500)) == 1500
    for size in range(5):
        log.append(b"%d" % size + b"x" * (CAPACITY // 2), 0, Priority.OPTIONAL)
    found = log.read(log.attach(), 0, 0).events
    assert [each.number for each in found] == [2505]
    for letter in b"ab":
        log.append(bytes([letter]) * (CAPACITY // 2))
    with pytest.raises(RequestTimeout):
        log.append(b"c" * CAPACITY, 0)


def test_redis_gone_and_back(redis, stores):
    server, seen = echo_server(LATEST)
    listening = offering(NEW)
    with endpoint(server, listening, store=stores(timeout=2.0), keepalive=0.1) as wire:
        wire.initialize(LATEST)
        standing = wire.stream()
        with ThreadPoolExecutor() as threads:
            held = threads.submit(wire.post, call(hold=True))
            eventually(lambda: seen.begun)
            redis.stop()
            try:
                # Streams end, requests are told to come later; what needs no session goes on.
                standing.messages()
                refused = wire.post(call())
                assert refused.status == 503, refused
                assert "id" not in refused.json
                assert wire.ask("GET", headers=GET).status == 503
                hello = request("initialize", 0, {"protocolVersion": LATEST, "capabilities": {}, "clientInfo": WHO})
                assert Wire(wire.port).post(hello).status == 503
                message, headers = modern(request("tools/list", 1))
                assert Wire(wire.port, **headers).post(message).status == 200
                add_tool(listening, "more")
                seen.go.set()
                # Nobody is left waiting for an answer.
                assert held.result(PATIENCE).status in {200, 202, 503}
            finally:
                redis.start()
        assert wire.post(call()).status == 404
        wire.headers.clear()
        wire.initialize(LATEST)
        assert wire.post(call(n=6)).text == "6"
        again = wire.stream()
        again.block()
        server.notify(package(LATEST).methods.TOOL_LIST_CHANGED)
        assert again.message()["method"] == "notifications/tools/list_changed"


def test_redis_hangs_for_a_while(redis, stores):
    server, seen = echo_server(LATEST)
    # A stream that waits notices at its next comment that Redis hangs; a process gives up sending a response after 5 s.
    with endpoint(server, store=stores(timeout=1.0), keepalive=0.5) as wire:
        wire.initialize(LATEST)
        stream = wire.stream(call(1, {"progressToken": "t"}, n=8, progress=2, hold=True))
        event = stream.next()
        for _ in range(2):
            event = stream.next()
        with redis.hanging():
            seen.go.set()
            refused = wire.post(call())
            assert refused.status == 503, refused
            assert stream.messages() == []
        # What was sent in vain is sent again, and arrives once.
        eventually(lambda: wire.post(call(5, n=5)).status == 200)
        (answered,) = wire.stream(Last_Event_ID=event.id).messages()
        assert answered["result"]["content"][0]["text"] == "8"


def test_a_process_that_ends_leaves_sessions_to_the_others(stores):
    one, _ = echo_server(LATEST)
    other, _ = echo_server(LATEST)
    with endpoint(other, store=stores()) as there:
        with endpoint(one, store=stores()) as here:
            here.initialize(LATEST)
            assert there.post(call(n=1), **here.headers).text == "1"
            one.close()
            assert here.post(call(n=2)).text == "2"
            there.headers = here.headers
        assert there.post(call(n=3)).text == "3"


def test_the_application_of_the_documentation(redis):
    page = (ROOT / "docs" / "http.md").read_text(encoding="utf-8")
    (text,) = re.findall(r'^```python title="shared_app.py"\n(.*?)^```$', page, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(text.replace("redis://127.0.0.1:6379/0", redis.url), names)
    try:
        assert names["store"].open("none", "0").ended
    finally:
        names["store"].close()


APP = '''
import os
from mcp_bindings import serve
from mcp_bindings_runtime.http.redis.store import RedisStore
from mcp_bindings import v2025_11_25 as old, v2026_07_28 as new

servers = [each.Server("s", "1", logging=True) for each in (old, new)]
for server in servers:

    @server.tool()
    def where() -> str:
        """Says which process this is."""
        return str(os.getpid())

    @server.tool()
    def announce() -> str:
        """Tells all of a change."""
        for each, mcp in zip(servers, (old, new)):
            each.notify(mcp.methods.TOOL_LIST_CHANGED)
        servers[0].log("error", os.getpid())
        return str(os.getpid())

@servers[0].tool()
def ask(context: old.Context) -> str:
    """Asks the client for its roots."""
    return context.list_roots().roots[0].name + str(os.getpid())

app = serve.wsgi_app(*servers, threads=16, store=RedisStore({url!r}, prefix="gunicorn:"))
'''


@contextmanager
def workers(redis: RedisServer, folder: Path) -> Iterator[int]:
    (folder / "shared_app.py").write_text(APP.format(url=redis.url))
    port = port_for_a_server()
    command = "-m gunicorn --worker-class gthread --workers 2 --threads 16 --graceful-timeout 2".split()
    log = folder / "gunicorn.log"
    env = environment() | {"PYTHONPATH": f"{folder}:{environment()['PYTHONPATH']}"}
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, *command, "--bind", f"127.0.0.1:{port}", "shared_app:app"],
            cwd=folder,
            env=env,
            stdout=out,
            stderr=out,
        )

    def listens() -> bool:
        assert process.poll() is None, log.read_text()
        with closing(socket.socket()) as tried:
            return tried.connect_ex(("127.0.0.1", port)) == 0

    try:
        eventually(listens)
        yield port
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def tool(name: str, number: int = 1) -> Any:
    return request("tools/call", number, {"name": name, "arguments": {}})


def test_two_gunicorn_workers_are_one_endpoint(redis, tmp_path):
    pytest.importorskip("gunicorn", reason="needs gunicorn; run: pip install gunicorn")
    with workers(redis, tmp_path) as port:
        wire = Wire(port, "/")
        wire.initialize(LATEST, {"roots": {}})
        # Connections are taken by whichever worker is first; with enough of them both are.
        limit = time.monotonic() + PATIENCE
        seen: set[str] = set()
        with ThreadPoolExecutor(8) as threads:
            while len(seen) < 2:
                assert time.monotonic() < limit, "one worker does all"
                seen |= set(threads.map(lambda number: wire.post(tool("where", number)).text, range(16)))
        standing = wire.stream()
        standing.block()
        wanted = {"notifications": {"toolsListChanged": True}}
        message, headers = modern(request("subscriptions/listen", 1, wanted), revision="2026-07-28")
        clients = [Wire(port, "/", **headers) for _ in range(4)]
        subscribed = [client.stream(message) for client in clients]
        for stream in subscribed:
            stream.message()
        announcers: list[str] = []
        while len({*announcers}) < 2:
            assert time.monotonic() < limit + PATIENCE
            announcers += {wire.post(tool("announce")).text}
        for stream in subscribed:
            told = [stream.message()["method"] for _ in announcers]
            assert told == ["notifications/tools/list_changed"] * len(announcers)
        told = [standing.message() for _ in announcers * 2]
        assert [each["method"] for each in told[::2]] == ["notifications/tools/list_changed"] * len(announcers)
        assert [str(each["params"]["data"]) for each in told[1::2]] == announcers
        for number in range(6):
            asking = wire.stream(tool("ask", number))
            asked = asking.message()
            roots = {"roots": [{"uri": "file:///r", "name": f"found{number}by"}]}
            assert wire.post({"jsonrpc": "2.0", "id": asked["id"], "result": roots}).status == 202
            (answered,) = asking.messages()
            assert answered["result"]["content"][0]["text"].startswith(f"found{number}by")
        wire.ask("DELETE")
        # Nothing has come twice.
        assert standing.messages() == []
        for client in (wire, *clients):
            client.close()
