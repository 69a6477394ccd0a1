"""``HandlerPool``: the threads of handlers, of which no source has all."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Lock

from ...connection.thread_pool import ThreadPool
from ...logs import RareWarning
from .responses import REQUESTS, Rejection, busy, closing


class HandlerPool:
    """Runs handlers, at most ``limit`` at the same time, and ``each`` of one source. Thread-safe.

    A source is a principal, else an address. Unless ``each`` is set, a fourth of the handlers is left to other sources:
    a handler cannot be stopped, so they would have to wait for the slow calls of one that has them all.
    """

    def __init__(self, limit: int, each: int | None = None) -> None:
        self._threads = ThreadPool("mcp-http", limit)
        self._each = each = limit - limit // 4 if each is None else each
        self._running: dict[str, int] = {}
        self._lock = Lock()
        self._warning = RareWarning(
            f"{each} handlers run for one source, the limit: further requests of %r are refused"
        )
        self._full = RareWarning("%d handlers run, which is the limit: further requests are refused")
        self._limit = limit

    def start(self, job: Callable[[], None], source: str) -> bool:
        """Run a job in another thread at once.

        Return False after ``close``, and if a limit is reached or no thread can be started.
        """
        if not self._admit(source):
            return False
        started = self._threads.start(partial(self._run_admitted, job, source))
        if not started:
            self._release(source)
            self._log_refusal()
        return started

    def run(self, job: Callable[[], None], source: str) -> bool:
        """Run a job in this thread, which counts as one of the pool; return False as ``start``."""
        if not self._admit(source):
            return False
        try:
            ran = self._threads.run(job)
        finally:
            self._release(source)
        if not ran:
            self._log_refusal()
        return ran

    def rejection(self) -> Rejection:
        """Return the rejection for a request whose job was refused."""
        return closing() if self._threads.closed else busy(REQUESTS)

    def close(self) -> None:
        """Refuse further jobs; those that run go on."""
        self._threads.close()

    def wait_idle(self, seconds: float) -> bool:
        """Wait until no job runs, for at most ``seconds``; return whether none does."""
        return self._threads.wait_idle(seconds)

    def _run_admitted(self, job: Callable[[], None], source: str) -> None:
        try:
            job()
        finally:
            self._release(source)

    def _log_refusal(self) -> None:
        if not self._threads.closed:
            self._full.log(self._limit)

    def _admit(self, source: str) -> bool:
        with self._lock:
            running = self._running.get(source, 0)
            if running < self._each:
                self._running[source] = running + 1
                return True
        self._warning.log(source)
        return False

    def _release(self, source: str) -> None:
        with self._lock:
            running = self._running.pop(source)
            if running > 1:
                self._running[source] = running - 1
