"""The interface that clients of all revisions share. For type checkers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, overload

if TYPE_CHECKING:
    from os import PathLike
    from typing import Self

    from ..binding import Binding
    from ..bridge.connection_ledger import ConnectionLedger
    from ..connection.connection import Connection
    from ..connection.context import Context
    from ..http.client.repeater import Retry
    from ..methods import NotificationMethod, RequestMethod
    from .any_results import (
        AnyCallToolResult,
        AnyCompleteResult,
        AnyGetPromptResult,
        AnyImplementation,
        AnyListPromptsResult,
        AnyListResourcesResult,
        AnyListResourceTemplatesResult,
        AnyListToolsResult,
        AnyPrompt,
        AnyReadResourceResult,
        AnyResource,
        AnyResourceTemplate,
        AnyServerCapabilities,
        AnyTool,
    )
    from .running_call import RunningCall

P = ParamSpec("P")
R = TypeVar("R")
Params = TypeVar("Params")
T = TypeVar("T")
Meta = Mapping[str, Any]
OnProgress = Callable[[Any], object]


class AnyClient(Protocol):
    """The interface of clients of all revisions. Results have the members that all revisions have.

    ``Client`` of each package documents the methods. ``isinstance(client, v2025_11_25.Client)`` narrows to the client of one
    revision, with its types.
    """

    binding: Binding
    timeout: float
    limit: float

    @property
    def info(self) -> AnyImplementation:
        """Name, version and so on of the client's software."""
        ...

    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...
    def connect(self) -> None:
        """Open the connection, unless it is open."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...

    @property
    def connection(self) -> Connection:
        """The connection. Raise ``ConnectionClosed`` before ``connect``."""
        ...

    @property
    def connected(self) -> bool:
        """Whether there is a connection that has not ended."""
        ...

    @property
    def retrying(self) -> tuple[Retry, ...]:
        """The HTTP requests and streams that failed and wait to be tried again."""
        ...

    @property
    def peer_revision(self) -> str:
        """The revision of the messages on the wire."""
        ...

    @property
    def ledger(self) -> ConnectionLedger:
        """The differences between the client's messages and those on the wire."""
        ...

    @property
    def capabilities(self) -> Any:
        """The capabilities that the client declares."""
        ...

    @property
    def server_info(self) -> AnyImplementation | None:
        """Name and version of the server's software; None if unknown."""
        ...

    @property
    def server_capabilities(self) -> AnyServerCapabilities:
        """The capabilities that the server has declared."""
        ...

    @property
    def instructions(self) -> str | None:
        """The server's instructions for language models."""
        ...

    def request(
        self,
        key: RequestMethod[Params, R],
        params: Params | None = None,
        *,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> R:
        """Return the result of a request; ``key`` is from ``methods`` of the revision."""
        ...

    def request_raw(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> dict[str, Any]:
        """Return the result of a request that no schema declares, as a JSON object."""
        ...

    def start(self, method: Callable[P, R], /, *args: P.args, **options: P.kwargs) -> RunningCall[R]:
        """Start a call in a thread of its own, and return a future that can be cancelled."""
        ...

    def notify(self, key: NotificationMethod[Params], params: Params | None = None) -> None:
        """Send a notification."""
        ...

    def batch(
        self,
        *messages: tuple[RequestMethod[Any, Any] | NotificationMethod[Any], Any],
        timeout: float | None = None,
    ) -> list[Any]:
        """Send several messages as one (2025-03-26)."""
        ...

    def handles(
        self, key: RequestMethod[Any, Any] | NotificationMethod[Any], function: Callable[[Any, Context], Any]
    ) -> None:
        """Register the function that handles a method of the server."""
        ...

    def handler_of(self, key: RequestMethod[Any, Any] | NotificationMethod[Any]) -> Callable[[Any, Any], Any] | None:
        """Return the function that handles a method; None if there is none."""
        ...

    def set_roots(self, roots: Iterable[str | PathLike[str]]) -> None:
        """Replace the roots."""
        ...

    def list_tools(
        self, *, meta: Meta | None = None, timeout: float | None = None, on_progress: OnProgress | None = None
    ) -> Iterator[AnyTool]:
        """Return an iterator over the tools of all pages."""
        ...

    def list_tools_page(
        self,
        cursor: str | None = None,
        *,
        meta: Meta | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> AnyListToolsResult:
        """Return one page of the tools."""
        ...

    @overload
    def call_tool(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        *,
        returns: None = None,
        meta: Meta | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> AnyCallToolResult: ...

    @overload
    def call_tool(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        *,
        returns: type[T],
        meta: Meta | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> T: ...

    def call_tool(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        *,
        returns: type[T] | None = None,
        meta: Meta | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Any:
        """Return the result of a tool; with ``returns``, its data as a value of this type."""
        ...

    def list_resources(
        self, *, meta: Meta | None = None, timeout: float | None = None, on_progress: OnProgress | None = None
    ) -> Iterator[AnyResource]:
        """Return an iterator over the resources of all pages."""
        ...

    def list_resources_page(
        self,
        cursor: str | None = None,
        *,
        meta: Meta | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> AnyListResourcesResult:
        """Return one page of the resources."""
        ...

    def list_resource_templates(
        self, *, meta: Meta | None = None, timeout: float | None = None, on_progress: OnProgress | None = None
    ) -> Iterator[AnyResourceTemplate]:
        """Return an iterator over the resource templates of all pages."""
        ...

    def list_resource_templates_page(
        self,
        cursor: str | None = None,
        *,
        meta: Meta | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> AnyListResourceTemplatesResult:
        """Return one page of the resource templates."""
        ...

    def read_resource(
        self,
        uri: str,
        *,
        meta: Meta | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> AnyReadResourceResult:
        """Return the contents of a resource."""
        ...

    def subscribe(self, uri: str) -> object:
        """Subscribe to updates of a resource."""
        ...

    def unsubscribe(self, uri: str) -> object:
        """Unsubscribe from updates of a resource."""
        ...

    def list_prompts(
        self, *, meta: Meta | None = None, timeout: float | None = None, on_progress: OnProgress | None = None
    ) -> Iterator[AnyPrompt]:
        """Return an iterator over the prompts of all pages."""
        ...

    def list_prompts_page(
        self,
        cursor: str | None = None,
        *,
        meta: Meta | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> AnyListPromptsResult:
        """Return one page of the prompts."""
        ...

    def get_prompt(
        self,
        name: str,
        arguments: dict[str, str] | None = None,
        *,
        meta: Meta | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> AnyGetPromptResult:
        """Return a prompt with its arguments filled in."""
        ...

    def complete(
        self,
        ref: Any,
        argument: Any,
        *,
        meta: Meta | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> AnyCompleteResult:
        """Return completions of an argument's value."""
        ...
