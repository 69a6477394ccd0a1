"""The endpoint of the handshake revisions from 2025-03-26 on: Streamable HTTP with sessions and resumable streams.

Each of these revisions, Transports: Streamable HTTP.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ...jsonrpc import NO_ID, PARSE_ERROR, error_line
from ...meta import member
from ...server.routing import Routes
from ...session.caller import Caller, expiry_of, principal_of
from ...session.events import Dropped, Event, Incoming, Reply
from ..sse import KEEP_ALIVE, priming_event
from .announced_capabilities import without_announcements
from .client_address import client_address
from .event_log import EventLog
from .event_stream import EventStream
from .pending_response import PendingResponse
from .post_channel import NoStream, PostChannel
from .responses import SESSIONS, STREAMS, Rejection, Response, busy, empty_response, json_response
from .scope_check import ScopeCheck
from .session_channel import SessionChannel
from .session_store import MAX_RECORD_SIZE, TooManySessions
from .session_table import SessionTable
from .store import STANDALONE, Store
from .stream_limiter import StreamLimiter

if TYPE_CHECKING:
    from ...server.server import Server
    from .options import EndpointOptions


def initialized_server(body: bytes, routes: Routes, otherwise: str) -> Server:
    """Return the server for an ``initialize`` request. Raise ``Rejection(400, otherwise)`` for other bodies."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise Rejection(400, "the body is not JSON", code=PARSE_ERROR) from None
    server = routes.beginning(value)
    if server is None:
        raise Rejection(400, otherwise)
    return server


def _is_request(body: bytes) -> bool:
    """Return whether a refused body is a JSON-RPC request or a batch nevertheless."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        # The session's parser, which allows deeper nesting, has accepted it.
        return True
    is_message = member(value, "jsonrpc") == "2.0" and member(value, "method").__class__ is str
    return is_message or value.__class__ is list


def respond_at_once(events: Sequence[Event], body: bytes) -> Response:
    """Return the response to a body that needs no handler.

    The response to a request has status 200, even if it is an error. A body that is not a JSON-RPC request, for example
    one without ``jsonrpc``, gets 400 (2025-03-26 and later, Transports: Sending Messages, 4 and 5).
    """
    for event in events:
        if isinstance(event, Reply):
            if event.refusal is not None and not event.named:
                # Other transports write a null id in some revisions; HTTP bodies omit it.
                return json_response(400, error_line(NO_ID, event.refusal, null_id=False))
            return json_response(200 if event.refusal is None or _is_request(body) else 400, event.line)
    for event in events:
        if isinstance(event, Dropped) and event.bad:
            raise Rejection(400, event.reason)
    return empty_response(202)


class SessionEndpoint:
    """Serves sessions over Streamable HTTP."""

    def __init__(
        self,
        routes: Routes,
        options: EndpointOptions,
        store: Store,
        limiter: StreamLimiter,
        table: SessionTable,
        scopes: ScopeCheck,
    ) -> None:
        self._routes = routes
        self.revisions = routes.handshake
        self._options = options
        self._store = store
        self._limiter = limiter
        self._table = table
        self._scopes = scopes

    def post(self, environ: Mapping[str, Any], body: bytes, caller: Caller | None) -> Response | PendingResponse:
        """Respond to a message or a batch. Raise ``Rejection``."""
        if "HTTP_MCP_SESSION_ID" not in environ:
            return self._initialize(body, caller, client_address(environ))
        channel = self._find_session(environ, caller)
        events = channel.receive(body)
        incomings = [event for event in events if isinstance(event, Incoming)]
        if len(incomings) < len(events):
            # A request for a handler has not changed the session yet.
            channel.save()
        if incomings:
            try:
                self._scopes.check_requests(channel.server, caller, incomings)
            except Rejection:
                channel.cancel(incomings)
                raise
            for incoming in incomings:
                incoming.source = client_address(environ)
                incoming.caller = caller
            return self._run(channel, incomings)
        return respond_at_once(events, body)

    def _initialize(self, body: bytes, caller: Caller | None, address: str) -> Response:
        otherwise = "Mcp-Session-Id is missing; begin a session with initialize, and send the id of its response"
        if self._routes.stateless:
            newest = self._routes.stateless[0]
            otherwise += (
                f"; a request of {newest}, which has no sessions, has the header MCP-Protocol-Version: {newest}"
            )
        server = initialized_server(body, self._routes, otherwise)
        channel = self._table.new_channel(server, principal_of(caller), address)
        if not self._options.listening:
            session = channel.session
            session.capabilities = without_announcements(session.binding, session.capabilities)
        events = channel.receive(body)
        response = respond_at_once(events, body)
        if channel.session.state == "new":
            return response
        channel.update_record()
        size = channel.record.size
        if size > MAX_RECORD_SIZE:
            text = f"clientInfo and capabilities take {size} bytes; at most {MAX_RECORD_SIZE} are kept"
            raise Rejection(413, text)
        try:
            self._table.add(channel)
        except TooManySessions:
            raise busy(SESSIONS, 60) from None
        response.headers.append(("Mcp-Session-Id", channel.record.id))
        return response

    def _find_session(self, environ: Mapping[str, Any], caller: Caller | None) -> SessionChannel:
        session_id: str = environ.get("HTTP_MCP_SESSION_ID", "")
        if not session_id:
            raise Rejection(400, "Mcp-Session-Id is missing; send the id of the response to initialize")
        channel = self._table.find(session_id, principal_of(caller))
        if channel is None:
            raise Rejection(404, "unknown session; begin one with initialize, without Mcp-Session-Id")
        version = environ.get("HTTP_MCP_PROTOCOL_VERSION")
        # The header should be the negotiated revision, but only unsupported ones have to be refused (2025-06-18 and
        # 2025-11-25, Transports: Protocol Version Header). It does not change the revision of the session.
        if version is not None and version not in self.revisions:
            supported = ", ".join(self.revisions)
            text = f"MCP-Protocol-Version is {version[:80]!r}; sessions support {supported}"
            raise Rejection(400, text)
        return channel

    def _run(self, channel: SessionChannel, incomings: Sequence[Incoming]) -> PendingResponse:
        post_channel = PostChannel(
            channel.session,
            channel.lock,
            channel.calls,
            timeout=channel.timeout,
            limit=channel.limit,
            open_stream=partial(self._open_stream, channel.record.id),
            deliver_late=channel.deliver,
            incomings=incomings,
            on_answered=channel.forget,
            on_progress=channel.deliver_progress,
        )
        post_channel.client_requests = channel.client_requests
        post_channel.source = channel.source
        post_channel.resumable = self._options.listening

        def refuse() -> None:
            channel.cancel(incomings)
            post_channel.end()

        jobs = [channel.job(incoming, post_channel) for incoming in incomings]
        return PendingResponse(post_channel, jobs, partial(self._handled, channel, post_channel), refuse=refuse)

    def _handled(self, channel: SessionChannel, post_channel: PostChannel) -> Response:
        """Return the response to requests whose handlers run or have run."""
        log = post_channel.log
        if log is None:
            answer = post_channel.answer
            return empty_response(202) if answer is None else json_response(200, answer)
        name = post_channel.stream_name
        first = KEEP_ALIVE if post_channel.timed_out else b""
        if channel.session.binding.facts.polling:
            first = priming_event(f"{name}.0", self._options.retry)
        return EventStream(
            log,
            self._limiter,
            long=False,
            keepalive=self._options.keepalive,
            name=name,
            first=first,
            # A running request keeps its session alive.
            on_use=partial(self._store.sessions.load, channel.record.id),
        ).response()

    def _open_stream(self, session_id: str, name: str) -> EventLog:
        if not self._limiter.acquire(long=False):
            raise NoStream
        try:
            return self._store.open(session_id, name)
        except BaseException:
            self._limiter.release(long=False)
            raise

    def get(self, environ: Mapping[str, Any], caller: Caller | None) -> Response:
        """Open the standalone stream, or resume a stream after ``Last-Event-ID``. Raise ``Rejection``."""
        session_id = self._find_session(environ, caller).record.id
        last = environ.get("HTTP_LAST_EVENT_ID")
        name, after = STANDALONE, 0
        if last is None:
            log: EventLog | None = self._store.open(session_id, STANDALONE)
            assert log is not None
            after = log.delivered
        else:
            name, _, number = last.rpartition(".")
            valid = number.isascii() and number.isdigit() and len(number) < 16
            log = self._store.find(session_id, name) if valid else None
            if log is None:
                text = f"Last-Event-ID {last[:80]!r} belongs to no stream that can be resumed"
                raise Rejection(400, text)
            after = int(number)
        if not self._limiter.acquire(long=True):
            raise busy(STREAMS, 5)
        return EventStream(
            log,
            self._limiter,
            long=True,
            keepalive=self._options.keepalive,
            after=after,
            name=name,
            first=KEEP_ALIVE,
            # An open stream keeps its session alive.
            on_use=partial(self._store.sessions.load, session_id),
            expires_at=expiry_of(caller),
        ).response()

    def delete(self, environ: Mapping[str, Any], caller: Caller | None) -> Response:
        """End a session. Raise ``Rejection``."""
        self._table.end(self._find_session(environ, caller).record.id)
        return empty_response(204)
