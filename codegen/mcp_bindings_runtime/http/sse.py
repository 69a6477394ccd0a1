"""Server-sent events (``text/event-stream``; WHATWG HTML, section Server-sent events): write them, and parse them."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from ..errors import MessageTooLarge, UsageError
from ..session.framing import DEFAULT_LIMIT

KEEP_ALIVE: Final = b":\n\n"
"""A comment, which shows proxies that the stream is alive, and the server whether the client is."""

_BOM: Final = b"\xef\xbb\xbf"
_FIELD_SIZE: Final = 64
"""Limit on the bytes that an unfinished line of an event may have in addition to the largest allowed size of the
event's data. These bytes are for the name of the field.
"""
_ID_SIZE: Final = 4096
"""Limit on the bytes of an event id, which clients send back in a header; a longer id is ignored."""
_MAX_RETRY: Final = 10**9
"""Limit on the milliseconds that the field ``retry`` of an event can set."""


def message_event(line: bytes, event_id: str = "") -> bytes:
    """Return an event that carries one message."""
    head = f"id: {event_id}\n".encode() if event_id else b""
    return b"%sevent: message\ndata: %s\n\n" % (head, line)


def priming_event(event_id: str, retry: int) -> bytes:
    """Return an event with an id and no message, after which a client can resume; ``retry`` is in milliseconds."""
    return f"id: {event_id}\nretry: {retry}\ndata:\n\n".encode()


class SseEvent(NamedTuple):
    """An event that has data, which may be empty: a priming event only sets the id to resume from."""

    type: str
    """``message`` by default."""
    data: bytes
    """The lines of data, joined by LF; undecoded, because JSON is parsed from bytes."""
    id: str | None
    """The id stated by the event itself; None without one, even if earlier events stated one."""


Found: TypeAlias = "SseEvent | MessageTooLarge"


class SseParser:
    """Parses a stream of bytes, in pieces of any size, into events.

    An event whose data exceeds ``limit`` bytes is never held; a ``MessageTooLarge`` takes its place. Memory is bounded by
    the limit and the last piece. An event that the end of the stream cuts off is dropped.
    """

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        if limit < 1:
            text = f"`limit` must be a number of bytes >= 1, got {limit}"
            raise UsageError(text)
        self._limit = limit
        self.last_id = ""
        """The last id that any event stated, for ``Last-Event-ID``."""
        self.retry: float | None = None
        """Seconds to wait before reconnecting; None if the stream stated none."""
        self._begun = False
        self._after_cr = False
        self._rest = bytearray()
        """The line that has not ended yet."""
        self._skips = False
        """Whether the rest of that line is discarded."""
        self._data: bytearray | None = None
        self._size = 0
        self._type = b""
        self._id: str | None = None

    def feed(self, chunk: bytes) -> list[Found]:
        """Parse the next bytes of the stream; return the events that end in them."""
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
                self._read_field(whole)
            else:
                self._dispatch(found)
        if rest and not self._skips:
            self._rest += rest
            self._bound_line()
        return found

    def _bound_line(self) -> None:
        """Discard an unfinished line that exceeds the limit."""
        if len(self._rest) > self._limit + _FIELD_SIZE:
            if self._rest.startswith(b"data:"):
                self._add_data(len(self._rest), b"")
            self._rest.clear()
            self._skips = True

    def _read_field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._add_data(len(value), value)
        elif name == b"event":
            self._type = value
        elif name == b"id":
            if len(value) > _ID_SIZE:
                self._id = ""
            elif b"\0" not in value:
                self._id = value.decode("utf-8", "replace")
        elif name == b"retry" and value.isdigit():
            # bytes.isdigit() accepts ASCII digits only; int() raises for thousands of them.
            milliseconds = int(value) if len(value) < 10 else _MAX_RETRY
            self.retry = min(milliseconds, _MAX_RETRY) / 1000

    def _add_data(self, size: int, value: bytes) -> None:
        """Add a line of data; of an event that exceeds the limit, keep only the size."""
        first = self._data is None
        if self._data is None:
            self._data = bytearray()
        self._size += size if first else size + 1
        if self._size > self._limit:
            self._data.clear()
        elif first:
            self._data += value
        else:
            self._data += b"\n" + value

    def _dispatch(self, found: list[Found]) -> None:
        """End the event at an empty line."""
        data, size, kind, own = self._data, self._size, self._type, self._id
        self._data, self._size, self._type, self._id = None, 0, b"", None
        if own is not None:
            self.last_id = own
        if data is None:
            return
        if size > self._limit:
            found.append(MessageTooLarge(size, self._limit))
        else:
            found.append(SseEvent(kind.decode("utf-8", "replace") or "message", bytes(data), own))
