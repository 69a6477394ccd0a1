"""Progress notifications of one request, from the thread that reads them to ``on_progress``."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from math import inf
from threading import Lock
from time import monotonic
from typing import Any

from ..logs import log_exception, write_log

CAPACITY = 1000
"""Limit on the progress notifications of a call that wait for their callback."""
SIZE = 4 * 1024 * 1024
"""Limit on the bytes of the progress notifications of a call that wait for their callback; one notification may be
larger than this limit.
"""


def _never() -> float:
    return inf


class ProgressQueue:
    """Calls ``on_progress`` with each notification, in order and one at a time.

    When more than ``CAPACITY`` or ``SIZE`` wait, the newest replaces the one before it; the log says how many were replaced.
    ``method`` is that of the request, for the log.
    """

    __slots__ = ("_adding", "_coalesced", "_delivering", "_items", "_method", "_on_progress", "_scheduled", "_size")

    def __init__(self, method: str, on_progress: Callable[[Any], object]) -> None:
        self._method = method
        self._on_progress = on_progress
        self._items: deque[tuple[Any, int]] = deque()
        """The params of notifications, and their bytes."""
        self._size = 0
        self._coalesced = 0
        self._adding = Lock()
        """Held while the items change."""
        self._delivering = Lock()
        self._scheduled = True
        """Whether a thread is about to call ``deliver``: the caller of the request, until ``hand_over``."""

    def put(self, params: Any, size: int) -> bool:
        """Add a notification of so many bytes; return whether ``deliver`` has to be called, as no thread is about to."""
        with self._adding:
            if self._items and (len(self._items) >= CAPACITY or self._size + size > SIZE):
                self._size -= self._items.pop()[1]
                self._coalesced += 1
            self._items.append((params, size))
            self._size += size
        scheduled, self._scheduled = self._scheduled, True
        return not scheduled

    def deliver(self, deadline: Callable[[], float] = _never) -> None:
        """Deliver what waits, unless another thread is doing so; stop once ``deadline()`` has passed.

        Raise what ``on_progress`` raises; the notifications behind that one go on waiting.
        """
        # A thread that adds one while this thread holds the lock finds it taken: hence the second look after the release.
        while self._items and monotonic() <= deadline() and self._delivering.acquire(blocking=False):
            try:
                while self._items and monotonic() <= deadline():
                    with self._adding:
                        params, size = self._items.popleft()
                        self._size -= size
                    self._on_progress(params)
            finally:
                self._delivering.release()
        if self._coalesced and not self._items:
            coalesced, self._coalesced = self._coalesced, 0
            text = "%s: on_progress is slower than progress arrives; %d notifications were replaced by newer ones"
            write_log("warning", text, self._method, coalesced)

    def hand_over(self) -> bool:
        """Let other threads deliver from now on; return whether something waits for that."""
        self._scheduled = False
        return bool(self._items)

    def deliver_scheduled(self) -> None:
        """Deliver what waits after ``put`` has asked for it; log what ``on_progress`` raises."""
        # First, so that what is added from here on asks anew.
        self._scheduled = False
        try:
            self.deliver()
        except Exception as fault:  # noqa: BLE001  # no caller waits for it
            log_exception(fault, "on_progress of a task failed")

    def discard(self) -> None:
        """Drop what waits, as the deadline of the call has passed."""
        with self._adding:
            late = len(self._items) + self._coalesced
            self._items.clear()
            self._size = 0
            self._coalesced = 0
        if late:
            text = "%s: the deadline passed before on_progress was called with %d more notifications"
            write_log("warning", text, self._method, late)
