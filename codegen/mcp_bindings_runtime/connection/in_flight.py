"""The requests of one side that wait for their answer, and the progress of those that became tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import CallCancelled
from ..session.events import Outcome, Progressed, Published
from .calls import Call
from .progress_queue import ProgressQueue

if TYPE_CHECKING:
    from ..session.session import Session


class PendingCalls(dict[Any, Call]):
    """The calls by the id of their request; it is changed under the lock of the connection, or by the thread that reads.

    ``session`` knows the requests, too.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._tasks: dict[Any, ProgressQueue] = {}
        """The progress of requests that became tasks."""

    def finish(self, outcome: Outcome) -> bool:
        """End the call that an outcome is for; return whether there is one."""
        call = self.pop(outcome.id, None)
        if call is None:
            return False
        if outcome.goes_on and call.progress is not None:
            self._tasks = {each: kept for each, kept in self._tasks.items() if self._session.awaits_progress(each)}
            self._tasks[outcome.id] = call.progress
        call.finish(outcome.result, outcome.error)
        return True

    def cancel(self, call: Call, why: BaseException | str, *, sent: bool = True) -> bytes | None:
        """Forget a call; return the line that cancels its request and says why, None if there is nothing to cancel."""
        if self.pop(call.id, None) is not call:
            return None
        if not sent:
            self._session.forget(call.id)
            return None
        return self._session.cancel(
            call.id, why.reason if isinstance(why, CallCancelled) else str(why) or why.__class__.__name__
        )

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

    def finish_progress(self, call: Call, queue: ProgressQueue) -> bool:
        """Deliver the progress that arrived before the answer; return whether there is more, as the call became a task."""
        call.deliver_progress()
        waiting = queue.hand_over()
        if self._tasks.get(call.id) is queue:
            return waiting
        queue.discard()
        return False

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
