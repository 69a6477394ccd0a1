"""The tasks of a server for the clients of another revision: 2025-11-25 has them in its core, 2026-07-28 as an extension.

The twin has a task engine of its own, for its revision, on the store of the original: it decides which calls become tasks,
and answers requests about them. The handler is that of the original, and asks its questions through the task.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from ..connection.context import StatelessContext
from ..errors import UsageError
from ..tasks.context import InStatelessTask
from ..tasks.extension_binding import TASKS, declare_tasks
from .channel_view import ChannelView, SendQuestion, SessionView
from .twin_contexts import RealQuestions

if TYPE_CHECKING:
    from ..binding import Binding
    from ..connection.calls import Call
    from ..methods import RequestMethod
    from ..task_interfaces import TaskStore

_CORE_TASKS: Mapping[str, Any] = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
"""The capability of a server of 2025-11-25 that runs tool calls as tasks."""


def execute_tasks(store: TaskStore, binding: Binding, execute: Callable[[TaskStore], None]) -> bool:
    """Let a twin run calls as tasks of its original's ``store`` if the twin's revision can; return whether it does.

    ``binding`` is that of the twin; ``execute`` lets it begin.
    """
    if binding.era == "handshake" and "tasks/result" not in binding.requests:
        return False
    try:
        execute(store)
    except UsageError:
        # The package of the extension is not installed, as in a copy without it.
        return False
    return True


def without_tasks(capabilities: Any) -> Any:
    """Return capabilities without tasks, which a twin declares in its own way."""
    if getattr(capabilities, "tasks", None) is not None:
        capabilities = capabilities.__replace__(tasks=None)
    extensions = getattr(capabilities, "extensions", None)
    if extensions and TASKS in extensions:
        rest = {name: each for name, each in extensions.items() if name != TASKS}
        capabilities = capabilities.__replace__(extensions=rest or None)
    return capabilities


def with_tasks_declared(binding: Binding, capabilities: Any) -> Any:
    """Return the capabilities of a twin that runs calls as tasks."""
    if binding.era == "stateless":
        return declare_tasks(capabilities)
    codec = binding.codec
    return codec.structure({**codec.unstructure(capabilities), "tasks": _CORE_TASKS}, capabilities.__class__)


def with_support_declared(store: TaskStore, binding: Binding, result: Any) -> Any:
    """Return a list of tools that says which of them may be called as tasks, if the revision can say so."""
    if binding.era == "stateless":
        return result
    for tool in result.tools:
        support = store.support(tool.name)
        if support != "forbidden" and tool.execution is None:
            tool.execution = binding.types.ToolExecution(task_support=support)
    return result


def task_channel(view: SessionView, context: Any) -> ChannelView:
    """Return the channel for the handler of a task; ``context`` is that of the task in the revision on the wire."""
    stateless = view.wire.binding.era == "stateless"
    if stateless:
        # Tasks send no log messages there (Tasks: Task Status Notifications).
        view.log_level = None
    # A handler that runs again for each answer has read those from before the call became a task.
    replays = stateless and view.binding.era == "stateless"
    questions = _questions_of(context, in_state=replays)
    # In 2025-11-25, notifications name their task (Tasks: Associating Task-Related Messages).
    channel = ChannelView(view, context.connection, questions, None if stateless else context.notify)
    channel.task = context.task
    return channel


def _questions_of(context: Any, *, in_state: bool) -> SendQuestion:
    """Return the function that asks the client within a task: by a request, or only as a part of the task's state."""

    def send(
        key: RequestMethod[Any, Any],
        params: Any,
        timeout: float | None,
        _sending: Callable[[Call], object] | None,
    ) -> Any:
        if not in_state:
            return context.request(key, params, timeout=timeout)
        codec = context.connection.session.binding.codec
        return context.task.request_input(key, codec.unstructure(key.message(params=params)), timeout)

    return send


class _OfTask:
    """The part of a context that differs for the handler of a task."""

    __slots__ = ()

    if TYPE_CHECKING:
        task: Any
        connection: Any
        _incoming: Any

    @property
    def cancelled(self) -> bool:
        """Whether nobody wants the result any more. Stop then, and return anything or raise."""
        return bool(self.task.cancelled)

    def begin_task(self, *, required: bool = False) -> None:
        """Do nothing: the call is a task already."""

    def conclude(self, result: Any) -> None:
        """End the task with a result, as ``Task.conclude``."""
        self.task.conclude(self.connection.view.outward.result(self._incoming.key, result))


class _OfReplayedTask(InStatelessTask):
    """The same for a handler that runs again for each answer until its call becomes a task."""

    __slots__ = ()

    def _request_input(self, key: RequestMethod[Any, Any], request: Any, timeout: float | None) -> Any:
        """Send the client a request as part of the task's state, in the revision on the wire."""
        return self.connection.request(key, request.params, timeout=timeout)

    def conclude(self, result: Any) -> None:
        """End the task with a result, as ``Task.conclude``."""
        connection: Any = self.connection
        incoming: Any = self._incoming
        self.task.conclude(connection.view.outward.result(incoming.key, result))


@cache
def task_context_class(base: Any) -> Any:
    """Return the class of the contexts of tasks whose handlers get contexts of class ``base`` otherwise."""
    replays = issubclass(base, StatelessContext) and not issubclass(base, RealQuestions)
    part: Any = _OfReplayedTask if replays else _OfTask
    return type(f"Task{base.__name__}", (part, base), {"__slots__": ("task",), "__doc__": base.__doc__})
