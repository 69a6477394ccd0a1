"""The stream on which a server says what belongs to no request (2025-03-26 to 2025-11-25, Listening for Messages)."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Final

from ...errors import ConnectionClosed, McpError, MessageTooLarge
from ...logs import note, report
from ..sse import EventStream
from .endpoint import STREAM, Endpoint, kind_of
from .exchange import Exchange
from .handshaken import Handshaken
from .outgoing import one_line
from .refusals import refusal_of
from .wire import close, next_part

if TYPE_CHECKING:
    from .wire import Response

_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 60.0
_HEADERS_WITHIN: Final = 60.0
_PROMPTLY: Final = 0.5
"""Seconds that the server is given to open the stream before anything else is said: what it says until then is lost."""


class Listening:
    """Reads that stream in a thread of its own, and opens it again when it ends, until ``end``.

    A server that has none says so (HTTP status 405), and is not asked again.
    """

    def __init__(self, endpoint: Endpoint, session: Handshaken, *, limit: int, put: Callable[[bytes], None]) -> None:
        self._endpoint = endpoint
        self._session = session
        self._limit = limit
        self._put = put
        self._exchange = Exchange("the stream of the server")
        self._events = EventStream(limit)
        self._of: str | None = None
        """The session whose events it has read."""
        self._answered = Event()

    def start(self) -> None:
        """Begins; returns when the stream is open or refused, or after half a second."""
        Thread(target=self._run, name="mcp-http-listen", daemon=True).start()
        self._answered.wait(_PROMPTLY)

    def end(self) -> None:
        """Ends the stream, in whatever state it is."""
        self._exchange.end()

    def _run(self) -> None:
        try:
            self._read_on()
        finally:
            self._answered.set()

    def _read_on(self) -> None:
        pause = _PAUSE
        while not self._exchange.ended:
            try:
                response = self._open()
                if response is None:
                    return
                self._answered.set()
                pause = _PAUSE
                self._read(response)
            except (ConnectionClosed, MessageTooLarge) as fault:
                note("debug", "%s", fault)
                pause = min(pause * 2, _LONGEST_PAUSE)
            except McpError as fault:
                if not self._exchange.ended:
                    note("warning", "the server's own messages do not arrive: %s", fault)
                return
            except Exception as fault:  # noqa: BLE001  # of `auth`, say
                report(fault, "the server's own messages do not arrive: %s", fault)
                return
            retry = self._events.retry
            self._exchange.rest(pause if retry is None else max(retry, pause if pause > _PAUSE else 0.0))

    def _open(self) -> Response | None:
        """The stream, or None where the server has none; raises HttpError, and as ``Wire.open``."""
        self._exchange.deadline = monotonic() + _HEADERS_WITHIN
        lost = self._session.id
        headers = self._session.headers()
        if self._of == lost and self._events.last_id:
            headers["Last-Event-ID"] = self._events.last_id
        response = self._endpoint.get(self._exchange, headers)
        if response.status == 405:
            close(response)
            note("debug", "the server has no stream of its own (HTTP status 405)")
            return None
        if response.status == 404 and lost is not None:
            close(response)
            self._session.renew(lost, self._exchange)
            return self._open() if self._session.id != lost else None
        if response.status != 200 or kind_of(response) != STREAM:
            raise refusal_of(response, self._exchange)
        last, retry = self._events.last_id, self._events.retry
        self._events = EventStream(self._limit)
        if self._of == lost:
            self._events.last_id, self._events.retry = last, retry
        self._of = lost
        self._exchange.deadline = inf
        return response

    def _read(self, response: Response) -> None:
        try:
            while part := next_part(response, self._exchange):
                for event in self._events.feed(part):
                    if isinstance(event, MessageTooLarge):
                        note("warning", "%s", event)
                    elif event.data and event.type == "message":
                        self._put(one_line(event.data))
        finally:
            close(response)
