"""Requests as HTTP/1.1 has them written (RFC 9112): fields that mean one thing to everybody, and bodies in chunks.

What two readers understand differently, a proxy and a server say, lets one request hide in another. It is refused.
"""

from __future__ import annotations

import re
from typing import Any, Final

HEAD_LIMIT: Final = 64 * 1024
"""How many bytes the request line and the fields may have together."""

_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):([^\0\r\n]*)\r\n")
_SINGLE = frozenset({b"Authorization", b"Content-Length", b"Content-Type", b"Host", b"Last-Event-Id", b"Origin"})
"""Fields that are no lists, besides those of MCP: twice they say two things."""

_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\0\r\n]*)?\r\n")
_LINE: Final = 1024
"""How long the line before a chunk may be."""
_TRAILERS: Final = 32
"""How many fields may follow the last chunk; nothing is done with them."""


class FieldReader:
    """Reads the fields of a request into a dict; as cheroot's readers of headers."""

    def __call__(self, source: Any, fields: dict[bytes, bytes]) -> dict[bytes, bytes]:
        """Reads up to the empty line. Raises ValueError for what is no field, and for one too many of a kind.

        Names with ``_`` are passed over: behind WSGI nobody knows them from those with ``-``.
        """
        while (line := source.readline()) != b"\r\n":
            found = _FIELD.fullmatch(line)
            if found is None:
                message = "a header is not written as `Name: value`"
                raise ValueError(message)
            name, value = found[1].title(), found[2].strip(b" \t")
            if b"_" in name:
                continue
            if name in fields:
                if name in _SINGLE or name.startswith(b"Mcp-"):
                    message = f"the header {name.decode()} comes more than once"
                    raise ValueError(message)
                value = b"%s, %s" % (fields[name], value)
            fields[name] = value
        return fields


class ChunkedBody:
    """A body in chunks (section 7.1), of which no more is held than is asked for."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self._left = 0
        self._begun = False
        self.over = False
        """Whether all of it has been read."""

    def read(self, size: int) -> bytes:
        """Up to so many bytes, none at the end. Raises ValueError for what is no chunk, or is cut off."""
        if not self._left and not self.over:
            self._next()
        if self.over:
            return b""
        part: bytes = self._source.read(min(size, self._left))
        if not part:
            message = "it ends within a chunk"
            raise ValueError(message)
        self._left -= len(part)
        return part

    def _next(self) -> None:
        line = self._source.readline(_LINE)
        if self._begun:
            if line != b"\r\n":
                message = "a chunk is longer than it says"
                raise ValueError(message)
            line = self._source.readline(_LINE)
        found = _CHUNK.fullmatch(line)
        if found is None:
            message = "there is no size where a chunk begins"
            raise ValueError(message)
        self._begun = True
        self._left = int(found[1], 16)
        if not self._left:
            self._pass_trailers()
            self.over = True

    def _pass_trailers(self) -> None:
        for _ in range(_TRAILERS):
            line = self._source.readline(_LINE)
            if line == b"\r\n":
                return
            if not line.endswith(b"\r\n"):
                break
        message = "the last chunk is not followed by an empty line"
        raise ValueError(message)
