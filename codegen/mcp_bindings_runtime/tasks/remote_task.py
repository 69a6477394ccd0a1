"""The base of the tasks of the other side, for their requestors: waiting with a deadline, polling, cancelling.

A subclass adapts it to one wire: how the result of the request arrives, and what the state of a task holds.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from threading import Condition
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from ..codec.unknown_content import read_result
from ..connection.call_scope import CallScope
from ..errors import CallCancelled, McpError, RequestTimeout
from ..logs import write_log
from ..session.late_tasks import FINAL
from ..task_interfaces import AbandonableTask

if TYPE_CHECKING:
    from ..binding import Binding
    from ..connection.calls import Requestor
    from ..methods import RequestMethod
    from .states import TaskState

R = TypeVar("R")
S = TypeVar("S", bound="TaskState")

_POLL = 1.0
"""Seconds between two polls if the other side proposes none."""


class TaskRequestor(Protocol):
    """The sender of requests about tasks: a client, or a ``ContextRequestor``."""

    timeout: float
    """Seconds to wait for an answer."""
    followed: frozenset[str]
    """The methods whose results ``follow`` handles."""

    @property
    def connected(self) -> bool:
        """Whether the connection is open."""
        ...

    @property
    def connection(self) -> Requestor:
        """The connection."""
        ...

    def request(self, key: RequestMethod[Any, Any], params: Any, *, timeout: float | None = None) -> Any:
        """Send a request and wait for its result."""
        ...

    def follow(self, key: RequestMethod[Any, Any], params: Any, result: Any) -> None:
        """Validate the result of a request."""
        ...


class RemoteTask(AbandonableTask, Generic[R, S]):
    """A request that the other side executes as a task; ``R`` is the type of its result, ``S`` that of its state.

    ``limit`` is how many seconds ``result`` waits by default. ``params`` are those of the request. ``pause`` is called
    with the seconds between two polls; without it, the thread sleeps until ``cancel`` is called.
    """

    def __init__(
        self,
        peer: TaskRequestor,
        binding: Binding,
        key: RequestMethod[Any, R],
        state: S | None,
        *,
        limit: float,
        params: Any = None,
        pause: Callable[[float], object] | None = None,
    ) -> None:
        self._peer = peer
        self._binding = binding
        self._key = key
        self._limit = limit
        self._params = params
        self._pause = pause
        self._woken = Condition()
        self._wakeups = 0
        """Number of calls of ``cancel``, on this or on the call that waits for the result."""
        self._last = state

    def __repr__(self) -> str:
        name, method, state = self.__class__.__name__, self._key.name, self._last
        if state is None:
            return f"<{name} {method}: answered without a task>"
        words = f", {state.status_message!r}" if state.status_message else ""
        return f"<{name} {method} {state.task_id!r}: {state.status}{words}>"

    def result(self, timeout: float | None = None) -> R:
        """Wait for the result of the request, for at most ``timeout`` seconds.

        Without ``timeout`` wait as long as the task is kept, else for the ``limit`` of the client. Raise `RequestTimeout`,
        `TaskCancelled` if the task was cancelled, `ResponseError` if the request has failed, and whatever
        ``Client.request`` raises. It can be called again.
        """
        with CallScope(self._seconds() if timeout is None else timeout) as scope:
            scope.wake(self._wake)
            try:
                result = self._await_result(scope)
            except RequestTimeout as late:
                if scope.left:
                    raise
                text = f"{self._key.name}: the task has no result in time"
                raise RequestTimeout(text) from late
            finally:
                scope.forget(self._wake)
            if self._params is not None and self._key.name in self._peer.followed:
                self._peer.follow(self._key, self._params, result)
            return result

    def abandon(self) -> None:
        """Request cancellation without waiting for the answer; do nothing if the task has ended."""
        if self._last is None or self._last.status in FINAL or not self._peer.connected:
            return
        try:
            self._peer.connection.post(*self._about("tasks/cancel"))
        except McpError as fault:
            write_log("debug", "the task of %s could not be cancelled: %s", self._key.name, fault)

    def changes(self, pause: Callable[[float], object] | None = None) -> Iterator[S]:
        """Yield the state of the task, now and after each change, until the task has ended; nothing if there is no task.

        Polls as often as the other side proposes; ``pause`` is called with the seconds in between. The caller answers
        requests in the state (2026-07-28).
        """
        shown: Any = None
        while self._last is not None:
            wakeups = self._wakeups
            state = self._poll(None)
            if shown != (shown := self._visible(state)):
                yield state
            if state.status in FINAL:
                return
            self._rest(self._pace(state), wakeups, pause or self._pause)

    __iter__ = changes

    @abstractmethod
    def _await_result(self, scope: CallScope) -> R:
        """Return the result of the request; raise ``RequestTimeout`` at the end of the scope."""

    @abstractmethod
    def _seconds(self) -> float:
        """Return the default number of seconds to wait for the result."""

    @staticmethod
    @abstractmethod
    def _interval(state: Any) -> int | None:
        """Return the milliseconds between two polls that the other side proposes."""

    @staticmethod
    def _visible(state: Any) -> Any:
        """Return the part of the state whose changes are yielded."""
        return state

    def _poll(self, timeout: float | None) -> S:
        """Request the state of the task."""
        state: S = self._request("tasks/get", timeout)
        self._last = state
        return state

    def _request(self, method: str, timeout: float | None, **more: Any) -> Any:
        key, params = self._about(method, **more)
        return self._peer.request(key, params, timeout=timeout)

    def _about(self, method: str, **more: Any) -> tuple[RequestMethod[Any, Any], Any]:
        """Return the key and the params of a request about the task."""
        key = self._binding.requests[method]
        return key, key.params(task_id=None if self._last is None else self._last.task_id, **more)

    def _read_result(self, value: Any) -> R:
        """Return the result of the request from JSON."""
        result: R = read_result(self._binding.codec, self._key, value)
        return result

    def _pace(self, state: S) -> float:
        """Return the seconds until the next poll."""
        interval = self._interval(state)
        return _POLL if interval is None else interval / 1000

    def _rest(self, seconds: float, wakeups: int, pause: Callable[[float], object] | None) -> None:
        """Wait until the next poll, or until ``_wake`` is called more often than ``wakeups`` times."""
        if pause is not None:
            pause(seconds)
            return
        with self._woken:
            self._woken.wait_for(lambda: self._wakeups != wakeups, seconds)

    def _wake(self, _: CallCancelled | None = None) -> None:
        """Wake the threads that wait for the next poll."""
        with self._woken:
            self._wakeups += 1
            self._woken.notify_all()
