"""The endpoint of 2024-11-05: HTTP with SSE, one stream for all messages of the server and a path to POST the client's.

2024-11-05, Transports: HTTP with SSE. Later revisions keep it for clients that support no other transport.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote

from ...errors import McpError
from ...jsonrpc import NO_ID, error_line
from ...server.routing import Routes
from ...session.caller import Caller, principal_of
from ...session.events import Dropped, Incoming, Reply, RequestCancelled
from .client_address import client_address
from .event_stream import EventStream
from .handler_pool import HandlerPool
from .responses import SESSIONS, STREAMS, Rejection, Response, busy, empty_response, json_response
from .scope_check import ScopeCheck
from .session_channel import SessionChannel
from .session_endpoint import initialized_server
from .session_store import SessionRecord, TooManySessions
from .session_table import SessionTable
from .store import STANDALONE, Store
from .stream_limiter import StreamLimiter

if TYPE_CHECKING:
    from .options import EndpointOptions


class LegacySseEndpoint:
    """Serves sessions over HTTP with SSE, in any handshake revision."""

    def __init__(
        self,
        routes: Routes,
        options: EndpointOptions,
        store: Store,
        limiter: StreamLimiter,
        table: SessionTable,
        pool: HandlerPool,
        scopes: ScopeCheck,
    ) -> None:
        self._routes = routes
        self._options = options
        self._store = store
        self._limiter = limiter
        self._table = table
        self._pool = pool
        self._scopes = scopes

    def get(self, environ: Mapping[str, Any], caller: Caller | None) -> Response:
        """Open the stream; its first event is the path for messages of the client. Raise ``Rejection``."""
        if not self._limiter.acquire(long=True):
            raise busy(STREAMS, 5)
        try:
            session_id = self._table.create_legacy(principal_of(caller), client_address(environ)).id
            log = self._store.open(session_id, STANDALONE, keep=False)
        except McpError as error:
            self._limiter.release(long=True)
            if isinstance(error, TooManySessions):
                raise busy(SESSIONS, 60) from None
            raise
        path = quote(environ.get("SCRIPT_NAME", "").encode("latin-1")) + self._options.messages_path
        return EventStream(
            log,
            self._limiter,
            long=True,
            keepalive=self._options.keepalive,
            first=f"event: endpoint\ndata: {path}?session_id={session_id}\n\n".encode(),
            on_use=partial(self._store.sessions.load, session_id),
            # A session cannot be resumed without its stream.
            on_close=lambda _complete: self._table.end(session_id),
        ).response()

    def post(self, environ: Mapping[str, Any], body: bytes, caller: Caller | None) -> Response:
        """Accept a message; its response is sent on the stream. Raise ``Rejection``."""
        session_id = parse_qs(environ.get("QUERY_STRING", "")).get("session_id", [""])[0]
        record = self._table.load(session_id, principal_of(caller), "sse")
        if record is None:
            raise Rejection(
                404, "unknown session; open the stream again with GET, and POST to the path in its first event"
            )
        channel = self._table.channel_of(record) or self._negotiate(record, body)
        events = channel.receive(body)
        channel.save()
        incomings = [event for event in events if isinstance(event, Incoming)]
        try:
            self._scopes.check_requests(channel.server, caller, incomings)
        except Rejection:
            channel.cancel(incomings)
            raise
        for event in events:
            if isinstance(event, Incoming):
                event.caller = caller
                event.source = client_address(environ)
                if not self._pool.start(partial(_run, channel, event), channel.source):
                    channel.cancel([event])
                    raise self._pool.rejection()
            elif isinstance(event, Reply):
                if event.refusal is not None and not event.named:
                    return json_response(400, error_line(NO_ID, event.refusal, null_id=False))
                channel.try_send((event.line,))
            elif isinstance(event, RequestCancelled) and event.line is not None:
                channel.try_send((event.line,))
            elif isinstance(event, Dropped) and event.bad:
                raise Rejection(400, event.reason)
        return empty_response(202)

    def _negotiate(self, record: SessionRecord, body: bytes) -> SessionChannel:
        server = initialized_server(body, self._routes, "a session begins with initialize")
        return self._table.set_server(record, server)


def _run(channel: SessionChannel, incoming: Incoming) -> None:
    line = None if incoming.cancelled else channel.server.handle_request(channel, incoming)
    channel.save()
    channel.reply(incoming, line)
