"""The states of tasks of the other side, for type checkers; the classes depend on the revision."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

Status: TypeAlias = Literal["working", "input_required", "completed", "failed", "cancelled"]


class TaskState(Protocol):
    """The state of a task, as received."""

    @property
    def task_id(self) -> str:
        """Id of the task."""
        ...

    @property
    def status(self) -> Status:
        """Status of the task."""
        ...

    @property
    def status_message(self) -> str | None:
        """The status in words, for people."""
        ...

    @property
    def created_at(self) -> str:
        """Time of the task's creation, in ISO 8601."""
        ...

    @property
    def last_updated_at(self) -> str:
        """Time of the last change, in ISO 8601."""
        ...


class StoredTaskState(TaskState, Protocol):
    """The state of a task in 2025-11-25."""

    @property
    def ttl(self) -> int | None:
        """Milliseconds from its creation for which the task is kept; None for ever."""
        ...

    @property
    def poll_interval(self) -> int | None:
        """Milliseconds between two polls that the other side proposes."""
        ...


class PolledTaskState(TaskState, Protocol):
    """The state of a task of the extension: a ``DetailedTask`` of ``ext_tasks``, whose class depends on the status."""

    @property
    def ttl_ms(self) -> int | None:
        """Milliseconds from its creation for which the task is kept; None for ever."""
        ...

    @property
    def poll_interval_ms(self) -> int | None:
        """Milliseconds between two polls that the server proposes."""
        ...
