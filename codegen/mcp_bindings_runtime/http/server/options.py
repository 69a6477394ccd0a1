"""Options of an HTTP endpoint (``wsgi_app``), and of the HTTP server that runs one (``run_http``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from sys import maxsize
from typing import TYPE_CHECKING, Any, Final

from ...errors import UsageError
from ...foreign_names import OPTIONS_OF_ENDPOINTS
from ...logs import write_log
from ...options import Bytes, Milliseconds, Options, Seconds, option
from ...validation import (
    require_booleans,
    require_callable,
    require_counts,
    require_instance,
    require_methods,
    require_positive_integers,
    require_positive_numbers,
    require_seconds,
    require_strings,
)
from .origin_policy import LOOPBACK, OriginPolicy
from .session_store import MEMORY

if TYPE_CHECKING:
    from .api_keys import ApiKeys
    from .authorization import Authorization
    from .store import Store

_CONNECTIONS: Final = 4096
"""Limit on open connections unless the option ``connections`` is set."""


class EndpointOptions(Options):
    """Options of an endpoint. Raises ``UsageError`` for an unknown option and for a value that is not valid."""

    path: str = option(default="/")
    """Path of the endpoint below the mount point of the application."""
    sse_path: str | None = option(default="/sse")
    """Path of the event stream of HTTP+SSE, the older transport; None to disable HTTP+SSE. A server of a revision without
    sessions serves HTTP+SSE only if this option is set.
    """
    messages_path: str = option(default="/messages")
    """Path to which clients of HTTP+SSE post their messages."""
    allowed_hosts: Iterable[str] = option(default=LOOPBACK)
    """Host names by which clients may address the server: `name` for any port, `name:port` for one. `"*"` allows all."""
    allowed_origins: Iterable[str] = option(default=())
    """Origins of web pages that may use the server, besides pages on the allowed hosts. `"*"` allows all."""
    authorization: Authorization | ApiKeys | None = option(default=None)
    """Check of the access token or API key of each request. Without it, the principal of a request is the `REMOTE_USER` of
    the WSGI server, if there is one.
    """
    require_user: bool = option(default=False)
    """If true, a request without `REMOTE_USER` is refused with 401. Use it if the endpoint is part of a site that logs
    in its users. It cannot be combined with `authorization`, and `run_http` does not accept it.
    """
    body_limit: Bytes = option(default=4 * 1024 * 1024)
    """Limit on the bytes of a request's body."""
    body_time: Seconds = option(default=30.0)
    """Seconds in which a request's body must arrive."""
    threads: int = option(default=32)
    """Number of requests that the WSGI server handles at the same time, usually its number of threads. With `run_http`,
    running handlers and open streams do not count: handlers have threads of their own, and streams need none.
    """
    streams: int | None = option(default=None)
    """Limit on the open streams on which clients only listen. By default, three quarters of `threads` (with `run_http`:
    of `connections`). The largest allowed value is seven eighths of the same number. With 0, clients cannot listen, and
    the server does not declare that it reports changes.
    """
    handlers: int = option(default=256)
    """Limit on the handlers that run at the same time. At most three quarters of this number may wait for responses of
    clients. At most half of it may wait for responses of one principal, or of one address if there is no principal.
    """
    handlers_per_source: int | None = option(default=None)
    """Limit on the running handlers of one principal (without a principal, of one address). By default, three quarters of
    `handlers`. If all clients come through the same proxy and there is no authorization, set it to the same number as
    `handlers`.
    """
    memory: Bytes = option(default=MEMORY)
    """Limit on the bytes that the server keeps for clients: sessions with their subscriptions, messages on streams, and
    responses that clients have not read yet.
    """
    memory_per_source: Bytes | None = option(default=None)
    """Limit on the bytes that the server keeps for one principal (without a principal, for one address). By default, a
    quarter of `memory`.
    """
    keepalive: Seconds = option(default=15.0)
    """Seconds without a message after which the server sends a comment on a stream, so that proxies keep it open."""
    retry: Milliseconds = option(default=1000)
    """Milliseconds after which a client that has lost a stream should reconnect."""
    store: Store | None = option(default=None)
    """Store of sessions and events; by default a `MemoryStore` in this process. The `lifetime` of the store determines when
    unused sessions expire.
    """
    sessions: bool | None = option(default=None)
    """Only for servers of a revision without sessions. If false, clients of other revisions get no session, and the server
    refuses requests that need a session. By default, it is false if the WSGI server runs several processes
    (`wsgi.multiprocess`) that do not share a `store`.
    """

    @classmethod
    def hint_for(cls, name: str) -> str | None:
        """Return what to write instead of an option of other libraries, or what else has the option; else None."""
        from ...server.options import StatelessServerOptions

        elsewhere = None
        if name in (HttpServerOptions.names() | HttpServerOptions.parameters) - cls.names():
            elsewhere = "it is an option of run_http and serve.http"
        elif name in StatelessServerOptions.names():
            elsewhere = "it is an option of Server"
        return OPTIONS_OF_ENDPOINTS.get(name, elsewhere)

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        require_instance("path", self.path, str, "a str")
        require_instance("messages_path", self.messages_path, str, "a str")
        require_strings(sse_path=self.sse_path)
        for name in ("path", "sse_path", "messages_path"):
            value: str | None = getattr(self, name)
            if value is not None and not value.startswith("/"):
                text = f"`{name}` must be a path that begins with '/', got {value!r}"
                raise UsageError(text)
        if self.sessions is False and options.get("sse_path") is not None:
            text = "HTTP+SSE needs sessions; pass `sse_path` or `sessions=False`, not both"
            raise UsageError(text)
        require_positive_integers(
            body_limit=self.body_limit,
            retry=self.retry,
            threads=self.threads,
            handlers=self.handlers,
            memory=self.memory,
        )
        if self.memory_per_source is not None:
            require_positive_integers(memory_per_source=self.memory_per_source)
        if self.handlers_per_source is not None:
            require_positive_integers(handlers_per_source=self.handlers_per_source)
        if self.streams is not None:
            require_counts(streams=self.streams)
        require_positive_numbers(body_time=self.body_time, keepalive=self.keepalive)
        if self.store is not None:
            require_methods(
                "store", self.store, ("sessions", "open", "find"), "a store such as MemoryStore() or RedisStore(url)"
            )
        if self.authorization is not None:
            require_methods(
                "authorization",
                self.authorization,
                ("caller", "metadata_document"),
                "an Authorization(validate, …) or ApiKeys(keys)",
            )
        require_booleans(require_user=self.require_user)
        if self.require_user and self.authorization is not None:
            text = "`require_user` is for endpoints without `authorization`, which requires a caller itself"
            raise UsageError(text)
        self.path = self.path.rstrip("/")
        self.sse_is_set = "sse_path" in options
        """Whether the program has set `sse_path`; otherwise only servers with sessions serve HTTP+SSE."""
        self.sse_path = None if self.sse_path is None else self.sse_path.rstrip("/")
        self.messages_path = self.messages_path.rstrip("/")
        self.listening = self.streams != 0
        """Whether clients can listen for changes on streams."""
        if self.sse_is_set and self.sse_path is not None and not self.listening:
            text = "`sse_path` needs streams, because HTTP+SSE sends every response on one; leave out `streams=0`"
            raise UsageError(text)
        self.origin_policy = OriginPolicy(self.allowed_hosts, self.allowed_origins)


class HttpServerOptions(EndpointOptions):
    """Options of an HTTP server: those of its endpoint, and its own. Raises ``UsageError`` like ``EndpointOptions``."""

    parameters = frozenset({"host", "port"})
    refused = frozenset({"require_user"})
    path: str = option(default="/mcp")
    """Path of the endpoint."""
    idle: Seconds = option(default=10.0)
    """Seconds of silence within a request or between requests after which a connection is closed."""
    head_time: Seconds = option(default=10.0)
    """Seconds in which a request's head must arrive."""
    send_time: Seconds = option(default=60.0)
    """Seconds in which a client must read a response, or the waiting events of a stream."""
    connections: int | None = option(default=None)
    """Limit on open connections. When it is reached, idle connections are closed. By default 4096, or fewer if the process
    may open fewer file descriptors.
    """
    buffered: Bytes = option(default=64 * 1024 * 1024)
    """Limit on the bytes of all requests that have not arrived completely, plus the bytes of the complete requests in
    progress that have 16 KiB or more.
    """
    grace: Seconds = option(default=2.0)
    """Seconds that running handlers have to finish after the server is closed."""
    ready: Callable[[Any], object] | None = option(default=None)
    """Callback that receives the server once it listens: an object with `port`, `url(path)`, and `close()`, which any
    thread may call. By default, the URL is printed on standard error.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        require_positive_numbers(idle=self.idle, head_time=self.head_time, send_time=self.send_time)
        require_positive_integers(buffered=self.buffered)
        if self.require_user:
            text = "`require_user` is for `wsgi_app`: nothing sets REMOTE_USER here; pass `authorization`"
            raise UsageError(text)
        self.open_connections = _connection_limit(self.connections)
        require_seconds(grace=self.grace)
        if self.ready is not None:
            require_callable("ready", self.ready, ("server",))


def _connection_limit(wanted: int | None) -> int:
    """Return the limit on open connections: ``wanted``, or a default that leaves descriptors for everything else.

    Log a warning if the process may open too few descriptors for ``wanted``.
    """
    if wanted is not None:
        require_positive_integers(connections=wanted)
    try:
        from resource import RLIMIT_NOFILE, getrlimit
    except ImportError:
        # Windows, where select() takes 512 sockets.
        possible = 448
    else:
        soft = getrlimit(RLIMIT_NOFILE)[0]
        possible = maxsize if soft < 0 else max(1, soft - max(64, soft // 8))
    if wanted is not None and wanted > possible:
        text = (
            "`connections` is %d, but the process may open too few descriptors: %d connections are accepted (ulimit -n)"
        )
        write_log("warning", text, wanted, possible)
    return min(possible, _CONNECTIONS if wanted is None else wanted)
