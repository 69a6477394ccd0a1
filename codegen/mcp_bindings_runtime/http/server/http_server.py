"""``run_http`` and ``HttpServer``: the WSGI application of an endpoint on cheroot, with a thread pool (extra ``http``)."""

from __future__ import annotations

import re
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Final, Self

from ...errors import UsageError
from ...validation import (
    require_callable,
    require_instance,
    require_positive_integers,
    require_positive_numbers,
    require_seconds,
)
from .cheroot_fast_path import FastGateway, FastServer
from .cheroot_requests import HEAD_TIME
from .http1 import HEAD_LIMIT
from .options import options_of
from .origin_policy import LOOPBACK
from .request_body import BODY_TIME
from .wsgi import Application

if TYPE_CHECKING:
    from ...server.server import Server

THREADS: Final = 32
"""Default number of threads; each open stream occupies one."""
_BACKLOG: Final = 512
"""Limit on the connections that wait to be accepted."""
_MAX_IDLE_CONNECTIONS: Final = 1000
"""Limit on the connections that are kept open for another request; they occupy no thread."""
_MAX_PORT: Final = 65535


class HttpServer:
    """Listens on construction, and serves between ``start`` or ``serve`` and ``close``.

    All times are in seconds: ``idle`` is the limit on silence within a request or between requests, ``head_time`` and
    ``body_time`` are those on the arrival of a whole head and body, and ``grace`` is what running handlers get to finish
    after ``close``. Raises ``UsageError`` if the address cannot be bound.
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
        number: Any = port
        if number.__class__ is not int or not 0 <= port <= _MAX_PORT:
            text = f"`port` must be from 1 to {_MAX_PORT}, or 0 for any free port; got {port!r}"
            raise UsageError(text)
        self._application = application
        self._grace = grace
        require_positive_numbers(idle=idle, head_time=head_time, body_time=body_time)
        require_seconds(grace=grace)
        require_positive_integers(threads=threads)
        make: Any = FastServer
        server = make((host, port), application, numthreads=threads, max=threads, timeout=idle)
        server.head_time = head_time
        server.body_time = body_time
        server.gateway = FastGateway
        server.max_request_header_size = HEAD_LIMIT
        server.shutdown_timeout = grace
        # Seconds between two checks whether to stop.
        server.expiration_interval = 0.1
        server.request_queue_size = _BACKLOG
        server.keep_alive_conn_limit = _MAX_IDLE_CONNECTIONS
        server.nodelay = True
        self._server = server
        self._closing = False
        self._stopped = Event()
        try:
            server.prepare()
        except OSError as error:
            # cheroot lists the addresses that it tried, each with its reason.
            reasons = dict.fromkeys(re.findall(r"\[Errno -?\d+\] ([^()]+)\)", str(error)))
            text = f"cannot listen on {host}:{port}: {', '.join(reasons) or error}; pass another host or port"
            raise UsageError(text) from None
        bound = server.socket.getsockname()
        self.host = host
        self.port: int = bound[1] if server.socket.family in {socket.AF_INET, socket.AF_INET6} else port

    def url(self, path: str = "") -> str:
        """Return the URL of a path on this server."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{name}:{self.port}{path}"

    def start(self) -> None:
        """Serve in background threads until ``close``."""
        Thread(target=self._serve, name="mcp-http-server", daemon=True).start()

    def serve(self, ready: Callable[[HttpServer], object] | None = None) -> None:
        """Call ``ready``, then serve until Ctrl-C, or until another thread calls ``close``."""
        try:
            if ready is not None:
                ready(self)
            self.start()
            self._stopped.wait()
        except BaseException:
            self.close()
            raise

    def _serve(self) -> None:
        try:
            self._server.serve()
        finally:
            self._stopped.set()

    def close(self) -> None:
        """Accept no more requests, end all streams, and let running handlers finish. Idempotent and thread-safe."""
        if self._closing:
            return
        self._closing = True
        self._application.close(self._grace)
        self._server.stop()
        self._stopped.set()

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
    threads: int = THREADS,
    idle: float = 10.0,
    grace: float = 2.0,
    head_time: float = HEAD_TIME,
    **options: Any,
) -> HttpServer:
    """Return an HTTP server that listens and does not serve yet; port 0 is any free port.

    Clients may address it as ``host`` unless ``allowed_hosts`` says otherwise.
    """
    require_instance("host", host, str, "a str such as '127.0.0.1'")
    options.setdefault("allowed_hosts", _allowed_hosts(host))
    endpoint = options_of({"path": path, "threads": threads, **options}, "grace", "head_time", "idle", "ready")
    return HttpServer(
        Application(servers, endpoint),
        host=host,
        port=port,
        threads=threads,
        idle=idle,
        grace=grace,
        head_time=head_time,
        body_time=endpoint.body_time,
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
    """Serve until Ctrl-C, and then return normally; port 0 is any free port.

    ``ready`` is called with the server once it listens: it has ``port``, ``url(path)``, and ``close()``, which another
    thread may call. The default prints the URL on standard error. ``options`` are those of ``HttpServer`` and
    ``EndpointOptions``.
    """
    if ready is not None:
        require_callable("ready", ready, ("server",))
    http_server = make_server(servers, host, port, path=path, **options)

    def print_url(server: HttpServer) -> None:
        # Standard error is None without a console, and may be a pipe whose reader has gone.
        if sys.stderr is not None:
            with suppress(OSError):
                sys.stderr.write(f"Serving MCP on {server.url(path)} (Ctrl-C ends it)\n")
                sys.stderr.flush()

    with suppress(KeyboardInterrupt):
        http_server.serve(print_url if ready is None else ready)


def _allowed_hosts(host: str) -> list[str]:
    name = f"[{host}]" if ":" in host else host
    return list(LOOPBACK) if name in LOOPBACK else [*LOOPBACK, name]
