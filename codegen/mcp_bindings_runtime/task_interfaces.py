"""The parts of tasks that clients and servers use; the modules of ``tasks`` implement them.

Those are imported by name, since a copy of revisions without tasks does without them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from .errors import UsageError

if TYPE_CHECKING:
    from .binding import Binding

Support: TypeAlias = Literal["forbidden", "optional", "required"]


class TaskStore(Protocol):
    """A store of tasks; see ``MemoryTasks``."""

    poll: float
    """Seconds between two polls of a requestor."""

    def declare(self, tool: str, support: Support) -> None: ...  # noqa: D102
    def support(self, tool: str) -> Support: ...  # noqa: D102
    def leave(self, owner: Any) -> None: ...  # noqa: D102


class TaskReceiver(Protocol):
    """Executes requests as tasks, and answers requests about tasks; see ``TaskEngine``."""

    @property
    def store(self) -> TaskStore: ...  # noqa: D102
    @property
    def declared(self) -> Sequence[str]: ...  # noqa: D102
    def intercept(self, connection: Any, incoming: Any) -> tuple[bytes | None] | None: ...  # noqa: D102


class AbandonableTask(ABC):
    """A task of the other side that this side may give up; see ``RemoteTask``."""

    @abstractmethod
    def abandon(self) -> None:
        """Request cancellation without waiting for the answer; do nothing if the task has ended."""


def tasks_module(name: str) -> Any:
    """Return a module of ``tasks``. Call this only in revisions with tasks."""
    return import_module(f".tasks.{name}", __package__)


def core_tasks(binding: Binding, handlers: Any, store: TaskStore | None, peer: Any) -> TaskReceiver:
    """Return the ``CoreTasks`` of a side, with a store of default limits for None.

    Raise `UsageError` in a revision without tasks, and for a store that is not a ``MemoryTasks``.
    """
    if "tasks/result" not in binding.requests:
        text = f"{binding.revision} has no tasks; they exist in 2025-11-25, and later as an extension"
        raise UsageError(text)
    if store is None:
        store = tasks_module("store").MemoryTasks()
    receiver: TaskReceiver = tasks_module("core_tasks").CoreTasks(binding, handlers, store, peer)
    return receiver
