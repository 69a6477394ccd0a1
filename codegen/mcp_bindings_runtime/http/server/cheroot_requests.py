"""cheroot with stricter requests: fields that mean one thing to every reader (RFC 9112), and deadlines for head and body.

Public interfaces of cheroot only, and that its ``StreamReader`` is an ``io.BufferedReader``. ``cheroot_fast_path`` derives
faster classes from these.
"""

from __future__ import annotations

import socket
from threading import Lock
from time import monotonic
from typing import Any, Final

from ...errors import UsageError
from .disconnection import SOCKET
from .http1 import ChunkedBody, FieldReader

try:
    from cheroot.makefile import StreamReader, StreamWriter
    from cheroot.server import HTTPConnection as CherootConnection
    from cheroot.server import HTTPRequest as CherootRequest
    from cheroot.wsgi import Gateway_10 as CherootGateway
    from cheroot.wsgi import Server as CherootServer
except ImportError as missing:
    message = "serving HTTP needs cheroot; run: pip install 'mcp-bindings[http]'"
    raise UsageError(message) from missing

_MAX_DISCARDED: Final = 64 * 1024
"""Limit on the unread bytes of a body that are discarded to keep the connection open."""


class TimedSocket(socket.SocketIO):
    """The reading side of a socket, with a deadline for each part of a request, however many pieces it arrives in.

    A head or body that trickles in would otherwise occupy a thread for as long as the client likes.
    """

    _sock: Any

    def __init__(self, sock: Any, mode: Any) -> None:
        super().__init__(sock, mode)
        self._deadline: float | None = None
        self._started = False

    def start_deadline(self, seconds: float) -> None:
        """Limit the time for all that is read from now on."""
        self._deadline = monotonic() + seconds
        self._started = False

    def readinto(self, b: Any) -> int | None:
        """Read as ``io.RawIOBase`` does. Raise ``TimeoutError`` after the deadline."""
        if self._deadline is None or not self._started:
            # The first read nearly always gets everything, and may wait as long as the socket may be silent.
            self._started = True
            return super().readinto(b)
        sock = self._sock
        silence = sock.gettimeout()
        left = self._deadline - monotonic()
        if left <= 0:
            # cheroot answers 408 if the error has this text.
            message = "timed out"
            raise TimeoutError(message)
        sock.settimeout(left if silence is None else min(left, silence))
        try:
            return super().readinto(b)
        finally:
            sock.settimeout(silence)


class TimedReader(StreamReader):
    """cheroot's reader over a ``TimedSocket``."""

    def __init__(self, sock: Any, mode: str, size: int) -> None:
        reader: Any = super(StreamReader, self)
        reader.__init__(TimedSocket(sock, mode), size)
        self.bytes_read = 0


class QuietWriter(StreamWriter):
    """Drops what is left for a client that has gone; Python 3.13 prints the error if the garbage collector meets it."""

    def close(self) -> None:
        """Close without raising."""
        base: Any = super()
        try:
            base.close()
        except (OSError, ValueError):
            return


class StrictRequest(CherootRequest):
    """Refuses requests that a proxy in front could understand differently (RFC 9112, section 11.2)."""

    header_reader = FieldReader()
    conn: Any

    def parse_request(self) -> None:
        """Parse the head before its deadline."""
        base: Any = super()
        server: Any = self.server
        self.conn.rfile.raw.start_deadline(server.head_time)
        base.parse_request()

    def read_request_headers(self) -> Any:
        """Return whether the fields are valid; answer 400 if not."""
        base: Any = super()
        if not base.read_request_headers():
            return False
        fields: Any = self.inheaders
        coding, length = fields.get(b"Transfer-Encoding"), fields.get(b"Content-Length")
        if coding is None:
            # int() accepts more than HTTP does, such as "+1" and "1_000".
            valid = length is None or length.isdigit()
        else:
            valid = coding.lower() == b"chunked" and self.chunked_read and length is None
        if valid:
            return True
        text = "Send a decimal Content-Length or `Transfer-Encoding: chunked`, and not both"
        base.simple_response("400 Bad Request", text)
        return False


class StrictConnection(CherootConnection):
    """A connection that reads by ``TimedReader`` and parses by ``StrictRequest``."""

    RequestHandlerClass = StrictRequest
    reader_class: type[TimedReader] = TimedReader
    writer_class: type[QuietWriter] = QuietWriter

    def __init__(self, server: Any, connection: Any, _makefile: Any = None) -> None:
        base: Any = super()
        base.__init__(server, connection, self._make_file)

    def _make_file(self, sock: Any, mode: str, size: int) -> Any:
        make: Any = self.reader_class if "r" in mode else self.writer_class
        return make(sock, mode, size)


class StrictGateway(CherootGateway):
    """Limits the time and the memory for a body, and closes the connection after answers that leave much of it unread."""

    def __init__(self, req: Any) -> None:
        req.conn.rfile.raw.start_deadline(req.server.body_time)
        if req.chunked_read:
            # cheroot's own reader holds a whole chunk in memory, whatever its size.
            req.rfile = ChunkedBody(req.conn.rfile)
        base: Any = super()
        base.__init__(req)

    def get_environ(self) -> Any:
        """Return the environment for the application, with the socket that ``disconnection`` polls."""
        base: Any = super()
        return {**base.get_environ(), SOCKET: self.req.conn.socket}

    def start_response(self, status: str, headers: Any, exc_info: Any = None) -> Any:
        """Start the response (PEP 3333)."""
        body: Any = self.req.rfile
        unread = not body.finished if self.req.chunked_read else body.remaining > _MAX_DISCARDED
        if unread or status.startswith("408"):
            # cheroot would read all of the rest; a body that came too slowly is not waited for (RFC 9110, section 15.5.9).
            self.req.close_connection = True
        base: Any = super()
        return base.start_response(status, headers, exc_info)


class StrictServer(CherootServer):
    """cheroot's server with the limits that its requests read, and a ``stop`` that closes every connection."""

    head_time: float
    """Seconds in which the head of a request must arrive."""
    body_time: float
    """Seconds in which the body of a request must arrive."""

    def __init__(self, *args: Any, **options: Any) -> None:
        base: Any = super()
        base.__init__(*args, **options)
        self._put_lock = Lock()
        self._stopping = False

    def put_conn(self, conn: Any) -> None:
        """Keep a connection open for its next request; close it if the server stops."""
        # cheroot checks and puts without a lock. A connection that was put while `stop` closed the others stayed open, or
        # its thread died of the closed selector.
        with self._put_lock:
            if not self._stopping:
                base: Any = super()
                base.put_conn(conn)
                return
        conn.close()

    def stop(self) -> None:
        """Accept no more connections, close those that are idle, and wait for the threads."""
        with self._put_lock:
            self._stopping = True
        base: Any = super()
        base.stop()
