"""Requests of one's own that wait for their answer."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any

from .events import RequestId
from .methods import RequestMethod


class Call:
    """A request in flight, and the thread that waits for it."""

    __slots__ = (
        "_bell",
        "deadline",
        "done",
        "error",
        "id",
        "key",
        "limit",
        "on_progress",
        "patience",
        "result",
        "update",
    )

    def __init__(
        self,
        request_id: RequestId,
        key: RequestMethod[Any, Any],
        *,
        started: float,
        patience: float,
        limit: float,
        on_progress: Callable[[Any], object] | None,
    ) -> None:
        self.id = request_id
        self.key = key
        self.patience = patience
        """Seconds to wait for the answer, or for the next sign of progress."""
        self.deadline = started + patience
        self.limit = started + limit
        """When it is over, whatever progress there is."""
        self.on_progress = on_progress
        self.update: Any = None
        """The latest progress that the waiting thread has not told yet. Those it had no time for are not told."""
        self.done = False
        self.result: Any = None
        self.error: Exception | None = None
        self._bell = Lock()
        self._bell.acquire()

    def finish(self, result: Any, error: Exception | None = None) -> None:
        """The answer is there."""
        self.result = result
        self.error = error
        self.done = True
        self.ring()

    def advance(self, params: Any, now: float) -> None:
        """There is progress: the clock starts again, up to the limit."""
        self.deadline = min(now + self.patience, self.limit)
        self.update = params
        self.ring()

    def ring(self) -> None:
        """Wakes the thread that waits, or keeps it from falling asleep."""
        try:
            self._bell.release()
        except RuntimeError:
            # It has been rung before, and not been heard yet.
            return

    def listen(self, seconds: float) -> None:
        """Sleeps until rung, for so long at most."""
        self._bell.acquire(timeout=seconds)
