"""Requests of one's own that wait for their answer."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import Any, Protocol

from ..errors import CallCancelled, RequestTimeout
from ..methods import NotificationMethod, RequestMethod
from ..session.events import Notified
from ..validation import check_function, check_seconds
from .auto_reset_event import new_bell, ring
from .call_scope import ACTIVE, CallScope
from .progress_queue import ProgressQueue


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
    _bell: Lock | None = None
    """Is there while a thread sleeps."""
    _rung: bool = False
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
            check_seconds(timeout=patience)
        if on_progress is not None:
            check_function("on_progress", on_progress, ("params",))
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
        self._rung = True
        if self._bell is not None:
            self.ring()

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
        self.ring()

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
        self.ring()

    def ring(self) -> None:
        """Wakes the thread that waits, or keeps it from falling asleep."""
        self._rung = True
        bell = self._bell
        if bell is not None:
            ring(bell)

    def listen(self, seconds: float) -> None:
        """Sleeps until rung, for so long at most."""
        bell = self._bell = new_bell()
        if not self._rung:
            bell.acquire(timeout=seconds)
        self._bell = None
        self._rung = False


_NO_NEWS: deque[Notified] = deque(maxlen=0)
