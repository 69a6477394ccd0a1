"""Events out of a stream of bytes: ``text/event-stream``, as the HTML standard has it (section Server-sent events)."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from ..errors import MessageTooLarge, UsageError
from ..session.framing import DEFAULT_LIMIT

_BOM: Final = b"\xef\xbb\xbf"
_FIELD: Final = 64
"""How many bytes a line may have on top of the limit for data: a field's name, and what other fields hold."""
_LONGEST_RETRY: Final = 10**9
"""Milliseconds; whoever says more means never."""


class SseEvent(NamedTuple):
    """An event with data. That may be empty: such an event tells its id, from which a stream can be resumed."""

    type: str
    """``message``, unless the event says otherwise."""
    data: bytes
    """Its lines of data, put together with LF. They are not decoded, because JSON is read from bytes."""
    id: str | None
    """The id that the event itself gives; None where it gives none, whatever earlier ones gave."""


Found: TypeAlias = "SseEvent | MessageTooLarge"


class SseParser:
    """Cuts a stream of bytes into events, whatever the pieces in which it comes.

    An event with more than ``limit`` bytes of data is never held whole: a MessageTooLarge stands in its place. What is
    kept is bounded by the limit and the chunk that was fed last. What the end of the stream cuts off is no event.
    """

    __slots__ = (
        "_after_cr",
        "_begun",
        "_data",
        "_id",
        "_limit",
        "_rest",
        "_size",
        "_skips",
        "_type",
        "last_id",
        "retry",
    )

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        if limit < 1:
            text = f"a limit of {limit} bytes lets no event through; give at least 1"
            raise UsageError(text)
        self._limit = limit
        self.last_id = ""
        """The last id that any event has given, one without data too; what ``Last-SseEvent-ID`` is to say."""
        self.retry: float | None = None
        """Seconds to wait before reconnecting, as the stream has said; None where it has not."""
        self._begun = False
        self._after_cr = False
        self._rest = bytearray()
        """The line that has not ended yet."""
        self._skips = False
        """Whether what comes of that line is thrown away."""
        self._data: list[bytes] | None = None
        self._size = 0
        self._type = b""
        self._id: str | None = None

    def feed(self, chunk: bytes) -> list[Found]:
        """Takes the next bytes of the stream, and gives the events that end in them."""
        if not self._begun:
            chunk = bytes(self._rest) + chunk
            self._rest.clear()
            if len(chunk) < len(_BOM) and _BOM.startswith(chunk):
                self._rest += chunk
                return []
            self._begun = True
            chunk = chunk.removeprefix(_BOM)
        if self._after_cr and chunk:
            self._after_cr = False
            chunk = chunk.removeprefix(b"\n")
        if b"\r" in chunk:
            self._after_cr = chunk.endswith(b"\r")
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lines = chunk.split(b"\n")
        rest = lines.pop()
        found: list[Found] = []
        for line in lines:
            if self._skips:
                self._skips = False
                continue
            whole = line
            if self._rest:
                self._rest += line
                whole = bytes(self._rest)
                self._rest.clear()
            if whole:
                self._take(whole)
            else:
                self._dispatch(found)
        if rest and not self._skips:
            self._rest += rest
            self._bound()
        return found

    def _bound(self) -> None:
        """Throws a line away that is longer than any could be that is of use."""
        if len(self._rest) > self._limit + _FIELD:
            if self._rest.startswith(b"data:"):
                self._add(len(self._rest), b"")
            self._rest.clear()
            self._skips = True

    def _take(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._add(len(value), value)
        elif name == b"event":
            self._type = value
        elif name == b"id":
            if b"\0" not in value:
                self._id = value.decode("utf-8", "replace")
        elif name == b"retry" and value.isdigit():
            # Its digits are those of ASCII, as it is bytes. Python refuses to read thousands of them.
            milliseconds = int(value) if len(value) < 10 else _LONGEST_RETRY
            self.retry = min(milliseconds, _LONGEST_RETRY) / 1000

    def _add(self, size: int, value: bytes) -> None:
        """A line of data. Of an event that is too large only the size is kept."""
        if self._data is None:
            self._data = []
        else:
            size += 1
        self._size += size
        if self._size > self._limit:
            self._data.clear()
        else:
            self._data.append(value)

    def _dispatch(self, found: list[Found]) -> None:
        """An empty line ends an event."""
        data, size, kind, own = self._data, self._size, self._type, self._id
        self._data, self._size, self._type, self._id = None, 0, b"", None
        if own is not None:
            self.last_id = own
        if data is None:
            return
        if size > self._limit:
            found.append(MessageTooLarge(size, self._limit))
        else:
            found.append(SseEvent(kind.decode("utf-8", "replace") or "message", b"\n".join(data), own))
