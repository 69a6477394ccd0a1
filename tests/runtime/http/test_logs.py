"""Logs of streams: bounded, in order, for one reader at a time."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindings_runtime.errors import ConnectionClosed, RequestTimeout
from mcp_bindings_runtime.http.server.event_log import MemoryEventLog, Priority
from mcp_bindings_runtime.http.server.store import MAX_STREAMS, MemoryStore
from support.scripted_peers import PATIENCE

OPTIONAL = Priority.OPTIONAL


def lines(log, reader, after=0):
    return [event.line for event in log.read(reader, after, 0).events]


@given(st.lists(st.binary(min_size=1, max_size=3), max_size=20, unique=True), st.integers(0, 20))
def test_what_is_behind_a_number_comes_in_order(sent, after):
    log = MemoryEventLog(keep=True)
    for line in sent:
        log.append(line)
    events = log.read(log.attach(), after, 0).events
    assert [event.line for event in events] == sent[after:]
    assert [event.number for event in events] == list(range(1, len(sent) + 1))[after:]


def test_what_is_not_kept_is_given_once():
    log = MemoryEventLog(keep=False)
    reader = log.attach()
    log.append(b"a")
    assert lines(log, reader) == [b"a"]
    assert lines(log, reader) == []
    log.append(b"b")
    assert lines(log, reader, 1) == [b"b"]


def test_without_a_reader_the_oldest_notifications_are_dropped_and_counted():
    log = MemoryEventLog(keep=True, capacity=10)
    assert sum(log.append(b"%03d" % number, 0, OPTIONAL) for number in range(100)) == 97
    assert lines(log, log.attach()) == [b"097", b"098", b"099"]
    counted = MemoryEventLog(keep=True, count=2)
    assert [counted.append(b"%d" % number, 0, OPTIONAL) for number in range(5)] == [0, 0, 1, 1, 1]
    assert lines(counted, counted.attach()) == [b"3", b"4"]


priorities = st.sampled_from(Priority)


@given(st.lists(st.tuples(st.binary(min_size=1, max_size=8), priorities), max_size=40), st.booleans())
def test_every_message_is_delivered_in_order_refused_or_counted_as_dropped(sent, keep):
    log = MemoryEventLog(keep=keep, capacity=20, count=6)
    required, accepted, dropped = [], [], 0
    for number, (text, priority) in enumerate(sent):
        line = b"%d %s" % (number, text)
        try:
            dropped += log.append(line, 0, priority)
        except RequestTimeout:
            assert priority is Priority.REQUIRED
            continue
        accepted.append(line)
        required += [line] if priority is Priority.REQUIRED else []
    events = log.read(log.attach(), 0, 0).events
    found = [event.line for event in events]
    assert [line for line in accepted if line in found] == found
    assert [line for line in required if line not in found] == []
    assert len(found) + dropped == len(accepted)
    assert sorted({event.number for event in events}) == [event.number for event in events]
    assert len(found) <= 6
    assert len(found) <= 1 or sum(map(len, found)) <= 20


def test_a_question_is_refused_rather_than_dropped_or_put_in_the_place_of_another():
    log = MemoryEventLog(keep=True, capacity=10)
    log.append(b"12345", 0)
    log.append(b"6789", 0, OPTIONAL)
    assert log.append(b"abcde", 0) == 1
    assert log.append(b"n", 0, OPTIONAL) == 1
    with pytest.raises(RequestTimeout):
        log.append(b"f", 0)
    assert lines(log, log.attach()) == [b"12345", b"abcde"]


def test_a_reader_that_is_expected_is_waited_for():
    log = MemoryEventLog(keep=False, expected=True, capacity=10, count=2)
    sent = [b"%04d" % number for number in range(40)]
    writer = threading.Thread(target=lambda: [log.append(line, PATIENCE, OPTIONAL) for line in sent] + [log.end()])
    writer.start()
    reader, found, over = log.attach(), [], False
    while not over:
        reading = log.read(reader, found[-1].number if found else 0, PATIENCE)
        found += reading.events
        over = reading.over
    writer.join(PATIENCE)
    assert [event.line for event in found] == sent


def test_a_reader_comes_back_to_what_it_has_not_seen_though_some_is_gone():
    log = MemoryEventLog(keep=True, capacity=20)
    reader = log.attach()
    log.append(b"first")
    (first,) = log.read(reader, 0, 0).events
    log.detach(reader)
    log.append(b"question")
    for number in range(9):
        log.append(b"n%d" % number, 0, OPTIONAL)
    again = log.attach()
    assert lines(log, again, first.number)[0] == b"question"
    assert lines(log, again, first.number)[-1] == b"n8"
    assert lines(log, again, log.delivered) == []


def test_a_message_beyond_the_capacity_goes_through_alone():
    log = MemoryEventLog(keep=True, capacity=10)
    reader = log.attach()
    log.append(b"x" * 50, 0)
    assert lines(log, reader) == [b"x" * 50]


def test_who_sends_waits_for_a_reader_that_does_not_keep_up():
    log = MemoryEventLog(keep=False, capacity=10)
    reader = log.attach()
    log.append(b"12345678", 0)
    with pytest.raises(RequestTimeout):
        log.append(b"9012", 0)
    sent = threading.Event()

    def send() -> None:
        log.append(b"9012", PATIENCE)
        sent.set()

    thread = threading.Thread(target=send)
    thread.start()
    assert lines(log, reader) == [b"12345678"]
    assert sent.wait(PATIENCE)
    thread.join()
    assert lines(log, reader, 1) == [b"9012"]


def test_a_reader_that_has_left_is_not_waited_for():
    log = MemoryEventLog(keep=True, capacity=10)
    reader = log.attach()
    log.append(b"12345678", 0, OPTIONAL)
    log.detach(reader)
    log.append(b"9012", 0, OPTIONAL)
    assert lines(log, log.attach()) == [b"9012"]


def test_the_latest_reader_has_it():
    log = MemoryEventLog(keep=True)
    first, second = log.attach(), log.attach()
    log.append(b"a")
    assert log.read(first, 0, PATIENCE) == ((), True)
    log.detach(first)
    assert lines(log, second) == [b"a"]


def test_the_end_comes_behind_all_messages():
    log = MemoryEventLog(keep=True)
    log.append(b"a")
    log.end()
    with pytest.raises(ConnectionClosed):
        log.append(b"b")
    reading = log.read(log.attach(), 0, 0)
    assert ([event.line for event in reading.events], reading.over) == ([b"a"], True)


def test_a_change_that_waits_is_not_told_twice():
    log = MemoryEventLog(keep=True)
    for line in (b"a", b"a", b"b", b"a"):
        log.append(line, 0, Priority.CHANGE)
    reader = log.attach()
    assert lines(log, reader) == [b"a", b"b", b"a"]
    log.append(b"a", 0, Priority.CHANGE)
    assert lines(log, reader, 3) == [b"a"]


@pytest.mark.parametrize("priority", [Priority.REQUIRED, OPTIONAL])
def test_other_messages_are_kept_though_they_are_equal(priority):
    log = MemoryEventLog(keep=True)
    for _ in range(5):
        log.append(b"same", 0, priority)
    assert lines(log, log.attach()) == [b"same"] * 5


def test_a_session_keeps_so_many_streams():
    store = MemoryStore()
    for number in range(3 * MAX_STREAMS):
        store.open("session", str(number + 1)).end()
    kept = [number for number in range(3 * MAX_STREAMS) if store.find("session", str(number + 1)) is not None]
    assert kept == list(range(2 * MAX_STREAMS, 3 * MAX_STREAMS))
    store.end_streams("session")
    assert store.find("session", str(3 * MAX_STREAMS)) is None
