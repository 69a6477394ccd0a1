"""The part of a server that its features use."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

if TYPE_CHECKING:
    from ..binding import Binding
    from ..connection.context import ServerContext
    from ..connection.handlers import Handlers, SourceOf
    from ..task_interfaces import Support, TaskStore
    from .pagination import Paginator


class FeatureServer(Protocol):
    """The part of a server that its features use; see ``Server``."""

    binding: Binding
    context: ClassVar[type[ServerContext]]

    @property
    def handlers(self) -> Handlers: ...  # noqa: D102
    @property
    def paginator(self) -> Paginator: ...  # noqa: D102
    @property
    def tasks(self) -> TaskStore: ...  # noqa: D102

    def add_default_handler(  # noqa: D102
        self, method: str, function: Callable[[Any, Any], Any], source_of: SourceOf = None
    ) -> None: ...
    def existing_registry(self, name: str) -> Any: ...  # noqa: D102
    def announce(self, method: str, params: Any = None, *, about: tuple[str, ...] = ()) -> None: ...  # noqa: D102
    def cache_hints(self, method: str, name: str | None = None, params: Any = None) -> dict[str, Any]: ...  # noqa: D102
    def checked_scopes(self, what: str, scopes: Iterable[str]) -> frozenset[str]: ...  # noqa: D102
    def supports_task(self, tool: str) -> Support: ...  # noqa: D102
