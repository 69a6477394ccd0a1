"""The fast path of cheroot: parse the head of a request once, and write the head of a response in one step.

Relied on: the attributes that ``HTTPRequest.parse_request`` and ``Gateway_10.get_environ`` set. Tested with cheroot 10.0.0
and 11.1.2. A head that is new, or unusual in any way, is parsed by cheroot.
"""

from __future__ import annotations

import re
from email.utils import formatdate
from functools import lru_cache
from time import time
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

from .cheroot_requests import StrictGateway, StrictRequest

if TYPE_CHECKING:
    from .request_reader import RequestReader

M = TypeVar("M")

MAX_HEADS: Final = 4
"""Limit on the heads that are remembered of one connection."""
MAX_HEAD_SIZE: Final = 2048
"""Limit on the bytes of a head that is remembered."""

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

    def find(self, data: bytes | bytearray, start: int) -> CachedHead[M] | None:
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


def _split_head(data: bytes | bytearray, start: int) -> tuple[bytes, bytes, bytes, int] | None:
    """Split a head around the digits of its ``Content-Length``; return the three parts and the index of its end."""
    end = data.find(_HEAD_END, start, start + MAX_HEAD_SIZE)
    if end < 0:
        return None
    length = _CONTENT_LENGTH.search(data, start, end + 2)
    if length is None:
        return None
    first, after = length.span(1)
    # Slices of bytes are not copied again.
    return bytes(data[start:first]), bytes(length[1]), bytes(data[after:end]), end + len(_HEAD_END)


class ParsedHead:
    """Results of parsing a head once."""

    def __init__(self, request: FastRequest) -> None:
        self.attributes = {name: value for name, value in vars(request).items() if name not in _PER_REQUEST}
        """The attributes that cheroot set on the request."""
        self.fields: dict[bytes, bytes] = request.inheaders
        self.environ: dict[str, Any] | None = None
        """The environment that cheroot's gateway made; None before the first request is handled."""


class FastRequest(StrictRequest):
    """Takes over the results of parsing the same head before."""

    parsed_head: ParsedHead | None = None
    """None for a head that cannot be cached."""

    def parse_request(self) -> None:
        """Find the head in the cache, or let cheroot parse it."""
        reader: RequestReader = self.conn.rfile
        heads: HeadCache[ParsedHead] = self.conn.heads
        buffer, start = reader.peek()
        cached = heads.find(buffer, start)
        if cached is None:
            base: Any = super()
            base.parse_request()
            if self.ready and self._is_cacheable():
                self.parsed_head = ParsedHead(self)
                heads.add(bytes(buffer[start : reader.peek()[1]]), self.parsed_head)
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


class FastGateway(StrictGateway):
    """Makes the environment of a cached head once."""

    def get_environ(self) -> Any:
        """Return the environment for the application."""
        request: Any = self.req
        parsed: ParsedHead | None = request.parsed_head
        if parsed is None:
            return super().get_environ()
        if parsed.environ is None:
            parsed.environ = {**super().get_environ(), "wsgi.input": None}
        length: bytes = request.inheaders[b"Content-Length"]
        return {**parsed.environ, "CONTENT_LENGTH": length.decode("ascii"), "wsgi.input": request.rfile}
