"""The parts of tasks that the bridge uses; ``client_tasks`` and ``twin_tasks`` implement them.

Those are imported by name, since a copy of revisions without tasks does without them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..methods import RequestMethod


class BridgedTasks(ABC):
    """The tasks of a client at a server of another revision."""

    @abstractmethod
    def answer(self, key: RequestMethod[Any, Any], params: Any, timeout: float | None) -> Any:
        """Return the result of a request about tasks, or the task that a call becomes; None for other requests."""

    def converted_state(self, state: Any) -> Any:
        """Return a state of the extension, or the params of its notification, in the client's revision."""
        return state

    def declare_support(self, result: Any) -> None:  # noqa: B027  # one era has something to do
        """Let a list of tools say which of them may be called as tasks."""

    def forget_tools(self) -> None:  # noqa: B027  # one era has something to do
        """Forget what the server has said about its tools."""


def client_tasks_module() -> Any:
    """Return the module ``client_tasks``. Call this only for clients whose revision has tasks."""
    return import_module(".client_tasks", __package__)


def twin_tasks_module() -> Any:
    """Return the module ``twin_tasks``. Call this only if one side has tasks."""
    return import_module(".twin_tasks", __package__)
