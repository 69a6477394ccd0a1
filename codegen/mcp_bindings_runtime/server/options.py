"""Options of servers: each is declared here once, with its type, default and docstring.

The generator reads these classes for the ``ServerOptions`` of each package.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from ..foreign_names import OPTIONS_OF_SERVERS
from ..options import INTRODUCTION, Milliseconds, Options, Prerequisite, Seconds, option
from ..validation import (
    require_booleans,
    require_callable,
    require_positive_integers,
    require_seconds,
    require_secret,
    require_strings,
)

if TYPE_CHECKING:
    from types import ModuleType

    from ..extensions.extension import Extension
    from ..features.limits import Limits
    from ..task_interfaces import TaskStore


OF_ENDPOINTS: Final = frozenset(
    [
        "allowed_hosts",
        "allowed_origins",
        "authorization",
        "body_limit",
        "body_time",
        "handlers",
        "handlers_per_source",
        "keepalive",
        "memory",
        "memory_per_source",
        "messages_path",
        "path",
        "require_user",
        "retry",
        "sessions",
        "sse_path",
        "store",
        "streams",
        "threads",
    ]
)
"""The options of ``wsgi_app``, by name: a server that is never mounted must not import them."""
OF_HTTP_SERVERS: Final = frozenset(
    ["buffered", "connections", "head_time", "host", "idle", "port", "ready", "send_time"]
)
"""The further options of ``run_http``."""


class ServerOptions(Options):
    """The options of a server besides its name and version."""

    prerequisites: ClassVar[Mapping[str, Prerequisite]] = {
        **INTRODUCTION,
        "ping": Prerequisite("method", "ping"),
        "ping_failures": Prerequisite("method", "ping"),
        "tasks": Prerequisite("method", "tasks/result"),
    }
    parameters = frozenset({"name", "version"})

    @classmethod
    def hint_for(cls, name: str) -> str | None:
        """Return what to write instead of an option that something else has, such as an HTTP endpoint; else None."""
        if name in StatelessServerOptions.names() - cls.names():
            return "only servers of revisions without handshake have it"
        if name in OF_ENDPOINTS:
            return "pass it to server.run_http() or server.wsgi_app()"
        if name in OF_HTTP_SERVERS:
            return "pass it to server.run_http()"
        return OPTIONS_OF_SERVERS.get(name)

    title: str | None = option(default=None)
    """Display name of the server; `name` identifies it to programs."""
    description: str | None = option(default=None)
    """Purpose of the server, in a sentence or two."""
    icons: Sequence[Any] | None = option(default=None)
    """Icon of the server in one or more sizes and formats."""
    website_url: str | None = option(default=None)
    """URL of a web page about the server."""
    instructions: str | None = option(default=None)
    """Instructions for language models on how to use the server."""
    capabilities: Any = option(default=None)
    """Capabilities to declare in addition to those that the handlers imply: a dict, or a class of any revision."""
    logging: bool = option(default=True)
    """If true, handlers may send log messages."""
    workers: int = option(default=16)
    """Limit on the requests of one connection that the server handles at the same time."""
    timeout: Seconds = option(default=60.0)
    """Seconds to wait for each response of the client. Each progress notification restarts the timer."""
    limit: Seconds = option(default=600.0)
    """Seconds to wait for a response of the client in total, even if progress notifications restart the timer of
    `timeout`.
    """
    grace: Seconds = option(default=2.0)
    """Seconds that running handlers have to finish after the client has closed the connection."""
    page_size: int = option(default=100)
    """Number of items on a page of a list."""
    cursor_key: bytes | None = option(default=None)
    """At least 32 secret bytes with which the server signs the cursors of lists. All processes of an endpoint need the same
    bytes. Random unless set.
    """
    revisions: Sequence[str] | None = option(default=None)
    """Revisions whose clients the server accepts. By default, all installed revisions. `[mcp.REVISION]` accepts only
    clients of the server's own revision.
    """
    limits: Limits | bool = option(default=True)
    """Rate limits for calls, completions, progress and log messages; True for the default limits, False for none."""
    redact: Callable[[Any], Any] | None = option(default=None)
    """Callback that receives the data of each log message to a client and returns the data to send."""
    ping: Seconds | None = option(default=None)
    """Seconds without a message after which the server sends a ping; None for no pings."""
    ping_failures: int = option(default=3)
    """Number of pings in a row without a response after which the server closes the connection."""
    tasks: TaskStore | None = option(default=None)
    """Store for requests of clients that run as tasks; None to run no request as a task."""

    extensions: Sequence[ModuleType | Extension] = option(default=())
    """Protocol extensions to use: packages generated from your schemas, or `Extension(package, settings={…})`."""

    def __init__(self, **options: Any) -> None:
        """Raise `UsageError` for an unknown option, and for a value that does not fit its option."""
        super().__init__(**options)
        require_seconds(timeout=self.timeout, limit=self.limit, grace=self.grace, ping=self.ping or 0)
        require_positive_integers(workers=self.workers, ping_failures=self.ping_failures, page_size=self.page_size)
        require_strings(instructions=self.instructions)
        require_booleans(logging=self.logging)
        require_secret("cursor_key", self.cursor_key)
        if self.redact is not None:
            require_callable("redact", self.redact, ("data",))


class StatelessServerOptions(ServerOptions):
    """The options of a server of a revision without handshake."""

    # An extension has the tasks.
    prerequisites: ClassVar[Mapping[str, Prerequisite]] = {
        **ServerOptions.prerequisites,
        "tasks": Prerequisite("method", "tools/call"),
    }

    state_key: bytes | None = option(default=None)
    """At least 32 secret bytes with which the server signs the state of a request that waits for input from the client. All
    processes of an endpoint need the same bytes. They are also the default of `cursor_key`. Random unless set.
    """
    state_lifetime: Seconds = option(default=600.0)
    """Seconds that a client has to answer a request for input."""
    versions: Sequence[str] = option(default=())
    """Revisions that the server names as supported by its endpoint; only its own unless set."""
    ttl_ms: Milliseconds = option(default=0)
    """Milliseconds that clients may cache results, unless `cache` sets another time for a method or resource."""
    cache_scope: Literal["public", "private"] = option(default="private")
    """Scope of cached results: `public` to share them with all users, `private` for the requesting user only."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        require_secret("state_key", self.state_key)
        require_seconds(state_lifetime=self.state_lifetime)
        if self.cursor_key is None:
            self.cursor_key = self.state_key
