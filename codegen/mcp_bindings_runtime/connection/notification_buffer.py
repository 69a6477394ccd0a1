"""The notifications of the other side that wait for their handlers, bounded in number and in bytes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Lock
from typing import Any

from ..logs import write_log
from ..session.events import Notified

COUNT = 10_000
"""Limit on the notifications of a connection that wait for their handlers."""
SIZE = 8 * 1024 * 1024
"""Limit on the bytes of the notifications of a connection that wait for their handlers."""
_LOG = "notifications/message"
_UPDATED = "notifications/resources/updated"
_CHANGED = frozenset(
    {
        "notifications/tools/list_changed",
        "notifications/prompts/list_changed",
        "notifications/resources/list_changed",
        "notifications/roots/list_changed",
    }
)


class NotificationBuffer(deque[Any]):
    """A queue of notifications, and of progress queues that have to be delivered.

    Of equal changes that wait, only the first is kept. Beyond a limit the oldest log messages are dropped, and if there are
    none, the oldest notifications; the log says how many. One thread at a time appends, and one removes.
    """

    def __init__(self) -> None:
        super().__init__()
        self.size = 0
        """Received bytes of the notifications."""
        self._sizes: deque[int] = deque()
        self._changes: set[tuple[str, Any]] = set()
        """The changes that wait."""
        self._dropped_logs = 0
        self._dropped_others = 0
        self._lock = Lock()

    def append(self, item: Any, size: int = 0, /) -> None:
        """Add a notification of so many bytes, or a progress queue."""
        with self._lock:
            change = _change(item)
            if change is not None:
                if change in self._changes:
                    return
                self._changes.add(change)
            super().append(item)
            self._sizes.append(size)
            self.size += size
            over = len(self) > COUNT or self.size > SIZE
            first = over and not (self._dropped_logs or self._dropped_others)
            if over:
                self._drop()
        if first and (self._dropped_logs or self._dropped_others):
            text = "handlers of notifications are slower than these arrive: dropping the oldest, log messages first"
            write_log("warning", text)

    def popleft(self) -> Any:
        """Remove and return the oldest item. Raise ``IndexError`` if there is none."""
        with self._lock:
            item = super().popleft()
            self._forget(item, self._sizes.popleft())
            logs, others = (0, 0) if self else (self._dropped_logs, self._dropped_others)
            if logs or others:
                self._dropped_logs = self._dropped_others = 0
        if logs or others:
            write_log("warning", "dropped: %d log messages and %d other notifications", logs, others)
        return item

    def _forget(self, item: Any, size: int) -> None:
        self.size -= size
        change = _change(item)
        if change is not None:
            self._changes.discard(change)

    def _drop(self) -> None:
        """Drop items until a quarter of both limits is free, or only the newest is left."""
        kept = list(zip(self, self._sizes, strict=True))
        number = len(kept)
        newest = kept.pop()
        self._dropped_logs += self._drop_from(kept, _is_log)
        if len(kept) >= COUNT or self.size > SIZE:
            self._dropped_others += self._drop_from(kept, _is_notification)
        # Items are added before others are removed: a reader without the lock never finds the queue empty.
        for item, size in (*kept, newest):
            super().append(item)
            self._sizes.append(size)
        for _ in range(number):
            super().popleft()
            self._sizes.popleft()

    def _drop_from(self, kept: list[tuple[Any, int]], matches: Callable[[Any], bool]) -> int:
        """Remove the oldest items that match; return how many."""
        left: list[tuple[Any, int]] = []
        excess = len(kept) - COUNT * 3 // 4
        dropped = 0
        for item, size in kept:
            if matches(item) and (dropped < excess or self.size > SIZE * 3 // 4):
                self._forget(item, size)
                dropped += 1
            else:
                left.append((item, size))
        kept[:] = left
        return dropped


def _change(item: Any) -> tuple[str, Any] | None:
    """Return what a notification of a change reports; None for any other item."""
    if not isinstance(item, Notified):
        return None
    name = item.key.name
    if name == _UPDATED:
        return name, item.params.uri
    return (name, None) if name in _CHANGED else None


def _is_log(item: Any) -> bool:
    return isinstance(item, Notified) and item.key.name == _LOG


def _is_notification(item: Any) -> bool:
    return isinstance(item, Notified)
