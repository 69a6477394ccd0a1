"""Requests in flight: one POST, and the responses that it waits for."""

from __future__ import annotations

import json
from collections.abc import Callable
from threading import Thread
from typing import TYPE_CHECKING, Any

from ...connection.auto_reset_event import AutoResetEvent
from ...errors import ConnectionClosed, MessageTooLarge, ProtocolError
from ...logs import write_log
from ..sse import SseParser
from .endpoint import JSON, STREAM, Endpoint, media_type_of
from .error_responses import http_error_of
from .exchange import Exchange
from .messages import OutgoingMessage, RequestId, answered_by, one_line
from .wire import close, next_part, read_body

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .wire import Response


class PendingRequests:
    """The requests of one POST, and the ids of those without a response."""

    __slots__ = ("background", "exchange", "in_background", "out", "waiting")

    def __init__(self, out: OutgoingMessage, exchange: Exchange) -> None:
        self.out = out
        self.exchange = exchange
        self.waiting: set[RequestId] = set(out.ids)
        self.in_background = False
        """Whether a thread of its own reads the response."""
        self.background: BackgroundSend | None = None
        """The thread that sends them and reads the response; None if their caller does."""

    def answered(self, line: bytes) -> frozenset[RequestId]:
        """Return the ids of its requests that a message answers."""
        # Most responses are recognised without parsing: they contain no "method", and one is awaited.
        if len(self.waiting) == 1 and b'"method"' not in line and b"\\u" not in line:
            (only,) = self.waiting
            text = b"%d" % only if only.__class__ is int else json.dumps(only).encode()
            if b'"id":' + text + b"," in line or b'"id":' + text + b"}" in line:
                return frozenset(self.waiting)
        return answered_by(line) & self.waiting


class BackgroundSend:
    """A thread that sends requests and reads the response, and goes on when the caller leaves."""

    __slots__ = ("_failure", "_over", "_send")

    def __init__(self, send: Callable[[], None]) -> None:
        self._send = send
        self._failure: BaseException | None = None
        self._over = AutoResetEvent()

    def wait(self, caller: Exchange) -> None:
        """Start the thread, and wait until it is done. Raise what it raises, and ``RequestTimeout`` at the deadline."""
        try:
            Thread(target=self._run, name="mcp-http-task", daemon=True).start()
        except RuntimeError as fault:
            write_log("warning", "no thread could be started: %s", fault)
            self._run()
        left = caller.remaining()
        if not self._over.wait(-1 if left is None else left):
            raise caller.timed_out()
        if self._failure is not None:
            raise self._failure

    def leave(self) -> None:
        """End ``wait``; from any thread."""
        self._over.set()

    def _run(self) -> None:
        try:
            self._send()
        except BaseException as fault:  # noqa: BLE001  # raised again by ``wait``
            write_log("debug", "%s", fault)
            self._failure = fault
        finally:
            self._over.set()


def unusable_response(response: Response, exchange: Exchange) -> ProtocolError:
    """Return the exception for a successful HTTP response without a JSON-RPC response."""
    kind = media_type_of(response)
    close(response)
    if response.status in {202, 204}:
        how = f"accepted the request (HTTP status {response.status}) without an answer"
        return ProtocolError(f"{exchange.what}: {exchange.place} {how}")
    found = kind or "no type"
    return ProtocolError(f"{exchange.what}: the answer of {exchange.place} must be {JSON} or {STREAM}, got {found}")


def no_answer(exchange: Exchange) -> ProtocolError:
    """Return the exception for a body that contains no response to the request."""
    return ProtocolError(f"{exchange.what}: the answer of {exchange.place} contains no response to this request")


def post_and_wait(
    endpoint: Endpoint,
    exchange: Exchange,
    headers: Mapping[str, str],
    out: OutgoingMessage,
    *,
    limit: int,
    on_message: Callable[[bytes], Any],
) -> tuple[bytes, Mapping[str, str]]:
    """Post a request and wait for its response in this thread; return it with the HTTP headers.

    Pass earlier messages of its stream to ``on_message``. Raise ``HttpError``, ``ProtocolError``, ``ConnectionClosed``,
    ``RequestTimeout``.
    """
    pending = PendingRequests(out, exchange)
    response = endpoint.post(exchange, headers, out.body)
    if not 200 <= response.status < 300:
        raise http_error_of(response, exchange)
    kind = media_type_of(response)
    if kind == JSON:
        line = one_line(read_body(response, exchange, limit))
        if not pending.answered(line):
            raise no_answer(exchange)
        return line, response.headers
    if kind != STREAM:
        raise unusable_response(response, exchange)
    try:
        events = SseParser(limit)
        while part := next_part(response, exchange):
            for event in events.feed(part):
                if isinstance(event, MessageTooLarge):
                    raise event
                line = one_line(event.data)
                if line and pending.answered(line):
                    return line, response.headers
                if line:
                    on_message(line)
    finally:
        close(response)
    text = f"{out.what}: the stream of {exchange.place} ended before the answer"
    raise ConnectionClosed(text)
