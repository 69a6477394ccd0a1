"""A pool of threads that run jobs: handlers of HTTP requests, and tasks.

The threads of a ``Connection`` are not of this pool, because handing a request to another thread costs more than 3 % of a
call; see ``leader_followers``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Condition, Lock, Thread
from time import monotonic

from ..logs import log_exception, write_log
from .auto_reset_event import AutoResetEvent

IDLE = 10.0
"""Seconds after which an idle thread of a thread pool ends."""

Job = Callable[[], None]


class ThreadPool:
    """Runs jobs in daemon threads called ``name``, at most ``limit`` at the same time; they end ``idle`` seconds later."""

    def __init__(self, name: str, limit: int, *, idle: float = IDLE) -> None:
        self._name = name
        self._limit = limit
        self._seconds = idle
        self._lock = Lock()
        self._idle: list[_Worker] = []
        self._busy = 0
        self._closed = False
        """Whether ``start`` and ``run`` refuse jobs."""
        self._jobs: deque[Job] = deque()
        """Submitted jobs that no thread runs yet."""
        self._quiet = Condition(self._lock)
        self._watched = 0
        """Number of threads that wait until no job runs."""

    def start(self, job: Job) -> bool:
        """Run a job in another thread at once.

        Return False after ``close``, and if the limit is reached or no thread can be started.
        """
        with self._lock:
            if self._closed or self._busy >= self._limit:
                return False
            self._busy += 1
            worker = self._idle.pop() if self._idle else None
        try:
            self._run(job, worker)
        except RuntimeError as fault:
            write_log("warning", "cannot start a thread for a request: %s", fault)
            with self._lock:
                self._busy -= 1
            return False
        return True

    def run(self, job: Job) -> bool:
        """Run a job in this thread, which counts as one of the pool; return False as ``start``."""
        with self._lock:
            if self._closed or self._busy >= self._limit:
                return False
            self._busy += 1
        try:
            job()
        finally:
            with self._lock:
                self._busy -= 1
                if self._watched and not self._busy:
                    self._quiet.notify_all()
        return True

    def submit(self, job: Job) -> None:
        """Run a job as soon as a thread is free; raise RuntimeError if there is none and none can be started.

        The queue has no limit of its own: the HTTP server submits one job for a connection at a time, and a store of
        tasks has a limit on tasks.
        """
        with self._lock:
            if self._busy >= self._limit:
                self._jobs.append(job)
                return
            self._busy += 1
            worker = self._idle.pop() if self._idle else None
        try:
            self._run(job, worker)
        except RuntimeError:
            with self._lock:
                self._busy -= 1
                if not self._busy:
                    # No other thread would run it later.
                    raise
                self._jobs.append(job)

    def close(self) -> None:
        """Refuse further jobs in ``start`` and ``run``; those that run go on."""
        with self._lock:
            self._closed = True

    @property
    def closed(self) -> bool:
        """Whether ``close`` was called."""
        return self._closed

    @property
    def busy(self) -> int:
        """Number of jobs that run."""
        return self._busy

    @property
    def queued(self) -> int:
        """Number of jobs that wait for a thread."""
        return len(self._jobs)

    def wait_idle(self, seconds: float) -> bool:
        """Wait until no job runs, for at most ``seconds``; return whether none does."""
        limit = monotonic() + seconds
        with self._quiet:
            self._watched += 1
            try:
                while self._busy:
                    left = limit - monotonic()
                    if left <= 0:
                        return False
                    self._quiet.wait(left)
            finally:
                self._watched -= 1
        return True

    def _run(self, job: Job, worker: _Worker | None) -> None:
        if worker is not None:
            worker.job = job
            worker.event.set()
        else:
            Thread(target=self._main, args=(job,), name=self._name, daemon=True).start()

    def _main(self, job: Job | None) -> None:
        worker = _Worker()
        while job is not None:
            try:
                job()
            except BaseException as fault:  # noqa: BLE001  # the thread survives whatever a job raises
                log_exception(fault, "a request failed: %s", fault)
            worker.job = job = None
            with self._lock:
                if self._jobs:
                    job = self._jobs.popleft()
                    continue
                self._busy -= 1
                if self._watched and not self._busy:
                    self._quiet.notify_all()
                # The last one to finish is the first to get a job: it is the most likely to be awake.
                self._idle.append(worker)
            if not worker.event.wait(self._seconds):
                with self._lock:
                    if worker in self._idle:
                        self._idle.remove(worker)
                        return
                # It was given a job at the last moment.
                worker.event.wait()
            job = worker.job


class _Worker:
    """An idle thread and its next job."""

    __slots__ = ("event", "job")

    def __init__(self) -> None:
        self.event = AutoResetEvent()
        self.job: Job | None = None
