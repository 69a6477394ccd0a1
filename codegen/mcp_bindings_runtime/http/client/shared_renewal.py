"""A renewal, of a session or a token, that one thread executes while the others that need it wait."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from threading import Lock
from typing import TYPE_CHECKING

from ...connection.auto_reset_event import AutoResetEvent
from ...errors import McpError, RequestTimeout

if TYPE_CHECKING:
    from .exchange import Exchange


class SharedRenewal:
    """Lets one thread at a time renew something. No lock is held meanwhile.

    A renewal that fails with one of ``errors`` fails for all threads that wait for it; after any other failure, a timeout
    or the end of the thread's exchange, one of them starts another.
    """

    def __init__(self, errors: type[McpError] = McpError) -> None:
        self._errors = errors
        self._lock = Lock()
        self._attempt: _Attempt | None = None

    @property
    def is_running(self) -> bool:
        """Whether a thread is renewing."""
        return self._attempt is not None

    def run(self, exchange: Exchange, is_due: Callable[[], bool], renew: Callable[[], None]) -> None:
        """Call ``renew`` if it ``is_due`` and no other thread does so; else wait until that has succeeded.

        Raise what ``renew`` raises, ``ConnectionClosed`` if the exchange ends, and ``RequestTimeout``.
        """
        while True:
            with self._lock:
                if not is_due():
                    return
                attempt = self._attempt
                mine = attempt is None
                if attempt is None:
                    attempt = self._attempt = _Attempt()
            if mine:
                self._execute(attempt, exchange, renew)
                return
            if self._wait(attempt, exchange):
                return

    def wait(self, exchange: Exchange) -> None:
        """Wait while a thread is renewing. Raise as ``run``."""
        attempt = self._attempt
        if attempt is not None:
            self._wait(attempt, exchange)

    def _execute(self, attempt: _Attempt, exchange: Exchange, renew: Callable[[], None]) -> None:
        try:
            renew()
            attempt.succeeded = True
        except self._errors as fault:
            if not (exchange.ended or isinstance(fault, RequestTimeout)):
                attempt.failure = fault
            raise
        finally:
            with self._lock:
                self._attempt = None
            for each in attempt.waiting:
                each.set()

    def _wait(self, attempt: _Attempt, exchange: Exchange) -> bool:
        """Wait for another thread; return whether it has succeeded."""
        event = exchange.new_event()
        if event is None:
            raise exchange.closed()
        with self._lock:
            if self._attempt is not attempt:
                return False
            attempt.waiting.append(event)
        left = exchange.remaining()
        ended = event.wait(-1 if left is None else left)
        if exchange.ended:
            raise exchange.closed()
        if not ended:
            raise exchange.timed_out()
        if attempt.failure is not None:
            # Each thread gets a traceback of its own.
            raise copy(attempt.failure) from attempt.failure
        return attempt.succeeded


class _Attempt:
    """One attempt to renew, and the threads that wait for it."""

    __slots__ = ("failure", "succeeded", "waiting")

    def __init__(self) -> None:
        self.waiting: list[AutoResetEvent] = []
        """The event of each thread that waits."""
        self.failure: McpError | None = None
        self.succeeded = False
