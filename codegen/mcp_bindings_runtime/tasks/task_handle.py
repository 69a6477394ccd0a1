"""A task of the other side, for its requestor (2025-11-25, Tasks)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ..connection.context import Context
from ..errors import ProtocolError, RequestTimeout, ResponseError, TaskCancelled
from .remote_task import RemoteTask
from .states import StoredTaskState

if TYPE_CHECKING:
    from ..binding import Binding
    from ..connection.call_scope import CallScope
    from ..connection.calls import Requestor
    from ..methods import RequestMethod

R = TypeVar("R")


class TaskHandle(RemoteTask[R, StoredTaskState]):
    """A request that the other side executes as a task; ``R`` is the type of its result.

    ``peer`` sends the requests: a client, or the context of a server's handler. ``limit`` is how many seconds ``result``
    waits for a task that is kept for ever. ``params`` are those of the request.
    """

    def __init__(
        self, peer: Any, binding: Binding, key: RequestMethod[Any, R], task: Any, *, limit: float, params: Any = None
    ) -> None:
        requestor = ContextRequestor(peer) if isinstance(peer, Context) else peer
        super().__init__(requestor, binding, key, task, limit=limit, params=params)

    @property
    def id(self) -> str:
        """The id of the task."""
        return self.last.task_id

    @property
    def last(self) -> StoredTaskState:
        """The state of the task that was received last: an object of the revision."""
        return cast("StoredTaskState", self._last)

    def status(self, *, timeout: float | None = None) -> StoredTaskState:
        """Request the state of the task: an object of the revision, with ``status``, ``status_message`` and the times.

        ``timeout`` is in seconds. Raise as ``Client.request``: `ResponseError` (-32602) if the task has expired.
        """
        return self._poll(timeout)

    def cancel(self, *, timeout: float | None = None) -> StoredTaskState:
        """Cancel the task and return its state; raise `ResponseError` (-32602) if it had ended before."""
        self._last = self._request("tasks/cancel", timeout)
        self._wake()
        return self.last

    def _await_result(self, scope: CallScope) -> R:
        while True:
            try:
                payload = self._request("tasks/result", self._peer.timeout)
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
            return self._read_result(self._binding.codec.unstructure(payload))

    def _seconds(self) -> float:
        ttl = self.last.ttl
        return self._limit if ttl is None else ttl / 1000

    @staticmethod
    def _interval(state: Any) -> int | None:
        interval: int | None = state.poll_interval
        return interval

    @staticmethod
    def _visible(state: Any) -> Any:
        return state.status, state.status_message

    def _stopped(self) -> TaskCancelled:
        message = self.last.status_message
        return TaskCancelled(f"{self._key.name}: the task was cancelled{f': {message}' if message else ''}")

    def _was_cancelled(self) -> bool:
        try:
            return self.status().status == "cancelled"
        except ResponseError:
            return False


class ContextRequestor:
    """Sends requests about the tasks of a client, from the handler of a server with this context."""

    followed: frozenset[str] = frozenset()

    def __init__(self, context: Context) -> None:
        self.timeout: float = context.peer.limit
        self.request = context.request
        self.connection: Requestor = cast("Any", context.connection)

    @property
    def connected(self) -> bool:
        """Whether the connection is open."""
        return not self.connection.closed

    def follow(self, key: RequestMethod[Any, Any], params: Any, result: Any) -> None:
        """Do nothing: only results of tools are validated."""


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

    ``peer`` is a client, or the context of a server's handler that sends a request to the client. Raise `UsageError` if
    the other side has not declared that it executes the request as a task. Other errors are those of
    ``Client.request``.
    """
    side = peer.peer if isinstance(peer, Context) else peer
    binding: Binding = side.binding
    wanted = binding.types.TaskMetadata(ttl=None if ttl is None else round(ttl * 1000))
    created = peer.request(key, params.__replace__(task=wanted), timeout=timeout, on_progress=on_progress)
    if not isinstance(created, binding.task_result_class):
        text = f"{key.name}: expected a task, the answer is a {created.__class__.__name__}"
        raise ProtocolError(text)
    return TaskHandle(peer, binding, key, created.task, limit=side.limit, params=params)
