"""The body of a streamed response: the events of a log, as server-sent events."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf
from time import monotonic, time
from typing import Final

from ...logs import write_log
from ..media import SSE
from ..sse import KEEP_ALIVE, message_event, priming_event
from .disconnection import POLL_INTERVAL
from .event_log import EventLog, ReadResult
from .responses import Headers, Response
from .store import StoreUnavailable
from .stream_limiter import StreamLimiter

_HEADERS: Final[Headers] = [
    ("Content-Type", SSE),
    ("Cache-Control", "no-cache, no-transform"),
    # Proxies must not buffer events (2026-07-28, Streamable HTTP: Receiving Messages).
    ("X-Accel-Buffering", "no"),
]


class EventStream:
    """An iterator over the events of a log after the number ``after``, until the log ends.

    Closing it releases the place that the caller acquired from ``limiter`` with ``long``; so does a failing constructor.
    With ``name``, events have ids from which they can be resumed. ``first`` is sent before all events. After
    ``keepalive`` seconds without an event, a comment is sent. ``on_use`` is called with each comment, and with events if
    its last call was ``keepalive`` seconds ago. ``is_gone`` returns whether the client has hung up, and is polled.
    ``is_lost`` returns whether the last events will not arrive; they are not sent then. ``on_close`` is called once, with
    whether everything was sent. After the Unix time ``expires_at`` no more events are sent, and the stream ends at the
    next event or comment.
    """

    def __init__(
        self,
        log: EventLog,
        limiter: StreamLimiter,
        *,
        long: bool,
        keepalive: float,
        after: int = 0,
        name: str = "",
        first: bytes = b"",
        on_use: Callable[[], object] | None = None,
        is_gone: Callable[[], bool] | None = None,
        is_lost: Callable[[], bool] | None = None,
        on_close: Callable[[bool], object] | None = None,
        expires_at: float = inf,
    ) -> None:
        try:
            self._reader = log.attach()
        except BaseException:
            limiter.release(long=long)
            raise
        self._log = log
        self._limiter = limiter
        self._long = long
        self._keepalive = keepalive
        self._after = after
        self._name = name
        self._first = first
        self._on_use = on_use
        self._used = monotonic()
        """Time of the last call of ``on_use``."""
        self._is_gone = is_gone
        self._is_lost = is_lost
        self._on_close = on_close
        self._expires_at = expires_at
        self._complete = False
        self._closed = False
        limiter.streams.add(self)

    def response(self) -> Response:
        """Return the response whose body this is."""
        return Response(200, [*_HEADERS], self)

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if self._first:
            # WSGI servers send the headers with the first bytes of the body.
            first, self._first = self._first, b""
            return first
        if self._complete:
            raise StopIteration
        try:
            result = self._read()
            if time() >= self._expires_at:
                raise StopIteration
            if not result.events and not result.over:
                return self.keep_alive()
            self._note_use(self._keepalive)
        except StoreUnavailable as error:
            _log_cut_off(error)
            raise StopIteration from None
        data = self._events_of(result)
        if not data:
            raise StopIteration
        return data

    # For an event loop, which never waits.

    @property
    def remote(self) -> bool:
        """Whether ``read_available``, ``keep_alive`` and ``close`` take as long as an answer from another process."""
        return self._log.remote

    def watch(self, callback: Callable[[], object]) -> None:
        """Call a function, which must not wait, from any thread whenever ``read_available`` may have something to return."""
        self._log.watch(self._reader, callback)

    def read_available(self) -> bytes | None:
        """Return what can be sent now, nothing perhaps; None at the end of the stream."""
        if self._first:
            return next(self)
        if self._complete or time() >= self._expires_at:
            return None
        try:
            result = self._log.read(self._reader, self._after, 0.0)
            self._note_use(self._keepalive)
        except StoreUnavailable as error:
            _log_cut_off(error)
            return None
        if self._last_are_lost(result):
            return None
        return self._events_of(result) or (None if self._complete else b"")

    def keep_alive(self) -> bytes:
        """Return the comment to send if there was no event for ``keepalive`` seconds. Raise ``StoreUnavailable``."""
        if time() >= self._expires_at:
            self.hang_up()
        else:
            self._note_use(0)
        return KEEP_ALIVE

    def _note_use(self, interval: float) -> None:
        """Call ``on_use`` unless it was called within the last ``interval`` seconds. Raise ``StoreUnavailable``."""
        if self._on_use is not None and monotonic() - self._used >= interval:
            self._used = monotonic()
            self._on_use()

    def _events_of(self, result: ReadResult) -> bytes:
        """Return the events as bytes."""
        self._complete = result.over
        chunks: list[bytes] = []
        for event in result.events:
            event_id = f"{self._name}.{event.number}" if self._name else ""
            self._after = event.number
            if event.retry:
                chunks.append(priming_event(event_id, event.retry))
                self._complete = True
                break
            chunks.append(message_event(event.line, event_id))
        return b"".join(chunks)

    def _last_are_lost(self, result: ReadResult) -> bool:
        return result.over and self._is_lost is not None and self._is_lost()

    # For WSGI servers, whose thread waits.

    def _read(self) -> ReadResult:
        """Wait up to ``keepalive`` seconds for events. Raise ``StopIteration`` if the client has hung up."""
        left = self._keepalive
        while True:
            timeout = left if self._is_gone is None else min(left, POLL_INTERVAL)
            result = self._log.read(self._reader, self._after, timeout)
            left -= POLL_INTERVAL
            if self._last_are_lost(result):
                raise StopIteration
            if result.events or result.over or self._is_gone is None:
                return result
            if self._is_gone():
                raise StopIteration
            if left <= 0:
                return result

    def hang_up(self) -> None:
        """End the response after the events already sent, if the log has not ended."""
        if not self._log.ended:
            self._log.detach(self._reader)

    def close(self) -> None:
        """Close the stream; the WSGI server calls this after the response, complete or not (PEP 3333)."""
        if self._closed:
            return
        self._closed = True
        self._limiter.streams.discard(self)
        self._log.detach(self._reader)
        self._limiter.release(long=self._long)
        if self._on_close is not None:
            try:
                self._on_close(self._complete)
            except StoreUnavailable as error:
                write_log("warning", "a stream was closed, but its session remains until it expires: %s", error)


def _log_cut_off(error: StoreUnavailable) -> None:
    write_log("info", "a stream is cut off, so that the client reconnects: %s", error)
