"""The received bytes of a connection, as the file from which cheroot and the application read."""

from __future__ import annotations

import re
from typing import Final

_HEAD_END: Final = re.compile(rb"\r\n\r\n|(?<!\r)\n")
"""The end of a head, or a line that does not end as HTTP requires, which is refused at once."""


class RequestReader:
    """The received bytes that are not consumed yet."""

    closed = False

    def __init__(self) -> None:
        self._data: bytes | bytearray = b""
        self._position = 0
        self.late = False
        """Whether the rest of a request has not arrived in time."""

    def __len__(self) -> int:
        """Return the number of bytes that can be read."""
        return len(self._data) - self._position

    def add(self, data: bytes) -> None:
        """Append received bytes."""
        if self._position == len(self._data):
            # Most requests arrive whole and are never copied.
            self._data, self._position = data, 0
            return
        if not isinstance(self._data, bytearray):
            self._data = bytearray(self._data)
        if self._position:
            del self._data[: self._position]
            self._position = 0
        self._data += data

    def clear(self) -> None:
        """Discard all bytes."""
        self._data, self._position = b"", 0

    def find_head_end(self, start: int) -> bool:
        """Return whether a whole head, or one that cannot be valid, follows; its first ``start`` bytes were searched."""
        begin = self._position
        if self._data.startswith(b"\r\n", begin):
            # An empty line before a request is ignored (RFC 9112, section 2.2).
            begin += 2
        return _HEAD_END.search(self._data, max(begin, self._position + start - 3)) is not None

    def peek(self) -> tuple[bytes | bytearray, int]:
        """Return the buffer and the index of its first unread byte."""
        return self._data, self._position

    def skip_to(self, index: int) -> None:
        """Continue at another index of the buffer."""
        self._position = index

    def read(self, size: int = -1) -> bytes:
        """Return up to ``size`` bytes. Raise ``TimeoutError`` if the rest has not arrived in time."""
        start = self._position
        end = len(self._data) if size < 0 else min(start + size, len(self._data))
        if start == end and size and self.late:
            # The application answers 408.
            raise TimeoutError
        part = bytes(self._data[start:end])
        if end == len(self._data):
            # An idle connection must not hold the body of its last request.
            self.clear()
        else:
            self._position = end
        return part

    def readline(self, size: int = -1) -> bytes:
        """Return the bytes up to the next LF, or up to ``size`` of them. Raise ``TimeoutError`` as ``read`` does."""
        start = self._position
        end = self._data.find(b"\n", start) + 1
        if not end:
            if self.late:
                raise TimeoutError
            end = len(self._data)
        if 0 <= size < end - start:
            end = start + size
        self._position = end
        return bytes(self._data[start:end])


class ReceivedBody:
    """The body of a request, all of whose ``remaining`` bytes have arrived, as the WSGI input."""

    __slots__ = ("_source", "remaining")

    def __init__(self, source: RequestReader, length: int) -> None:
        self._source = source
        self.remaining = length

    def read(self, size: int = -1) -> bytes:
        """Return up to ``size`` bytes, by default all that remain."""
        size = self.remaining if size < 0 else min(size, self.remaining)
        self.remaining -= size
        return self._source.read(size)
