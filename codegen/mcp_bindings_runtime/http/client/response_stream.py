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
from .pending import PendingRequests
from .retry import ATTEMPTS, DELAY, OPENING, is_temporary, longer
from .wire import close, next_part

if TYPE_CHECKING:
    from .wire import Response

_DRAIN: Final = 0.05
"""Seconds for a stream to end after its last response; then its connection is closed."""
_REMEMBERED: Final = 256
"""Limit on remembered event ids; no event is delivered twice."""


class ResponseStream:
    """Reads one stream; calls ``deliver`` with each message, and ``fail`` with the reason if no response will arrive.

    ``resume`` are the headers of the session with which the stream can be resumed; None if it cannot.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        pending: PendingRequests,
        response: Response,
        *,
        limit: int,
        deliver: Callable[[PendingRequests, bytes, bool], None],
        fail: Callable[[PendingRequests, Exception], None],
        resume: Mapping[str, str] | None,
    ) -> None:
        self._endpoint = endpoint
        self._pending = pending
        self._exchange = pending.exchange
        self._response = response
        self._limit = limit
        self._events = SseParser(limit)
        self._deliver = deliver
        self._fail = fail
        self._resume = resume
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
        try:
            while self._pending.waiting and not self._exchange.ended:
                if not ended:
                    try:
                        self._read(once=False)
                    except ConnectionClosed as fault:
                        write_log("debug", "%s", fault)
                    if not self._pending.waiting or self._exchange.ended:
                        return
                self._reconnect()
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
            delivered = self._process(part)
            if not self._pending.waiting:
                self._drain()
                return True
            if delivered and once:
                return False
        return True

    def _process(self, part: bytes) -> bool:
        """Deliver the messages in a part of the stream; return whether there were any."""
        delivered = False
        for event in self._events.feed(part):
            if isinstance(event, MessageTooLarge):
                self._fail(self._pending, event)
                return True
            if event.id is not None:
                if event.id in self._seen and event.id:
                    write_log("info", "dropped: event %r, which has arrived before", event.id)
                    continue
                self._seen.append(event.id)
            if event.data and event.type == "message":
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
        return self._resume is not None and bool(self._last_id)

    def _cut_off(self) -> ConnectionClosed:
        how = "" if self._resume is None else ", and it has no event id from which to resume it"
        return ConnectionClosed(f"{self._exchange.what}: the stream ended before the answer{how}")

    def _reconnect(self) -> None:
        """Resume the stream after the delay that the server has set."""
        if self._resume is None or not self._resumable:
            raise self._cut_off()
        close(self._response)
        retry = self._events.retry
        pause = DELAY if retry is None else retry
        failed = 0
        while not self._exchange.sleep(pause):
            self._exchange.deadline = monotonic() + OPENING
            try:
                headers = {**self._resume, "Last-Event-ID": self._last_id}
                response = self._endpoint.get(self._exchange, headers)
            except (ConnectionClosed, RequestTimeout) as fault:
                failed += 1
                if failed >= ATTEMPTS:
                    raise
                write_log("info", "%s: the stream could not be resumed yet: %s", self._exchange.what, fault)
                pause = longer(pause)
                continue
            self._exchange.deadline = inf
            if response.status == 200 and media_type_of(response) == STREAM:
                self._response = response
                last, retry = self._events.last_id, self._events.retry
                self._events = SseParser(self._limit)
                self._events.last_id, self._events.retry = last, retry
                return
            refusal = http_error_of(response, self._exchange)
            failed += 1
            if is_temporary(refusal.status) and failed < ATTEMPTS:
                write_log("info", "%s: the stream could not be resumed yet: %s", self._exchange.what, refusal)
                pause = longer(pause, refusal.retry_after)
                continue
            text = f"{self._exchange.what}: the stream ended before the answer, and cannot be resumed: {refusal}"
            raise ConnectionClosed(text) from refusal
