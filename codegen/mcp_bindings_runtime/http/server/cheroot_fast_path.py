"""The fast path of cheroot: reuse parsed request heads, send head and body together, answer follow-up requests at once.

Relied on: ``_read_buf``, ``_read_pos`` and ``_reset_read_buf`` of ``StreamReader`` (cheroot derives it from ``_pyio``), the
attributes that ``HTTPRequest.parse_request`` and ``Gateway_10.get_environ`` set, ``requests.idle`` and ``requests.min`` of
the thread pool, and ``_connections`` of the server. Tested with cheroot 10.0.0 and 11.1.2. Where ``StreamReader`` has
another base, every head is parsed by cheroot; a head that is new, or unusual in any way, always is. Where the server has
no ``_connections``, a thread waits for the first request of each connection.
"""

from __future__ import annotations

import re
import select
from email.utils import formatdate
from functools import lru_cache
from time import time
from typing import Any, Final, Generic, NamedTuple, TypeVar

from .cheroot_requests import QuietWriter, StrictConnection, StrictGateway, StrictRequest, StrictServer, TimedReader

M = TypeVar("M")

MAX_HEADS: Final = 4
"""Limit on the heads that are remembered of one connection."""
MAX_HEAD_SIZE: Final = 2048
"""Limit on the bytes of a head that is remembered."""

_BUFFER_VISIBLE: Final = hasattr(TimedReader, "_reset_read_buf")
"""Whether the reader is the one of ``_pyio``, whose buffer is visible."""
_LINGER: Final = 2
"""Milliseconds for which a thread waits for the next request of its connection while most other threads are idle."""
_PER_REQUEST: Final = frozenset({"conn", "inheaders", "outheaders", "rfile", "server"})
"""Attributes of cheroot's requests that do not follow from the head alone."""
_SET_BY_CHEROOT: Final = frozenset({b"connection", b"date", b"server", b"transfer-encoding"})
"""Fields of responses that cheroot writes or acts on."""
_HEAD_END: Final = b"\r\n\r\n"
_CONTENT_LENGTH = re.compile(rb"\r\nContent-Length:[ \t]*([0-9]{1,15})[ \t]*\r\n", re.IGNORECASE)


class CachedHead(NamedTuple, Generic[M]):
    """A head that was found in the cache."""

    meaning: M
    length: bytes
    """The digits of its ``Content-Length``."""
    end: int
    """The index at which the body begins."""


class HeadCache(Generic[M]):
    """The last heads of one connection, byte for byte but for the digits of ``Content-Length``, and their meanings.

    A client writes nearly the same head before each body, and parsing it costs more than all other work on a request.
    """

    def __init__(self) -> None:
        self._meanings: dict[tuple[bytes, bytes], M] = {}

    def find(self, data: bytes, start: int) -> CachedHead[M] | None:
        """Return the head that begins at ``start``; None if it is unknown or incomplete."""
        if not self._meanings:
            return None
        parts = _split_head(data, start)
        if parts is None:
            return None
        before, length, after, end = parts
        meaning = self._meanings.get((before, after))
        return None if meaning is None else CachedHead(meaning, length, end)

    def add(self, head: bytes, meaning: M) -> None:
        """Remember a valid head, if it announces a body."""
        parts = _split_head(head, 0)
        if parts is None or parts[3] != len(head):
            return
        before, _, after, _ = parts
        self._meanings[before, after] = meaning
        while len(self._meanings) > MAX_HEADS:
            del self._meanings[next(iter(self._meanings))]


def _split_head(data: bytes, start: int) -> tuple[bytes, bytes, bytes, int] | None:
    """Split a head around the digits of its ``Content-Length``; return the three parts and the index of its end."""
    end = data.find(_HEAD_END, start, start + MAX_HEAD_SIZE)
    if end < 0:
        return None
    length = _CONTENT_LENGTH.search(data, start, end + 2)
    if length is None:
        return None
    first, after = length.span(1)
    return data[start:first], length[1], data[after:end], end + len(_HEAD_END)


class _ParsedHead:
    """Results of parsing a head once."""

    def __init__(self, request: FastRequest) -> None:
        self.attributes = {name: value for name, value in vars(request).items() if name not in _PER_REQUEST}
        """The attributes that cheroot set on the request."""
        self.fields: dict[bytes, bytes] = request.inheaders
        self.environ: dict[str, Any] | None = None
        """The environment that cheroot's gateway made; None before the first request is handled."""


class FastRequest(StrictRequest):
    """Takes over the results of parsing the same head before."""

    parsed_head: _ParsedHead | None = None
    """None for a head that cannot be cached."""

    def parse_request(self) -> None:
        """Find the head in the cache, or let cheroot parse it."""
        # Not that of StrictRequest: the deadline starts before anything is read.
        base: Any = super(StrictRequest, self)
        server: Any = self.server
        self.conn.rfile.raw.start_deadline(server.head_time)
        if not _BUFFER_VISIBLE:
            base.parse_request()
            return
        reader: _BufferedReader = self.conn.rfile
        heads: HeadCache[_ParsedHead] = self.conn.heads
        buffer, start = reader.peek_buffer()
        cached = heads.find(buffer, start)
        if cached is None:
            base.parse_request()
            if self.ready and self._is_cacheable():
                self.parsed_head = _ParsedHead(self)
                heads.add(reader.read_since(buffer, start), self.parsed_head)
            return
        reader.skip_to(cached.end)
        self.parsed_head = cached.meaning
        vars(self).update(cached.meaning.attributes)
        self.inheaders = {**cached.meaning.fields, b"Content-Length": cached.length}

    def _is_cacheable(self) -> bool:
        """Return whether the head has no effect but to announce a body and to fill the environment."""
        if self.close_connection or self.response_protocol != "HTTP/1.1":
            return False
        return b"Content-Length" in self.inheaders and b"Expect" not in self.inheaders

    def send_headers(self) -> None:
        """Write the head of the response, or let cheroot do so."""
        base: Any = super()
        if self.parsed_head is None or not self._keeps_connection():
            base.send_headers()
            return
        server: Any = self.server
        status: Any = self.status
        head: list[bytes] = [b"HTTP/1.1 ", status, b"\r\n"]
        for name, value in self.outheaders:
            head += (name, b": ", value, b"\r\n")
        head.append(_date_and_server(int(time()), server.server_name))
        self.conn.wfile.write(b"".join(head))

    def _keeps_connection(self) -> bool:
        """Return whether the response states its length and the connection stays open after it."""
        names = {name.lower() for name, _ in self.outheaders}
        status: Any = self.status
        server: Any = self.server
        return (
            b"content-length" in names
            and names.isdisjoint(_SET_BY_CHEROOT)
            and status.startswith(b"2")
            and not self.close_connection
            and not self.rfile.remaining
            and server.can_add_keepalive_connection
        )


@lru_cache(maxsize=1)
def _date_and_server(second: int, server: str) -> bytes:
    """Return the last two fields of the head of a response."""
    return f"Date: {formatdate(second, usegmt=True)}\r\nServer: {server}\r\n\r\n".encode("latin-1")


class _BufferedReader(TimedReader):
    """Reads from the buffer where it can; cheroot's own reader takes several steps for each line."""

    _read_buf: Any
    _read_pos: int
    raw: Any
    buffer_size: int

    def peek_buffer(self) -> tuple[bytes, int]:
        """Return the buffer and the index of its first unread byte; fill it if all is read."""
        if len(self._read_buf) <= self._read_pos:
            self._read_buf, self._read_pos = self.raw.read(self.buffer_size) or b"", 0
        return self._read_buf, self._read_pos

    def skip_to(self, index: int) -> None:
        """Continue at another index of the buffer."""
        self.bytes_read += index - self._read_pos
        self._read_pos = index

    def read_since(self, buffer: bytes, start: int) -> bytes:
        """Return the bytes read since ``peek_buffer`` returned these; none if the buffer was filled anew."""
        return buffer[start : self._read_pos] if self._read_buf is buffer else b""

    def read(self, size: int | None = -1) -> bytes:
        start = self._read_pos
        if size is None or not 0 <= size <= len(self._read_buf) - start:
            base: Any = super()
            data: bytes = base.read(size)
            return data
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


class _JoiningWriter(QuietWriter):
    """Sends the head of a response with the first part of its body: two packets would wake the client twice."""

    raw: Any
    _held: list[bytes] | None = None

    def hold(self) -> None:
        """Hold back what is written until ``release``."""
        self._held = []

    def release(self) -> None:
        """Send what was held back."""
        held, self._held = self._held, None
        if held:
            data = b"".join(held)
            sent = self.raw.write(data) or 0
            if sent < len(data):
                self.write(data[sent:])

    def write(self, val: Any, /) -> int:
        if self._held is not None:
            self._held.append(val)
            return len(val)
        base: Any = super()
        written: int = base.write(val)
        return written


class FastConnection(StrictConnection):
    """Answers requests that follow each other closely in one thread: waking another thread for each is slower."""

    RequestHandlerClass = FastRequest
    writer_class = _JoiningWriter

    def __init__(self, server: Any, connection: Any, _makefile: Any = None) -> None:
        self.reader_class = _BufferedReader if _BUFFER_VISIBLE else TimedReader
        super().__init__(server, connection)
        self.heads: HeadCache[_ParsedHead] = HeadCache()
        self._poll: Any = None

    def communicate(self) -> bool:
        """Answer requests as long as they follow each other; return whether the connection stays open."""
        base: Any = super()
        while base.communicate():
            if not self._has_next_request():
                return True
        return False

    def _has_next_request(self) -> bool:
        """Return whether the next request arrives at once; otherwise the server waits for it without a thread."""
        server: Any = self.server
        threads: Any = server.requests
        if self.rfile.has_data() or not server.ready or 2 * threads.idle < threads.min or not hasattr(select, "poll"):
            return False
        if self._poll is None:
            self._poll = select.poll()
            self._poll.register(self.socket, select.POLLIN)
        return bool(self._poll.poll(_LINGER))


class FastGateway(StrictGateway):
    """Makes the environment of a cached head once, and sends the first part of the body with the head."""

    def get_environ(self) -> Any:
        """Return the environment for the application."""
        request: Any = self.req
        parsed: _ParsedHead | None = request.parsed_head
        if parsed is None:
            return super().get_environ()
        if parsed.environ is None:
            parsed.environ = {**super().get_environ(), "wsgi.input": None}
        length: bytes = request.inheaders[b"Content-Length"]
        return {**parsed.environ, "CONTENT_LENGTH": length.decode("ascii"), "wsgi.input": request.rfile}

    def write(self, chunk: bytes) -> None:
        """Send a part of the body, the first one together with the head."""
        base: Any = super()
        if self.req.sent_headers:
            base.write(chunk)
            return
        writer: _JoiningWriter = self.req.conn.wfile
        writer.hold()
        try:
            base.write(chunk)
        finally:
            writer.release()


class FastServer(StrictServer):
    """Waits for the first request of a connection without a thread, as cheroot does for all others."""

    ConnectionClass = FastConnection
    _connections: Any = None

    def process_conn(self, conn: Any) -> None:
        """Wait for the first request, or let a thread do so."""
        connections = self._connections
        if conn.last_used is None and connections is not None and connections.can_add_keepalive_connection:
            connections.put(conn)
            return
        base: Any = super()
        base.process_conn(conn)
