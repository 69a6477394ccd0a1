"""Who reads, and who runs what was read: threads of one connection, of which at most one reads at any time.

Handing a message from one thread to another costs more than all else that happens to it. So nobody waits to be handed
one: the thread that wants an answer reads by itself until it comes, and the thread that has read a request runs it by
itself and then reads on. Only where that takes long does another thread take the reading over.

The one that would is the *standby*. While there is traffic it looks every few milliseconds whether the reading has been
vacant since it looked last, and then takes it over; that is how ping, cancellation and further requests get through
while a handler is slow, or while nobody waits for an answer. Where somebody reads and nothing comes, it sleeps until
that thread leaves. Threads that are neither reading nor standing by nor running a request sit on the *bench*, and end
after a while.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from threading import Event, Lock, Thread, get_ident
from time import monotonic, sleep
from typing import Any

from ..logs import note
from .auto_reset_event import new_bell, ring

TICK = 0.005
"""Seconds between two looks of the standby."""
IDLE = 10.0
"""Seconds on the bench after which a thread ends."""
LENT = 64
"""How many jobs that wait for the other side let others run in their place, at the same time."""


class SerialQueue:
    """What is dealt with one at a time and in its order, by whichever thread comes first."""

    def __init__(self, deal: Callable[[Any], None]) -> None:
        self._deal = deal
        self.items: deque[Any] = deque()
        self._dealing = Lock()

    def put(self, item: Any) -> None:
        """Adds something; a thread that calls ``work`` deals with it."""
        self.items.append(item)

    @property
    def due(self) -> bool:
        """Whether something waits that no thread is about to deal with."""
        return bool(self.items) and not self._dealing.locked()

    @property
    def busy(self) -> bool:
        """Whether something waits, or is being dealt with."""
        return bool(self.items) or self._dealing.locked()

    def work(self) -> None:
        """Deals with what waits, unless another thread does."""
        # Who comes in vain has added to what is looked at once more after the lock is free.
        while self.items and self._dealing.acquire(blocking=False):
            try:
                while self.items:
                    self._deal(self.items.popleft())
            finally:
                self._dealing.release()


class LeaderFollowers:
    """The threads of one connection.

    ``read`` reads one message and acts on it; it returns at the end of the connection, too. ``run`` runs one of the
    ``jobs`` that reading has brought. At most ``limit`` jobs run at the same time; the rest wait in ``jobs``. What is
    put into ``queues`` does not count: a ping is answered while all jobs that may run do. A job that waits for an answer
    does not count either, as long as it does: the other side may have to ask in order to give it.
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
        self.jobs: deque[Any] = deque()
        self.ended = False
        self.answered = False
        """Set by ``read`` when it has brought the answer that the last of the callers waited for."""
        self.started = False
        """Whether threads of the crew read and run; otherwise those that come and go do all."""
        self._queues = queues
        self._over = Event()
        self._name = name
        self._limit = limit
        self._read = read
        self._run = run
        self._reading = Lock()
        self._turn = 0
        """Changes with every message, and whenever the reading changes hands."""
        self._roles = Lock()
        """Held while the following change."""
        self.busy: set[int] = set()
        """The threads that run a job, and do not wait for an answer meanwhile."""
        self._lent = 0
        """How many jobs wait for an answer."""
        self._standby: Lock | None = None
        """The bell of the thread that stands by."""
        self._asleep = False
        """Whether it waits to be rung."""
        self._bench: list[Lock] = []

    # For threads that come and go: callers that wait for an answer, and hosts that pump.

    def take(self) -> bool:
        """Takes the reading, if nobody has it; ``leave`` gives it back."""
        if self._reading.acquire(blocking=False):
            self._turn += 1
            return True
        return False

    def leave(self) -> None:
        """Gives the reading back."""
        self._turn += 1
        self._reading.release()
        if self._asleep:
            self._wake()

    @property
    def vacant(self) -> bool:
        """Whether nobody reads."""
        return not self._reading.locked()

    def start(self) -> None:
        """From now on a thread of its own reads where nobody else does."""
        self.started = True
        self._recruit()

    @property
    def due(self) -> bool:
        """Whether there is something that a thread with free hands could do."""
        if self.jobs and len(self.busy) < self._limit:
            return True
        for queue in self._queues:  # noqa: SIM110  # asked with each message, and this takes half as long as any()
            if queue.items and queue.due:
                return True
        return False

    def delegate(self) -> None:
        """Has what is due done by another thread than the one that reads."""
        self._recruit()
        self._wake()

    def work(self) -> None:
        """Does what waits, as far as the limit lets it."""
        me = get_ident()
        while True:
            for queue in self._queues:
                if queue.items:
                    queue.work()
            if not self.jobs:
                return
            with self._roles:
                if len(self.busy) >= self._limit or not self.jobs:
                    return
                job = self.jobs.popleft()
                self.busy.add(me)
            try:
                self._run(job)
            finally:
                # One step, and who counts meanwhile counts one too many at worst: no need for the lock.
                self.busy.discard(me)

    def lend(self) -> bool:
        """Lets another job run in place of the one that the calling thread runs, until ``resume``; whether it does run one.

        Called before an answer is waited for. There are limits to it: who nests requests without end waits in vain.
        """
        me = get_ident()
        with self._roles:
            if me not in self.busy:
                return False
            if self._lent >= LENT:
                note("warning", "%d requests that are being handled wait for answers; further ones have to wait", LENT)
                return False
            self.busy.discard(me)
            self._lent += 1
        return True

    def resume(self) -> None:
        """The answer is there, and the job goes on: for a while more of them may run than the limit says."""
        with self._roles:
            self.busy.add(get_ident())
            self._lent -= 1

    def end(self) -> None:
        """Sends all threads home, after what waits is done. That is not waited for."""
        self.ended = True
        with self._roles:
            for bell in (*self._bench, *([self._standby] if self._standby else [])):
                ring(bell)
        self._over.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Waits for the end, for so long at most; whether it has come."""
        return self._over.wait(seconds)

    def settle(self, seconds: float) -> None:
        """Waits until nothing runs or waits, for so long at most."""
        limit = monotonic() + seconds
        while (
            self.busy or self._lent or self.jobs or any(queue.busy for queue in self._queues)
        ) and monotonic() < limit:
            sleep(0.002)

    def serve(self) -> None:
        """Has threads of the crew read and run at once, and waits for the end.

        The calling thread, often the main one, does nothing but wait. So no job keeps it beyond the end, and Ctrl-C
        finds it at a safe place.
        """
        self.started = True
        self._enlist(None)
        self._over.wait()

    # For threads of the crew.

    def _serve(self, bell: Lock | None) -> None:
        """What a thread does until it is of no use; with a bell it stands by at first."""
        self._take_part(bell)
        if self.ended:
            # What has been read last.
            self.work()

    def _take_part(self, bell: Lock | None) -> None:
        while not self.ended:
            yields = False
            if bell is not None:
                leads = self._stand_by(bell)
                bell = None
                if leads:
                    yields = self._lead()
                else:
                    self.work()
            elif self.take():
                yields = self._lead()
            if yields or not self.vacant:
                bell = self._sit_down()
                if bell is None:
                    return

    def _lead(self) -> bool:
        """Reads, and runs what it reads. The reading is held at first, not at the end.

        Ends once another thread has taken over; or, with True, when it should be left to another: the caller that has
        been handed its answer will ask again soon, and is faster if it reads by itself then.
        """
        while True:
            self.answered = False
            try:
                self._read(None)
            finally:
                self.leave()
            if self.ended:
                return False
            if self.due:
                if self._standby is None:
                    self._recruit()
                self.work()
            elif self.answered:
                return True
            if not self.take():
                return False

    def _stand_by(self, bell: Lock) -> bool:
        """Watches; True once it has taken the reading over, False where there is a job to be run, or the end has come."""
        turn = -1
        while not self.ended:
            bell.acquire(timeout=-1 if self._asleep else TICK)
            self._asleep = False
            if self.due or self.ended:
                break
            if turn == self._turn:
                if self.take():
                    self._step_down()
                    return True
                # Somebody reads, and nothing comes. Whoever leaves now, or has just left, is to see that this one sleeps.
                self._asleep = True
                if self.vacant:
                    self._asleep = False
            turn = self._turn
        self._step_down()
        if not self.ended:
            self._recruit()
        return False

    def _step_down(self) -> None:
        with self._roles:
            self._standby = None
            self._asleep = False

    def _sit_down(self) -> Lock | None:
        """Waits on the bench; the bell to stand by with, or None where nobody has called for long."""
        bell = new_bell()
        with self._roles:
            if self.ended:
                return None
            if self._standby is None:
                self._standby = bell
                return bell
            self._bench.append(bell)
        bell.acquire(timeout=IDLE)
        with self._roles:
            if bell is self._standby:
                return bell
            if bell in self._bench:
                self._bench.remove(bell)
        return None

    def _recruit(self) -> None:
        """Sees to it that a thread stands by."""
        with self._roles:
            if self._standby is not None or self.ended:
                return
            if self._bench:
                bell = self._standby = self._bench.pop()
                ring(bell)
                return
            bell = self._standby = new_bell()
        try:
            self._enlist(bell)
        except RuntimeError as fault:
            # No more threads are to be had. Those that are there do what they can; the next message brings another try.
            self._step_down()
            note("warning", "no thread stands by: %s", fault)

    def _enlist(self, bell: Lock | None) -> None:
        Thread(target=self._serve, args=(bell,), name=self._name, daemon=True).start()

    def _wake(self) -> None:
        bell = self._standby
        if bell is not None:
            ring(bell)
