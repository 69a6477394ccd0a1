"""The sessions that this process serves, by id; others may exist in the store."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING

from .client_request_limit import ClientRequestLimit
from .handler_pool import HandlerPool
from .session_channel import SessionChannel
from .session_store import SessionRecord, is_session_id, new_session_id
from .store import MemoryStore, SharedStore, Store

if TYPE_CHECKING:
    from ...server.server import Server


class SessionTable:
    """Creates, resumes and ends sessions, and finds their channels. ``server_of`` finds the server of a revision."""

    def __init__(
        self,
        server_of: Callable[[str], Server | None],
        store: Store,
        pool: HandlerPool,
        client_requests: ClientRequestLimit,
    ) -> None:
        self._server_of = server_of
        self._store = store
        self._pool = pool
        self._client_requests = client_requests
        self._lock = Lock()
        self._channels: dict[str, SessionChannel] = {}
        # The AnnouncementRelay notifies the sessions of a shared store, so that one process only does.
        self._shared = isinstance(store, SharedStore)
        if isinstance(store, SharedStore):
            store.on_session_saved(self._refresh)
        store.on_message(self._receive)
        store.sessions.on_end(self._remove)
        if isinstance(store, MemoryStore):
            store.sessions.add_use_check(self._is_used)

    def _is_used(self, session_id: str) -> bool:
        channel = self._channels.get(session_id)
        return channel is not None and channel.busy

    def new_channel(self, server: Server, principal: str | None, address: str) -> SessionChannel:
        """Return a channel for an ``initialize`` request, before the session exists."""
        record = SessionRecord(
            new_session_id(), server.binding.revision, principal=principal, source=principal or address
        )
        return self._make(server, record)

    def add(self, channel: SessionChannel) -> None:
        """Create the session of a new channel. Raise ``TooManySessions``."""
        channel.update_record()
        self._store.sessions.create(channel.record)
        self._register(channel)

    def create_legacy(self, principal: str | None, address: str) -> SessionRecord:
        """Create a session of HTTP+SSE, whose revision is not negotiated yet. Raise ``TooManySessions``."""
        source = principal or address
        record = SessionRecord(new_session_id(), "", transport="sse", principal=principal, state="new", source=source)
        self._store.sessions.create(record)
        return record

    def set_server(self, record: SessionRecord, server: Server) -> SessionChannel:
        """Save the negotiated revision of a session of HTTP+SSE; return its channel."""
        before = record.values()
        record.revision = server.binding.revision
        self._store.sessions.save(record, before)
        channel = self._make(server, record)
        self._register(channel)
        return channel

    def load(self, session_id: str, principal: str | None, transport: str = "streamable") -> SessionRecord | None:
        """Return a session; None if there is none of this id, principal and transport."""
        record = self._store.sessions.load(session_id) if is_session_id(session_id) else None
        if record is None:
            self._remove(session_id)
            return None
        return record if (record.principal, record.transport) == (principal, transport) else None

    def find(self, session_id: str, principal: str | None) -> SessionChannel | None:
        """Return the channel of a session of Streamable HTTP; None if there is no such session."""
        record = self.load(session_id, principal)
        return None if record is None else self.channel_of(record)

    def channel_of(self, record: SessionRecord) -> SessionChannel | None:
        """Return the channel of a session; None if its revision is not served here."""
        channel = self._channels.get(record.id)
        if channel is None:
            return self._resume(record)
        if channel.closed:
            # The server object has closed its channels.
            if self._shared:
                # Other processes continue the session, and so does this one at the next request.
                self._remove(record.id)
                return self._resume(record)
            self.end(record.id)
            return None
        channel.refresh(record)
        return channel

    def _register(self, channel: SessionChannel) -> None:
        with self._lock:
            self._channels[channel.record.id] = channel
        channel.server.add_connection(channel, relayed=self._shared)

    def _resume(self, record: SessionRecord) -> SessionChannel | None:
        server = self._server_of(record.revision)
        if server is None:
            return None
        with self._lock:
            channel = self._channels.get(record.id)
            if channel is None:
                channel = self._channels[record.id] = self._make(server, record)
        server.add_connection(channel, relayed=self._shared)
        return channel

    def _make(self, server: Server, record: SessionRecord) -> SessionChannel:
        start = partial(self._pool.start, source=record.source)
        channel = SessionChannel(server, record, self._store, start=start, forward=self._forward)
        channel.client_requests = self._client_requests
        channel.source = record.source
        return channel

    def end(self, session_id: str) -> None:
        """End a session in all processes."""
        self._store.sessions.delete(session_id)
        self._store.end_streams(session_id)
        self._remove(session_id)

    def _remove(self, session_id: str) -> None:
        with self._lock:
            channel = self._channels.pop(session_id, None)
        if channel is not None:
            channel.close()
            channel.server.remove_connection(channel)

    def _forward(self, session_id: str, line: bytes) -> None:
        self._store.forward(session_id, line, self._receive)

    def _receive(self, session_id: str, line: bytes) -> None:
        channel = self._channels.get(session_id)
        if channel is not None:
            channel.receive(line, forwarded=True)

    def _refresh(self, session_id: str) -> None:
        channel = self._channels.get(session_id)
        record = None if channel is None else self._store.sessions.load(session_id)
        if channel is not None and record is not None:
            channel.refresh(record)

    def select(self, matches: Callable[[SessionChannel], bool]) -> list[SessionChannel]:
        """Return the channels for which a function returns True."""
        with self._lock:
            channels = list(self._channels.values())
        return [each for each in channels if matches(each)]

    def close(self) -> None:
        """Close all channels; sessions of a shared store continue in other processes."""
        with self._lock:
            session_ids = list(self._channels)
        for session_id in session_ids:
            if isinstance(self._store, MemoryStore):
                self._store.end_streams(session_id)
            self._remove(session_id)
