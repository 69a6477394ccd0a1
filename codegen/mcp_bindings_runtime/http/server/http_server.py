"""``run_http`` and ``HttpServer``: the application of an endpoint behind a socket (extra ``http``)."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from threading import Event, Thread, current_thread, main_thread
from typing import TYPE_CHECKING, Any, Final, Self

from ...connection.thread_pool import ThreadPool
from ...errors import UsageError
from ...validation import require_instance
from .cheroot_fast_path import FastGateway
from .cheroot_requests import ServerSettings
from .connection_handler import ConnectionHandler, ConnectionLimits
from .options import HttpServerOptions
from .origin_policy import LOOPBACK, RefusalLog
from .wsgi import Application

if TYPE_CHECKING:
    from ...server.server import Server

_BACKLOG: Final = 512
"""Limit on the connections that wait until the server accepts them."""
_FLUSH_TIME: Final = 1.0
"""Seconds in which clients can read the last responses of a server that is closing."""
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
            text = f"`port` must be an integer from 1 to {_MAX_PORT}, or 0 for any free port; got {port!r}"
            raise UsageError(text)
        self._application = application
        self.options = chosen = options or HttpServerOptions()
        listener = _listen(host, port)
        bound = listener.getsockname()
        self.host = host
        self.port: int = bound[1]
        limits = ConnectionLimits(
            connections=chosen.open_connections,
            buffered=chosen.buffered,
            body=chosen.body_limit,
            idle=chosen.idle,
            head_time=chosen.head_time,
            body_time=chosen.body_time,
            send_time=chosen.send_time,
            keepalive=chosen.keepalive,
            workers=chosen.threads,
        )
        settings = ServerSettings(application, FastGateway, bound, chosen.idle)
        workers = ThreadPool("mcp-http", chosen.threads + chosen.handlers)
        self._connections = ConnectionHandler(listener, settings, workers, limits)
        self._closing = False
        self._stopped = Event()
        self._thread: Thread | None = None

    @property
    def refusals(self) -> RefusalLog:
        """The log of refused hosts and origins."""
        return self._application.refusals

    def url(self, path: str = "") -> str:
        """Return the URL of a path on this server."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{name}:{self.port}{path}"

    def start(self) -> None:
        """Serve in background threads until ``close``; they do not keep the program alive."""
        self._thread = Thread(target=self._serve, name="mcp-http-server", daemon=True)
        self._thread.start()

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
            self._connections.run()
        finally:
            self._stopped.set()

    def close(self) -> None:
        """Refuse new requests, let running handlers finish, and end all streams and connections.

        Idempotent and thread-safe.
        """
        if self._closing:
            return
        self._closing = True
        # First of all: a client that cannot connect any more must not have a request accepted on an open connection.
        self._application.refuse_requests()
        self._connections.stop_accepting()
        self._application.close(self.options.grace)
        self._connections.stop(_FLUSH_TIME)
        if self._thread is None:
            # Nothing was served, and no other thread closes the sockets.
            self._connections.run()
        elif self._thread is not current_thread():
            self._thread.join()
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
    chosen = HttpServerOptions(**{"allowed_hosts": hosts_of(host), **options})
    return HttpServer(Application(servers, chosen, connections=chosen.open_connections), chosen, host=host, port=port)


def run_http(servers: Sequence[Server], host: str, port: int, **options: Any) -> None:
    """Serve until Ctrl-C or SIGTERM, and then return normally; port 0 is any free port.

    ``options`` are those of ``HttpServerOptions``.
    """
    http_server = make_server(servers, host, port, **{**options, "ready": options.get("ready") or print_url})
    with suppress(KeyboardInterrupt), _interrupted_by_sigterm():
        http_server.serve()


@contextmanager
def _interrupted_by_sigterm() -> Generator[None]:
    """Raise ``KeyboardInterrupt`` at SIGTERM, by which service managers end a program, unless the program handles it."""
    if current_thread() is not main_thread() or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return

    def interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def print_url(server: HttpServer) -> None:
    """Print the URL of a server to standard error."""
    # Standard error is None without a console, and may be a pipe whose reader has gone.
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(f"Serving MCP on {server.url(server.options.path or '/')} (Ctrl-C ends it)\n")
            sys.stderr.flush()


def hosts_of(host: str) -> list[str]:
    """Return the names by which clients may address a server that listens at ``host``, unless ``allowed_hosts`` is set."""
    name = f"[{host}]" if ":" in host else host
    return list(LOOPBACK) if name in LOOPBACK else [*LOOPBACK, name]


def _listen(host: str, port: int) -> socket.socket:
    """Return a listening socket. Raise ``UsageError`` with the reasons of all addresses of the host."""
    reasons: list[str] = []
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        found, reasons = [], [error.strerror or str(error)]
    for family, _, _, _, address in found:
        try:
            both = family == socket.AF_INET6 and address[0] == "::" and socket.has_dualstack_ipv6()
            return socket.create_server(address[:2], family=family, backlog=_BACKLOG, dualstack_ipv6=both)
        except OSError as error:
            reasons.append(os.strerror(error.errno) if error.errno else str(error))
    text = f"cannot listen on {host}:{port}: {', '.join(dict.fromkeys(reasons))}; pass another host or port"
    raise UsageError(text)
