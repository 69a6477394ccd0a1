"""The stream of messages that belong to no request (2025-03-26 to 2025-11-25, Listening for Messages)."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from threading import Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Final

from ...errors import McpError, MessageTooLarge
from ...logs import log_exception, write_log
from ..sse import SseParser
from .endpoint import STREAM, Endpoint, media_type_of
from .error_responses import http_error_of
from .exchange import Exchange
from .messages import one_line
from .repeater import Repeater
from .retry import OPENING
from .session import HttpSession
from .wire import close, discard, next_part

if TYPE_CHECKING:
    from .wire import Response

_PROMPTLY: Final = 0.5
"""Seconds to wait for the stream before other requests are sent: earlier messages of the server are lost."""


class StandaloneStream:
    """Reads the stream in a thread of its own, and opens it again when it ends, until ``end``.

    A server without one responds with HTTP status 405, and no further attempt is made. Status 404 means the same, until the
    next session; but if a stream was open in the same session, the session is lost. Once a stream was open, it is opened
    again after any failure.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        session: HttpSession,
        repeater: Repeater,
        *,
        limit: int,
        put: Callable[[bytes], None],
    ) -> None:
        self._endpoint = endpoint
        self._session = session
        self._repeater = repeater
        self._limit = limit
        self._put = put
        self._exchange = Exchange("the stream of the server")
        self._events = SseParser(limit)
        self._session_read: str | None = None
        """The id of the session whose events were read."""
        self._was_open = False
        self._received = False
        """Whether anything was received since the last attempt to open the stream."""
        self._answered = Event()
        self._lock = Lock()
        self._session_without_stream: str | None = None
        """The session in which there is no stream, while no thread tries to open one."""

    def start(self) -> None:
        """Open the stream; return when it is open or refused, or after half a second."""
        Thread(target=self._run, name="mcp-http-listen", daemon=True).start()
        self._answered.wait(_PROMPTLY)

    def session_renewed(self) -> None:
        """Try again in a new session if the one before had no stream."""
        with self._lock:
            if self._session_without_stream in {None, self._session.id} or self._exchange.ended:
                return
            self._session_without_stream = None
        Thread(target=self._run, name="mcp-http-listen", daemon=True).start()

    def end(self) -> None:
        """End the stream. Idempotent; from any thread."""
        self._exchange.end()

    def _run(self) -> None:
        try:
            self._read_on()
        finally:
            self._answered.set()

    def _read_on(self) -> None:
        failures = 0
        while True:
            self._received = False
            fault: Exception | None = None
            try:
                response = self._open()
                if response is None:
                    return
                self._answered.set()
                self._read(response)
            except Exception as failed:  # noqa: BLE001  # of `auth`, for instance
                fault = failed
            if self._exchange.ended:
                return
            failures = (0 if self._received else failures) + (fault is not None or not self._received)
            retry = self._repeater.before_resuming(
                fault, self._exchange, failures, wanted=self._was_open, server_delay=self._events.retry
            )
            if retry is None:
                self._report(fault)
                return
            if self._repeater.wait(self._exchange, retry):
                return

    @staticmethod
    def _report(fault: Exception | None) -> None:
        text = "the stream of server messages is not open: %s"
        if fault is None or isinstance(fault, McpError):
            write_log("warning", text, fault)
        else:
            log_exception(fault, text, fault)

    def _open(self) -> Response | None:
        """Return the stream, or None if the server has none. Raise ``HttpError``, and as ``Wire.open``."""
        # Each opening may repeat the requests that it depends on.
        self._exchange.exhausted = False
        while True:
            self._exchange.deadline = monotonic() + OPENING
            self._session.await_renewal(self._exchange)
            session = self._session.id
            headers = self._session.headers()
            if self._session_read == session and self._events.last_id:
                headers["Last-Event-ID"] = self._events.last_id
            response = self._endpoint.get(self._exchange, headers)
            if response.status == 400 and "Last-Event-ID" in headers:
                # The server no longer has the event.
                self._events.last_id = ""
            elif response.status == 404 and session is not None and self._session_read == session:
                # It is released first: a renewal may fail.
                discard(response, self._exchange)
                self._session.renew(session, self._exchange)
                continue
            elif response.status != 404 or not self._has_new_session(session):
                return self._accepted(response, session)
            discard(response, self._exchange)

    def _has_new_session(self, session: str | None) -> bool:
        """Return whether there is a new session to try in, after the stream was not found."""
        with self._lock:
            if self._session.id != session:
                return True
            if not self._was_open:
                self._session_without_stream = session
        return False

    def _accepted(self, response: Response, session: str | None) -> Response | None:
        if response.status in {404, 405} and not self._was_open:
            discard(response, self._exchange)
            write_log("debug", "the server has no stream of its own (HTTP status %d)", response.status)
            return None
        if response.status != 200 or media_type_of(response) != STREAM:
            raise http_error_of(response, self._exchange)
        last, retry = self._events.last_id, self._events.retry
        self._events = SseParser(self._limit)
        if self._session_read == session:
            self._events.last_id, self._events.retry = last, retry
        self._session_read = session
        self._was_open = True
        self._exchange.deadline = inf
        return response

    def _read(self, response: Response) -> None:
        try:
            while part := next_part(response, self._exchange):
                self._received = True
                for event in self._events.feed(part):
                    if isinstance(event, MessageTooLarge):
                        write_log("warning", "%s", event)
                    elif event.data and event.type == "message":
                        self._put(one_line(event.data))
        finally:
            close(response)
