"""The part of a client that its features use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from ..binding import Binding
from ..methods import NotificationMethod, RequestMethod


class FeatureClient(Protocol):
    """The part of a client that its features use; see ``Client``."""

    binding: Binding
    checks_outputs: bool | None
    outputs: Any
    tools_lock: Any
    followed: frozenset[str]
    task_support: dict[str, str] | None

    @property
    def connected(self) -> bool: ...  # noqa: D102
    @property
    def connection(self) -> Any: ...  # noqa: D102

    def handles(  # noqa: D102
        self, key: RequestMethod[Any, Any] | NotificationMethod[Any], function: Callable[[Any, Any], Any]
    ) -> None: ...
    def handler_of(  # noqa: D102
        self, key: RequestMethod[Any, Any] | NotificationMethod[Any]
    ) -> Callable[[Any, Any], Any] | None: ...
    def notify(self, key: NotificationMethod[Any], params: Any = None) -> None: ...  # noqa: D102
