"""A task of the server, for its client in 2026-07-28: the extension ``io.modelcontextprotocol/tasks``.

The client polls the task, answers the requests in its state, and finds the result there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Condition
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..codec.unknown_content import read_result
from ..connection.call_scope import CallScope
from ..errors import CallCancelled, McpError, RequestTimeout, ResponseError, TaskCancelled
from ..logs import write_log
from .states import described
from .store import FINAL

if TYPE_CHECKING:
    from ..methods import RequestMethod
    from .states import PolledTaskState

R = TypeVar("R")

_POLL = 1.0
"""Seconds between two polls if the server proposes none."""


class PolledTask(Generic[R]):
    """A request that the server may execute as a task; ``R`` is the type of its result.

    ``client`` sends the requests. ``pause`` is called with the seconds between two polls; without it, the thread sleeps
    until ``cancel`` is called. ``answer`` is the result if the server has answered the request at once.
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
        self._client = client
        self._key = key
        self._limit = limit
        self._answer = answer
        self._params = params
        self._pause = pause
        self._woken = Condition()
        self._cancels = 0
        """Number of calls of ``cancel``, on this or on the call that waits for the result."""
        self._answered: set[str] = set()
        self.last: PolledTaskState | None = task
        """The last state received: a ``DetailedTask`` or the answer to the request; None if there is no task."""

    def __repr__(self) -> str:
        return described(self, self._key.name, self.last)

    @property
    def id(self) -> str | None:
        """The id of the task; None if the request was answered at once."""
        return None if self.last is None else self.last.task_id

    def status(self, *, timeout: float | None = None) -> PolledTaskState | None:
        """Request the state of the task: a ``DetailedTask`` of ``ext_tasks``; None if the request was answered at once.

        ``timeout`` is in seconds. Raise as ``Client.request``: `ResponseError` (-32602) if the task has expired.
        """
        if self._answer is None:
            self.last = self._request("tasks/get", timeout)
        return self.last

    def cancel(self, *, timeout: float | None = None) -> None:
        """Request cancellation. The task may still complete or fail."""
        if self._answer is None:
            self._request("tasks/cancel", timeout)
            # Waiting threads poll at once.
            self._wake()

    def abandon(self) -> None:
        """Request cancellation without waiting for the answer; do nothing if the task has ended."""
        if self.last is None or self.last.status in FINAL or not self._client.connected:
            return
        try:
            self._client.connection.post(*self._about("tasks/cancel"))
        except McpError as fault:
            write_log("debug", "the task of %s could not be cancelled: %s", self._key.name, fault)

    def _wake(self, _: CallCancelled | None = None) -> None:
        """Wake the threads that wait for the next poll."""
        with self._woken:
            self._cancels += 1
            self._woken.notify_all()

    def result(self, timeout: float | None = None) -> R:
        """Wait for the result of the request, for at most ``timeout`` seconds (None: the client's ``limit``).

        The client's handlers answer the requests in the task's state, each once. Raise `RequestTimeout`, `TaskCancelled`
        if the task was cancelled, `ResponseError` if the request has failed, `ProtocolError` if there is no handler for
        a request, and whatever ``Client.request`` raises. It can be called again.
        """
        if self._answer is not None:
            return self._checked(self._answer)
        with CallScope(self._limit if timeout is None else timeout) as scope:
            scope.wake(self._wake)
            try:
                return self._poll(scope)
            except RequestTimeout as late:
                if scope.left:
                    raise
                text = f"{self._key.name}: the task has no result in time"
                raise RequestTimeout(text) from late
            finally:
                scope.forget(self._wake)

    def _poll(self, scope: CallScope) -> R:
        while True:
            cancels = self._cancels
            task: Any = self.status()
            if task.status == "completed":
                result: R = read_result(self._client.binding.codec, self._key, task.result)
                return self._checked(result)
            if task.status == "failed":
                raise ResponseError(task.error.code, task.error.message, self._data(task.error))
            if task.status == "cancelled":
                text = f"{self._key.name}: the task was cancelled"
                raise TaskCancelled(text)
            if task.status == "input_required" and self._answer_to(task):
                continue
            self._rest(min(self._pace(task), scope.left), cancels)

    def _rest(self, seconds: float, cancels: int) -> None:
        if self._pause is not None:
            self._pause(seconds)
            return
        with self._woken:
            self._woken.wait_for(lambda: self._cancels != cancels, seconds)

    def _checked(self, result: R) -> R:
        if self._params is not None and self._key.name in self._client.followed:
            self._client.follow(self._key, self._params, result)
        return result

    def changes(self) -> Iterator[PolledTaskState]:
        """Yield the state of the task, now and after each change, until it has ended; nothing if there is no task.

        Polls as often as the server proposes. The caller answers requests in the state, by ``result`` or ``answer``.
        """
        shown: Any = None
        while self._answer is None:
            cancels = self._cancels
            task: Any = self.status()
            if task != shown:
                shown = task
                yield task
            if task.status in FINAL:
                return
            self._rest(self._pace(task), cancels)

    __iter__ = changes

    def answer(self) -> bool:
        """Answer the requests in the task's state by the client's handlers; return whether there were new ones."""
        task: Any = self.status()
        return task is not None and task.status == "input_required" and self._answer_to(task)

    def _answer_to(self, task: Any) -> bool:
        binding = self._client.binding
        fresh = {name: each for name, each in task.input_requests.items() if name not in self._answered}
        if not fresh:
            return False
        answers: dict[str, Any] = {}
        for name, each in fresh.items():
            known = binding.codec.structure(binding.codec.unstructure(each), binding.requests[each.method].message)
            answers[name] = binding.codec.unstructure(self._client.provide(self._key, known))
            self._answered.add(name)
        self._request("tasks/update", None, inputResponses=answers)
        return True

    @staticmethod
    def _data(error: Any) -> Any:
        from ..unset import UNSET

        return None if error.data is UNSET else error.data

    @staticmethod
    def _pace(task: Any) -> float:
        interval: int | None = task.poll_interval_ms
        return _POLL if interval is None else interval / 1000

    def _request(self, method: str, timeout: float | None, **more: Any) -> Any:
        key, params = self._about(method, **more)
        return self._client.request(key, params, timeout=timeout)

    def _about(self, method: str, **more: Any) -> tuple[RequestMethod[Any, Any], Any]:
        """Return the key and the params of a request about the task."""
        binding = self._client.binding
        key = binding.requests[method]
        meta = binding.codec.unstructure(self._client.meta())
        return key, binding.codec.structure({"_meta": meta, "taskId": self.id, **more}, key.params)
