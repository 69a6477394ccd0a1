"""What the handler of a request that became a task is given (2025-11-25, Tasks: Associating Task-Related Messages)."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ..connection.context import Context
from ..errors import CallCancelled
from ..methods import NotificationMethod, RequestMethod
from ..session.control_flow import Abandoned
from ..session.task_tracker import mark_related

if TYPE_CHECKING:
    from ..connection.calls import Call
    from ..session.events import Incoming
    from .store import MemoryTasks, StoredTask

R = TypeVar("R")


class Task:
    """A task, as its handler sees it."""

    def __init__(self, store: MemoryTasks, stored: StoredTask, end: Callable[[Any], None]) -> None:
        self._store = store
        self._stored = stored
        self._end = end
        self._lock = Lock()
        self._open = 0

    @property
    def id(self) -> str:
        """Its id, which the requestor has, too."""
        return self._stored.id

    @property
    def cancelled(self) -> bool:
        """Whether it was cancelled, has expired, or nobody is left to ask for it."""
        return self._stored.stopped.is_set()

    def wait(self, seconds: float) -> bool:
        """Waits for so many seconds; whether it was cancelled before they had gone by."""
        return self._stored.stopped.wait(seconds)

    def conclude(self, result: Any) -> None:
        """End the task with a result now, from any thread; what its handler returns later counts for nothing."""
        self._end(result)
        self._stored.stopped.set()

    def tell(self, message: str) -> None:
        """Says for people what is being done, as the message of the task's status."""
        self._store.turn(self._stored, "input_required" if self._open else "working", message)

    def ask(self, key: RequestMethod[Any, Any], request: Any, timeout: float | None) -> Any:
        """Has the requestor asked something by the task's state, and waits for the answer (2026-07-28).

        Raises RequestTimeout, and Abandoned where nobody will answer any more.
        """
        return self._store.ask(self._stored, key, request, self._stored.ttl if timeout is None else timeout)

    @contextmanager
    def watched(self, over: Callable[[], None]) -> Generator[None, None, None]:
        """While the block runs, a function is called when the task ends. Raises ResponseError where too many are."""

        def watcher(_task: StoredTask) -> None:
            over()

        self._store.when_ended(self._stored, watcher)
        try:
            yield
        finally:
            self._store.unwatch(self._stored, watcher)

    @contextmanager
    def asking(self) -> Generator[None, None, None]:
        """While the block runs, the task's status says that the requestor is asked something."""
        with self._lock:
            self._open += 1
            self._store.turn(self._stored, "input_required", self._stored.message)
        try:
            yield
        finally:
            with self._lock:
                self._open -= 1
                if not self._open:
                    self._store.turn(self._stored, "working", self._stored.message)


class InTask(Context):
    """What the context of a task's handler does in another way than others: every message names the task."""

    __slots__ = ()

    if TYPE_CHECKING:
        # The classes that are made have it; here it would be in the way of what they derive from besides.
        @property
        def task(self) -> Task:
            """The task."""
            ...

    @property
    def cancelled(self) -> bool:
        """Whether nobody wants the result any more: stop then, and return anything or raise."""
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
        """Asks the other side for something, and waits for its answer; meanwhile the task's status says so."""
        binding = self.connection.session.binding
        marked = mark_related(key.params() if params is None else params, self.task.id, binding)
        if key.capability is None:
            return super().request(key, marked, timeout=timeout, on_progress=on_progress)
        with self.task.asking():
            return super().request(key, marked, timeout=timeout, on_progress=on_progress)

    def _ask(
        self,
        key: RequestMethod[Any, R],
        params: Any,
        timeout: float | None,
        on_progress: Callable[[Any], object] | None,
    ) -> R:
        """As that of a server's context; but with the task the wait ends, too, by Abandoned."""
        calls: list[Call] = []

        def begun(call: Call) -> None:
            calls.append(call)
            if self.task.cancelled:
                raise Abandoned

        def over() -> None:
            for call in calls:
                call.stop(CallCancelled("the task was stopped"))

        with self.task.watched(over):
            try:
                result = self.connection.request(key, params, timeout=timeout, on_progress=on_progress, begun=begun)
            except CallCancelled:
                raise Abandoned from None
        if self.task.cancelled:
            raise Abandoned
        return result

    def conclude(self, result: Any) -> None:
        """End the task with a result, as ``Task.conclude``."""
        self.task.conclude(result)

    def notify(self, key: NotificationMethod[Any], params: Any = None) -> None:
        """Sends a notification to the other side."""
        binding = self.connection.session.binding
        marked = mark_related(key.params() if params is None else params, self.task.id, binding)
        super().notify(key, marked)


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
    """The context of a task's handler: what ``peer`` gives to others, with ``task``, and with what ``kind`` changes.

    ``end`` ends the task with a result of its request.
    """
    context: Any = _class_for(kind, peer.context)(peer, connection, incoming)
    context.task = Task(store, stored, end)
    return context


@cache
def _class_for(kind: Any, base: Any) -> Any:
    return type(f"Task{base.__name__}", (kind, base), {"__slots__": ("task",), "__doc__": base.__doc__})
