"""What has come for a client over HTTP, in many threads, until the one that reads takes it."""

from __future__ import annotations

from collections import deque
from threading import Condition, RLock
from time import monotonic
from typing import Final

from ...errors import ConnectionClosed
from ...transports import CLOSED_HERE, LONGEST, Unanswered, check_timeout

CAPACITY: Final = 1024 * 1024
"""How many bytes of messages wait before the streams that bring them have to wait, too."""


class Inbox:
    """Messages, and reports of requests that will not be answered, in the order in which they came."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        # Reentrant, because a signal's handler may interrupt whoever holds it.
        self._changed = Condition(RLock())
        self._items: deque[bytes | Unanswered] = deque()
        self._size = 0
        self._interrupted = False
        self._end: str | None = None
        self._shut = False

    def put(self, item: bytes | Unanswered, *, wait: bool = False) -> None:
        """Adds something. With ``wait`` it waits while too much is there. What comes after ``close`` is thrown away."""
        with self._changed:
            while wait and self._size > self._capacity and not self._shut:
                self._changed.wait(LONGEST)
            if self._shut:
                return
            self._items.append(item)
            self._size += len(item) if isinstance(item, bytes) else 0
            self._changed.notify_all()

    def get(self, timeout: float | None) -> bytes | None:
        """The next message; as ``Transport.receive``."""
        deadline = None if timeout is None else monotonic() + check_timeout(timeout)
        with self._changed:
            while not (self._items or self._interrupted or self._shut or self._end is not None):
                left = None if deadline is None else deadline - monotonic()
                if left is not None and left <= 0:
                    return None
                self._changed.wait(LONGEST if left is None else min(left, LONGEST))
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
        """As ``Transport.interrupt``."""
        with self._changed:
            self._interrupted = True
            self._changed.notify_all()

    def end(self, reason: str) -> None:
        """Nothing more comes from the other side; what is there can still be taken, and then ``reason`` is why."""
        with self._changed:
            if self._end is None:
                self._end = reason
            self._changed.notify_all()

    def close(self) -> None:
        """Nothing more is taken."""
        with self._changed:
            self._shut = True
            self._items.clear()
            self._changed.notify_all()
