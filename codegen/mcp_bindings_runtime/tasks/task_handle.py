"""A task of the other side, for its requestor (2025-11-25, Tasks)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..codec.unknown_content import read_result
from ..connection.call_scope import CallScope
from ..errors import RequestTimeout, ResponseError, TaskCancelled
from .states import described
from .store import FINAL

if TYPE_CHECKING:
    from ..binding import Binding
    from ..methods import RequestMethod
    from .states import StoredTaskState

R = TypeVar("R")

_POLL = 1.0
"""Seconds between two polls if the other side proposes none."""


class TaskHandle(Generic[R]):
    """A request that the other side executes as a task; ``R`` is the type of its result.

    ``peer`` sends the requests: a client, or the context of a handler. ``limit`` is how many seconds ``result`` waits
    for a task that is kept for ever. ``params`` are those of the request.
    """

    def __init__(
        self, peer: Any, binding: Binding, key: RequestMethod[Any, R], task: Any, *, limit: float, params: Any = None
    ) -> None:
        self._peer = peer
        self._binding = binding
        self._key = key
        self._limit = limit
        self._params = params
        self.last: StoredTaskState = task
        """The state of the task that was received last: an object of the revision."""

    def __repr__(self) -> str:
        return described(self, self._key.name, self.last)

    @property
    def id(self) -> str:
        """The id of the task."""
        return self.last.task_id

    def status(self, *, timeout: float | None = None) -> StoredTaskState:
        """Request the state of the task: an object of the revision, with ``status``, ``status_message`` and the times.

        ``timeout`` is in seconds. Raise as ``Client.request``: `ResponseError` (-32602) if the task has expired.
        """
        self.last = self._request("tasks/get", timeout)
        return self.last

    def cancel(self, *, timeout: float | None = None) -> StoredTaskState:
        """Cancel the task and return its state; raise `ResponseError` (-32602) if it had ended before."""
        self.last = self._request("tasks/cancel", timeout)
        return self.last

    def result(self, timeout: float | None = None) -> R:
        """Wait for the result of the request, for at most ``timeout`` seconds (None: as long as the task is kept).

        Raise `RequestTimeout`, `TaskCancelled` if the task was cancelled, `ResponseError` if the request has failed, and
        whatever ``Client.request`` raises. It can be called again.
        """
        with CallScope(self._seconds(timeout)) as scope:
            try:
                return self._wait()
            except RequestTimeout as late:
                if scope.left:
                    raise
                text = f"{self._key.name}: the task has no result in time"
                raise RequestTimeout(text) from late

    def _wait(self) -> R:
        while True:
            try:
                payload = self._request("tasks/result", self._peer_timeout)
            except RequestTimeout:
                # Check whether the task still exists and was not cancelled.
                if self.status().status == "cancelled":
                    raise self._stopped() from None
                continue
            except TaskCancelled as end:
                # A status notification said so meanwhile.
                text = f"{self._key.name}: {end}"
                raise TaskCancelled(text) from None
            except ResponseError as error:
                if self._was_cancelled():
                    raise self._stopped() from error
                raise
            result: R = read_result(self._binding.codec, self._key, self._binding.codec.unstructure(payload))
            if self._params is not None and self._key.name in getattr(self._peer, "followed", ()):
                self._peer.follow(self._key, self._params, result)
            return result

    def changes(self, pause: Callable[[float], object] = time.sleep) -> Iterator[StoredTaskState]:
        """Yield the state of the task, now and whenever its status or message has changed, until the task has ended.

        Polls as often as the other side proposes; ``pause`` is called with the seconds in between.
        """
        shown: tuple[Any, Any] | None = None
        while True:
            task = self.status()
            if shown != (task.status, task.status_message):
                shown = (task.status, task.status_message)
                yield task
            if task.status in FINAL:
                return
            pause(_POLL if task.poll_interval is None else task.poll_interval / 1000)

    __iter__ = changes

    @property
    def _peer_timeout(self) -> float:
        return float(getattr(self._peer, "timeout", self._limit))

    def _seconds(self, timeout: float | None) -> float:
        if timeout is not None:
            return timeout
        ttl = self.last.ttl
        return self._limit if ttl is None else ttl / 1000

    def _stopped(self) -> TaskCancelled:
        message = self.last.status_message
        return TaskCancelled(f"{self._key.name}: the task was cancelled{f': {message}' if message else ''}")

    def _was_cancelled(self) -> bool:
        try:
            return self.status().status == "cancelled"
        except ResponseError:
            return False

    def _request(self, method: str, timeout: float | None) -> Any:
        key = self._binding.requests[method]
        return self._peer.request(key, key.params(task_id=self.id), timeout=timeout)


def start_task(
    peer: Any,
    key: RequestMethod[Any, Any],
    params: Any,
    *,
    ttl: float | None = None,
    timeout: float | None = None,
    on_progress: Callable[[Any], object] | None = None,
) -> TaskHandle[Any]:
    """Send a request that the other side executes as a task, whose result is kept for ``ttl`` seconds.

    ``peer`` is a client, or the context of a server's handler that sends a request to the client. Raise `UsageError` if the
    other side has not declared that it executes the request as a task, and as ``Client.request``.
    """
    side = getattr(peer, "peer", peer)
    binding: Binding = side.binding
    wanted = binding.types.TaskMetadata(ttl=None if ttl is None else round(ttl * 1000))
    created = peer.request(key, params.__replace__(task=wanted), timeout=timeout, on_progress=on_progress)
    if not isinstance(created, binding.task_result_class):
        from ..errors import ProtocolError

        text = f"{key.name}: expected a task, the answer is a {created.__class__.__name__}"
        raise ProtocolError(text)
    return TaskHandle(peer, binding, key, created.task, limit=side.limit, params=params)
