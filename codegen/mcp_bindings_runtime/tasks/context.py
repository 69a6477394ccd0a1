"""The context of the handler of a request that became a task (2025-11-25, Tasks: Associating Task-Related Messages)."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ..connection.context import Context, StatelessContext
from ..errors import CallCancelled
from ..foreign_names import ARGUMENTS_OF_LOG, explain_calls
from ..meta import with_entries
from ..methods import NotificationMethod, RequestMethod
from ..session.control_flow import Abandoned, InputNeeded
from ..session.task_tracker import related_meta

if TYPE_CHECKING:
    from ..connection.calls import Call
    from ..session.events import Incoming
    from .store import MemoryTasks
    from .stored_task import StoredTask

R = TypeVar("R")


class Task:
    """A task, for its handler."""

    def __init__(self, store: MemoryTasks, stored: StoredTask, end: Callable[[Any], None]) -> None:
        self._store = store
        self._stored = stored
        self._end = end
        self._lock = Lock()
        self._questions = 0

    @property
    def id(self) -> str:
        """The id of the task, which the requestor knows, too."""
        return self._stored.id

    @property
    def seconds_kept(self) -> float:
        """Seconds from its creation for which the task is kept."""
        return self._stored.ttl

    @property
    def cancelled(self) -> bool:
        """Whether the task was cancelled or has expired, or its requestor has gone."""
        return self._stored.stopped.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait for so many seconds; return whether the task was cancelled meanwhile."""
        return self._stored.stopped.wait(seconds)

    def conclude(self, result: Any) -> None:
        """End the task with a result now, from any thread; the result of its handler is ignored."""
        self._end(result)
        self._stored.stopped.set()

    def tell(self, message: str) -> None:
        """Set the message of the task's status, for people."""
        self._store.set_status(self._stored, "input_required" if self._questions else "working", message)

    def request_input(self, key: RequestMethod[Any, Any], request: Any, timeout: float | None) -> Any:
        """Send the requestor a request as part of the task's state, and wait for the answer (2026-07-28).

        Raise `RequestTimeout`, or `Abandoned` if no answer can arrive any more.
        """
        return self._store.request_input(self._stored, key, request, self._stored.ttl if timeout is None else timeout)

    @contextmanager
    def watched(self, ended: Callable[[], None]) -> Generator[None, None, None]:
        """Call ``ended`` if the task ends inside the block; raise `ResponseError` if there are too many watchers."""

        def watcher(_task: StoredTask) -> None:
            ended()

        self._store.when_ended(self._stored, watcher)
        try:
            yield
        finally:
            self._store.unwatch(self._stored, watcher)

    @contextmanager
    def awaiting_input(self) -> Generator[None, None, None]:
        """Give the task the status ``input_required`` inside the block."""
        with self._lock:
            self._questions += 1
            self._store.set_status(self._stored, "input_required", self._stored.message)
        try:
            yield
        finally:
            with self._lock:
                self._questions -= 1
                if not self._questions:
                    self._store.set_status(self._stored, "working", self._stored.message)


class InTask(Context):
    """The part of a context that differs for handlers of tasks: every message names the task."""

    __slots__ = ()

    if TYPE_CHECKING:
        # `_class_for` adds the slot; a slot here would not go together with those of the other base class.
        @property
        def task(self) -> Task:
            """The task."""
            ...

    @property
    def cancelled(self) -> bool:
        """Whether nobody wants the result any more. Stop then, and return anything or raise."""
        return self.task.cancelled or (self.connection.closed and self.principal is None)

    @contextmanager
    def cancellable(self) -> Generator[None]:
        """End the calls that the thread makes inside ``with`` when the task ends; raise Abandoned then."""
        incoming = cast("Incoming", self._incoming)
        with self.task.watched(incoming.stop_calls), super().cancellable():
            yield

    def request(
        self,
        key: RequestMethod[Any, R],
        params: Any = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Any], object] | None = None,
    ) -> R:
        """Send the other side a request and wait for its answer; the task is ``input_required`` meanwhile."""
        binding = self.connection.session.binding
        params = key.params() if params is None else params
        marked = with_entries(params, related_meta(self.task.id), binding.meta_class(key.name))
        if key.capability is None:
            return super().request(key, marked, timeout=timeout, on_progress=on_progress)
        with self.task.awaiting_input():
            return super().request(key, marked, timeout=timeout, on_progress=on_progress)

    def _request(
        self,
        key: RequestMethod[Any, R],
        params: Any,
        timeout: float | None,
        on_progress: Callable[[Any], object] | None,
    ) -> R:
        """Send a request as ``ServerContext`` does; raise `Abandoned` when the task ends, too."""
        calls: list[Call] = []

        def sending(call: Call) -> None:
            calls.append(call)
            if self.task.cancelled:
                raise Abandoned

        def stop_calls() -> None:
            for call in calls:
                call.stop(CallCancelled("the task was stopped"))

        with self.task.watched(stop_calls):
            try:
                result = self.connection.request(key, params, timeout=timeout, on_progress=on_progress, sending=sending)
            except CallCancelled:
                raise Abandoned from None
        if self.task.cancelled:
            raise Abandoned
        return result

    def conclude(self, result: Any) -> None:
        """End the task with a result, as ``Task.conclude``."""
        self.task.conclude(result)

    def notify(self, key: NotificationMethod[Any], params: Any = None) -> None:
        """Send a notification to the other side."""
        binding = self.connection.session.binding
        params = key.params() if params is None else params
        marked = with_entries(params, related_meta(self.task.id), binding.meta_class(key.name))
        super().notify(key, marked)


class InStatelessTask(StatelessContext):
    """The part of a context that differs for handlers of tasks in 2026-07-28."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def task(self) -> Task:
            """The task."""
            ...

    @property
    def cancelled(self) -> bool:
        """Whether nobody wants the result any more. Stop then, and return anything or raise."""
        return self.task.cancelled

    def request(
        self,
        key: RequestMethod[Any, Any],
        params: Any = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Any], object] | None = None,
    ) -> Any:
        """Send the client a request and wait for the answer, which ``tasks/update`` brings.

        ``timeout`` is in seconds, by default as long as the task is kept. Answers from before the call became a task are
        reused. Raise `Abandoned` once nobody will answer, `RequestTimeout`, and `ResponseError` (-32021) if the client
        has not declared that it can answer.
        """
        try:
            return super().request(key, params)
        except InputNeeded as suspended:
            return self._request_input(key, suspended.request, timeout)

    def _request_input(self, key: RequestMethod[Any, Any], request: Any, timeout: float | None) -> Any:
        """Send the client a request as part of the task's state."""
        return self.task.request_input(key, self.connection.session.binding.codec.unstructure(request), timeout)

    def conclude(self, result: Any) -> None:
        """End the task with a result, as ``Task.conclude``."""
        self.task.conclude(result)

    def begin_task(self, *, required: bool = False) -> None:
        """Do nothing: the call is a task already."""

    def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Do nothing: tasks send no progress in this revision (Task Status Notifications); see ``task.tell``."""

    @explain_calls(ARGUMENTS_OF_LOG)
    def log(self, level: str, data: Any, logger: str | None = None) -> None:
        """Do nothing: tasks send no log messages in this revision (Task Status Notifications)."""


def in_task(
    peer: Any,
    connection: Any,
    incoming: Incoming,
    store: MemoryTasks,
    stored: StoredTask,
    *,
    end: Callable[[Any], None],
    kind: Any = InTask,
) -> Any:
    """Return the context of a task's handler: of the class of ``peer``'s contexts, changed by ``kind``, with ``task``.

    ``end`` ends the task with a result of its request.
    """
    context: Any = _class_for(kind, peer.context)(peer, connection, incoming)
    context.task = Task(store, stored, end)
    return context


@cache
def _class_for(kind: Any, base: Any) -> Any:
    return type(f"Task{base.__name__}", (kind, base), {"__slots__": ("task",), "__doc__": base.__doc__})
