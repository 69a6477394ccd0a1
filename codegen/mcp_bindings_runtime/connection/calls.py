"""Requests of this side: sending them, waiting for their answers, and abandoning them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import CallCancelled, McpError, RequestTimeout
from ..logs import write_log
from ..methods import NotificationMethod, RequestMethod
from ..session.events import Notified, Outcome, Progressed, Published
from ..session.late_tasks import cancel_task_in
from ..validation import require_callable, require_method_key, require_seconds
from .auto_reset_event import AutoResetEvent
from .call_scope import ACTIVE, CallScope
from .notification_buffer import NotificationBuffer
from .progress_queue import ProgressQueue

if TYPE_CHECKING:
    from threading import Lock

    from ..session.session import Session

R = TypeVar("R")

_OPENING = frozenset({"initialize", "server/discover"})
"""Requests that a client sends first."""


class Call:
    """A request in flight, and the thread that waits for it.

    ``timeout`` is the seconds to wait for the answer, or for the next progress; ``limit`` those to wait altogether.
    """

    # Defaults are attributes of the class, so that a new call need not set them.
    id: Any = None
    """The id of the request, once it has one."""
    notified: bool = False
    """Whether a notification has arrived that the waiting thread has not handled."""
    progress: ProgressQueue | None = None
    """The progress that waits for ``on_progress``."""
    done: bool = False
    result: Any = None
    error: Exception | None = None
    _event: AutoResetEvent | None = None
    """Wakes the waiting thread while it sleeps."""
    _woken: bool = False
    scope: CallScope | None = None
    """The scope that the call belongs to."""
    requestor: Requestor | None = None
    """The sender of the request, if the call may be cancelled."""
    awaited: bool = True
    """Whether a thread waits for the answer, and should read meanwhile. False for a stream that is open."""
    convert: Callable[[Notified], Notified | None] | None = None
    """Converts the notifications of a subscription, if the caller has another revision than the wire; None drops one."""

    def __init__(
        self,
        key: RequestMethod[Any, Any] | NotificationMethod[Any],
        timeout: float,
        limit: float,
        on_progress: Callable[[Any], object] | None,
    ) -> None:
        if key.__class__ is not RequestMethod:
            require_method_key(key, request=True)
        self.key = key
        self.notifications: NotificationBuffer | None = None
        """Receives the notifications of a subscription."""
        if timeout.__class__ is not float or not timeout >= 0:
            # Most timeouts are valid, and every request comes here.
            require_seconds(timeout=timeout)
        if on_progress is not None:
            require_callable("on_progress", on_progress, ("params",))
            self.progress = ProgressQueue(key.name, on_progress)
        self.timeout = timeout
        self._started = started = monotonic()
        self.deadline = started + timeout
        self.limit = started + limit if limit > timeout else self.deadline
        """Time at which the call ends in spite of progress."""
        if ACTIVE.scope is not None:
            ACTIVE.scope.bind(self, key.name)
            self.scope = ACTIVE.scope

    def finish(self, result: Any, error: Exception | None = None) -> None:
        """Set the result or the error, and wake the waiting thread."""
        # An error leaves the result, which another thread may have set meanwhile.
        if error is None:
            self.result = result
        else:
            self.error = error
        self.done = True
        self._woken = True
        if self._event is not None:
            self.wake()

    def overdue(self, dropped: str = "", transport: object = None) -> RequestTimeout:
        """Return the error for a deadline that has passed; ``dropped`` is what came instead and was not a message."""
        scope = self.scope
        seconds = self.timeout if scope is None else min(self.timeout, scope.timeout)
        text = f"{self.key.name}: no answer in {seconds:g} s"
        total = self.limit - self._started
        if self.deadline >= self.limit and total > seconds:
            text = f"{self.key.name}: no answer in {total:.3g} s, the `limit` for a call with progress"
        if dropped:
            text += f"; what came instead was dropped: {dropped}"
        if self.key.name in _OPENING:
            server = getattr(transport, "peer", "the server")
            text += f"; {server} may still be starting, which a longer timeout allows, or is no MCP server"
        return RequestTimeout(text)

    def advance(self, params: Any, size: int) -> None:
        """Queue a progress notification and start the timeout again, up to the limit."""
        self.deadline = min(monotonic() + self.timeout, self.limit)
        if self.scope is not None:
            self.scope.renew()
            self.deadline = min(self.deadline, self.scope.deadline)
        if self.progress is not None:
            self.progress.put(params, size)
        self.notified = True
        self.wake()

    def deliver_progress(self) -> None:
        """Call ``on_progress`` with the waiting notifications until the deadline has passed."""
        # Before the queue is looked at, so that the next notification sets it again.
        self.notified = False
        if self.progress is not None:
            self.progress.deliver(self._deadline)

    def _deadline(self) -> float:
        return self.deadline

    def stop(self, error: CallCancelled) -> None:
        """End the call with an error in any state; from any thread."""
        if self.done:
            return
        # No further progress is delivered.
        self.deadline = 0.0
        self.finish(None, error)
        if self.requestor is not None:
            self.requestor.interrupt(self)

    def check_stopped(self) -> None:
        """Raise `CallCancelled` if the call was cancelled."""
        if isinstance(self.error, CallCancelled):
            raise self.error

    def publish(self, notified: Notified, size: int) -> None:
        """Add a notification, of so many bytes, of the subscription that the call keeps open."""
        if self.notifications is not None:
            self.notifications.append(notified, size)
        self.notified = True
        self.wake()

    def wake(self) -> None:
        """Wake the waiting thread, or let its next ``sleep`` return at once."""
        self._woken = True
        event = self._event
        if event is not None:
            event.set()

    def sleep(self, seconds: float) -> None:
        """Sleep until ``wake``, for at most so many seconds."""
        event = self._event = AutoResetEvent()
        if not self._woken:
            event.wait(seconds)
        self._event = None
        self._woken = False


class PendingCalls(dict[Any, Call]):
    """The calls of one connection by the id of their request; changed under its lock, or by the thread that reads.

    ``session`` forgets or cancels the requests that are given up.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._tasks: dict[Any, ProgressQueue] = {}
        """The progress of requests that became tasks."""

    @property
    def awaited(self) -> bool:
        """Whether a thread waits for the answer to one of the calls."""
        # A copy, as another thread may add a call meanwhile.
        return bool(self) and any(call.awaited for call in list(self.values()))

    def finish(self, outcome: Outcome) -> bool:
        """End the call that an outcome is for; return False if it was abandoned, so that nobody receives the result."""
        call = self.get(outcome.id)
        if call is None:
            return False
        if outcome.goes_on and call.progress is not None:
            self._tasks = {each: kept for each, kept in self._tasks.items() if self._session.awaits_progress(each)}
            self._tasks[outcome.id] = call.progress
        # Before the call is forgotten: a thread that abandons it finds either the call or its result.
        call.finish(outcome.result, outcome.error)
        return self.pop(outcome.id, None) is call

    def cancel(self, call: Call, why: BaseException | str, *, sent: bool = True) -> bytes | None:
        """Forget a call; return the line that cancels its request, or the task in its answer; None if there is neither."""
        if self.pop(call.id, None) is not call:
            return cancel_task_in(self._session, call.result)
        if not sent:
            self._session.forget(call.id)
            return None
        reason = why.reason if isinstance(why, CallCancelled) else str(why) or why.__class__.__name__
        line = self._session.cancel(call.id, reason)
        if line is not None:
            write_log("debug", "cancelling %s: %s", call.key.name, reason)
        return line

    def progressed(self, event: Progressed, size: int = 0) -> ProgressQueue | None:
        """Queue progress of so many bytes; return the queue if it is of a task, and a thread has to deliver it."""
        call = self.get(event.id)
        if call is not None:
            call.advance(event.params, size)
            return None
        queue = self._tasks.get(event.id)
        return queue if queue is not None and queue.put(event.params, size) else None

    def published(self, event: Published, size: int) -> None:
        """Pass a notification of so many bytes to the subscription that it belongs to."""
        call = self.get(event.id)
        if call is None:
            return
        notified = event.notified if call.convert is None else call.convert(event.notified)
        if notified is not None:
            call.publish(notified, size)

    def finish_progress(self, call: Call, queue: ProgressQueue) -> bool:
        """Deliver the progress that arrived before the answer; return whether there is more, of a task."""
        call.deliver_progress()
        waiting = queue.hand_over()
        if self._tasks.get(call.id) is queue:
            return waiting
        queue.discard()
        return False

    def wake_another(self, call: Call, *, any_call: bool = False) -> None:
        """Wake another waiting thread, so that it reads on; with ``any_call``, those of open streams if no other waits."""
        others = [each for each in list(self.values()) if each is not call]
        for other in others:
            if other.awaited:
                other.wake()
                return
        if any_call:
            # All, as no thread waits for some of them.
            for other in others:
                other.wake()

    def end(self) -> list[Call]:
        """Forget and return all calls, which the caller has to finish."""
        calls = list(self.values())
        self.clear()
        self._tasks.clear()
        return calls


class Requestor(ABC):
    """Sends requests and waits for their results: the base of ``Connection`` and of the channels of the HTTP server.

    ``timeout`` is the default number of seconds to wait for an answer or its progress, ``limit`` for both together.
    """

    def __init__(self, session: Session, lock: Lock, calls: PendingCalls, *, timeout: float, limit: float) -> None:
        self.session = session
        self.lock = lock
        """Held while the session is called."""
        self.calls = calls
        """The requests in flight; changed under the lock, or by the thread that reads."""
        self.timeout = min(timeout, limit)
        self.limit = limit

    @property
    @abstractmethod
    def closed(self) -> bool:
        """Whether nothing can be sent or received any more."""

    @abstractmethod
    def attend(self, call: Call, prepare: Callable[[], tuple[Any, bytes]] | None = None) -> None:
        """Wait until a call has ended or has a notification; send it first if ``prepare`` returns its id and line.

        Raise `RequestTimeout` at the deadline of the call, and `ConnectionClosed`.
        """

    @abstractmethod
    def interrupt(self, call: Call) -> None:
        """Wake the thread that sends a call's request or waits for its answer, because the call has ended."""

    @abstractmethod
    def send_unanswered(self, line: bytes) -> None:
        """Send a line whose answer is not awaited; raise `McpError` if it cannot be sent soon."""

    @abstractmethod
    def deliver_progress(self, queue: ProgressQueue) -> None:
        """Call ``queue.deliver_scheduled`` in another thread."""

    def request(
        self,
        key: RequestMethod[Any, R],
        params: Any = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Any], object] | None = None,
        sending: Callable[[Call], object] | None = None,
    ) -> R:
        """Send a request and wait for its result.

        Progress is reported in the calling thread, all of it before the result; that of a task, once there is one, in
        another thread, one at a time. ``sending`` is called with the call before it is sent. Raise `UsageError`,
        `EncodeError`, `ResponseError`, `DecodeError`, `RequestTimeout` or `ConnectionClosed`. After a timeout or an
        interruption the request is cancelled.
        """
        call = Call(key, self.timeout if timeout is None else timeout, self.limit, on_progress)
        if sending is not None:
            call.requestor = self
            sending(call)
        result: R = self.complete(call, partial(self.session.request, key, params, progress=on_progress is not None))
        return result

    def complete(self, call: Call, prepare: Callable[[], tuple[Any, bytes]]) -> Any:
        """Send the request of a call, of which ``prepare`` returns the id and the line, and wait for its result."""
        try:
            self.attend(call, prepare)
            while not call.done:
                call.deliver_progress()
                self.attend(call)
            call.check_stopped()
            if call.progress is not None and self.calls.finish_progress(call, call.progress):
                self.deliver_progress(call.progress)
        except BaseException as fault:
            self.abandon(call, fault)
            raise
        finally:
            if call.scope is not None:
                call.scope.forget(call.stop)
        if call.error is not None:
            raise call.error
        return call.result

    def abandon(self, call: Call, why: BaseException | str) -> None:
        """Stop waiting for a call; cancel its request with the reason if it is in flight, and the task in its answer."""
        with self.lock:
            line = self.calls.cancel(call, why, sent=not self.closed)
        if line is not None:
            try:
                self.send_unanswered(line)
            except McpError as more:
                write_log("debug", "%s could not be cancelled: %s", call.key.name, more)

    def post(self, key: RequestMethod[Any, Any], params: Any) -> None:
        """Send a request without waiting for its answer."""
        with self.lock:
            request_id, line = self.session.request(key, params)
            self.session.forget(request_id)
        self.send_unanswered(line)

    def cancel_task_in(self, unseen: Outcome) -> bytes | None:
        """Return the line that cancels the task in a result that no call receives; None if there is none."""
        with self.lock:
            return cancel_task_in(self.session, unseen.result)
