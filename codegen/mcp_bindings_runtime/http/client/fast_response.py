"""The plain answer, as nearly all are: status 200, JSON, a stated length, a connection that is kept.

It is parsed without ceremony. What differs in anything is left to http.client, which knows all of RFC 9112.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from http.client import IncompleteRead
from typing import Any, Final

from .exchange import Exchange, receive

_MOST: Final = 32
"""How many header fields a plain answer may have."""
_LONGEST: Final = 4096
"""How many bytes its head may have."""
_NUMBER: Final = 15
"""How many digits its length may have."""
_TOKEN = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_HEAD = re.compile(rb"HTTP/1\.1 200 [\t -~]*\r\n((?:" + _TOKEN + rb":[\t -~]*\r\n)*)\r\n")
"""The start of an answer (RFC 9112, sections 2.1, 4 and 5), all in ASCII, and no field over several lines."""
_TYPE = re.compile(r"application/json(?:[ \t]*;.*)?", re.IGNORECASE)
_SPECIAL: Final = frozenset({"transfer-encoding", "content-encoding", "upgrade", "trailer"})


class Fields(Mapping[str, str]):
    """Header fields; their names are the same in lower and in upper case."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, str]) -> None:
        """``values`` are by names in lower case."""
        self._values = values

    def __getitem__(self, name: str) -> str:
        return self._values[name.lower()]

    # These two are asked for fields that are not there; by way of the mapping, each time an exception is raised and caught.

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._values

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a field, or something else where it is not there."""
        return self._values.get(name.lower(), default)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def getlist(self, name: str) -> list[str]:
        """The values of a field, of which there is one at most."""
        return [self[name]] if name in self else []


class PlainAnswer:
    """An answer whose body has yet to be read, as urllib3 has them.

    ``left`` is the part of its body that has come with its head. ``released`` is told, once, whether the connection can
    be used for another request.
    """

    status: Final = 200
    reason: Final = "OK"

    __slots__ = ("_ahead", "_exchange", "_left", "_released", "_socket", "headers")

    def __init__(
        self,
        headers: Fields,
        length: int,
        ahead: bytes,
        connection: Any,
        exchange: Exchange,
        released: Callable[[bool], object],
    ) -> None:
        self.headers = headers
        self._left = length
        self._ahead = ahead
        self._socket = connection
        self._exchange = exchange
        self._released: Callable[[bool], object] | None = released
        if len(ahead) > length:
            # More than was announced: nobody knows what the rest is about.
            self._ahead = ahead[:length]
            self._release(whole=False)

    def read(self, amount: int | None = None) -> bytes:
        """The body, or so many bytes of it at most, as ``read1``; raises IncompleteRead if it is cut off, and OSError."""
        if amount is not None:
            return self.read1(amount)
        if len(self._ahead) == self._left:
            return self.read1(self._left)
        parts: list[bytes] = []
        while part := self.read1(256 * 1024):
            parts.append(part)
        return b"".join(parts)

    def read1(self, amount: int) -> bytes:
        """Some bytes of the body; empty at its end. Raises as ``read``."""
        if self._ahead:
            part, self._ahead = self._ahead[:amount], self._ahead[amount:]
        elif self._left:
            part = receive(self._socket, self._exchange, min(amount, self._left))
            if not part:
                nothing = b""
                raise IncompleteRead(nothing, self._left)
        else:
            part = b""
        self._left -= len(part)
        if not self._left:
            self._release(whole=True)
        return part

    def close(self) -> None:
        """Gives the connection back, and closes it where there was more to read. Idempotent."""
        self._release(whole=not self._left)

    def release_conn(self) -> None:
        """As ``close``."""
        self.close()

    def _release(self, *, whole: bool) -> None:
        released, self._released = self._released, None
        if released is not None:
            released(whole)


def plain_head(data: bytes) -> tuple[Fields, int, int] | None:
    """The fields, the length of the body and where it starts, if ``data`` starts with the head of a plain answer."""
    end = data.find(b"\r\n\r\n") + 4
    plain = _plain(data[:end]) if 4 <= end <= _LONGEST else None
    return None if plain is None else (*plain, end)


# A server that is asked much says the same again and again, but for its clock.
@lru_cache(maxsize=64)
def _plain(data: bytes) -> tuple[Fields, int] | None:
    head = _HEAD.fullmatch(data)
    if head is None:
        return None
    lines = head[1].decode("ascii").split("\r\n")
    lines.pop()
    fields: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        fields[name.lower()] = value.strip(" \t")
    length = fields.get("content-length", "")
    if (
        # Names that come twice have to be put together, or contradict each other.
        len(fields) < len(lines)
        or len(fields) > _MOST
        or not (length.isdigit() and len(length) <= _NUMBER)
        or not _TYPE.fullmatch(fields.get("content-type", ""))
        or fields.get("connection", "keep-alive").lower() != "keep-alive"
        or not _SPECIAL.isdisjoint(fields)
    ):
        return None
    return Fields(fields), int(length)
