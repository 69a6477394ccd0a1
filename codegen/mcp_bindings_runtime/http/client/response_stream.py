"""Responses as a stream of events, read until the responses are there, and resumed if the stream breaks.

Transports of 2025-03-26 to 2025-11-25: Sending Messages to the Server, Resumability and Redelivery.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from math import inf
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Final

from ...errors import ConnectionClosed, McpError, MessageTooLarge, RequestTimeout
from ...logs import log_exception, write_log
from ..sse import SseParser
from .endpoint import STREAM, Endpoint, media_type_of
from .error_responses import http_error_of
from .messages import is_result
from .pending import PendingRequests
from .repeater import Repeater
from .retry import OPENING
from .wire import close, next_part

if TYPE_CHECKING:
    from .wire import Response

_DRAIN: Final = 0.05
"""Seconds for a stream to end after its last response; then its connection is closed."""
_REMEMBERED: Final = 256
"""Limit on the event ids that a client remembers, so that it delivers no event twice."""


class ResponseStream:
    """Reads one stream; calls ``deliver`` with each message, and ``fail`` with the reason if no response will arrive.

    ``resume`` are the headers of the session with which the stream can be resumed; None if it cannot. ``reopen`` sends the
    request of a subscription again (2026-07-28); once acknowledged, that is open until the client ends it.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        pending: PendingRequests,
        response: Response,
        *,
        limit: int,
        repeater: Repeater,
        deliver: Callable[[PendingRequests, bytes, bool], None],
        fail: Callable[[PendingRequests, Exception], None],
        resume: Mapping[str, str] | None,
        reopen: Callable[[], Response] | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._repeater = repeater
        self._pending = pending
        self._exchange = pending.exchange
        self._response = response
        self._limit = limit
        self._events = SseParser(limit)
        self._deliver = deliver
        self._fail = fail
        self._resume = resume
        self._reopen = reopen
        self._acknowledged = False
        """Whether the stream of a subscription has brought a message."""
        self._stopped = False
        """Whether the server has stopped serving the subscription."""
        self._received = False
        """Whether anything was received since the stream was opened."""
        self._last_id = ""
        self._seen: deque[str] = deque(maxlen=_REMEMBERED)
        self._in_thread = False

    def begin(self) -> bool:
        """Read in the calling thread until a message has arrived; then continue in a thread of its own if necessary.

        Return whether such a thread reads on. Raise ``ConnectionClosed`` if the stream has ended without the response, and
        ``RequestTimeout``.
        """
        try:
            ended = self._read(once=True)
        except RequestTimeout:
            close(self._response)
            raise
        except ConnectionClosed as fault:
            if self._exchange.ended or not self._resumable:
                raise
            write_log("debug", "%s", fault)
            ended = True
        if not self._pending.waiting:
            return False
        if ended and not self._resumable:
            raise self._cut_off()
        self._in_thread = self._pending.in_background = True
        self._exchange.deadline = inf
        try:
            Thread(target=self._go_on, args=(ended,), name="mcp-http-answer", daemon=True).start()
        except RuntimeError as fault:
            close(self._response)
            text = f"{self._exchange.what}: no thread could be started to read the answer: {fault}"
            raise ConnectionClosed(text) from fault
        return True

    def _go_on(self, ended: bool) -> None:
        failures = 0
        try:
            while self._pending.waiting and not self._exchange.ended:
                fault: Exception | None = None
                if not ended:
                    try:
                        self._read(once=False)
                    except ConnectionClosed as failed:
                        fault = failed
                    if not self._pending.waiting or self._exchange.ended:
                        return
                failures = (0 if self._received else failures) + (fault is not None or not self._received)
                self._reconnect(fault, failures)
                ended = False
        except McpError as fault:
            self._fail(self._pending, fault)
        except Exception as fault:  # noqa: BLE001  # raised by `auth`, for instance; reported to the caller
            log_exception(fault, "%s: the answer could not be read: %s", self._exchange.what, fault)
            self._fail(self._pending, ConnectionClosed(f"{self._exchange.what}: the answer could not be read: {fault}"))
        finally:
            close(self._response)
            self._fail(self._pending, self._exchange.closed())

    def _read(self, *, once: bool) -> bool:
        """Read, with ``once`` until a message has arrived; return whether the stream has ended."""
        while part := next_part(self._response, self._exchange):
            self._received = True
            delivered = self._process(part)
            if not self._pending.waiting:
                self._drain()
                return True
            if self._stopped:
                return True
            if delivered and once:
                return False
        return True

    def _process(self, part: bytes) -> bool:
        """Deliver the messages in a part of the stream; return whether there were any."""
        delivered = False
        for event in self._events.feed(part):
            if isinstance(event, MessageTooLarge):
                if self._acknowledged:
                    # Only notifications follow, and the next ones may be smaller.
                    write_log("warning", "%s: %s", self._exchange.what, event)
                    continue
                self._fail(self._pending, event)
                return True
            if event.id is not None:
                if event.id in self._seen and event.id:
                    write_log("info", "dropped: event %r, which has arrived before", event.id)
                    continue
                self._seen.append(event.id)
            if event.data and event.type == "message":
                if self._reopen is not None and self._ends_subscription(event.data):
                    self._stopped = True
                    return delivered
                self._deliver(self._pending, event.data, self._in_thread)
                delivered = True
        return delivered

    def _drain(self) -> None:
        """Read the rest of the stream, so that its connection can be used again."""
        self._exchange.deadline = monotonic() + _DRAIN
        try:
            while part := next_part(self._response, self._exchange):
                self._process(part)
        except McpError as fault:
            write_log("debug", "%s", fault)
        close(self._response)

    # Resumption.

    @property
    def _resumable(self) -> bool:
        self._last_id = self._events.last_id
        return self._acknowledged or (self._resume is not None and bool(self._last_id))

    def _cut_off(self) -> ConnectionClosed:
        how = "" if self._resume is None else ", and it has no event id from which to resume it"
        return ConnectionClosed(
            f"{self._exchange.what}: the stream of {self._exchange.place} ended before the answer{how}"
        )

    def _ends_subscription(self, data: bytes) -> bool:
        """Return whether a message is the result of a subscription, which a server sends when it stops."""
        if not self._pending.answered(data):
            self._acknowledged = True
            return False
        return self._acknowledged and is_result(data)

    def _reconnect(self, fault: Exception | None, failures: int) -> None:
        """Open the stream again, from its last event if it has an id. Raise ``ConnectionClosed`` if that is refused."""
        if not self._resumable:
            raise self._cut_off()
        close(self._response)
        while True:
            retry = self._repeater.before_resuming(
                fault, self._exchange, failures, wanted=self._acknowledged, server_delay=self._events.retry
            )
            if retry is None:
                begun = f"{self._exchange.what}: the stream of {self._exchange.place}"
                text = f"{begun} ended before the answer, and cannot be resumed: {fault}"
                raise ConnectionClosed(text) from fault
            if self._repeater.wait(self._exchange, retry):
                return
            self._exchange.deadline = monotonic() + OPENING
            try:
                self._response = self._open()
            except Exception as failed:
                if not (self._acknowledged or isinstance(failed, McpError)):
                    raise
                if not self._pending.waiting:
                    return
                fault = failed
                failures += 1
                continue
            self._exchange.deadline = inf
            self._received = self._stopped = False
            last, delay = self._events.last_id, self._events.retry
            self._events = SseParser(self._limit)
            self._events.last_id, self._events.retry = last, delay
            return

    def _open(self) -> Response:
        """Return the opened stream. Raise ``HttpError`` if it is refused, and as ``Wire.open``."""
        if self._reopen is not None and self._acknowledged:
            return self._reopen()
        headers = {**(self._resume or {}), "Last-Event-ID": self._last_id}
        response = self._endpoint.get(self._exchange, headers)
        if response.status != 200 or media_type_of(response) != STREAM:
            raise http_error_of(response, self._exchange)
        return response
