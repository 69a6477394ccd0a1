"""Streamable HTTP as 2025-03-26 to 2025-11-25 have it: sessions, streams of calls, and one that stands alone.

Transports, Streamable HTTP, of each of these revisions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from os import urandom
from typing import TYPE_CHECKING, Any

from ...jsonrpc import NO_ID, PARSE_ERROR, error_line
from ...meta import member
from ...server.routing import Routes
from ...session.events import Dropped, Event, Incoming, Reply
from . import event_stream
from .client_address import client_address
from .event_log import EventLog
from .post_channel import NoStream, PostChannel
from .responses import REQUESTS, SESSIONS, STREAMS, Rejection, Response, busy, empty_response, json_response
from .session_channel import SessionChannel
from .session_store import TooManySessions
from .session_table import SessionTable
from .store import STANDALONE, Store, StoreUnavailable
from .stream_limiter import StreamLimiter

if TYPE_CHECKING:
    from ...server.server import Server
    from .options import EndpointOptions


def beginning(body: bytes, routes: Routes, otherwise: str) -> Server:
    """Return the server of the session that a body begins.

    Raises Rejection, for the reason ``otherwise``, where it does not begin one.
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise Rejection(400, "the body is no JSON", code=PARSE_ERROR) from None
    server = routes.beginning(value)
    if server is None:
        raise Rejection(400, otherwise)
    return server


def _is_json_rpc(body: bytes) -> bool:
    """Whether a body that was refused is a request of JSON-RPC all the same, or a batch."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        # Another parser has read it, which goes deeper.
        return True
    named = member(value, "jsonrpc") == "2.0" and member(value, "method").__class__ is str
    return named or value.__class__ is list


class SessionEndpoint:
    """Serves sessions with the servers of these revisions."""

    def __init__(
        self, routes: Routes, options: EndpointOptions, store: Store, slots: StreamLimiter, conversations: SessionTable
    ) -> None:
        self._routes = routes
        self.revisions = [server.binding.revision for server in routes.handshake]
        self._options = options
        self._store = store
        self._slots = slots
        self._conversations = conversations

    # POST.

    def post(self, environ: Mapping[str, Any], body: bytes, principal: str | None) -> Response:
        """Takes a message, or a batch of them, and answers it. Raises Rejection."""
        if "HTTP_MCP_SESSION_ID" not in environ:
            return self._initialize(body, principal)
        conversation = self._session(environ, principal)
        events = conversation.receive(body)
        conversation.save()
        incomings = [event for event in events if isinstance(event, Incoming)]
        for incoming in incomings:
            incoming.source = client_address(environ)
        if incomings:
            return self._run(conversation, incomings)
        return self._at_once(events, body)

    def _at_once(self, events: Sequence[Event], body: bytes) -> Response:
        """The answer to what takes no handler.

        A request is answered with 200, though that be an error. What is no JSON-RPC request, for want of ``jsonrpc`` say, is
        input that cannot be accepted: 400 (2025-03-26 and later, Transports: Sending Messages, 4 and 5).
        """
        for event in events:
            if isinstance(event, Reply):
                if event.refusal is not None and not event.named:
                    # Whatever is written elsewhere where an id is not known, here it is left out.
                    return json_response(400, error_line(NO_ID, event.refusal, null_id=False))
                return json_response(200 if event.refusal is None or _is_json_rpc(body) else 400, event.line)
        for event in events:
            if isinstance(event, Dropped) and event.bad:
                raise Rejection(400, event.reason)
        return empty_response(202)

    def _initialize(self, body: bytes, principal: str | None) -> Response:
        otherwise = "there is no Mcp-Session-Id; a session begins with initialize, whose answer brings it"
        server = beginning(body, self._routes, otherwise)
        conversation = self._conversations.begin(server, principal)
        events = conversation.receive(body)
        answer = self._at_once(events, body)
        if conversation.session.state == "new":
            return answer
        try:
            self._conversations.keep(conversation)
        except TooManySessions:
            raise busy(SESSIONS, 60) from None
        answer.headers.append(("Mcp-Session-Id", conversation.record.id))
        return answer

    def _session(self, environ: Mapping[str, Any], principal: str | None) -> SessionChannel:
        session_id: str = environ.get("HTTP_MCP_SESSION_ID", "")
        if not session_id:
            raise Rejection(400, "there is no Mcp-Session-Id; send the one that came with the answer to initialize")
        conversation = self._conversations.find(session_id, principal)
        if conversation is None:
            raise Rejection(404, "there is no such session; begin one with initialize, without Mcp-Session-Id")
        version = environ.get("HTTP_MCP_PROTOCOL_VERSION")
        # It should be the one that the session has agreed on, but only one that is not supported has to be refused
        # (2025-06-18 and 2025-11-25, Transports: Protocol Version Header). The session stays in its own.
        if version is not None and version not in self.revisions:
            supported = ", ".join(self.revisions)
            text = f"MCP-Protocol-Version is {version[:80]!r}; supported in sessions are {supported}"
            raise Rejection(400, text)
        return conversation

    def _run(self, conversation: SessionChannel, incomings: Sequence[Incoming]) -> Response:
        # No process may give it again. The generator of ``random`` would, where a handler sets its seed.
        name = urandom(9).hex()
        exchange = PostChannel(
            conversation.session,
            conversation.lock,
            conversation.calls,
            timeout=conversation.timeout,
            limit=conversation.limit,
            stream=partial(self._stream, conversation, name),
            late=conversation.deliver,
            waiting=incomings,
            over=conversation.leave,
        )
        for incoming in incomings:
            if not conversation.run(incoming, exchange):
                conversation.drop(incomings)
                exchange.give_up()
                raise busy(REQUESTS)
        return self._answer(conversation, exchange, name)

    def _stream(self, conversation: SessionChannel, name: str) -> EventLog:
        if not self._slots.take(long=False):
            message = "as many streams are open as may be, so nothing can be sent but the answer"
            raise NoStream(message)
        try:
            return self._store.open(conversation.record.id, name)
        except BaseException:
            self._slots.give(long=False)
            raise

    def _answer(self, conversation: SessionChannel, exchange: PostChannel, name: str) -> Response:
        quiet = exchange.wait(self._options.keepalive)
        log = exchange.log
        if log is None:
            return json_response(200, exchange.answer) if exchange.answer is not None else empty_response(202)
        first = event_stream.KEEP_ALIVE if quiet else b""
        if conversation.session.binding.facts.polling:
            first = event_stream.priming(f"{name}.0", self._options.retry)
        return self._streaming(log, name, first, long=False)

    def _streaming(
        self, log: EventLog, name: str, first: bytes, *, long: bool, after: int = 0, alive: Any = None
    ) -> Response:
        def closed(_whole: bool) -> None:
            self._slots.give(long=long)

        try:
            body = event_stream.EventStream(
                log,
                after=after,
                name=name,
                first=first,
                keepalive=self._options.keepalive,
                among=self._slots.streams,
                closed=closed,
                alive=alive,
            )
        except StoreUnavailable:
            self._slots.give(long=long)
            raise
        return Response(200, [*event_stream.HEADERS], body)

    # GET and DELETE.

    def get(self, environ: Mapping[str, Any], principal: str | None) -> Response:
        """Opens the stream that stands alone, or one again that the client has lost. Raises Rejection."""
        conversation = self._session(environ, principal)
        session_id = conversation.record.id
        last = environ.get("HTTP_LAST_EVENT_ID")
        name, after = STANDALONE, 0
        if last is None:
            log: EventLog | None = self._store.open(session_id, STANDALONE)
            assert log is not None
            after = log.delivered
        else:
            name, _, number = last.rpartition(".")
            good = number.isascii() and number.isdigit() and len(number) < 16
            log = self._store.find(session_id, name) if good else None
            if log is None:
                text = f"Last-Event-ID {last[:80]!r} is of no stream that can be resumed"
                raise Rejection(400, text)
            after = int(number)
        if not self._slots.take(long=True):
            raise busy(STREAMS, 5)
        alive = partial(self._store.sessions.load, session_id)
        return self._streaming(log, name, event_stream.KEEP_ALIVE, long=True, after=after, alive=alive)

    def delete(self, environ: Mapping[str, Any], principal: str | None) -> Response:
        """Ends a session. Raises Rejection."""
        self._conversations.end(self._session(environ, principal).record.id)
        return empty_response(204)
