"""Lines of a byte stream, none of which is held in memory beyond a maximum length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

_STEP = 1 << 16


class Readable(Protocol):
    """A binary file."""

    def readline(self, size: int = ..., /) -> bytes:
        """Return the rest of the line, at most ``size`` bytes; empty at the end."""
        ...


class Line(NamedTuple):
    """One line, without its end."""

    number: int
    """Number of the line, from 1."""
    data: bytes | None
    """Content; None if the line is too long."""
    size: int
    """Number of bytes read, including the line end."""


def lines(stream: Readable, longest: int, start: int = 1) -> Iterator[Line]:
    """Yield the lines of ``stream``. Only a newline ends a line: JSON strings may contain other Unicode separators."""
    number = start
    while data := stream.readline(longest + 2):
        whole = data.endswith(b"\n")
        text = data.removesuffix(b"\n").removesuffix(b"\r")
        if len(text) <= longest:
            yield Line(number, text, len(data))
        else:
            yield Line(number, None, len(data) + (0 if whole else _skip(stream)))
        number += 1


def _skip(stream: Readable) -> int:
    """Skip the rest of the line; return the number of bytes skipped."""
    size = 0
    while data := stream.readline(_STEP):
        size += len(data)
        if data.endswith(b"\n"):
            break
    return size
