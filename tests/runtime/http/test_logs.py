"""Logs of streams: bounded, in order, for one reader at a time."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindings_runtime.errors import ConnectionClosed, RequestTimeout
from mcp_bindings_runtime.http.events import MemoryLog
from mcp_bindings_runtime.http.stores import STREAMS, MemoryStore
from support.conversing import PATIENCE


def lines(log, reader, after=0):
    return [event.line for event in log.read(reader, after, 0).events]


@given(st.lists(st.binary(min_size=1, max_size=3), max_size=20, unique=True), st.integers(0, 20))
def test_what_is_behind_a_number_comes_in_order(sent, after):
    log = MemoryLog(keep=True)
    for line in sent:
        log.append(line)
    events = log.read(log.attach(), after, 0).events
    assert [event.line for event in events] == sent[after:]
    assert [event.number for event in events] == list(range(1, len(sent) + 1))[after:]


def test_what_is_not_kept_is_given_once():
    log = MemoryLog(keep=False)
    reader = log.attach()
    log.append(b"a")
    assert lines(log, reader) == [b"a"]
    assert lines(log, reader) == []
    log.append(b"b")
    assert lines(log, reader, 1) == [b"b"]


def test_without_a_reader_the_oldest_go():
    log = MemoryLog(keep=True, capacity=10)
    for number in range(100):
        log.append(b"%03d" % number, 0)
    assert lines(log, log.attach()) == [b"097", b"098", b"099"]
    counted = MemoryLog(keep=True, count=2)
    for number in range(5):
        counted.append(b"%d" % number)
    assert lines(counted, counted.attach()) == [b"3", b"4"]


def test_a_message_beyond_the_capacity_goes_through_alone():
    log = MemoryLog(keep=True, capacity=10)
    reader = log.attach()
    log.append(b"x" * 50, 0)
    assert lines(log, reader) == [b"x" * 50]


def test_who_sends_waits_for_a_reader_that_does_not_keep_up():
    log = MemoryLog(keep=False, capacity=10)
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
    log = MemoryLog(keep=True, capacity=10)
    reader = log.attach()
    log.append(b"12345678", 0)
    log.detach(reader)
    log.append(b"9012", 0)
    assert lines(log, log.attach()) == [b"9012"]


def test_the_latest_reader_has_it():
    log = MemoryLog(keep=True)
    first, second = log.attach(), log.attach()
    log.append(b"a")
    assert log.read(first, 0, PATIENCE) == ((), True)
    log.detach(first)
    assert lines(log, second) == [b"a"]


def test_the_end_comes_behind_all_messages():
    log = MemoryLog(keep=True)
    log.append(b"a")
    log.end()
    with pytest.raises(ConnectionClosed):
        log.append(b"b")
    reading = log.read(log.attach(), 0, 0)
    assert ([event.line for event in reading.events], reading.over) == ([b"a"], True)


def test_what_waits_is_not_told_twice():
    log = MemoryLog(keep=True)
    for line in (b"a", b"a", b"b", b"a"):
        log.append(line)
    reader = log.attach()
    assert lines(log, reader) == [b"a", b"b", b"a"]
    log.append(b"a")
    assert lines(log, reader, 3) == [b"a"]


def test_a_session_keeps_so_many_streams():
    store = MemoryStore()
    for number in range(3 * STREAMS):
        store.open("session", str(number + 1)).end()
    kept = [number for number in range(3 * STREAMS) if store.find("session", str(number + 1)) is not None]
    assert kept == list(range(2 * STREAMS, 3 * STREAMS))
    store.forget("session")
    assert store.find("session", str(3 * STREAMS)) is None
