"""Server-sent events: the messages of a log as the body of a response (WHATWG HTML, section 9.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from ...logs import note
from ..media import SSE
from .disconnection import LOOK
from .event_log import EventLog, ReadResult
from .responses import Headers
from .store import StoreUnavailable
from .stream_limiter import Leaving

HEADERS: Final[Headers] = [
    ("Content-Type", SSE),
    ("Cache-Control", "no-cache, no-transform"),
    # Proxies are not to hold events back until there are many (2026-07-28, Streamable HTTP: Receiving Messages).
    ("X-Accel-Buffering", "no"),
]

KEEP_ALIVE: Final = b":\n\n"
"""A comment: says that the stream is still there, to proxies, and to us whether the client is."""


def message(line: bytes, event_id: str = "") -> bytes:
    """An event with one message."""
    head = f"id: {event_id}\n".encode() if event_id else b""
    return b"%sevent: message\ndata: %s\n\n" % (head, line)


def priming(event_id: str, retry: int) -> bytes:
    """An event without a message, so that the client knows where it is and after how long to come back."""
    return f"id: {event_id}\nretry: {retry}\ndata:\n\n".encode()


class EventStream:
    """The body of a response: what a log has behind the number ``after``, until it ends.

    ``name`` makes ids of the numbers; without it events have none, and cannot be asked for again. ``first`` goes before
    all. After each ``keepalive`` seconds without an event comes a comment, and ``alive`` is called. ``closed`` is called
    when nothing more can be sent, with whether all was; ``gone`` says whether the client has hung up, and is asked now
    and then. As long as it is open it is in ``among``.
    """

    def __init__(
        self,
        log: EventLog,
        *,
        keepalive: float,
        closed: Callable[[bool], None],
        among: set[Leaving],
        alive: Callable[[], object] | None = None,
        gone: Callable[[], bool] | None = None,
        after: int = 0,
        name: str = "",
        first: bytes = b"",
    ) -> None:
        self._log = log
        self._reader = log.attach()
        self._after = after
        self._name = name
        self._first = first
        self._keepalive = keepalive
        self._alive = alive
        self._gone = gone
        self._closed: Callable[[bool], None] | None = closed
        self._over = False
        self._among = among
        among.add(self)

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if self._first:
            # Headers go out with the first bytes only.
            first, self._first = self._first, b""
            return first
        if self._over:
            raise StopIteration
        try:
            reading = self._read()
            if not reading.events and not reading.over and self._alive is not None:
                self._alive()
        except StoreUnavailable as fault:
            note("info", "a stream is cut off, and the client comes back to it: %s", fault)
            raise StopIteration from None
        self._over = reading.over
        if not reading.events:
            if self._over:
                raise StopIteration
            return KEEP_ALIVE
        chunks: list[bytes] = []
        for event in reading.events:
            event_id = f"{self._name}.{event.number}" if self._name else ""
            self._after = event.number
            if event.retry:
                chunks.append(priming(event_id, event.retry))
                self._over = True
                break
            chunks.append(message(event.line, event_id))
        return b"".join(chunks)

    def _read(self) -> ReadResult:
        """Read what comes within ``keepalive`` seconds; raises StopIteration where the client has hung up."""
        left = self._keepalive
        while True:
            reading = self._log.read(self._reader, self._after, left if self._gone is None else min(left, LOOK))
            left -= LOOK
            if reading.events or reading.over or self._gone is None:
                return reading
            if self._gone():
                raise StopIteration
            if left <= 0:
                return reading

    def hang_up(self) -> None:
        """As ``Leaving.hang_up``."""
        if not self._log.ended:
            self._log.detach(self._reader)

    def close(self) -> None:
        """The server calls this at the end of the response, and when the client has gone (PEP 3333)."""
        self._among.discard(self)
        self._log.detach(self._reader)
        closed, self._closed = self._closed, None
        if closed is not None:
            try:
                closed(self._over)
            except StoreUnavailable as fault:
                note("warning", "a stream is closed, and its session stays until it expires: %s", fault)
