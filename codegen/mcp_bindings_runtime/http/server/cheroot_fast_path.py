"""The fast path of cheroot: parse the head of a request once, and write a whole response in one step.

Relied on: the attributes that ``HTTPRequest.__init__``, ``parse_request`` and ``Gateway_10.get_environ`` set. Tested with
cheroot 10.0.0 and 11.1.2. cheroot parses a head that is new, or unusual in any way, and writes the heads of errors, of
streams and of the last response on a connection.
"""

from __future__ import annotations

import re
from email.utils import formatdate
from functools import lru_cache
from time import time
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, Self, TypeVar

from ..media import JSON
from .cheroot_requests import StrictGateway, StrictRequest
from .head_checks import ACCEPTED_BY
from .responses import JSON_TYPE, STATUS_LINES, Response

if TYPE_CHECKING:
    from .request_reader import RequestReader

M = TypeVar("M")

MAX_HEADS: Final = 4
"""Limit on the request heads that a connection remembers, so that it need not parse equal ones."""
MAX_HEAD_SIZE: Final = 2048
"""Limit on the bytes of a request head that a connection remembers."""
MAX_DIGITS: Final = 15
"""Number of digits of the ``Content-Length`` up to which a head is remembered."""

_PER_REQUEST: Final = frozenset({"conn", "inheaders", "outheaders", "parsed_head", "rfile", "server"})
"""Attributes of cheroot's requests that do not follow from the head alone."""
_WITH_LENGTH: Final = frozenset({200, 202})
"""Statuses of responses that state their length if they are no streams (see ``responses``)."""
_HEAD_END: Final = b"\r\n\r\n"
_CONTENT_LENGTH = re.compile(rb"\r\nContent-Length:[ \t]*([0-9]{1,%d})[ \t]*\r\n" % MAX_DIGITS, re.IGNORECASE)


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
        """Meanings by the bytes before the digits, and by those after them up to the end of the head; the latest first."""

    def find(self, data: bytes | bytearray, start: int) -> CachedHead[M] | None:
        """Return the head that begins at ``start``; None if it is unknown or incomplete."""
        for (before, after), meaning in self._meanings.items():
            if data.startswith(before, start):
                first = start + len(before)
                last = data.find(after, first, first + MAX_DIGITS + len(after))
                length = bytes(data[first:last])
                if last > 0 and length.isdigit():
                    return CachedHead(meaning, length, last + len(after))
        return None

    def add(self, head: bytes, meaning: M) -> None:
        """Remember a valid head, if it announces a body."""
        parts = _split_head(head, 0)
        if parts is None or parts[3] != len(head):
            return
        before, _, after, _ = parts
        # A client begins with heads that it does not repeat, and each head before the right one costs a comparison.
        kept = list(self._meanings.items())[: MAX_HEADS - 1]
        self._meanings = {(before, after + _HEAD_END): meaning, **dict(kept)}


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
    """A request that takes over the results of parsing the same head before, if there are any."""

    parsed_head: ParsedHead | None = None
    """None for a head that cannot be cached."""

    @classmethod
    def of_cached(cls, head: CachedHead[ParsedHead], server: Any, conn: Any) -> Self:
        """Return a request with a head in the cache of its connection, and begin its body."""
        conn.rfile.skip_to(head.end)
        request = cls.__new__(cls)
        parsed = head.meaning
        vars(request).update(
            parsed.attributes,
            server=server,
            conn=conn,
            parsed_head=parsed,
            inheaders={**parsed.fields, b"Content-Length": head.length},
            outheaders=[],
        )
        return request

    def parse_request(self) -> None:
        """Let cheroot parse the head, and cache the result if possible."""
        reader: RequestReader = self.conn.rfile
        heads: HeadCache[ParsedHead] = self.conn.heads
        buffer, start = reader.peek()
        base: Any = super()
        base.parse_request()
        if self.ready and self._is_cacheable():
            self.parsed_head = ParsedHead(self)
            heads.add(bytes(buffer[start : reader.peek()[1]]), self.parsed_head)

    def _is_cacheable(self) -> bool:
        """Return whether the head has no effect but to announce a body and to fill the environment."""
        if self.close_connection or self.response_protocol != "HTTP/1.1":
            return False
        return b"Content-Length" in self.inheaders and b"Expect" not in self.inheaders


@lru_cache(maxsize=1)
def _date_and_server(second: int, server: str) -> str:
    """Return the last two fields of the head of a response, and its end."""
    return f"Date: {formatdate(second, usegmt=True)}\r\nServer: {server}\r\n\r\n"


@lru_cache(maxsize=4)
def _json_head(second: int, server: str, status: int) -> bytes:
    """Return the head of a response whose body is one JSON text, up to the number of its bytes."""
    fields = f"Content-Type: {JSON}\r\nDate: {formatdate(second, usegmt=True)}\r\nServer: {server}\r\n"
    return f"HTTP/1.1 {STATUS_LINES[status]}\r\n{fields}Content-Length: ".encode("latin-1")


class FastGateway(StrictGateway):
    """Makes the environment of a cached head once, and writes head and body of most responses in one step."""

    def get_environ(self) -> Any:
        """Return the environment for the application."""
        request: Any = self.req
        parsed: ParsedHead | None = request.parsed_head
        if parsed is None:
            return super().get_environ()
        if parsed.environ is None:
            parsed.environ = {**super().get_environ(), "wsgi.input": None, ACCEPTED_BY: set()}
        length: bytes = request.inheaders[b"Content-Length"]
        return {**parsed.environ, "CONTENT_LENGTH": length.decode("ascii"), "wsgi.input": request.rfile}

    def send(self, response: Response) -> bool:
        """Write the response in one step, or let cheroot write its head; return whether it is complete."""
        request: Any = self.req
        status, headers, body = response
        server = request.server
        if (
            request.parsed_head is None
            or status not in _WITH_LENGTH
            or body.__class__ is not list
            or request.close_connection
            or request.rfile.remaining
            or not server.can_add_keepalive_connection
        ):
            return super().send(response)
        if len(headers) == 2 and headers[0] is JSON_TYPE:
            (line,) = body
            start = _json_head(int(time()), server.server_name, status)
            request.conn.write(b"%b%d\r\n\r\n%b" % (start, len(line), line))
            return True
        end = _date_and_server(int(time()), server.server_name)
        head = "\r\n".join([f"HTTP/1.1 {STATUS_LINES[status]}", *map(": ".join, headers), end])
        request.conn.write(b"".join([head.encode("latin-1"), *body]))
        return True
