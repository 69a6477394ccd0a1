"""Lines of a stream of bytes, of any number, none of them held in memory beyond a length that is allowed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

_STEP = 1 << 16


class Readable(Protocol):
    """What lines come from: a binary file."""

    def readline(self, size: int = ..., /) -> bytes:
        """The rest of the line, at most ``size`` bytes of it; empty at the end."""
        ...


class Line(NamedTuple):
    """One line, without its end."""

    number: int
    """From 1."""
    data: bytes | None
    """None where the line is longer than is allowed."""
    size: int
    """How many bytes were read for it, with its end."""


def lines(stream: Readable, longest: int, start: int = 1) -> Iterator[Line]:
    """The lines of ``stream``. Only a newline ends one: other separators of Unicode may stand in JSON strings."""
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
    """Go on to the end of the line; how many bytes that were."""
    size = 0
    while data := stream.readline(_STEP):
        size += len(data)
        if data.endswith(b"\n"):
            break
    return size
