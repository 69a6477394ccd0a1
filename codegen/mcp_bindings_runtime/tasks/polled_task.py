"""A task of the server, for its client in 2026-07-28: the extension ``io.modelcontextprotocol/tasks``.

The client polls the task, answers the requests in its state, and finds the result there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import ResponseError, TaskCancelled
from ..unset import UNSET
from .remote_task import RemoteTask
from .states import PolledTaskState

if TYPE_CHECKING:
    from ..connection.call_scope import CallScope
    from ..methods import RequestMethod

R = TypeVar("R")


class PolledTask(RemoteTask[R, PolledTaskState]):
    """A request that the server may execute as a task; ``R`` is the type of its result.

    ``answer`` is the result if the server has answered the request at once. The client's handlers answer the requests in
    the task's state, each once, while ``result`` waits; it raises `ProtocolError` if there is no handler for a request.
    """

    def __init__(
        self,
        client: Any,
        key: RequestMethod[Any, R],
        task: Any,
        *,
        limit: float,
        answer: R | None = None,
        params: Any = None,
        pause: Callable[[float], object] | None = None,
    ) -> None:
        super().__init__(client, client.binding, key, task, limit=limit, params=params, pause=pause)
        self._client = client
        self._answer = answer
        self._answered: set[str] = set()
        """The requests of the server that a thread answers or has answered, by name."""
        self._lock = Lock()

    @property
    def id(self) -> str | None:
        """The id of the task; None if the request was answered at once."""
        return None if self._last is None else self._last.task_id

    @property
    def last(self) -> PolledTaskState | None:
        """The last state received: a ``DetailedTask`` or the answer to the request; None if there is no task."""
        return self._last

    def status(self, *, timeout: float | None = None) -> PolledTaskState | None:
        """Request the state of the task: a ``DetailedTask`` of ``ext_tasks``; None if the request was answered at once.

        ``timeout`` is in seconds. Raise as ``Client.request``: `ResponseError` (-32602) if the task has expired.
        """
        return self._poll(timeout) if self._answer is None else None

    def cancel(self, *, timeout: float | None = None) -> None:
        """Request cancellation. The task may still complete or fail."""
        if self._answer is None:
            self._request("tasks/cancel", timeout)
            # Waiting threads poll at once.
            self._wake()

    def answer(self) -> bool:
        """Answer the requests in the task's state by the client's handlers; return whether there were new ones."""
        task: Any = self.status()
        return task is not None and task.status == "input_required" and self._answer_to(task)

    def _await_result(self, scope: CallScope) -> R:
        while self._answer is None:
            wakeups = self._wakeups
            task: Any = self.status()
            if task.status == "completed":
                return self._read_result(task.result)
            if task.status == "failed":
                error = task.error
                raise ResponseError(error.code, error.message, None if error.data is UNSET else error.data)
            if task.status == "cancelled":
                text = f"{self._key.name}: the task was cancelled"
                raise TaskCancelled(text)
            if task.status == "input_required" and self._answer_to(task):
                continue
            self._rest(min(self._pace(task), scope.left), wakeups, self._pause)
        return self._answer

    def _seconds(self) -> float:
        return self._limit

    @staticmethod
    def _interval(state: Any) -> int | None:
        interval: int | None = state.poll_interval_ms
        return interval

    def _answer_to(self, task: Any) -> bool:
        """Answer the requests in a state that no thread answers or has answered; return whether there are any."""
        requests = self._claim(task.input_requests)
        if not requests:
            return False
        try:
            self._request("tasks/update", None, input_responses=self._responses_to(requests))
        except BaseException:
            with self._lock:
                self._answered.difference_update(requests)
            raise
        return True

    def _claim(self, requests: Mapping[str, Any]) -> dict[str, Any]:
        with self._lock:
            found = {name: each for name, each in requests.items() if name not in self._answered}
            self._answered.update(found)
        return found

    def _responses_to(self, requests: Mapping[str, Any]) -> dict[str, Any]:
        codec, messages = self._binding.codec, self._binding.requests
        known = {
            name: codec.structure(codec.unstructure(each), messages[each.method].message)
            for name, each in requests.items()
        }
        return {name: self._client.provide(self._key, each) for name, each in known.items()}
