"""Requests by cheroot: stricter than it takes them, and with less ado for those that are like the ones before them.

What a client writes again and again on a connection is not read anew each time (``heads``), and an answer that is there as
a whole is sent as a whole. Whatever is otherwise is left to cheroot, and each step falls back to it by itself.
"""

from __future__ import annotations

import select
from email.utils import formatdate
from functools import lru_cache
from time import time
from typing import Any, Final

from ...errors import UsageError
from .deadlines import TimedSocket
from .disconnection import SOCKET
from .http1 import ChunkedBody, FieldReader
from .request_head_cache import Heads

try:
    from cheroot.makefile import StreamReader, StreamWriter
    from cheroot.server import HTTPConnection as CherootConnection
    from cheroot.server import HTTPRequest as CherootRequest
    from cheroot.wsgi import Gateway_10 as CherootGateway
except ImportError as missing:
    message = "serving HTTP takes cheroot; run: pip install 'mcp-bindings[http]'"
    raise UsageError(message) from missing

_REST: Final = 64 * 1024
"""How many bytes of a body that nobody wants are read, so that the connection can be used again."""
_LINGER: Final = 2
"""Milliseconds that a thread stays with a connection after an answer, where most others are free."""
_AHEAD: Final = hasattr(StreamReader, "_reset_read_buf")
"""Whether it can be seen what has been read ahead: cheroot's readers are Python's own. Otherwise each head is read anew."""
_EACH: Final = frozenset({"conn", "inheaders", "outheaders", "rfile", "server"})
"""Attributes of cheroot's requests that each has of its own."""
_WRITTEN: Final = frozenset({b"connection", b"date", b"server", b"transfer-encoding"})
"""Fields of answers that cheroot writes, or does something about."""


class _Known:
    """What a head means."""

    def __init__(self, request: _Request) -> None:
        self.attributes = {name: value for name, value in vars(request).items() if name not in _EACH}
        """What cheroot has made of it."""
        self.fields: dict[bytes, bytes] = request.inheaders
        self.environ: dict[str, Any] | None = None
        """What cheroot's gateway has made of it, once it has."""


class _Request(CherootRequest):
    """Refuses what others could read as another request; does not read again what it knows."""

    header_reader = FieldReader()
    conn: Any
    known: _Known | None = None
    """What the head of the request means, if it is one that comes again."""

    def parse_request(self) -> None:
        base: Any = super()
        server: Any = self.server
        self.conn.rfile.raw.within(server.head_time)
        if not _AHEAD:
            base.parse_request()
            return
        reader: _Reader = self.conn.rfile
        heads: Heads[_Known] = self.conn.heads
        buffer, start = reader.ahead()
        again = heads.find(buffer, start)
        if again is None:
            base.parse_request()
            if self.ready and self._is_plain():
                self.known = _Known(self)
                heads.learn(reader.read_since(buffer, start), self.known)
            return
        reader.skip_to(again.end)
        self.known = again.meaning
        vars(self).update(again.meaning.attributes)
        self.inheaders = {**again.meaning.fields, b"Content-Length": again.length}

    def _is_plain(self) -> bool:
        """Whether nothing follows from the head but that a body comes, and what the application is told."""
        if self.close_connection or self.response_protocol != "HTTP/1.1":
            return False
        return b"Content-Length" in self.inheaders and b"Expect" not in self.inheaders

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

    def send_headers(self) -> None:
        base: Any = super()
        if self.known is None or not self._ends_plainly():
            base.send_headers()
            return
        server: Any = self.server
        status: Any = self.status
        head: list[bytes] = [b"HTTP/1.1 ", status, b"\r\n"]
        for name, value in self.outheaders:
            head += (name, b": ", value, b"\r\n")
        head.append(_signature(int(time()), server.server_name))
        self.conn.wfile.write(b"".join(head))

    def _ends_plainly(self) -> bool:
        """Whether the answer states its length, and the connection goes on after it."""
        names = {name.lower() for name, _ in self.outheaders}
        status: Any = self.status
        server: Any = self.server
        return (
            b"content-length" in names
            and names.isdisjoint(_WRITTEN)
            and status.startswith(b"2")
            and not self.close_connection
            and not self.rfile.remaining
            and server.can_add_keepalive_connection
        )


@lru_cache(maxsize=1)
def _signature(second: int, server: str) -> bytes:
    """The end of the head of an answer: when it was made, and by what."""
    return f"Date: {formatdate(second, usegmt=True)}\r\nServer: {server}\r\n\r\n".encode("latin-1")


class _InTime(StreamReader):
    """Reads what comes in time."""

    def __init__(self, sock: Any, mode: str, size: int) -> None:
        reader: Any = super(StreamReader, self)
        reader.__init__(TimedSocket(sock, mode), size)
        self.bytes_read = 0


class _Reader(_InTime):
    """Finds what has been read ahead at once; cheroot takes several steps for each line."""

    _read_buf: Any
    _read_pos: int
    raw: Any
    buffer_size: int

    def ahead(self) -> tuple[bytes, int]:
        """What has been read, and where in it goes on what nobody has been given yet; reads if there is nothing."""
        if len(self._read_buf) <= self._read_pos:
            self._read_buf, self._read_pos = self.raw.read(self.buffer_size) or b"", 0
        return self._read_buf, self._read_pos

    def skip_to(self, place: int) -> None:
        """Goes on at another place of what has been read."""
        self.bytes_read += place - self._read_pos
        self._read_pos = place

    def read_since(self, buffer: bytes, start: int) -> bytes:
        """What has been given since ``ahead`` gave these; nothing where more had to be read."""
        return buffer[start : self._read_pos] if self._read_buf is buffer else b""

    def read(self, size: int | None = -1) -> bytes:
        start = self._read_pos
        if size is None or not 0 <= size <= len(self._read_buf) - start:
            base: Any = super()
            some: bytes = base.read(size)
            return some
        self.skip_to(start + size)
        found: bytes = self._read_buf[start : start + size]
        return found

    def readline(self, size: int | None = -1) -> bytes:
        start = self._read_pos
        end = self._read_buf.find(b"\n", start) + 1
        if not end or (size is not None and 0 <= size < end - start):
            line: bytes = super().readline(size)
            return line
        self.skip_to(end)
        found: bytes = self._read_buf[start:end]
        return found


class _Writer(StreamWriter):
    """Sends the head of an answer with what comes first of its body: a client that gets them one by one wakes up twice.

    Lets go of what a client that has gone was still to be sent, as Python 3.13 prints what fails when it collects one.
    """

    raw: Any
    _held: list[bytes] | None = None

    def hold(self) -> None:
        """What is written from now on is sent with ``let_go``."""
        self._held = []

    def let_go(self) -> None:
        """Sends what was held."""
        held, self._held = self._held, None
        if held:
            together = b"".join(held)
            sent = self.raw.write(together) or 0
            if sent < len(together):
                self.write(together[sent:])

    def write(self, val: Any, /) -> int:
        if self._held is not None:
            self._held.append(val)
            return len(val)
        base: Any = super()
        written: int = base.write(val)
        return written

    def close(self) -> None:
        base: Any = super()
        try:
            base.close()
        except (OSError, ValueError):
            return


def _file_of(connection: Any, mode: str, size: int) -> Any:
    reader = _Reader if _AHEAD else _InTime
    make: Any = reader if "r" in mode else _Writer
    return make(connection, mode, size)


class FastConnection(CherootConnection):
    """Has requests that follow upon each other answered by one thread: to wake another for each takes long."""

    RequestHandlerClass = _Request

    def __init__(self, server: Any, connection: Any, _makefile: Any = None) -> None:
        base: Any = super()
        base.__init__(server, connection, _file_of)
        self.heads: Heads[_Known] = Heads()
        self._poll: Any = None

    def communicate(self) -> bool:
        """Answers requests as long as they follow upon each other; whether the connection is kept open after that."""
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


class Gateway(CherootGateway):
    """Hangs up after an answer that says so, and where much of the body is left: cheroot would read it, however long."""

    def __init__(self, req: Any) -> None:
        req.conn.rfile.raw.within(req.server.body_time)
        if req.chunked_read:
            # Those of cheroot are held whole, whatever their size.
            req.rfile = ChunkedBody(req.conn.rfile)
        base: Any = super()
        base.__init__(req)

    def get_environ(self) -> Any:
        """What the application is told."""
        base: Any = super()
        request: Any = self.req
        known: _Known | None = request.known
        if known is None:
            return {**base.get_environ(), SOCKET: request.conn.socket}
        if known.environ is None:
            known.environ = {**base.get_environ(), SOCKET: request.conn.socket, "wsgi.input": None}
        length: bytes = request.inheaders[b"Content-Length"]
        return {**known.environ, "CONTENT_LENGTH": length.decode("ascii"), "wsgi.input": request.rfile}

    def start_response(self, status: str, headers: Any, exc_info: Any = None) -> Any:
        """As PEP 3333 has it."""
        body: Any = self.req.rfile
        rest = not body.over if self.req.chunked_read else body.remaining > _REST
        if rest or status.startswith("408"):
            # The rest of a body that came too slowly is not waited for (RFC 9110, section 15.5.9).
            self.req.close_connection = True
        answer: Any = super()
        return answer.start_response(status, headers, exc_info)

    def write(self, chunk: bytes) -> None:
        """Sends a part of the body, the first one together with the head."""
        answer: Any = super()
        if self.req.sent_headers:
            answer.write(chunk)
            return
        sending: _Writer = self.req.conn.wfile
        sending.hold()
        try:
            answer.write(chunk)
        finally:
            sending.let_go()
