"""An HTTP server for an endpoint: cheroot, with a bounded pool of threads (extra ``http``)."""

from __future__ import annotations

import re
import select
import socket
from collections.abc import Callable
from io import BytesIO
from threading import Event, Thread
from typing import Any, Final, Self

from ..errors import UsageError
from .http1 import HEAD_LIMIT, Chunks, Fields
from .wsgi import Application

try:
    from cheroot.makefile import StreamReader, StreamWriter
    from cheroot.server import HTTPConnection as CherootConnection
    from cheroot.server import HTTPRequest as CherootRequest
    from cheroot.wsgi import Gateway_10 as CherootGateway
    from cheroot.wsgi import Server as CherootServer
except ImportError as missing:
    message = "serving HTTP takes cheroot; run: pip install 'mcp-bindings[http]'"
    raise UsageError(message) from missing

THREADS: Final = 32
"""How many requests are handled at a time, streams included, if nothing else is said."""
BACKLOG: Final = 512
"""How many connections wait to be accepted."""
KEPT: Final = 1000
"""How many connections are kept open for further requests."""
_LAST_PORT: Final = 65535


_REST: Final = 64 * 1024
"""How many bytes of a body that nobody wants are read, so that the connection can be used again."""
_LINGER: Final = 2
"""Milliseconds that a thread stays with a connection after an answer, where most others are free."""


class _Request(CherootRequest):
    """Refuses what others could read as another request."""

    header_reader = Fields()

    def read_request_headers(self) -> Any:
        request: Any = super()
        if not request.read_request_headers():
            return False
        fields: Any = self.inheaders
        coding, length = fields.get(b"Transfer-Encoding"), fields.get(b"Content-Length")
        if coding is None:
            # Python reads more as a number than HTTP does.
            good = length is None or length.isdigit()
        else:
            good = coding.lower() == b"chunked" and self.chunked_read and length is None
        if good:
            return True
        request.simple_response("400 Bad Request", "Say a number as Content-Length, or `Transfer-Encoding: chunked`")
        return False


class _Reader(StreamReader):
    """Finds lines in what has been read ahead at once; cheroot takes several steps for each."""

    _read_buf: Any
    _read_pos: int

    def readline(self, size: int | None = -1) -> bytes:
        start = self._read_pos
        end = self._read_buf.find(b"\n", start) + 1
        if not end or (size is not None and 0 <= size < end - start):
            line: bytes = super().readline(size)
            return line
        self._read_pos = end
        self.bytes_read += end - start
        found: bytes = self._read_buf[start:end]
        return found


class _Writer(StreamWriter):
    """Lets go of what a client that has gone was still to be sent, as Python 3.13 prints what fails when it collects one."""

    def close(self) -> None:
        base: Any = super()
        try:
            base.close()
        except (OSError, ValueError):
            return


def _file_of(connection: Any, mode: str, size: int) -> Any:
    make: Any = _Reader if "r" in mode else _Writer
    return make(connection, mode, size)


class _Connection(CherootConnection):
    """Has requests that follow upon each other answered by one thread: to wake another for each takes long."""

    RequestHandlerClass = _Request

    def __init__(self, server: Any, connection: Any, _makefile: Any = None) -> None:
        base: Any = super()
        base.__init__(server, connection, _file_of)
        self._poll: Any = None

    def communicate(self) -> bool:
        connection: Any = super()
        while connection.communicate():
            if not self._goes_on():
                return True
        return False

    def _goes_on(self) -> bool:
        """Whether the next request comes at once; if not, the server waits for it, and any thread takes it."""
        server: Any = self.server
        threads: Any = server.requests
        if self.rfile.has_data() or not server.ready or 2 * threads.idle < threads.min or not hasattr(select, "poll"):
            return False
        if self._poll is None:
            self._poll = select.poll()
            self._poll.register(self.socket, select.POLLIN)
        return bool(self._poll.poll(_LINGER))


class _Gateway(CherootGateway):
    """Hangs up after an answer that says so, and where much of the body is left: cheroot would read it, however long."""

    def __init__(self, req: Any) -> None:
        if req.chunked_read:
            # Those of cheroot are held whole, whatever their size.
            req.rfile = Chunks(req.conn.rfile)
        base: Any = super()
        base.__init__(req)

    def start_response(self, status: str, headers: Any, exc_info: Any = None) -> Any:
        body: Any = self.req.rfile
        rest = not body.over if self.req.chunked_read else body.remaining > _REST
        if rest or ("Connection", "close") in headers:
            self.req.close_connection = True
        answer: Any = super()
        return answer.start_response(status, headers, exc_info)

    def write(self, chunk: bytes) -> None:
        """Sends the head and the start of the body as one: a client that gets them one by one wakes up twice."""
        answer: Any = super()
        if self.req.sent_headers:
            answer.write(chunk)
            return
        connection = self.req.conn
        sending = connection.wfile
        connection.wfile = together = BytesIO()
        try:
            answer.write(chunk)
        finally:
            connection.wfile = sending
            sending.write(together.getvalue())


class HttpServer:
    """Listens as soon as it is made, and serves between ``start`` or ``serve`` and ``close``.

    ``idle`` is for how many seconds a connection may be silent: within a request, or kept open for the next one.
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
    ) -> None:
        asked: Any = port
        if not isinstance(asked, int) or not 0 <= port <= _LAST_PORT:
            text = f"the port is {port!r}; accepted are 1 to {_LAST_PORT}, and 0 for any that is free"
            raise UsageError(text)
        self._application = application
        self._grace = grace
        make: Any = CherootServer
        server = make((host, port), application, numthreads=threads, max=threads, timeout=idle)
        server.gateway = _Gateway
        server.ConnectionClass = _Connection
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
        if ready is not None:
            ready(self)
        self.start()
        try:
            self._ended.wait()
        except KeyboardInterrupt:
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
