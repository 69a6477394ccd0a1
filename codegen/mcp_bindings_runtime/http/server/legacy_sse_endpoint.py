"""HTTP with SSE as 2024-11-05 has it: one stream for all that the server says, and a place to POST what the client does.

2024-11-05, Transports: HTTP with SSE. The revisions after it keep it for clients that know no other.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote

from ...connection.thread_pool import ThreadPool
from ...jsonrpc import NO_ID, error_line
from ...server.routing import Routes
from ...session.events import Cancelled, Dropped, Incoming, Reply
from . import event_stream
from .client_address import client_address
from .responses import REQUESTS, SESSIONS, STREAMS, Rejection, Response, busy, empty_response, json_response
from .session_channel import SessionChannel
from .session_endpoint import beginning
from .session_store import SessionRecord, TooManySessions
from .session_table import SessionTable
from .store import STANDALONE, Store, StoreUnavailable
from .stream_limiter import StreamLimiter

if TYPE_CHECKING:
    from .options import EndpointOptions


class LegacySseEndpoint:
    """Serves clients of the older transport with the servers of the handshake era."""

    def __init__(
        self,
        routes: Routes,
        options: EndpointOptions,
        store: Store,
        slots: StreamLimiter,
        conversations: SessionTable,
        workers: ThreadPool,
    ) -> None:
        self._routes = routes
        self._options = options
        self._store = store
        self._slots = slots
        self._conversations = conversations
        self._workers = workers

    def get(self, environ: Mapping[str, Any], principal: str | None) -> Response:
        """Opens the stream; its first event says where the client has to send its messages. Raises Rejection."""
        if not self._slots.take(long=True):
            raise busy(STREAMS, 5)
        try:
            session_id = self._conversations.open(principal).id
        except TooManySessions:
            self._slots.give(long=True)
            raise busy(SESSIONS, 60) from None
        except StoreUnavailable:
            self._slots.give(long=True)
            raise
        place = quote(environ.get("SCRIPT_NAME", "").encode("latin-1")) + self._options.messages_path

        def closed(_whole: bool) -> None:
            self._slots.give(long=True)
            # Without its stream there is nothing left of a session, and no way back to it.
            self._conversations.end(session_id)

        try:
            body = event_stream.EventStream(
                self._store.open(session_id, STANDALONE, keep=False),
                first=f"event: endpoint\ndata: {place}?session_id={session_id}\n\n".encode(),
                keepalive=self._options.keepalive,
                among=self._slots.streams,
                closed=closed,
                alive=partial(self._store.sessions.load, session_id),
            )
        except StoreUnavailable:
            self._slots.give(long=True)
            raise
        return Response(200, [*event_stream.HEADERS], body)

    def post(self, environ: Mapping[str, Any], body: bytes, principal: str | None) -> Response:
        """Takes a message; what answers it goes on the stream. Raises Rejection."""
        given = parse_qs(environ.get("QUERY_STRING", "")).get("session_id", [""])[0]
        record = self._conversations.record(given, principal, "sse")
        if record is None:
            raise Rejection(404, "there is no such session; GET the stream again, and send to where it says")
        conversation = self._conversations.of(record) or self._agree(record, body)
        events = conversation.receive(body)
        conversation.save()
        for event in events:
            if isinstance(event, Incoming):
                event.principal = principal
                event.source = client_address(environ)
                if not self._workers.start(partial(_handle, conversation, event)):
                    conversation.drop([event])
                    raise busy(REQUESTS)
            elif isinstance(event, Reply):
                if event.refusal is not None and not event.named:
                    return json_response(400, error_line(NO_ID, event.refusal, null_id=False))
                conversation.offer((event.line,))
            elif isinstance(event, Cancelled) and event.line is not None:
                conversation.offer((event.line,))
            elif isinstance(event, Dropped) and event.bad:
                raise Rejection(400, event.reason)
        return empty_response(202)

    def _agree(self, record: SessionRecord, body: bytes) -> SessionChannel:
        server = beginning(body, self._routes, "a session begins with initialize")
        return self._conversations.agree(record, server)


def _handle(conversation: SessionChannel, incoming: Incoming) -> None:
    line = None if incoming.cancelled else conversation.server.run(conversation, incoming)
    conversation.save()
    conversation.reply(incoming, line)
