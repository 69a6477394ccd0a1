"""Heads of requests that come again: on one connection, a client writes nearly the same before each body.

To find out what a head means takes longer than all else that HTTP does with a request. What is the same byte for byte as
one before it, but for the number of bytes that it announces, means the same.
"""

from __future__ import annotations

import re
from typing import Final, Generic, NamedTuple, TypeVar

M = TypeVar("M")

KNOWN: Final = 4
"""How many heads of a connection are remembered."""
LONGEST: Final = 2048
"""How many bytes a head may have to be remembered."""

_END: Final = b"\r\n\r\n"
_LENGTH = re.compile(rb"\r\nContent-Length:[ \t]*([0-9]{1,15})[ \t]*\r\n", re.IGNORECASE)


class Again(NamedTuple, Generic[M]):
    """A head that is known."""

    meaning: M
    length: bytes
    """The number of bytes that it announces, in digits."""
    end: int
    """Where the body begins."""


class Heads(Generic[M]):
    """The heads of one connection, and what they mean."""

    def __init__(self) -> None:
        self._known: dict[tuple[bytes, bytes], M] = {}

    def find(self, data: bytes, start: int) -> Again[M] | None:
        """What is known of the head that begins at ``start``; None where it is new, or not all there."""
        if not self._known:
            return None
        parts = _parts(data, start)
        if parts is None:
            return None
        before, length, after, end = parts
        meaning = self._known.get((before, after))
        return None if meaning is None else Again(meaning, length, end)

    def learn(self, head: bytes, meaning: M) -> None:
        """Remembers a head that has been read and found good, if it announces a body."""
        parts = _parts(head, 0)
        if parts is None or parts[3] != len(head):
            return
        before, _, after, _ = parts
        self._known[before, after] = meaning
        while len(self._known) > KNOWN:
            del self._known[next(iter(self._known))]


def _parts(data: bytes, start: int) -> tuple[bytes, bytes, bytes, int] | None:
    """A head up to the digits of its ``Content-Length``, these, what follows them, and where it ends."""
    end = data.find(_END, start, start + LONGEST)
    if end < 0:
        return None
    length = _LENGTH.search(data, start, end + 2)
    if length is None:
        return None
    first, behind = length.span(1)
    return data[start:first], length[1], data[behind:end], end + len(_END)
