"""Tasks of a server, as its client sees them in 2026-07-28: the extension ``io.modelcontextprotocol/tasks``.

The client asks for the task again and again, answers what it finds asked there, and takes the result out of it.
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
"""Seconds between two questions where the server proposes no other pace."""


class PolledTask(Generic[R]):
    """A request that the server may have made a task of. ``R`` is what the request is answered with in the end.

    ``client`` asks for it; ``pause`` is called with the seconds between two questions, and otherwise they are waited for
    unless ``cancel`` is called meanwhile. ``answer`` is there where the server has answered the request at once.
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
        self._stirred = Condition()
        self._cancels = 0
        """How often ``cancel`` was called, on this or on the call that waits for the result."""
        self._given: set[str] = set()
        self.last: PolledTaskState | None = task
        """The task as it was heard of last, a ``DetailedTask`` or what the request was answered with; None for none."""

    def __repr__(self) -> str:
        return described(self, self._key.name, self.last)

    @property
    def id(self) -> str | None:
        """The task's id; None where the request was answered at once."""
        return None if self.last is None else self.last.task_id

    def status(self, *, timeout: float | None = None) -> PolledTaskState | None:
        """Asks for the task: a ``DetailedTask`` of ``ext_tasks``; None where the request was answered at once.

        ``timeout`` is in seconds. Raises as ``Client.request`` does: ResponseError (-32602) where the task has expired.
        """
        if self._answer is None:
            self.last = self._ask("tasks/get", timeout)
        return self.last

    def cancel(self, *, timeout: float | None = None) -> None:
        """Says that the result is not wanted any more. The task may end otherwise all the same."""
        if self._answer is None:
            self._ask("tasks/cancel", timeout)
            # Whoever waits asks at once what has become of it, and then in its time again.
            self._stir()

    def abandon(self) -> None:
        """Ask the server to stop the task, without waiting for its answer; nothing where the task has ended."""
        if self.last is None or self.last.status in FINAL or not self._client.connected:
            return
        try:
            self._client.connection.post(*self._about("tasks/cancel"))
        except McpError as fault:
            write_log("debug", "the task of %s could not be cancelled: %s", self._key.name, fault)

    def _stir(self, _: CallCancelled | None = None) -> None:
        """Wake the threads that wait for the time of the next question."""
        with self._stirred:
            self._cancels += 1
            self._stirred.notify_all()

    def result(self, timeout: float | None = None) -> R:
        """Waits for what the request is answered with, for ``timeout`` seconds at most (None: the client's ``limit``).

        What the server asks for meanwhile the client's handlers answer, each question once. Raises RequestTimeout,
        TaskCancelled where the task was stopped, ResponseError where the request has failed, ProtocolError where no
        handler gives what is asked for, and what ``Client.request`` raises. It can be asked for again.
        """
        if self._answer is not None:
            return self._checked(self._answer)
        with CallScope(self._limit if timeout is None else timeout) as scope:
            scope.wake(self._stir)
            try:
                return self._poll(scope)
            except RequestTimeout as late:
                if scope.left:
                    raise
                text = f"{self._key.name}: the task has no result in time"
                raise RequestTimeout(text) from late
            finally:
                scope.forget(self._stir)

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
        with self._stirred:
            self._stirred.wait_for(lambda: self._cancels != cancels, seconds)

    def _checked(self, result: R) -> R:
        if self._params is not None and self._key.name in self._client.followed:
            self._client.follow(self._key, self._params, result)
        return result

    def changes(self) -> Iterator[PolledTaskState]:
        """The task, now and whenever it has changed, until it has ended; nothing where it was answered at once.

        Asks as often as the server proposes. What the server asks for is for the caller to see, and ``result`` or
        ``answer`` to answer.
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
        """Has the client's handlers answer what the task asks for; whether there was anything that is new."""
        task: Any = self.status()
        return task is not None and task.status == "input_required" and self._answer_to(task)

    def _answer_to(self, task: Any) -> bool:
        binding = self._client.binding
        fresh = {name: each for name, each in task.input_requests.items() if name not in self._given}
        if not fresh:
            return False
        answers: dict[str, Any] = {}
        for name, each in fresh.items():
            known = binding.codec.structure(binding.codec.unstructure(each), binding.requests[each.method].message)
            answers[name] = binding.codec.unstructure(self._client.provide(self._key, known))
            self._given.add(name)
        self._ask("tasks/update", None, inputResponses=answers)
        return True

    @staticmethod
    def _data(error: Any) -> Any:
        from ..unset import UNSET

        return None if error.data is UNSET else error.data

    @staticmethod
    def _pace(task: Any) -> float:
        interval: int | None = task.poll_interval_ms
        return _POLL if interval is None else interval / 1000

    def _ask(self, method: str, timeout: float | None, **more: Any) -> Any:
        key, params = self._about(method, **more)
        return self._client.request(key, params, timeout=timeout)

    def _about(self, method: str, **more: Any) -> tuple[RequestMethod[Any, Any], Any]:
        """Return the key and the params of a request about the task."""
        binding = self._client.binding
        key = binding.requests[method]
        meta = binding.codec.unstructure(self._client.meta())
        return key, binding.codec.structure({"_meta": meta, "taskId": self.id, **more}, key.params)
