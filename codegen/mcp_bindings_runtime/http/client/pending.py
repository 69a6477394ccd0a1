"""Requests in flight: one POST, and the responses that it waits for."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...errors import ConnectionClosed, MessageTooLarge, ProtocolError
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

    __slots__ = ("exchange", "in_background", "out", "waiting")

    def __init__(self, out: OutgoingMessage, exchange: Exchange) -> None:
        self.out = out
        self.exchange = exchange
        self.waiting: set[RequestId] = set(out.ids)
        self.in_background = False
        """Whether a thread of its own reads the response."""

    def answered(self, line: bytes) -> frozenset[RequestId]:
        """Return the ids of its requests that a message answers."""
        # Most responses are recognised without parsing: they contain no "method", and one is awaited.
        if len(self.waiting) == 1 and b'"method"' not in line and b"\\u" not in line:
            (only,) = self.waiting
            text = b"%d" % only if only.__class__ is int else json.dumps(only).encode()
            if b'"id":' + text + b"," in line or b'"id":' + text + b"}" in line:
                return frozenset(self.waiting)
        return answered_by(line) & self.waiting


def unusable_response(response: Response, what: str) -> ProtocolError:
    """Return the exception for a successful HTTP response without a JSON-RPC response."""
    kind = media_type_of(response)
    close(response)
    if response.status in {202, 204}:
        return ProtocolError(
            f"{what}: the server accepted the request (HTTP status {response.status}) without an answer"
        )
    return ProtocolError(f"{what}: the answer must be {JSON} or {STREAM}, got {kind or 'no type'}")


def no_answer(what: str) -> ProtocolError:
    """Return the exception for a body without the response."""
    return ProtocolError(f"{what}: the server returned no response to this request")


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
            raise no_answer(out.what)
        return line, response.headers
    if kind != STREAM:
        raise unusable_response(response, out.what)
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
    text = f"{out.what}: the stream ended before the answer"
    raise ConnectionClosed(text)
