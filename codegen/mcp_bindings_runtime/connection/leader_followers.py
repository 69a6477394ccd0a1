"""The threads of one connection: the leader/followers pattern (Schmidt et al., Pattern-Oriented Software Architecture 2).

The *leader* is the one thread that reads. Handing a message to another thread costs more than everything else that happens
to it. So a caller that waits for an answer leads until the answer arrives, and the thread that has read a request runs it
and then reads on, instead of promoting a follower first.

Only if the request takes long does the *follower* become the leader: it looks every few milliseconds whether there has been
no leader since its last look. So ping, cancellation and further requests are read while a handler is slow or no caller
waits. If there is a leader and no traffic, the follower sleeps until that leader resigns. All other threads are *idle*; they
end after a while.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from threading import Event, Lock, Thread, get_ident
from time import monotonic, sleep
from typing import Any

from ..logs import RareWarning, write_log
from .auto_reset_event import AutoResetEvent

TICK = 0.005
"""Seconds between two looks of the follower, and of a thread that waits for another."""
IDLE = 10.0
"""Seconds after which an idle thread of a connection ends."""
WAITING = 64
"""Limit on the requests that do not count as running because their handlers wait for a response of the other side."""
MAX_QUEUED = 1000
"""Limit on the requests of a connection that wait for a thread."""
MAX_QUEUED_SIZE = 16 * 1024 * 1024
"""Limit on the bytes of the requests that wait for a thread; a larger request is accepted only if no other request
waits.
"""


class SerialQueue:
    """Items that are handled one at a time and in order, by whichever thread calls ``run``."""

    def __init__(self, handle: Callable[[Any], None], items: deque[Any] | None = None) -> None:
        self._handle = handle
        self.items: deque[Any] = deque() if items is None else items
        self._running = Lock()

    def put(self, item: Any) -> None:
        """Add an item; a call of ``run`` handles it."""
        self.items.append(item)

    @property
    def ready(self) -> bool:
        """Whether items wait that no thread is handling."""
        return bool(self.items) and not self._running.locked()

    @property
    def busy(self) -> bool:
        """Whether an item waits or is being handled."""
        return bool(self.items) or self._running.locked()

    def finish(self, timeout: float) -> None:
        """Handle what waits; if another thread is doing so, wait for it, at most ``timeout`` seconds."""
        if not self.busy:
            return
        self.run()
        deadline = monotonic() + timeout
        while self.busy and monotonic() < deadline:
            sleep(TICK)

    def run(self) -> None:
        """Handle what waits, unless another thread is doing so."""
        # If the lock is taken, its holder sees the new item when it looks once more after the release.
        while self.items and self._running.acquire(blocking=False):
            try:
                while self.items:
                    self._handle(self.items.popleft())
            finally:
                self._running.release()


class LeaderFollowers:
    """The threads of one connection.

    ``read`` reads one message and acts on it; it returns at the end of the connection, too. ``run`` runs one of the
    ``jobs`` that reading has added with ``add_job``, at most ``limit`` at the same time. Neither the items of ``queues``
    nor jobs that wait for an answer count: a ping is answered while all slots are taken, and the other side may have to send
    a request before it can answer.
    """

    def __init__(
        self,
        name: str,
        limit: int,
        *,
        read: Callable[[float | None], object],
        run: Callable[[Any], None],
        queues: Sequence[SerialQueue],
    ) -> None:
        self.jobs: deque[tuple[Any, int]] = deque()
        """The jobs that wait for a thread, and their bytes."""
        self._added = 0
        """Bytes of all jobs so far. The leader alone changes it."""
        self._removed = 0
        """Bytes of those that have left the queue."""
        self.stopped = False
        self.answered = False
        """Set by ``read`` once it has read the answer that the last of the callers waited for."""
        self.started = False
        """Whether own threads read and run; otherwise the threads of callers do everything."""
        self._queues = queues
        self._over = Event()
        self._name = name
        self._limit = limit
        self._read = read
        self._run = run
        self._leading = Lock()
        """Held by the leader."""
        self._turn = 0
        """Changes with every message and with every change of the leader."""
        self._roles = Lock()
        """Held while the following change."""
        self.busy: set[int] = set()
        """The threads that run a job and do not wait for an answer."""
        self._waiting = 0
        """Number of jobs that wait for an answer."""
        self._crowded = RareWarning("%d requests that are being handled wait for answers; further ones have to wait")
        self._follower: AutoResetEvent | None = None
        """Wakes the follower, if there is one."""
        self._asleep = False
        """Whether the follower sleeps until it is woken."""
        self._idle: list[AutoResetEvent] = []

    # For threads that come and go: callers that wait for an answer, and hosts that pump.

    def become_leader(self, *, if_needed: bool = False) -> bool:
        """Become the leader if there is none, until ``resign``; return whether the calling thread leads.

        With ``if_needed``, leave it to the follower if there is one: a thread that waits for an open stream would read the
        answers of all callers, and would have to wake each of them.
        """
        if if_needed and self._follower is not None:
            return False
        if self._leading.acquire(blocking=False):
            self._turn += 1
            return True
        return False

    def resign(self) -> None:
        """Stop leading."""
        self._turn += 1
        self._leading.release()
        if self._asleep:
            self._wake_follower()

    @property
    def has_leader(self) -> bool:
        """Whether a thread reads."""
        return self._leading.locked()

    @property
    def has_follower(self) -> bool:
        """Whether an own thread reads as soon as no other thread does."""
        return self._follower is not None

    def start(self) -> None:
        """Start reading in an own thread whenever no caller reads."""
        self.started = True
        self._ensure_follower()

    def add_job(self, job: Any, size: int = 0) -> bool:
        """Queue a job of so many bytes, as the leader; return False if too many wait."""
        if self.jobs and (len(self.jobs) >= MAX_QUEUED or self._added - self._removed + size > MAX_QUEUED_SIZE):
            return False
        self._added += size
        self.jobs.append((job, size))
        return True

    @property
    def ready(self) -> bool:
        """Whether there is work that a free thread could do."""
        if self.jobs and len(self.busy) < self._limit:
            return True
        for queue in self._queues:  # noqa: SIM110  # evaluated for each message, and half as expensive as any()
            if queue.items and queue.ready:
                return True
        return False

    def delegate(self) -> None:
        """Wake another thread for the work that is ready, so that the leader reads on."""
        self._ensure_follower()
        self._wake_follower()

    def work(self) -> None:
        """Run jobs and handle the items of the queues, within the limit, until nothing is left."""
        me = get_ident()
        while True:
            for queue in self._queues:
                if queue.items:
                    queue.run()
            if not self.jobs:
                return
            with self._roles:
                if len(self.busy) >= self._limit or not self.jobs:
                    return
                job, size = self.jobs.popleft()
                self._removed += size
                self.busy.add(me)
            try:
                self._run(job)
            finally:
                # One step; a thread that counts meanwhile counts one too many at worst. So the lock is not needed.
                self.busy.discard(me)

    def release_slot(self) -> bool:
        """Let another job run while the job of the calling thread waits for an answer; return whether it has one.

        Undone by ``reclaim_slot``. At most ``WAITING`` jobs release their slot, so that nested requests end.
        """
        me = get_ident()
        with self._roles:
            if me not in self.busy:
                return False
            if self._waiting >= WAITING:
                self._crowded.log(WAITING)
                return False
            self.busy.discard(me)
            self._waiting += 1
        return True

    def reclaim_slot(self) -> None:
        """Go on with the job after the answer; for a while more jobs than the limit may run."""
        with self._roles:
            self.busy.add(get_ident())
            self._waiting -= 1

    def stop(self) -> None:
        """Ask all threads to stop once the work is done; do not wait for them."""
        self.stopped = True
        with self._roles:
            for event in (*self._idle, *([self._follower] if self._follower else [])):
                event.set()
        self._over.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for ``stop``; return False after ``seconds`` (None: no limit)."""
        return self._over.wait(seconds)

    def wait_idle(self, seconds: float) -> None:
        """Wait until no work runs or waits, for at most ``seconds``."""
        limit = monotonic() + seconds
        while (
            self.busy or self._waiting or self.jobs or any(queue.busy for queue in self._queues)
        ) and monotonic() < limit:
            sleep(0.002)

    def serve(self) -> None:
        """Read and run in own threads, and wait for ``stop``.

        The calling thread, often the main thread, only waits. So no job keeps it after the end, and Ctrl-C interrupts it at
        a safe place.
        """
        self.started = True
        self._start_thread(None)
        self._over.wait()

    # For own threads.

    def _main(self, event: AutoResetEvent | None) -> None:
        """Run a thread until it is not needed any more; with an event it follows at first."""
        self._lead_and_follow(event)
        if self.stopped:
            # The messages that were read last.
            self.work()

    def _lead_and_follow(self, event: AutoResetEvent | None) -> None:
        while not self.stopped:
            yields = False
            if event is not None:
                leads = self._follow(event)
                event = None
                if leads:
                    yields = self._lead()
                else:
                    self.work()
            elif self.become_leader():
                yields = self._lead()
            if yields or self.has_leader:
                event = self._rest()
                if event is None:
                    return

    def _lead(self) -> bool:
        """Read and run jobs, as the leader at first, until another thread leads.

        Return True if another thread should lead: a caller that has got its answer is likely to send the next request soon,
        and is faster if it reads the answer itself.
        """
        while True:
            self.answered = False
            try:
                self._read(None)
            finally:
                self.resign()
            if self.stopped:
                return False
            if self.ready:
                if self._follower is None:
                    self._ensure_follower()
                self.work()
            elif self.answered:
                return True
            if not self.become_leader():
                return False

    def _follow(self, event: AutoResetEvent) -> bool:
        """Wait to be promoted; return True once it leads, False if there is work or the end has come."""
        turn = -1
        while not self.stopped:
            event.wait(-1 if self._asleep else TICK)
            self._asleep = False
            if self.ready or self.stopped:
                break
            if turn == self._turn:
                if self.become_leader():
                    self._leave_follower_role()
                    return True
                # There is a leader and no traffic. A leader that resigns now has to see that the follower sleeps.
                self._asleep = True
                if not self.has_leader:
                    self._asleep = False
            turn = self._turn
        self._leave_follower_role()
        if not self.stopped:
            self._ensure_follower()
        return False

    def _leave_follower_role(self) -> None:
        with self._roles:
            self._follower = None
            self._asleep = False

    def _rest(self) -> AutoResetEvent | None:
        """Wait until a follower is needed; return its event, or None if none was needed for long."""
        event = AutoResetEvent()
        with self._roles:
            if self.stopped:
                return None
            if self._follower is None:
                self._follower = event
                return event
            self._idle.append(event)
        event.wait(IDLE)
        with self._roles:
            if event is self._follower:
                return event
            if event in self._idle:
                self._idle.remove(event)
        return None

    def _ensure_follower(self) -> None:
        with self._roles:
            if self._follower is not None or self.stopped:
                return
            if self._idle:
                event = self._follower = self._idle.pop()
                event.set()
                return
            event = self._follower = AutoResetEvent()
        try:
            self._start_thread(event)
        except RuntimeError as fault:
            # The existing threads do what they can; the next message brings another try.
            self._leave_follower_role()
            write_log("warning", "cannot start a thread for a connection: %s", fault)

    def _start_thread(self, event: AutoResetEvent | None) -> None:
        Thread(target=self._main, args=(event,), name=self._name, daemon=True).start()

    def _wake_follower(self) -> None:
        event = self._follower
        if event is not None:
            event.set()
