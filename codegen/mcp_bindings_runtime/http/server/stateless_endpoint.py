"""The endpoint of 2026-07-28: Streamable HTTP without sessions, where the headers of a request repeat parts of its body.

2026-07-28: Streamable HTTP; Cancellation; Subscriptions; Versioning and Compatibility.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from ...codec.codec import best_backend
from ...codec.json_text import NotJson
from ...connection.account import Account
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
from ...server.operation_scopes import body_scopes
from ...server.routing import Routes
from ...session.caller import Caller, expiry_of, principal_of
from ...session.events import Dropped, Incoming, Notified, Reply
from ...session.session import Session
from ...session.stateless import DISCOVER, INITIALIZE, LISTEN, VERSION, StatelessServerSession, name_versions
from ..headers import NAMED, ParamHeader, find_mismatch
from ..sse import KEEP_ALIVE
from .announced_capabilities import without_announcements
from .client_address import client_address
from .disconnection import has_hung_up
from .event_log import EventLog, MemoryEventLog
from .event_stream import EventStream
from .handler_pool import HandlerPool
from .independent_messages import request_channel, start_notification
from .param_headers import ToolParamHeaders
from .pending_response import PendingResponse
from .post_channel import NoStream, PostChannel
from .responses import STREAMS, Rejection, Response, busy, empty_response, json_response
from .scope_check import ScopeCheck
from .stream_limiter import StreamLimiter

if TYPE_CHECKING:
    from ...server.server import Server
    from .options import EndpointOptions

_CALL_TOOL: Final = "tools/call"
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
_STATUS_HANDLED: Final = {
    METHOD_NOT_FOUND: 404,
    HEADER_MISMATCH: 400,
    MISSING_CLIENT_CAPABILITY: 400,
    UNSUPPORTED_VERSION: 400,
}
"""Error code to status, for an error of the handler; the specification names these, all others have status 200."""


class StatelessEndpoint:
    """Serves requests that need no session."""

    def __init__(
        self,
        routes: Routes,
        options: EndpointOptions,
        limiter: StreamLimiter,
        memory: Account,
        pool: HandlerPool,
        scopes: ScopeCheck,
    ) -> None:
        self._revisions = routes.revisions
        self._pool = pool
        self._param_headers: dict[Server, ToolParamHeaders] = {}
        self._options = options
        self._limiter = limiter
        self._memory = memory
        self._scopes = scopes

    def post(
        self, environ: Mapping[str, Any], parsed: ParsedBody, server: Server, caller: Caller | None
    ) -> Response | PendingResponse:
        """Respond to a message for a server. Raise ``Rejection``."""
        value, refused = parsed
        if value.__class__ is not dict:
            raise Rejection(400, "the body must be one JSON-RPC request or notification, which is an object")
        method = value.get("method")
        source = client_address(environ)
        expected: Sequence[ParamHeader] | None = ()
        if method is None and "method" not in value and ("result" in value or "error" in value):
            raise Rejection(
                400,
                "clients send no responses in this revision; to answer a request for input, send the original request again",
            )
        if "id" in value:
            if method == _CALL_TOOL:
                expected = self._headers_of(server).known(value, caller)
            reason = None
            if expected or not _repeats_exactly(environ, method, value.get("params")):
                reason = find_mismatch(_headers(environ), value, expected or ())
            if reason is not None:
                refusal = ErrorObject(HEADER_MISMATCH, f"Header mismatch: {reason}")
                return _refuse(value, name_versions(refusal, self._revisions) if method == INITIALIZE else refusal)
        session = cast("StatelessServerSession", server.session(self._revisions))
        if not self._options.listening:
            if method == LISTEN and "id" in value:
                details = {"method": LISTEN, "reason": "this server has no streams for listening"}
                return _refuse(value, ErrorObject(METHOD_NOT_FOUND, "Method not found", details))
            if method == DISCOVER:
                session.current_capabilities = partial(without_announcements, session.binding, server.capabilities)
        event = session.receive_value(value) if refused is None else session.receive(refused)[0]
        if isinstance(event, Incoming):
            event.caller = caller
            event.source = source
            if environ.get("wsgi.multiprocess"):
                event.multiprocess = True
            if event.accepted is not None:
                self._scopes.check(caller, body_scopes((server,), value))
                return self._listen(environ, server, session, event)
            self._scopes.check_request(server, caller, event)
            check = None
            if expected is None:
                check = partial(self._check_headers, server, event, value, _headers(environ))
            return self._run(environ, server, session, event, check)
        if isinstance(event, Reply):
            if event.refusal is not None:
                return json_response(_STATUS_UNHANDLED.get(event.refusal.code, 400), event.line)
            if method == LISTEN:
                self._scopes.check(caller, body_scopes((server,), value))
                subscription = Incoming(session.binding.requests[LISTEN], value["id"], None)
                subscription.caller = caller
                subscription.source = source
                return self._listen(environ, server, session, subscription, event.line)
            return json_response(200, event.line)
        if isinstance(event, Dropped) and event.bad:
            raise Rejection(400, event.reason)
        if isinstance(event, Notified):
            start_notification(self._pool, server, session, event, principal_of(caller) or source)
        return empty_response(202)

    def _headers_of(self, server: Server) -> ToolParamHeaders:
        found = self._param_headers.get(server)
        if found is None:
            found = self._param_headers[server] = ToolParamHeaders(server)
        return found

    def _check_headers(
        self, server: Server, incoming: Incoming, value: Any, headers: Mapping[str, str]
    ) -> ErrorObject | None:
        """Return the error for a call without the headers of its tool, which the server has to list first."""
        expected = self._headers_of(server).listed(value, incoming)
        reason = find_mismatch(headers, value, expected) if expected else None
        return None if reason is None else ErrorObject(HEADER_MISMATCH, f"Header mismatch: {reason}")

    def _run(
        self,
        environ: Mapping[str, Any],
        server: Server,
        session: Session,
        incoming: Incoming,
        check: Callable[[], ErrorObject | None] | None,
    ) -> PendingResponse:
        source = incoming.principal or incoming.source or ""
        channel = request_channel(server, session, (incoming,), partial(self._open_stream, source), source)
        return PendingResponse(
            channel,
            [partial(channel.run, server, incoming, **({} if check is None else {"check": check}))],
            partial(self._handled, channel, incoming, partial(has_hung_up, environ)),
            cancel=partial(cancel_request, channel, incoming),
        )

    def _handled(self, channel: PostChannel, incoming: Incoming, is_gone: Callable[[], bool]) -> Response:
        """Return the response to a request whose handler runs or has run."""

        def is_lost() -> bool:
            # A client that has gone never learns the id of its task.
            return incoming.end_task is not None and is_gone()

        log = channel.log
        if log is None:
            if is_lost():
                cancel_request(channel, incoming)
            return _json_answer(channel)

        def on_close(complete: bool) -> None:
            if not complete:
                cancel_request(channel, incoming)

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

    def _open_stream(self, source: str, _name: str) -> EventLog:
        if not self._limiter.acquire(long=False):
            raise NoStream
        return self._new_log(source)

    def _new_log(self, source: str) -> EventLog:
        return MemoryEventLog(keep=False, expected=True, account=self._memory, source=source)

    def _listen(
        self,
        environ: Mapping[str, Any],
        server: Server,
        session: Session,
        subscription: Incoming,
        first: bytes | None = None,
    ) -> Response:
        """Open the stream of a subscription, which lasts until one side ends it, or the token of the client expires.

        Without the ``first`` line, the acknowledgment, the server sends it once the source of the changes has agreed.
        """
        if not self._limiter.acquire(long=True):
            raise busy(STREAMS, 5)
        log = self._new_log(subscription.principal or subscription.source or "")
        channel = request_channel(server, session, (subscription,), lambda _name: log)
        if first is None:
            channel.open()
        else:
            channel.send(first)
        server.add_connection(channel)

        def on_close(_complete: bool) -> None:
            server.remove_connection(channel)
            channel.close()
            session.close()

        stream = EventStream(
            log,
            self._limiter,
            long=True,
            keepalive=self._options.keepalive,
            is_gone=partial(has_hung_up, environ),
            on_close=on_close,
            expires_at=expiry_of(subscription.caller),
        )
        if first is None:
            Thread(target=channel.run, args=(server, subscription), name="mcp-subscription", daemon=True).start()
        return stream.response()


def _headers(environ: Mapping[str, Any]) -> dict[str, str]:
    """Return the headers in a WSGI environment by name in lower case, with ``-`` for ``_``."""
    return {name[5:].lower().replace("_", "-"): value for name, value in environ.items() if name.startswith("HTTP_")}


def _repeats_exactly(environ: Mapping[str, Any], method: Any, params: Any) -> bool:
    """Return whether the headers repeat the body character by character; if not, they may still be equivalent."""
    if method is None or environ.get("HTTP_MCP_METHOD") != method:
        return False
    version = member(params, "_meta", VERSION)
    if version is None or environ.get("HTTP_MCP_PROTOCOL_VERSION") != version:
        return False
    named = NAMED.get(method)
    name = environ.get("HTTP_MCP_NAME")
    if named is None:
        return name is None
    return name is not None and name == params.get(named) and "=?" not in name and name.isascii()


def _refuse(value: Mapping[str, Any], refusal: ErrorObject) -> Response:
    request_id = value.get("id")
    if request_id.__class__ is not int and not is_unicode(request_id):
        reason = "the id is neither a string nor an integer"
        raise Rejection(400, reason)
    return json_response(_STATUS_UNHANDLED[refusal.code], error_line(request_id, refusal, null_id=False))


def _json_answer(channel: PostChannel) -> Response:
    if channel.answer is None:
        return empty_response(202)
    status = 200 if channel.refusal is None else _STATUS_HANDLED.get(channel.refusal.code, 200)
    return json_response(status, channel.answer)


def cancel_request(channel: PostChannel, incoming: Incoming) -> None:
    """Cancel a request whose client has closed the connection (Cancellation: Transport-Specific), and its task."""
    incoming.cancelled = True
    incoming.reason = "the client has closed the connection"
    with channel.lock:
        channel.session.close()
    channel.end()
    incoming.stop_calls()
    if incoming.end_task is not None:
        incoming.end_task()


_PARSE: Final = best_backend().parse


class ParsedBody(NamedTuple):
    """The value of a body."""

    value: Any
    refused: bytes | None
    """The body itself if the session will refuse it with an error, such as for a lone surrogate."""


def parse(body: bytes) -> ParsedBody:
    """Return the value of a body. Raise ``Rejection`` if it is not JSON."""
    try:
        return ParsedBody(_PARSE(body), None)
    except (NotJson, RecursionError):
        # The standard library accepts more, so that the error can go to the server of the right revision.
        return ParsedBody(_parse_leniently(body), body)


def _parse_leniently(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise Rejection(400, "the body is not JSON in UTF-8", code=PARSE_ERROR) from None
