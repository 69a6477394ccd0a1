"""Threads that run handlers while others hold the connections: the handler of a call that streams goes on by itself."""

from __future__ import annotations

from collections.abc import Callable
from threading import Condition, Lock, Thread
from time import monotonic

from ...connection.auto_reset_event import new_bell, ring
from ...logs import note, report

IDLE = 10.0
"""Seconds without a job after which a thread ends."""

Job = Callable[[], None]


class ThreadPool:
    """Runs jobs, at most ``limit`` at the same time. Threads are started when there are no idle ones."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = Lock()
        self._idle: list[_Seat] = []
        self._busy = 0
        self._quiet = Condition(self._lock)

    def start(self, job: Job) -> bool:
        """Has a job run in another thread; False where as many run as may."""
        with self._lock:
            if self._busy >= self._limit:
                return False
            self._busy += 1
            seat = self._idle.pop() if self._idle else None
            if seat is not None:
                seat.job = job
        if seat is not None:
            ring(seat.bell)
            return True
        try:
            Thread(target=self._serve, args=(job,), name="mcp-http", daemon=True).start()
        except RuntimeError as fault:
            note("warning", "no thread runs a request: %s", fault)
            with self._lock:
                self._busy -= 1
            return False
        return True

    def settle(self, seconds: float) -> bool:
        """Waits until nothing runs, for so long at most; whether that is so."""
        limit = monotonic() + seconds
        with self._quiet:
            while self._busy:
                left = limit - monotonic()
                if left <= 0:
                    return False
                self._quiet.wait(left)
        return True

    def _serve(self, job: Job | None) -> None:
        seat = _Seat()
        while job is not None:
            try:
                job()
            except BaseException as fault:  # noqa: BLE001  # a job answers for itself; a thread that dies helps nobody
                report(fault, "a request failed: %s", fault)
            seat.job = None
            with self._lock:
                self._busy -= 1
                if not self._busy:
                    self._quiet.notify_all()
                # Who has just left is asked first: its thread is the most likely to be awake.
                self._idle.append(seat)
            if not seat.bell.acquire(timeout=IDLE):
                with self._lock:
                    if seat in self._idle:
                        self._idle.remove(seat)
                        return
                # A job has come at the last moment.
                seat.bell.acquire()
            job = seat.job


class _Seat:
    """Where an idle thread waits for its next job."""

    __slots__ = ("bell", "job")

    def __init__(self) -> None:
        self.bell = new_bell()
        self.job: Job | None = None
