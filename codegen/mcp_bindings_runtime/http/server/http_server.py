"""``run_http`` and ``HttpServer``: the WSGI application of an endpoint on cheroot, with a thread pool (extra ``http``)."""

from __future__ import annotations

import re
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Final, Self

from ...errors import UsageError
from ...validation import require_instance
from .cheroot_fast_path import FastGateway, FastServer
from .http1 import HEAD_LIMIT
from .options import HttpServerOptions
from .origin_policy import LOOPBACK
from .wsgi import Application

if TYPE_CHECKING:
    from ...server.server import Server

_BACKLOG: Final = 512
"""Limit on the connections that wait to be accepted."""
_MAX_IDLE_CONNECTIONS: Final = 1000
"""Limit on the connections that are kept open for another request; they occupy no thread."""
_MAX_PORT: Final = 65535


class HttpServer:
    """Listens on construction, and serves between ``start`` or ``serve`` and ``close``.

    Port 0 is any free port. Raises ``UsageError`` if the address cannot be bound.
    """

    def __init__(
        self,
        application: Application,
        options: HttpServerOptions | None = None,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        number: Any = port
        if number.__class__ is not int or not 0 <= port <= _MAX_PORT:
            text = f"`port` must be from 1 to {_MAX_PORT}, or 0 for any free port; got {port!r}"
            raise UsageError(text)
        self._application = application
        self.options = chosen = options or HttpServerOptions()
        make: Any = FastServer
        server = make((host, port), application, numthreads=chosen.threads, max=chosen.threads, timeout=chosen.idle)
        server.head_time = chosen.head_time
        server.body_time = chosen.body_time
        server.gateway = FastGateway
        server.max_request_header_size = HEAD_LIMIT
        server.shutdown_timeout = chosen.grace
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

    def serve(self) -> None:
        """Call the option ``ready`` if it is set, then serve until Ctrl-C, or until another thread calls ``close``."""
        try:
            if self.options.ready is not None:
                self.options.ready(self)
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
        self._application.close(self.options.grace)
        self._server.stop()
        self._stopped.set()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def make_server(servers: Sequence[Server], host: str = "127.0.0.1", port: int = 0, **options: Any) -> HttpServer:
    """Return an HTTP server that listens and does not serve yet; port 0 is any free port.

    ``options`` are those of ``HttpServerOptions``. Clients may address it as ``host`` unless ``allowed_hosts`` says
    otherwise.
    """
    require_instance("host", host, str, "a str such as '127.0.0.1'")
    chosen = HttpServerOptions(**{"allowed_hosts": _allowed_hosts(host), **options})
    return HttpServer(Application(servers, chosen), chosen, host=host, port=port)


def run_http(servers: Sequence[Server], host: str, port: int, **options: Any) -> None:
    """Serve until Ctrl-C, and then return normally; port 0 is any free port.

    ``options`` are those of ``HttpServerOptions``.
    """
    http_server = make_server(servers, host, port, **{**options, "ready": options.get("ready") or _print_url})
    with suppress(KeyboardInterrupt):
        http_server.serve()


def _print_url(server: HttpServer) -> None:
    # Standard error is None without a console, and may be a pipe whose reader has gone.
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(f"Serving MCP on {server.url(server.options.path or '/')} (Ctrl-C ends it)\n")
            sys.stderr.flush()


def _allowed_hosts(host: str) -> list[str]:
    name = f"[{host}]" if ":" in host else host
    return list(LOOPBACK) if name in LOOPBACK else [*LOOPBACK, name]
