"""Requests of one's own that wait for their answer."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import CallCancelled, RequestTimeout
from ..methods import NotificationMethod, RequestMethod
from ..session.events import Notified, Outcome, Progressed, Published
from ..validation import require_callable, require_seconds
from .auto_reset_event import AutoResetEvent
from .call_scope import ACTIVE, CallScope
from .progress_queue import ProgressQueue

if TYPE_CHECKING:
    from ..session.session import Session


class Carrier(Protocol):
    """What sends the request of a call: a ``Connection``."""

    def interrupt(self, call: Call) -> None:
        """Wake the thread that sends the request or waits for its answer, as the call has ended."""
        ...


class Call:
    """A request in flight, and the thread that waits for it.

    ``patience`` is how many seconds to wait for the answer, or for the next sign of progress; ``limit`` how many altogether.
    """

    # What is not there at first is the class's, which takes no time when a call is made.
    id: Any = None
    """Its id, once it has one."""
    notified: bool = False
    """Whether a notification has arrived that the waiting thread has not dealt with."""
    progress: ProgressQueue | None = None
    """The progress that waits for ``on_progress``."""
    done: bool = False
    result: Any = None
    error: Exception | None = None
    _event: AutoResetEvent | None = None
    """Exists while a thread sleeps."""
    _woken: bool = False
    scope: CallScope | None = None
    """The scope that the call belongs to."""
    carrier: Carrier | None = None
    """Is there once the request is to be sent, if the call may be cancelled."""
    awaited: bool = True
    """Whether a thread waits for it, which could read meanwhile."""

    def __init__(
        self,
        key: RequestMethod[Any, Any] | NotificationMethod[Any],
        patience: float,
        limit: float,
        on_progress: Callable[[Any], object] | None,
    ) -> None:
        self.key = key
        self.news = _NO_NEWS
        """Where the notifications of a subscription go."""
        if patience.__class__ is not float or not patience >= 0:
            # Most are good, and this is on the way of each request.
            require_seconds(timeout=patience)
        if on_progress is not None:
            require_callable("on_progress", on_progress, ("params",))
            self.progress = ProgressQueue(key.name, on_progress)
        self.patience = patience
        started = monotonic()
        self.deadline = started + patience
        self.limit = started + limit if limit > patience else self.deadline
        """When it is over, whatever progress there is."""
        if ACTIVE.scope is not None:
            ACTIVE.scope.bind(self, key.name)
            self.scope = ACTIVE.scope

    def finish(self, result: Any, error: Exception | None = None) -> None:
        """The answer is there."""
        self.result = result
        self.error = error
        self.done = True
        self._woken = True
        if self._event is not None:
            self.wake()

    def overdue(self, noise: str = "") -> RequestTimeout:
        """What is raised once its deadline has passed; ``noise`` is what came instead and was no message."""
        scope = self.scope
        seconds = self.patience if scope is None else min(self.patience, scope.timeout)
        text = f"{self.key.name}: no answer in {seconds:g} s"
        return RequestTimeout(f"{text}; what came instead was dropped: {noise}" if noise else text)

    def advance(self, params: Any) -> None:
        """Queue a progress notification, and start the clock again, up to the limit."""
        self.deadline = min(monotonic() + self.patience, self.limit)
        if self.scope is not None:
            self.scope.renew()
            self.deadline = min(self.deadline, self.scope.deadline)
        if self.progress is not None:
            self.progress.put(params)
        self.notified = True
        self.wake()

    def deliver_progress(self) -> None:
        """Call ``on_progress`` with the notifications that wait, as long as the deadline has not passed."""
        # Before the queue is looked at, so that the next notification sets it again.
        self.notified = False
        if self.progress is not None:
            self.progress.deliver(self._deadline)

    def _deadline(self) -> float:
        return self.deadline

    def stop(self, error: CallCancelled) -> None:
        """End the call with an error, in whatever state it is; from any thread."""
        if self.done:
            return
        # No further progress is delivered.
        self.deadline = 0.0
        self.finish(None, error)
        if self.carrier is not None:
            self.carrier.interrupt(self)

    def check_stopped(self) -> None:
        """Raise CallCancelled if that is how the call has ended."""
        if isinstance(self.error, CallCancelled):
            raise self.error

    def publish(self, notified: Notified) -> None:
        """A notification has come on the subscription that the call keeps open."""
        self.news.append(notified)
        self.notified = True
        self.wake()

    def wake(self) -> None:
        """Wakes the thread that waits, or keeps it from falling asleep."""
        self._woken = True
        event = self._event
        if event is not None:
            event.set()

    def sleep(self, seconds: float) -> None:
        """Sleeps until rung, for so long at most."""
        event = self._event = AutoResetEvent()
        if not self._woken:
            event.wait(seconds)
        self._event = None
        self._woken = False


_NO_NEWS: deque[Notified] = deque(maxlen=0)


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
                other.wake()
                return

    def end(self) -> list[Call]:
        """Forget all; return the calls, which are to be finished."""
        calls = list(self.values())
        self.clear()
        self._tasks.clear()
        return calls
