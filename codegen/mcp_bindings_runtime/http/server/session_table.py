"""The sessions that this process serves now, of those that there are."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

from ...connection.thread_pool import ThreadPool
from .session_channel import SessionChannel
from .session_store import SessionRecord, is_session_id, new_session_id
from .store import MemoryStore, SharedStore, Store

if TYPE_CHECKING:
    from ...server.server import Server


class SessionTable:
    """Finds the conversation of a session, and begins and ends them. ``servers`` are by revision."""

    def __init__(self, servers: dict[str, Server], store: Store, workers: ThreadPool) -> None:
        self._servers = servers
        self._store = store
        self._workers = workers
        self._lock = Lock()
        self._here: dict[str, SessionChannel] = {}
        # Of a session that several processes have, the relay sees to it that only one of them tells it something.
        self._shared = isinstance(store, SharedStore)
        if isinstance(store, SharedStore):
            store.changes(self._refresh)
        store.listen(self._receive)
        # Nobody else would notice that the time of a session is over.
        store.sessions.tell(self._forget)

    def begin(self, server: Server, principal: str | None) -> SessionChannel:
        """A conversation that has no session yet."""
        return self._make(server, SessionRecord(new_session_id(), server.binding.revision, principal=principal))

    def keep(self, conversation: SessionChannel) -> None:
        """Makes a session of a conversation. Raises TooManySessions."""
        conversation.remember()
        self._store.sessions.create(conversation.record)
        self._serve(conversation)

    def open(self, principal: str | None) -> SessionRecord:
        """A session of HTTP+SSE, for which no revision is agreed on yet. Raises TooManySessions."""
        record = SessionRecord(new_session_id(), "", transport="sse", principal=principal, state="new")
        self._store.sessions.create(record)
        return record

    def agree(self, record: SessionRecord, server: Server) -> SessionChannel:
        """The conversation of a session that is in the revision of this server from now on."""
        before = record.values()
        record.revision = server.binding.revision
        self._store.sessions.save(record, before)
        conversation = self._make(server, record)
        self._serve(conversation)
        return conversation

    def record(self, session_id: str, principal: str | None, transport: str = "streamable") -> SessionRecord | None:
        """A session; None where there is no such session of this principal and transport."""
        record = self._store.sessions.load(session_id) if is_session_id(session_id) else None
        if record is None:
            self._forget(session_id)
            return None
        return record if (record.principal, record.transport) == (principal, transport) else None

    def find(self, session_id: str, principal: str | None) -> SessionChannel | None:
        """The conversation of a session of Streamable HTTP; None where there is no such session."""
        record = self.record(session_id, principal)
        return None if record is None else self.of(record)

    def of(self, record: SessionRecord) -> SessionChannel | None:
        """The conversation of a session; None where its revision is not served here."""
        conversation = self._here.get(record.id)
        if conversation is None:
            return self._resume(record)
        if conversation.closed:
            # The server object has ended all that it was connected with.
            if self._shared:
                # Other processes go on with the session, and so does this one as long as it is asked.
                self._forget(record.id)
                return self._resume(record)
            self.end(record.id)
            return None
        conversation.refresh(record)
        return conversation

    def _serve(self, conversation: SessionChannel) -> None:
        with self._lock:
            self._here[conversation.record.id] = conversation
        conversation.server.admit(conversation, told=not self._shared)

    def _resume(self, record: SessionRecord) -> SessionChannel | None:
        server = self._servers.get(record.revision)
        if server is None:
            return None
        with self._lock:
            conversation = self._here.get(record.id)
            if conversation is None:
                conversation = self._here[record.id] = self._make(server, record)
        server.admit(conversation, told=not self._shared)
        return conversation

    def _make(self, server: Server, record: SessionRecord) -> SessionChannel:
        return SessionChannel(server, record, self._store, begin=self._workers.start, unclaimed=self._pass_on)

    def end(self, session_id: str) -> None:
        """Ends a session everywhere."""
        self._store.sessions.delete(session_id)
        self._store.forget(session_id)
        self._forget(session_id)

    def _forget(self, session_id: str) -> None:
        with self._lock:
            conversation = self._here.pop(session_id, None)
        if conversation is not None:
            conversation.close()
            conversation.server.dismiss(conversation)

    def _pass_on(self, session_id: str, line: bytes) -> None:
        self._store.pass_on(session_id, line, self._receive)

    def _receive(self, session_id: str, line: bytes) -> None:
        conversation = self._here.get(session_id)
        if conversation is not None:
            conversation.receive(line, passed_on=True)

    def _refresh(self, session_id: str) -> None:
        conversation = self._here.get(session_id)
        record = None if conversation is None else self._store.sessions.load(session_id)
        if conversation is not None and record is not None:
            conversation.refresh(record)

    def heard(self, hears: Callable[[SessionChannel], bool]) -> list[SessionChannel]:
        """Those that a function takes."""
        with self._lock:
            here = list(self._here.values())
        return [each for each in here if hears(each)]

    def close(self) -> None:
        """Ends what this process serves; the sessions themselves go on where other processes share them."""
        with self._lock:
            here = list(self._here)
        for session_id in here:
            if isinstance(self._store, MemoryStore):
                self._store.forget(session_id)
            self._forget(session_id)
