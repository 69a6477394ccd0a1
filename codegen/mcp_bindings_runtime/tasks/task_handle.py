"""Tasks that the other side executes, as the requestor sees them (2025-11-25, Tasks)."""

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
"""Seconds between two questions where the other side proposes no other pace."""


class TaskHandle(Generic[R]):
    """A request that the other side has made a task of. ``R`` is what the request is answered with in the end.

    ``peer`` asks the other side: a client, or the context of a handler. ``limit`` is how many seconds ``result`` waits
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
        """The task as it was heard of last: an object of the revision."""

    def __repr__(self) -> str:
        return described(self, self._key.name, self.last)

    @property
    def id(self) -> str:
        """The task's id."""
        return self.last.task_id

    def status(self, *, timeout: float | None = None) -> StoredTaskState:
        """Asks for the task: an object of the revision, with ``status``, ``status_message`` and the times.

        ``timeout`` is in seconds. Raises as ``Client.request`` does: ResponseError (-32602) where the task has expired.
        """
        self.last = self._ask("tasks/get", timeout)
        return self.last

    def cancel(self, *, timeout: float | None = None) -> StoredTaskState:
        """Has the task stopped; gives it as ``status`` does. Raises ResponseError (-32602) where it has ended before."""
        self.last = self._ask("tasks/cancel", timeout)
        return self.last

    def result(self, timeout: float | None = None) -> R:
        """Waits for what the request is answered with, for ``timeout`` seconds at most (None: as long as it is kept).

        Raises RequestTimeout, TaskCancelled where the task was stopped, ResponseError where the request has failed, and
        what ``Client.request`` raises. It can be asked for again.
        """
        with CallScope(self._patience(timeout)) as scope:
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
                payload = self._ask("tasks/result", self._peer_timeout)
            except RequestTimeout:
                # Whether it is still there, or will not come.
                if self.status().status == "cancelled":
                    raise self._stopped() from None
                continue
            except TaskCancelled as end:
                # That was heard while the answer was waited for.
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
        """The task, now and whenever its status or the message of that has changed, until it has ended.

        Asks as often as the other side proposes; ``pause`` is called with the seconds in between.
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

    def _patience(self, timeout: float | None) -> float:
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

    def _ask(self, method: str, timeout: float | None) -> Any:
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
    """Has the other side execute a request as a task; ``ttl`` is for how many seconds its result is wanted.

    ``peer`` is a client, or the context of a server's handler that asks the client. Raises UsageError where the other
    side has not declared that it does so, and as ``Client.request``.
    """
    side = getattr(peer, "peer", peer)
    binding: Binding = side.binding
    wanted = binding.types.TaskMetadata(ttl=None if ttl is None else round(ttl * 1000))
    created = peer.request(key, params.__replace__(task=wanted), timeout=timeout, on_progress=on_progress)
    if not isinstance(created, binding.types.CreateTaskResult):
        from ..errors import ProtocolError

        text = f"{key.name}: a task was asked for, and the answer is a {created.__class__.__name__}"
        raise ProtocolError(text)
    return TaskHandle(peer, binding, key, created.task, limit=side.limit, params=params)
