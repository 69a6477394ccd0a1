"""The endpoint of 2026-07-28: Streamable HTTP without sessions, where the headers of a request repeat parts of its body.

2026-07-28: Streamable HTTP; Cancellation; Subscriptions; Versioning and Compatibility.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from ...account import Account
from ...codec.codec import best_backend
from ...codec.json_text import NotJson
from ...connection.calls import PendingCalls
from ...errors import ConnectionClosed
from ...jsonrpc import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MISSING_CLIENT_CAPABILITY,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
    ErrorObject,
    error_line,
    is_unicode,
)
from ...meta import member
from ...server.routing import Routes
from ...session.events import Dropped, Incoming, Reply
from ...session.session import Session
from ...session.stateless import INITIALIZE, LISTEN, VERSION, name_versions
from ..headers import NAMED, find_mismatch
from ..sse import KEEP_ALIVE
from .client_address import client_address
from .disconnection import has_hung_up
from .event_log import EventLog, MemoryEventLog, Priority
from .event_stream import EventStream
from .param_headers import ToolParamHeaders
from .pending_response import PendingResponse
from .post_channel import NoStream, PostChannel
from .responses import STREAMS, Rejection, Response, busy, empty_response, json_response
from .stream_limiter import StreamLimiter

if TYPE_CHECKING:
    from ...server.server import Server
    from .options import EndpointOptions

_STATUS_UNHANDLED: Final = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    METHOD_NOT_FOUND: 404,
    HEADER_MISMATCH: 400,
    MISSING_CLIENT_CAPABILITY: 400,
    UNSUPPORTED_VERSION: 400,
}
"""Error code to status, for a request that is refused before its handler runs."""
_STATUS_HANDLED: Final = {METHOD_NOT_FOUND: 404, MISSING_CLIENT_CAPABILITY: 400, UNSUPPORTED_VERSION: 400}
"""Error code to status, for an error of the handler; the specification names these, all others have status 200."""


class StatelessEndpoint:
    """Serves requests that need no session."""

    def __init__(self, routes: Routes, options: EndpointOptions, limiter: StreamLimiter, memory: Account) -> None:
        self._revisions = routes.revisions
        self._param_headers = {server: ToolParamHeaders(server) for server in routes.stateless}
        self._options = options
        self._limiter = limiter
        self._memory = memory

    def post(
        self, environ: Mapping[str, Any], body: bytes, value: Any, server: Server, principal: str | None
    ) -> Response | PendingResponse:
        """Respond to a message for a server; ``value`` is the parsed body. Raise ``Rejection``."""
        if value.__class__ is not dict:
            raise Rejection(400, "the body must be one JSON-RPC request or notification, which is an object")
        method = value.get("method")
        if "method" not in value and ("result" in value or "error" in value):
            raise Rejection(400, "clients send no responses in this revision; results of requests ask for input")
        version = member(value, "params", "_meta", VERSION)
        if "id" in value:
            expected = self._param_headers[server].of(value, principal)
            reason = None
            if expected or not _repeats_exactly(environ, value, version):
                reason = find_mismatch(_headers(environ), value, expected)
            if reason is not None:
                refusal = ErrorObject(HEADER_MISMATCH, f"Header mismatch: {reason}")
                return _refuse(value, name_versions(refusal, self._revisions) if method == INITIALIZE else refusal)
        session = server.session(self._revisions)
        event = session.receive(body)[0]
        if isinstance(event, Incoming):
            event.principal = principal
            event.source = client_address(environ)
            return self._run(environ, server, session, event)
        if isinstance(event, Reply):
            if event.refusal is not None:
                return json_response(_STATUS_UNHANDLED.get(event.refusal.code, 400), event.line)
            if method == LISTEN:
                source = principal or client_address(environ)
                return self._listen(server, session, value["id"], event.line, source, partial(has_hung_up, environ))
            return json_response(200, event.line)
        if isinstance(event, Dropped) and event.bad:
            raise Rejection(400, event.reason)
        return empty_response(202)

    def _run(self, environ: Mapping[str, Any], server: Server, session: Session, incoming: Incoming) -> PendingResponse:
        channel = _channel(server, session, incoming, partial(self._open_stream, incoming.principal or incoming.source))
        return PendingResponse(
            channel,
            [partial(channel.run, server, incoming)],
            partial(self._handled, channel, incoming, partial(has_hung_up, environ)),
            cancel=partial(_cancel, channel, incoming),
        )

    def _handled(self, channel: PostChannel, incoming: Incoming, is_gone: Callable[[], bool]) -> Response:
        """Return the response to a request whose handler runs or has run."""

        def is_lost() -> bool:
            # A client that has gone never learns the id of its task.
            return incoming.end_task is not None and is_gone()

        log = channel.log
        if log is None:
            if is_lost():
                _cancel(channel, incoming)
            return _json_answer(channel)

        def on_close(complete: bool) -> None:
            if not complete:
                _cancel(channel, incoming)

        return EventStream(
            log,
            self._limiter,
            long=False,
            keepalive=self._options.keepalive,
            first=KEEP_ALIVE if channel.timed_out else b"",
            is_gone=is_gone,
            is_lost=is_lost,
            on_close=on_close,
        ).response()

    def _open_stream(self, source: str | None) -> EventLog:
        if not self._limiter.acquire(long=False):
            raise NoStream
        return self._new_log(source)

    def _new_log(self, source: str | None) -> EventLog:
        return MemoryEventLog(keep=False, expected=True, account=self._memory, source=source or "")

    def _listen(
        self,
        server: Server,
        session: Session,
        request_id: Any,
        first: bytes,
        source: str,
        is_gone: Callable[[], bool],
    ) -> Response:
        """Open the stream of a subscription, which lasts until one side ends it."""
        if not self._limiter.acquire(long=True):
            raise busy(STREAMS, 5)
        log = self._new_log(source)
        subscription = Incoming(session.binding.requests[LISTEN], request_id, None)
        channel = _channel(server, session, subscription, lambda: log)
        channel.send(first)
        server.add_connection(channel)

        def on_close(_complete: bool) -> None:
            server.remove_connection(channel)
            channel.close()
            session.close()

        return EventStream(
            log, self._limiter, long=True, keepalive=self._options.keepalive, is_gone=is_gone, on_close=on_close
        ).response()


def _headers(environ: Mapping[str, Any]) -> dict[str, str]:
    """Return the headers in a WSGI environment by name in lower case, with ``-`` for ``_``."""
    return {name[5:].lower().replace("_", "-"): value for name, value in environ.items() if name.startswith("HTTP_")}


def _repeats_exactly(environ: Mapping[str, Any], value: Mapping[str, Any], version: Any) -> bool:
    """Return whether the headers repeat the body character by character; if not, they may still be equivalent."""
    method = value.get("method")
    if version is None or environ.get("HTTP_MCP_PROTOCOL_VERSION") != version:
        return False
    if method.__class__ is not str or environ.get("HTTP_MCP_METHOD") != method:
        return False
    named = NAMED.get(str(method))
    name = environ.get("HTTP_MCP_NAME")
    if named is None:
        return name is None
    return name is not None and name == member(value, "params", named) and "=?" not in name and name.isascii()


def _refuse(value: Mapping[str, Any], refusal: ErrorObject) -> Response:
    request_id = value.get("id")
    if request_id.__class__ is not int and not is_unicode(request_id):
        reason = "the id is neither a string nor an integer"
        raise Rejection(400, reason)
    return json_response(_STATUS_UNHANDLED[refusal.code], error_line(request_id, refusal, null_id=False))


def _channel(server: Server, session: Session, incoming: Incoming, open_stream: Callable[[], EventLog]) -> PostChannel:
    return PostChannel(
        session,
        Lock(),
        PendingCalls(session),
        timeout=server.timeout,
        limit=server.limit,
        open_stream=open_stream,
        deliver_late=_refuse_late,
        incomings=(incoming,),
    )


def _json_answer(channel: PostChannel) -> Response:
    if channel.answer is None:
        return empty_response(202)
    status = 200 if channel.refusal is None else _STATUS_HANDLED.get(channel.refusal.code, 200)
    return json_response(status, channel.answer)


def _cancel(channel: PostChannel, incoming: Incoming) -> None:
    """Cancel a request whose client has closed the connection (Cancellation: Transport-Specific), and its task."""
    incoming.cancelled = True
    incoming.reason = "the client has closed the connection"
    with channel.lock:
        channel.session.close()
    channel.end()
    if incoming.end_task is not None:
        incoming.end_task()


def _refuse_late(_line: bytes, _priority: Priority, _timeout: float) -> int:
    message = "the request is answered; nothing more can be sent about it"
    raise ConnectionClosed(message)


_PARSE: Final = best_backend().parse


def parse(body: bytes) -> Any:
    """Return the value of a body. Raise ``Rejection`` if it is not JSON."""
    try:
        return _PARSE(body)
    except (NotJson, RecursionError):
        # The standard library accepts more, such as lone surrogates, which the session then refuses with an error.
        return _parse_leniently(body)


def _parse_leniently(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise Rejection(400, "the body is not JSON in UTF-8", code=PARSE_ERROR) from None
