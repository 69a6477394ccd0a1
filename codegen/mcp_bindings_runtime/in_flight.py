"""The requests of one side that wait for their answer, and the progress of those that became tasks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .calls import Call
from .events import Outcome, Progressed, Published
from .progress_queue import ProgressQueue


class InFlight(dict[Any, Call]):
    """The calls by the id of their request; it is changed under the lock of the connection, or by the thread that reads.

    ``awaits_progress`` tells whether progress under an id is still taken.
    """

    def __init__(self, awaits_progress: Callable[[Any], bool]) -> None:
        super().__init__()
        self._awaits_progress = awaits_progress
        self._tasks: dict[Any, ProgressQueue] = {}
        """The progress of requests that became tasks."""

    def finish(self, outcome: Outcome) -> bool:
        """End the call that an outcome is for; return whether there is one."""
        call = self.pop(outcome.id, None)
        if call is None:
            return False
        if outcome.goes_on and call.progress is not None:
            self._tasks = {each: kept for each, kept in self._tasks.items() if self._awaits_progress(each)}
            self._tasks[outcome.id] = call.progress
        call.finish(outcome.result, outcome.error)
        return True

    def progressed(self, event: Progressed) -> ProgressQueue | None:
        """Queue progress; return the queue if it is of a task, and a thread has to be found that delivers it."""
        call = self.get(event.id)
        if call is not None:
            call.advance(event.params)
            return None
        queue = self._tasks.get(event.id)
        return queue if queue is not None and queue.put(event.params) else None

    def published(self, event: Published) -> None:
        """Hand a notification to the subscription that it belongs to."""
        call = self.get(event.id)
        if call is not None:
            call.publish(event.notified)

    def became_task(self, call: Call) -> bool:
        """Return whether a call was answered with a task whose progress is queued."""
        return self._tasks.get(call.id) is call.progress

    def wake_another(self, call: Call) -> None:
        """Wake another thread that waits, so that it reads on."""
        for other in list(self.values()):
            if other is not call and other.awaited:
                other.ring()
                return

    def end(self) -> list[Call]:
        """Forget all; return the calls, which are to be finished."""
        calls = list(self.values())
        self.clear()
        self._tasks.clear()
        return calls
