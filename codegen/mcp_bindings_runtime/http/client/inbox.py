"""The queue of messages that arrive over HTTP in many threads and are read in one."""

from __future__ import annotations

from collections import deque
from threading import Condition, RLock
from time import monotonic
from typing import Final

from ...errors import ConnectionClosed
from ...transports import CLOSED_HERE, LONGEST, Unanswered, check_timeout

CAPACITY: Final = 1024 * 1024
"""Limit on the bytes of received messages that wait to be handled; beyond it, reading from streams pauses."""


class Inbox:
    """A queue of messages, and of reports that requests will not be answered."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        # Reentrant, because a signal handler may run in the thread that holds it.
        self._lock = RLock()
        self._changed = Condition(self._lock)
        self._waiting = 0
        """Number of threads that wait for a change."""
        self._items: deque[bytes | Unanswered] = deque()
        self._size = 0
        self._interrupted = False
        self._end: str | None = None
        self._shut = False

    def put(self, item: bytes | Unanswered, *, wait: bool = False) -> None:
        """Add an item; with ``wait``, block while the queue is full. Drop it after ``close``."""
        with self._lock:
            while wait and self._size > self._capacity and not self._shut:
                self._wait(LONGEST)
            if self._shut:
                return
            self._items.append(item)
            self._size += len(item) if isinstance(item, bytes) else 0
            if self._waiting:
                self._changed.notify_all()

    def _wait(self, seconds: float) -> None:
        self._waiting += 1
        try:
            self._changed.wait(seconds)
        finally:
            self._waiting -= 1

    def get(self, timeout: float | None) -> bytes | None:
        """Return the next message; see ``Transport.receive``."""
        deadline = None if timeout is None else monotonic() + check_timeout(timeout)
        with self._lock:
            while not (self._items or self._interrupted or self._shut or self._end is not None):
                left = None if deadline is None else deadline - monotonic()
                if left is not None and left <= 0:
                    return None
                self._wait(LONGEST if left is None else min(left, LONGEST))
            if self._shut:
                raise ConnectionClosed(CLOSED_HERE)
            if self._interrupted:
                self._interrupted = False
                return None
            if not self._items:
                raise ConnectionClosed(self._end)
            item = self._items.popleft()
            if isinstance(item, Unanswered):
                raise item
            if self._size > self._capacity:
                self._changed.notify_all()
            self._size -= len(item)
            return item

    def interrupt(self) -> None:
        """See ``Transport.interrupt``."""
        with self._changed:
            self._interrupted = True
            self._changed.notify_all()

    def end(self, reason: str) -> None:
        """Accept no more messages; those in the queue can still be read, then ``get`` raises with ``reason``."""
        with self._changed:
            if self._end is None:
                self._end = reason
            self._changed.notify_all()

    def close(self) -> None:
        """Drop all messages; ``get`` raises from now on."""
        with self._changed:
            self._shut = True
            self._items.clear()
            self._changed.notify_all()
