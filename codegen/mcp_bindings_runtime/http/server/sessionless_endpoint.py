"""The endpoint for clients of the handshake revisions where sessions cannot be kept: each POST stands alone.

A server of a revision without handshake serves them so if several processes share its address without a shared store: a
request may reach a process that has not seen the ``initialize`` before it. ``Mcp-Session-Id`` is optional in each of these
revisions (Transports: Session Management).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

from ...connection.account import Account
from ...installed_revisions import facts_of
from ...jsonrpc import METHOD_NOT_FOUND, ErrorObject
from ...logs import write_log
from ...server.routing import Routes
from ...session.caller import Caller, principal_of
from ...session.events import Incoming
from ..sse import KEEP_ALIVE
from .announced_capabilities import without_announcements, without_logging, without_tasks
from .client_address import client_address
from .event_log import EventLog, MemoryEventLog
from .event_stream import EventStream
from .independent_messages import request_channel
from .pending_response import PendingResponse
from .post_channel import NoStream, PostChannel
from .responses import Rejection, Response, empty_response, json_response
from .scope_check import ScopeCheck
from .session_endpoint import respond_at_once
from .stateless_endpoint import parse
from .stream_limiter import StreamLimiter

if TYPE_CHECKING:
    from ...server.server import Server
    from ...session.handshake import HandshakeServerSession
    from ...session.session import Session
    from .options import EndpointOptions

_WITHOUT_STORE: Final = ", because several processes serve it without a shared store"
_WARNING: Final = (
    "clients of %s get no Mcp-Session-Id, because several processes serve them without a shared store: they cannot "
    "subscribe, receive log messages or be asked for input; pass store=RedisStore(url), or sessions=True if all requests of "
    "a session reach the same process"
)
_OF_SESSIONS: Final = frozenset({"logging/setLevel", "resources/subscribe", "resources/unsubscribe"})
"""Methods that change a session."""


class SessionlessEndpoint:
    """Serves clients of the handshake revisions without sessions."""

    def __init__(
        self, routes: Routes, options: EndpointOptions, limiter: StreamLimiter, memory: Account, scopes: ScopeCheck
    ) -> None:
        self._routes = routes
        self._options = options
        self._limiter = limiter
        self._memory = memory
        self._scopes = scopes
        self._cause = _WITHOUT_STORE if options.sessions is None else ""
        # With `sessions=False` the program knows it.
        self._warned = options.sessions is not None
        streamable = [each for each in routes.handshake if (facts := facts_of(each)) is not None and not facts.only_sse]
        self._without_header = min(streamable, default="")
        """The revision of a request without the header for it: the first that has this transport, and has no such header."""

    def replaces_sessions(self, environ: Mapping[str, Any]) -> bool:
        """Return whether requests with this WSGI environment get no session.

        Without the option ``sessions`` that is so if the WSGI server runs several processes (PEP 3333,
        ``wsgi.multiprocess``).
        """
        wanted = self._options.sessions
        return bool(environ.get("wsgi.multiprocess")) if wanted is None else not wanted

    def post(self, environ: Mapping[str, Any], body: bytes, caller: Caller | None) -> Response | PendingResponse:
        """Respond to a message or a batch. Raise ``Rejection``."""
        value = parse(body).value
        beginning = self._routes.beginning(value) if value.__class__ is dict else None
        if beginning is not None:
            self._warn()
            session = _session_of(beginning, caller)
            kept = without_announcements(session.binding, session.capabilities)
            session.capabilities = without_logging(session.binding, kept)
            return respond_at_once(session.receive(body), body)
        server = self._server_of(environ)
        session = _session_of(server, caller)
        session.state = "agreed"
        # Clients could not set another level, so they get no log messages.
        session.log_level = None
        # What the client has declared is not known, so it is asked nothing.
        session.unknown_peer = f"the server keeps no sessions{self._cause}"
        session.peer_capabilities = server.binding.types.ClientCapabilities()
        events = session.receive(body)
        session.state = "open"
        incomings = [event for event in events if isinstance(event, Incoming)]
        refused = next((each for each in incomings if each.key.name in _OF_SESSIONS), None)
        if refused is not None:
            reason = f"{refused.key.name} needs a session, and this server has none{self._cause}"
            if len(events) > 1:
                raise Rejection(400, reason)
            error = ErrorObject(METHOD_NOT_FOUND, "Method not found", {"method": refused.key.name, "reason": reason})
            return json_response(200, session.error_response_line(refused, error))
        if not incomings:
            return respond_at_once(events, body)
        self._scopes.check_requests(server, caller, incomings)
        source = principal_of(caller) or client_address(environ)
        for incoming in incomings:
            incoming.source, incoming.caller = client_address(environ), caller
        return self._run(server, session, incomings, source)

    def _server_of(self, environ: Mapping[str, Any]) -> Server:
        named = environ.get("HTTP_MCP_PROTOCOL_VERSION")
        server = self._routes.session_server(named or self._without_header)
        if server is None:
            supported = ", ".join(self._routes.handshake)
            if named is None:
                text = f"MCP-Protocol-Version is missing; send one of {supported}"
            else:
                text = f"MCP-Protocol-Version is {named[:80]!r}; clients without a session may use {supported}"
            raise Rejection(400, text)
        return server

    def _warn(self) -> None:
        """Log, once, that clients get no sessions."""
        if not self._warned:
            self._warned = True
            write_log("warning", _WARNING, ", ".join(self._routes.handshake))

    def _run(self, server: Server, session: Session, incomings: Sequence[Incoming], source: str) -> PendingResponse:
        channel = request_channel(server, session, incomings, partial(self._open_stream, source), source)
        jobs = [partial(channel.run, server, incoming) for incoming in incomings]
        return PendingResponse(channel, jobs, partial(self._handled, channel), refuse=channel.end)

    def _handled(self, channel: PostChannel) -> Response:
        """Return the response to requests whose handlers run or have run."""
        log = channel.log
        if log is None:
            return empty_response(202) if channel.answer is None else json_response(200, channel.answer)
        first = KEEP_ALIVE if channel.timed_out else b""

        def on_close(complete: bool) -> None:
            if not complete:
                # A client that has gone has not cancelled the request, but cannot resume the stream either.
                channel.end()

        return EventStream(
            log, self._limiter, long=False, keepalive=self._options.keepalive, first=first, on_close=on_close
        ).response()

    def _open_stream(self, source: str, _name: str) -> EventLog:
        if not self._limiter.acquire(long=False):
            raise NoStream
        return MemoryEventLog(keep=False, expected=True, account=self._memory, source=source)


def _session_of(server: Server, caller: Caller | None) -> HandshakeServerSession:
    """Return a session for one request; it offers no tasks to a client that could not be recognized when it fetches them."""
    session = cast("HandshakeServerSession", server.session())
    if principal_of(caller) is None:
        session.capabilities = without_tasks(session.binding, session.capabilities)
    return session
