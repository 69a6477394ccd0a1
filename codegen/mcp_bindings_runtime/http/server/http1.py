"""HTTP/1.1 syntax (RFC 9112): unambiguous header fields and chunked bodies.

A request that two readers understand differently, such as a proxy and a server, can hide another request in it (request
smuggling). Such a request is refused.
"""

from __future__ import annotations

import re
from typing import Any, Final

HEAD_LIMIT: Final = 64 * 1024
"""Limit on the bytes of a request's head: its first line and all header fields."""

_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):([^\0\r\n]*)\r\n")
_SINGLE = frozenset({b"Authorization", b"Content-Length", b"Content-Type", b"Host", b"Last-Event-Id", b"Origin"})
"""Fields that hold one value and must not be repeated; those of MCP must not either."""

_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\0\r\n]*)?\r\n")
_MAX_CHUNK_LINE: Final = 1024
"""Limit on the bytes of the line that begins a chunk of a chunked body."""
_MAX_TRAILERS: Final = 32
"""Limit on the fields after the last chunk of a chunked body, which are ignored."""


class FieldReader:
    """Reads header fields into a dict; the interface is that of cheroot's ``HeaderReader``."""

    def __call__(self, source: Any, fields: dict[bytes, bytes]) -> dict[bytes, bytes]:
        """Read up to the empty line. Raise ``ValueError`` for a malformed field, or one that must not be repeated.

        Names with ``_`` are ignored, because WSGI does not distinguish them from those with ``-``.
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
                    message = f"the header {name.decode()} is repeated"
                    raise ValueError(message)
                value = b"%s, %s" % (fields[name], value)
            fields[name] = value
        return fields


class ChunkScanner:
    """Finds the end of a chunked body in a buffer that grows, without reading any byte twice."""

    def __init__(self) -> None:
        self._offset = 0
        """Number of bytes that belong to whole chunks."""
        self._trailers = 0
        """Number of lines after the last chunk; 0 before its end."""

    def is_complete(self, data: bytes | bytearray, start: int) -> bool:
        """Return whether the body that begins at ``start`` has ended, or is malformed, which ``ChunkedBody`` will report."""
        while True:
            at = start + self._offset
            end = data.find(b"\n", at, at + _MAX_CHUNK_LINE) + 1
            if not end:
                return len(data) - at >= _MAX_CHUNK_LINE
            line = bytes(data[at:end])
            if self._trailers:
                is_trailer = line != b"\r\n" and line.endswith(b"\r\n")
                if not is_trailer or self._trailers > _MAX_TRAILERS:
                    return True
                self._trailers += 1
            else:
                found = _CHUNK.fullmatch(line)
                if found is None:
                    return True
                size = int(found[1], 16)
                if not size:
                    self._trailers = 1
                else:
                    end += size + 2
                    if end > len(data):
                        return False
                    if data[end - 2 : end] != b"\r\n":
                        return True
            self._offset = end - start


class ChunkedBody:
    """Reads a chunked body (section 7.1) without holding more than one read of it."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self._left = 0
        self._started = False
        self.finished = False
        """Whether the last chunk has been read."""

    def read(self, size: int) -> bytes:
        """Return up to ``size`` bytes, none at the end. Raise ``ValueError`` for a malformed or truncated chunk."""
        if not self._left and not self.finished:
            self._start_chunk()
        if self.finished:
            return b""
        part: bytes = self._source.read(min(size, self._left))
        if not part:
            message = "it ends within a chunk"
            raise ValueError(message)
        self._left -= len(part)
        return part

    def _start_chunk(self) -> None:
        line = self._source.readline(_MAX_CHUNK_LINE)
        if self._started:
            if line != b"\r\n":
                message = "a chunk is longer than its stated size"
                raise ValueError(message)
            line = self._source.readline(_MAX_CHUNK_LINE)
        found = _CHUNK.fullmatch(line)
        if found is None:
            message = "a chunk does not begin with its size"
            raise ValueError(message)
        self._started = True
        self._left = int(found[1], 16)
        if not self._left:
            self._skip_trailers()
            self.finished = True

    def _skip_trailers(self) -> None:
        for _ in range(_MAX_TRAILERS):
            line = self._source.readline(_MAX_CHUNK_LINE)
            if line == b"\r\n":
                return
            if not line.endswith(b"\r\n"):
                break
        message = "the last chunk is not followed by an empty line"
        raise ValueError(message)
