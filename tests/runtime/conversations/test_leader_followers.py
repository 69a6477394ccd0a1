"""The threads of a connection, with pauses put where one thread may overtake another."""

from __future__ import annotations

import threading
import time
from collections import deque
from random import Random
from threading import Lock

import pytest
from mcp_bindings_runtime.connection import calls as calls_module
from mcp_bindings_runtime.connection import leader_followers
from mcp_bindings_runtime.connection.auto_reset_event import AutoResetEvent
from mcp_bindings_runtime.connection.leader_followers import LeaderFollowers, SerialQueue
from support.concurrent_calls import answers_roots, soak
from support.echo_server import echo_server
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE, eventually, package, text_of, threads_of

END = object()


class Source:
    """What is read: the test puts items in."""

    def __init__(self):
        self.items: deque[object] = deque()
        self.changed = threading.Condition()
        self.readers = 0

    def put(self, item):
        with self.changed:
            self.items.append(item)
            self.changed.notify_all()

    def get(self, timeout):
        self.readers += 1
        assert self.readers == 1, "two threads read at once"
        try:
            with self.changed:
                self.changed.wait_for(lambda: self.items, timeout)
                # The end is there for whoever comes after it, as it is in a transport.
                if self.items and self.items[0] is END:
                    return END
                return self.items.popleft() if self.items else None
        finally:
            self.readers -= 1


def threads_of_a_source(limit, run, deal=lambda item: None):
    """Threads that read a source; what is read goes to its jobs, or to a queue if it is a string."""
    source = Source()
    queue = SerialQueue(deal)

    def read(timeout):
        item = source.get(timeout)
        if item is END:
            threads.stop()
        elif isinstance(item, str):
            queue.put(item)
        elif item is not None:
            threads.add_job(item)
        return item is not None

    threads = LeaderFollowers("mcp-test", limit, read=read, run=run, queues=(queue,))
    return threads, source


@pytest.fixture
def _jitter(monkeypatch):
    """Pauses of random length before and after whatever threads tell each other with."""
    random = Random(7)

    def pausing(function):
        def paused(*args, **kwargs):
            if random.random() < 0.2:
                time.sleep(random.random() * 0.004)
            result = function(*args, **kwargs)
            if random.random() < 0.2:
                time.sleep(random.random() * 0.004)
            return result

        return paused

    for name in (
        *("become_leader", "resign", "delegate", "work"),
        *("_follow", "_leave_follower_role", "_rest", "_ensure_follower", "_wake_follower"),
    ):
        monkeypatch.setattr(LeaderFollowers, name, pausing(getattr(LeaderFollowers, name)))
    for name in ("wake", "sleep", "finish", "advance"):
        monkeypatch.setattr(calls_module.Call, name, pausing(getattr(calls_module.Call, name)))
    monkeypatch.setattr(AutoResetEvent, "set", pausing(AutoResetEvent.set))
    # An idle thread ends soon, and the next one is started at once.
    monkeypatch.setattr(leader_followers, "IDLE", 0.02)


@pytest.mark.parametrize("limit", [1, 3])
@pytest.mark.usefixtures("_jitter")
def test_every_job_is_run_once_and_never_too_many_at_a_time(limit):
    lock = Lock()
    ran: list[int] = []
    running = most = 0

    def run(job):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.002 if job % 7 else 0.02)
        with lock:
            running -= 1
            ran.append(job)

    dealt: list[str] = []
    threads, source = threads_of_a_source(limit, run, dealt.append)
    threads.start()
    random = Random(3)
    for number in range(150):
        source.put(number)
        source.put(f"q{number}")
        if random.random() < 0.3:
            time.sleep(random.random() * 0.03)
    eventually(lambda: len(ran) == 150 and len(dealt) == 150)
    assert sorted(ran) == list(range(150))
    assert dealt == [f"q{number}" for number in range(150)]
    assert most <= limit
    source.put(END)
    eventually(lambda: not threads_of("mcp-test"))


@pytest.mark.usefixtures("_jitter")
def test_what_comes_while_all_sleep_is_run_soon():
    ran: list[int] = []
    threads, source = threads_of_a_source(2, ran.append)
    threads.start()
    for number in range(40):
        # Long enough for the follower to fall asleep, and for idle threads to end.
        time.sleep(0.03)
        begun = time.monotonic()
        source.put(number)
        eventually(lambda number=number: number in ran)
        assert time.monotonic() - begun < PATIENCE / 4
    source.put(END)
    eventually(lambda: not threads_of("mcp-test"))


def test_a_caller_is_woken_before_those_who_wait_for_a_stream():
    """No thread waits for some streams, so that waking one of these alone would leave nobody to read."""
    mcp = package(STATELESS[-1])
    calls = calls_module.PendingCalls(None)
    stream, other, caller, leader = (
        calls_module.Call(mcp.methods.CALL_TOOL, PATIENCE, PATIENCE, None) for _ in range(4)
    )
    stream.awaited = other.awaited = False
    calls.update(enumerate([stream, other, leader, caller]))
    calls.wake_another(leader, any_call=True)
    assert [each._woken for each in (stream, other, caller)] == [False, False, True]
    del calls[3]
    calls.wake_another(leader)
    assert [each._woken for each in (stream, other)] == [False, False]
    calls.wake_another(leader, any_call=True)
    assert [each._woken for each in (stream, other)] == [True, True]


def test_what_was_read_last_is_run_before_the_threads_end():
    ran: list[int] = []

    def run(job):
        time.sleep(0.02)
        ran.append(job)

    threads, source = threads_of_a_source(1, run)
    thread = threading.Thread(target=threads.serve)
    for number in range(5):
        source.put(number)
    source.put(END)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    threads.wait_idle(PATIENCE)
    assert sorted(ran) == list(range(5))
    eventually(lambda: not threads_of("mcp-test"))


def test_idle_threads_end_with_the_connection(monkeypatch):
    monkeypatch.setattr(leader_followers, "IDLE", 3600.0)
    go = threading.Event()
    threads, source = threads_of_a_source(4, lambda job: go.wait(PATIENCE))
    threads.start()
    for number in range(4):
        source.put(number)
    # Four work, one reads, and so one of those that work is one too many afterwards.
    eventually(lambda: len(threads.busy) == 4)
    go.set()
    eventually(lambda: len(threads._idle) >= 3)
    source.put(END)
    eventually(lambda: not threads_of("mcp-test"))
    # After the end no thread becomes idle any more.
    assert threads._rest() is None


def test_where_no_thread_is_to_be_had_the_one_that_reads_does_all(monkeypatch):
    server, _ = echo_server(HANDSHAKE[-1])
    started = threading.Thread.start
    names: list[str] = []

    def start(thread):
        # One for the reading of either side.
        if thread.name.startswith("mcp-") and names.count(thread.name) >= 1:
            message = "can't start new thread"
            raise RuntimeError(message)
        names.append(thread.name)
        started(thread)

    # The server serves in a thread of its own that has the same name as one of its own.
    with package(HANDSHAKE[-1]).Client.in_memory(server, timeout=PATIENCE) as client:
        monkeypatch.setattr(threading.Thread, "start", start)
        for number in range(20):
            assert text_of(client.call_tool("echo", {"n": number})) == str(number)


@pytest.mark.parametrize("revision", [HANDSHAKE[-1], STATELESS[-1]])
@pytest.mark.usefixtures("_jitter")
def test_a_conversation_with_pauses_everywhere(revision):
    server, seen = echo_server(revision, workers=5)
    client = package(revision).Client.in_memory(server, timeout=PATIENCE * 2)
    answers_roots(client, revision)
    with client:
        figures = soak(client, 25)
    assert figures.crossed == []
    assert figures.lost == []
    assert seen.most <= 5
    eventually(lambda: not threads_of())
