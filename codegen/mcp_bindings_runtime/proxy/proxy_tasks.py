"""The store of the tasks of a proxy."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ..tasks.store import MemoryTasks

if TYPE_CHECKING:
    from ..task_interfaces import Support

_TTL: Final = 3600.0
_LONGEST: Final = 86_400.0
_WORKERS: Final = 256
"""Each waits for a task of a server."""


class ProxyTasks(MemoryTasks):
    """Keeps the tasks of a proxy; ``support_of`` returns whether a tool of a server may or must be called as a task.

    With ``handler_decides`` the handlers of calls without sessions decide which of them become tasks.
    """

    def __init__(self, support_of: Callable[[str], Support], *, handler_decides: bool) -> None:
        super().__init__(ttl=_TTL, longest=_LONGEST, workers=_WORKERS)
        self._support_of = support_of
        self.handler_decides = handler_decides

    def support(self, tool: str) -> Support:
        """Return whether a tool may or must be called as a task."""
        return self._support_of(tool)
