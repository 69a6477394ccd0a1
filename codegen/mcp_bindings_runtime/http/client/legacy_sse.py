"""The client side of HTTP+SSE (2024-11-05): one stream for all messages of the server, and an endpoint to post to."""

from __future__ import annotations

from math import inf
from threading import Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING

from ...connection.auto_reset_event import AutoResetEvent
from ...errors import ConnectionClosed, HttpError, McpError, MessageTooLarge, ProtocolError
from ...logs import log_exception, write_log
from ...transports import Unanswered
from ..sse import SseParser
from .endpoint import STREAM, Endpoint, media_type_of
from .error_responses import http_error_of
from .exchange import Exchange
from .inbox import Inbox
from .messages import OutgoingMessage, RequestId, answered_by, one_line
from .pending import PendingRequests
from .repeater import Repeater
from .retry import OPENING
from .session_state import SessionState, version_in
from .statuses import rejects_message
from .wire import close, discard, next_part, origin, resolve_url, sibling_urls

if TYPE_CHECKING:
    from .wire import Response


class LegacySse:
    """A connection by HTTP+SSE; messages of the server go to ``inbox``.

    When the stream breaks after the handshake, what was in flight fails, and the stream is opened again: that begins another
    session, in which the ``state`` of the one before is restored. ``inbox`` ends with the exchange.
    """

    def __init__(
        self, endpoint: Endpoint, inbox: Inbox, repeater: Repeater, state: SessionState, *, limit: int
    ) -> None:
        self._endpoint = endpoint
        self._inbox = inbox
        self._repeater = repeater
        self._state = state
        self._limit = limit
        self._events = SseParser(limit)
        self._exchange = Exchange("the stream of the server")
        self._url = ""
        """The URL of the stream; empty for that of the server."""
        self._target = ""
        self._received = False
        """Whether anything was received since the last attempt to open the stream."""
        self._version: str | None = None
        self._lock = Lock()
        """Held while the following change."""
        self._is_open = True
        """Whether messages can be posted: the session is there, or nothing can be done about it."""
        self._waiting: list[AutoResetEvent] = []
        """The events of threads that wait for that."""
        self._in_flight: set[RequestId] = set()
        """The ids of requests without a response."""
        self._restoring: dict[RequestId, bytes | None] = {}
        """The ids of requests that restore the session, and the responses to them."""

    def open(self, exchange: Exchange, *, search: bool = False) -> None:
        """Open the stream for a request, and wait until the server has named the URL to post to.

        With ``search``, try ``sse`` next to the URL and below it, too: many servers have Streamable HTTP at the URL. Raise
        ``HttpError`` for a refusal, ``ProtocolError`` for another response, ``ConnectionClosed``, ``RequestTimeout``.
        """
        self._exchange.deadline = exchange.deadline
        try:
            response = self._find() if search else self._begin("")
        finally:
            # A failure after which the stream cannot be opened is that of the request.
            exchange.exhausted = exchange.exhausted or self._exchange.exhausted
        self._exchange.deadline = inf
        try:
            Thread(target=self._run, args=(response,), name="mcp-http-sse", daemon=True).start()
        except BaseException:
            close(response)
            raise

    def _find(self) -> Response:
        url = self._endpoint.url
        try:
            return self._begin("")
        except ProtocolError as fault:
            if isinstance(fault, HttpError) and not rejects_message(fault.status):
                raise
            refusal = fault
        tried = sibling_urls(url, "sse")
        for each in tried:
            try:
                response = self._begin(each)
            except ProtocolError as fault:
                if isinstance(fault, HttpError) and not rejects_message(fault.status):
                    raise
                continue
            self._url = each
            write_log("info", "the stream of HTTP+SSE is at %s, and not at %s; use that URL", each, url)
            return response
        refusal.add_note(
            f"There is no stream of HTTP+SSE (2024-11-05) at {', '.join([url, *tried])}. Use the URL of the stream if it is "
            "elsewhere, or `connect.http`, which negotiates the revision."
        )
        raise refusal

    def _begin(self, url: str) -> Response:
        """Return the stream at a URL once it has named the URL to post to. Raise as ``open``."""
        response = self._get(url)
        try:
            while not self._target and (part := next_part(response, self._exchange)):
                self._process(part)
        except BaseException:
            close(response)
            raise
        if not self._target:
            close(response)
            text = f"the stream of {self._exchange.place} ended without an `endpoint` event, so it is not HTTP+SSE"
            raise ProtocolError(text)
        return response

    def _get(self, url: str) -> Response:
        """Return the stream at a URL. Raise as ``open``."""
        response = self._endpoint.get(self._exchange, {}, url)
        if response.status != 200:
            raise http_error_of(response, self._exchange)
        if media_type_of(response) != STREAM:
            close(response)
            text = f"{self._exchange.place} returned {media_type_of(response) or 'no media type'} instead of {STREAM}"
            raise ProtocolError(text)
        return response

    def _first_part(self, response: Response) -> bytes:
        part = next_part(response, self._exchange)
        if not part:
            text = f"the stream of {self._exchange.place} ended before the session was open"
            raise ConnectionClosed(text)
        return part

    def post_requests(self, pending: PendingRequests) -> bool:
        """Post requests whose responses arrive on the stream; return False, as no thread of their own reads them."""
        self.post(pending.exchange, pending.out)
        pending.waiting.clear()
        return False

    def post(self, exchange: Exchange, out: OutgoingMessage) -> None:
        """Post a message. Raise ``HttpError`` for a refusal, ``ConnectionClosed``, ``RequestTimeout``."""
        self._wait_until_open(exchange)
        with self._lock:
            self._in_flight |= out.ids
        try:
            self._post(exchange, out.body)
        except BaseException:
            with self._lock:
                # Their failure has been reported if they are not there any more.
                exchange.exhausted = exchange.exhausted or not out.ids <= self._in_flight
                self._in_flight -= out.ids
            raise

    def _post(self, exchange: Exchange, body: bytes) -> None:
        response = self._endpoint.post(exchange, {}, body, self._target)
        if not 200 <= response.status < 300:
            raise http_error_of(response, exchange)
        # Its body only acknowledges the message.
        discard(response, exchange)

    def _wait_until_open(self, exchange: Exchange) -> None:
        while True:
            event = exchange.new_event()
            if event is None:
                raise exchange.closed()
            with self._lock:
                if self._is_open:
                    return
                self._waiting.append(event)
            left = exchange.remaining()
            if not event.wait(-1 if left is None else left):
                raise exchange.timed_out()

    def end(self) -> None:
        """End the stream."""
        self._exchange.end()

    def _run(self, response: Response) -> None:
        opened: Response | None = response
        fault: Exception | None = None
        try:
            while opened is not None:
                fault = self._read(opened)
                if self._exchange.ended or not self._state.complete:
                    return
                self._fail_in_flight(fault)
                opened = self._open_again(fault)
        finally:
            self._set_open()
            self._inbox.end(str(fault or "the server ended its stream"))

    def _read(self, response: Response) -> Exception | None:
        """Read the stream until its end; return the failure that has ended it, if any."""
        try:
            while part := next_part(response, self._exchange):
                self._received = True
                self._process(part)
        except McpError as fault:
            return fault
        except Exception as fault:  # noqa: BLE001  # no caller may wait for ever
            log_exception(fault, "the stream of the server cannot be read: %s", fault)
            return fault
        finally:
            close(response)
        return None

    def _fail_in_flight(self, fault: Exception | None) -> None:
        with self._lock:
            self._is_open = False
            lost, self._in_flight = self._in_flight, set()
        for request_id in lost:
            text = f"the stream of the server ended before the answer ({fault or 'the server closed it'})"
            self._inbox.put(Unanswered(request_id, ConnectionClosed(text)))

    def _open_again(self, fault: Exception | None) -> Response | None:
        """Return the stream in a new session; None if the exchange has ended."""
        failures = 0 if self._received and fault is None else 1
        while True:
            retry = self._repeater.before_resuming(
                fault, self._exchange, failures, wanted=True, server_delay=self._events.retry
            )
            if retry is None or self._repeater.wait(self._exchange, retry):
                return None
            try:
                return self._begin_anew()
            except Exception as failed:  # noqa: BLE001  # of `auth`, for instance
                fault = failed
                failures += 1

    def _begin_anew(self) -> Response:
        """Open the stream, and restore the session."""
        self._exchange.deadline = monotonic() + OPENING
        self._received = False
        self._target, self._events = "", SseParser(self._limit)
        response = self._get(self._url)

        def send(out: OutgoingMessage) -> bytes:
            (request_id,) = out.ids
            self._restoring[request_id] = None
            self._post(Exchange(out.what, self._exchange.deadline), out.body)
            while (line := self._restoring[request_id]) is None:
                self._process(self._first_part(response))
            return line

        def notify(body: bytes) -> None:
            self._post(Exchange("the handshake", self._exchange.deadline), body)

        try:
            while not self._target:
                self._process(self._first_part(response))
            self._state.restore(self._version, send, notify)
        except BaseException:
            close(response)
            raise
        finally:
            self._restoring.clear()
        self._exchange.deadline = inf
        self._set_open()
        return response

    def _set_open(self) -> None:
        with self._lock:
            self._is_open = True
            waiting, self._waiting = self._waiting, []
        for each in waiting:
            each.set()

    def _process(self, part: bytes) -> None:
        for event in self._events.feed(part):
            if isinstance(event, MessageTooLarge):
                write_log("warning", "%s", event)
            elif event.type == "endpoint":
                self._set_target(event.data)
            elif event.type == "message" and event.data and self._target:
                self._receive(one_line(event.data))

    def _receive(self, line: bytes) -> None:
        """Queue a message, unless it is a response that restores the session."""
        answered = answered_by(line)
        for request_id in answered & self._restoring.keys():
            self._restoring[request_id] = line
            return
        with self._lock:
            self._in_flight -= answered
        if self._version is None and answered:
            self._version = version_in(line)
        self._inbox.put(line, wait=True)

    def _set_target(self, data: bytes) -> None:
        """Set the URL to post to, which must be in the origin of the server."""
        if self._target:
            write_log("info", "dropped: another endpoint event; the first one is used")
            return
        target = resolve_url(self._exchange.url, data.decode("utf-8", "replace").strip())
        if origin(target) != origin(self._endpoint.url):
            text = f"the endpoint for messages has another origin than the stream, {origin(target)}, and is not used"
            raise ProtocolError(text)
        self._target = target
