"""An HTTP server for an endpoint: cheroot, with a bounded pool of threads (extra ``http``)."""

from __future__ import annotations

import re
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Final, Self

from ...errors import UsageError
from ...validation import check_counts, check_function, check_kind, check_seconds, check_times
from .deadlines import HEAD_TIME
from .http1 import HEAD_LIMIT
from .options import options_of
from .origin_policy import LOOPBACK
from .request_body import BODY_TIME
from .wsgi import Application

try:
    from cheroot.wsgi import Server as CherootServer

    from .cheroot_requests import FastConnection, Gateway
except ImportError as missing:
    message = "serving HTTP takes cheroot; run: pip install 'mcp-bindings[http]'"
    raise UsageError(message) from missing

if TYPE_CHECKING:
    from ...server.server import Server

THREADS: Final = 32
"""How many requests are handled at a time, streams included, if nothing else is said."""
BACKLOG: Final = 512
"""How many connections wait to be accepted."""
KEPT: Final = 1000
"""How many connections are kept open for further requests."""
_LAST_PORT: Final = 65535


class _Server(CherootServer):
    """Has no thread wait for the first request on a connection."""

    head_time = HEAD_TIME
    body_time = BODY_TIME
    _connections: Any

    def process_conn(self, conn: Any) -> None:
        waiting = self._connections
        if conn.last_used is None and waiting.can_add_keepalive_connection:
            waiting.put(conn)
            return
        server: Any = super()
        server.process_conn(conn)


class HttpServer:
    """Listens as soon as it is made, and serves between ``start`` or ``serve`` and ``close``.

    ``idle`` is for how many seconds a connection may be silent: within a request, or kept open for the next one. All of
    a head has to come within ``head_time`` seconds of its beginning, all of a body within ``body_time``.
    ``grace`` is how many seconds running handlers have left to answer when it is closed.
    """

    def __init__(
        self,
        application: Application,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        threads: int = THREADS,
        idle: float = 10.0,
        grace: float = 2.0,
        head_time: float = HEAD_TIME,
        body_time: float = BODY_TIME,
    ) -> None:
        asked: Any = port
        if asked.__class__ is not int or not 0 <= port <= _LAST_PORT:
            text = f"the port is {port!r}; accepted are 1 to {_LAST_PORT}, and 0 for any that is free"
            raise UsageError(text)
        self._application = application
        self._grace = grace
        check_times(idle=idle, head_time=head_time, body_time=body_time)
        check_seconds(grace=grace)
        check_counts(threads=threads)
        make: Any = _Server
        server = make((host, port), application, numthreads=threads, max=threads, timeout=idle)
        server.head_time = head_time
        server.body_time = body_time
        server.gateway = Gateway
        server.ConnectionClass = FastConnection
        server.max_request_header_size = HEAD_LIMIT
        server.shutdown_timeout = grace
        # How often cheroot looks whether it is to stop, in seconds.
        server.expiration_interval = 0.1
        # Of connections that come at the same moment.
        server.request_queue_size = BACKLOG
        # Connections that wait for their next request take no thread; cheroot would keep ten of them.
        server.keep_alive_conn_limit = KEPT
        server.nodelay = True
        self._server = server
        self._closing = False
        self._ended = Event()
        try:
            server.prepare()
        except OSError as fault:
            # cheroot tells the addresses that it has tried, each with its reason.
            reasons = dict.fromkeys(re.findall(r"\[Errno -?\d+\] ([^()]+)\)", str(fault)))
            text = f"{host}:{port} cannot be listened on: {', '.join(reasons) or fault}; give another host or port"
            raise UsageError(text) from None
        bound = server.socket.getsockname()
        self.host = host
        self.port: int = bound[1] if server.socket.family in {socket.AF_INET, socket.AF_INET6} else port

    def url(self, path: str = "") -> str:
        """The address of a path here."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{name}:{self.port}{path}"

    def start(self) -> None:
        """Serves in threads, until ``close``."""
        Thread(target=self._serve, name="mcp-http-server", daemon=True).start()

    def serve(self, ready: Callable[[HttpServer], object] | None = None) -> None:
        """Serves until ``close`` is called from another thread, or Ctrl-C; ``ready`` is told when it begins."""
        try:
            if ready is not None:
                ready(self)
            self.start()
            self._ended.wait()
        except BaseException:
            self.close()
            raise

    def _serve(self) -> None:
        try:
            self._server.serve()
        finally:
            self._ended.set()

    def close(self) -> None:
        """Takes no more requests, ends streams, and lets what runs be answered. Idempotent; from any thread."""
        if self._closing:
            return
        self._closing = True
        self._application.close(self._grace)
        self._server.stop()
        self._ended.set()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def make_server(
    servers: Sequence[Server],
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    path: str = "/mcp",
    threads: int = 32,
    idle: float = 10.0,
    grace: float = 2.0,
    head_time: float = HEAD_TIME,
    **options: Any,
) -> HttpServer:
    """An HTTP server that listens and does not serve yet. Port 0 is any that is free.

    Who has it listen on the address of a network says so, and is allowed that name; more in ``allowed_hosts``.
    """
    check_kind("host", host, str, "texts such as '127.0.0.1'")
    options.setdefault("allowed_hosts", _names(host))
    chosen = options_of({"path": path, "threads": threads, **options}, "grace", "head_time", "idle", "ready")
    return HttpServer(
        Application(servers, chosen),
        host=host,
        port=port,
        threads=threads,
        idle=idle,
        grace=grace,
        head_time=head_time,
        body_time=chosen.body_time,
    )


def run_http(
    servers: Sequence[Server],
    host: str,
    port: int,
    *,
    path: str = "/mcp",
    ready: Callable[[HttpServer], object] | None = None,
    **options: Any,
) -> None:
    """Serves until Ctrl-C, which is how it ends and no fault: nothing is raised for it. Port 0 is any that is free.

    ``ready`` is called once it listens, with the server: its ``port``, ``url(path)``, and ``close()``, which ends it from
    another thread. Without it, a line on standard error says where it is. ``options`` are those of ``EndpointOptions``.
    """
    if ready is not None:
        check_function("ready", ready, ("server",))
    served = make_server(servers, host, port, path=path, **options)

    def announce(server: HttpServer) -> None:
        # A program without a console has no standard error, and one whose reader has gone cannot write to it.
        if sys.stderr is not None:
            with suppress(OSError):
                sys.stderr.write(f"Serving MCP on {server.url(path)} (Ctrl-C ends it)\n")
                sys.stderr.flush()

    with suppress(KeyboardInterrupt):
        served.serve(announce if ready is None else ready)


def _names(host: str) -> list[str]:
    name = f"[{host}]" if ":" in host else host
    return list(LOOPBACK) if name in LOOPBACK else [*LOOPBACK, name]
