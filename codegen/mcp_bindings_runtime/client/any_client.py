"""The client of any revision, as type checkers see it: what those of all revisions have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeAlias, TypedDict, TypeVar

if TYPE_CHECKING:
    from os import PathLike
    from typing import Self

    from ..binding import Binding
    from ..connection.connection import Connection
    from ..connection.context import Context
    from ..features.limits import Limits
    from ..methods import NotificationMethod, RequestMethod
    from ..session.log_levels import Level
    from ..tasks.store import MemoryTasks
    from .result_cache import ResultCache
    from .running_call import RunningCall

P = ParamSpec("P")
R = TypeVar("R")
Meta = Mapping[str, Any]
OnProgress = Callable[[Any], object]


class AnyClient(Protocol):
    """What clients of all revisions have; values of the revisions' own classes are Any.

    The methods are described in ``Client`` of each package. ``isinstance(client, v2025_11_25.Client)`` leads to all that
    one revision has, with its types.
    """

    binding: Binding
    info: Any
    """Name, version and so on of the client's software."""
    timeout: float
    limit: float

    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...
    def connect(self) -> None:
        """Opens the connection; nothing where that is done."""
        ...

    def close(self) -> None:
        """Ends the connection."""
        ...

    @property
    def connection(self) -> Connection:
        """The connection; raises ConnectionClosed before there is one."""
        ...

    @property
    def connected(self) -> bool:
        """Whether there is a connection that has not ended."""
        ...

    @property
    def capabilities(self) -> Any:
        """What the client declares."""
        ...

    @property
    def server_info(self) -> Any:
        """Name and version of the server's software; None where it has not said."""
        ...

    @property
    def server_capabilities(self) -> Any:
        """What the server has declared."""
        ...

    @property
    def instructions(self) -> str | None:
        """What the server would have language models know of it."""
        ...

    def request(
        self,
        key: RequestMethod[Any, R],
        params: Any = None,
        *,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> R:
        """The result of a request, by the key of a revision's method."""
        ...

    def start(self, method: Callable[P, R], /, *args: P.args, **options: P.kwargs) -> RunningCall[R]:
        """Start a call in a thread of its own; what is returned can be cancelled."""
        ...

    def notify(self, key: NotificationMethod[Any], params: Any = None) -> None:
        """Sends a notification."""
        ...

    def batch(
        self,
        *messages: tuple[RequestMethod[Any, Any] | NotificationMethod[Any], Any],
        timeout: float | None = None,
    ) -> list[Any]:
        """Sends several as one message, where the revision has that (2025-03-26)."""
        ...

    def handles(
        self, key: RequestMethod[Any, Any] | NotificationMethod[Any], function: Callable[[Any, Context], Any]
    ) -> None:
        """Has a function handle a method of the server."""
        ...

    def handler_of(self, key: RequestMethod[Any, Any] | NotificationMethod[Any]) -> Callable[[Any, Any], Any] | None:
        """The function that handles a method; None where there is none."""
        ...

    def set_roots(self, roots: Iterable[str | PathLike[str]]) -> None:
        """Offers these roots from now on."""
        ...

    def list_tools(
        self, *, meta: Meta | None = None, timeout: float | None = None, on_progress: OnProgress | None = None
    ) -> Iterator[Any]:
        """The tools of all pages."""
        ...

    def list_tools_page(
        self,
        cursor: str | None = None,
        *,
        meta: Meta | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Any:
        """One page of the tools."""
        ...

    def call_tool(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        *,
        meta: Meta | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Any:
        """What a tool gives."""
        ...

    def list_resources(
        self, *, meta: Meta | None = None, timeout: float | None = None, on_progress: OnProgress | None = None
    ) -> Iterator[Any]:
        """The resources of all pages."""
        ...

    def list_resources_page(
        self,
        cursor: str | None = None,
        *,
        meta: Meta | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Any:
        """One page of the resources."""
        ...

    def list_resource_templates(
        self, *, meta: Meta | None = None, timeout: float | None = None, on_progress: OnProgress | None = None
    ) -> Iterator[Any]:
        """The resource templates of all pages."""
        ...

    def list_resource_templates_page(
        self,
        cursor: str | None = None,
        *,
        meta: Meta | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Any:
        """One page of the resource templates."""
        ...

    def read_resource(
        self,
        uri: str,
        *,
        meta: Meta | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Any:
        """The contents of a resource."""
        ...

    def subscribe(self, uri: str) -> object:
        """Has changes of a resource told."""
        ...

    def unsubscribe(self, uri: str) -> object:
        """Has them told no longer."""
        ...

    def list_prompts(
        self, *, meta: Meta | None = None, timeout: float | None = None, on_progress: OnProgress | None = None
    ) -> Iterator[Any]:
        """The prompts of all pages."""
        ...

    def list_prompts_page(
        self,
        cursor: str | None = None,
        *,
        meta: Meta | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Any:
        """One page of the prompts."""
        ...

    def get_prompt(
        self,
        name: str,
        arguments: dict[str, str] | None = None,
        *,
        meta: Meta | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Any:
        """A prompt, filled in."""
        ...

    def complete(
        self,
        ref: Any,
        argument: Any,
        *,
        meta: Meta | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Any:
        """How the value of an argument could go on."""
        ...


RequestHandler: TypeAlias = Callable[[Any, Any], Any]
"""A function that is given params and a context of the revision that was agreed on, and gives a result of it."""
Listener: TypeAlias = Callable[[Any], object]
"""A function that is given params of the revision that was agreed on."""


class AnyOptions(TypedDict, total=False):
    """The options of clients of all revisions, as ``connect`` takes them; what a revision does not have, it is not given.

    See ``ClientOptions`` of a revision for what they are.
    """

    name: str
    version: str
    title: str | None
    description: str | None
    icons: Sequence[Mapping[str, Any]] | None
    website_url: str | None
    capabilities: Any
    timeout: float
    limit: float
    workers: int
    ping: float | None
    ping_failures: int
    record: str | PathLike[str] | None
    limits: Limits | bool
    tasks: MemoryTasks | bool | None
    require: Iterable[str]
    log_level: Level | None
    rounds: int
    cache: ResultCache | bool
    check_output: bool | None
    sampling: RequestHandler
    approve_request: Callable[[Any], Any]
    approve_result: RequestHandler
    sampling_tools: bool
    sampling_context: bool
    elicitation: RequestHandler
    elicitation_url: RequestHandler
    roots: Iterable[Any]
    on_log: Listener
    on_resource_updated: Listener
    on_tools_changed: Callable[[], object]
    on_prompts_changed: Callable[[], object]
    on_resources_changed: Callable[[], object]
