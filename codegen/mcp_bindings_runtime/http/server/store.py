"""Where an endpoint keeps what outlives a request. With a store that processes share, all of them serve one endpoint."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import Protocol, runtime_checkable

from ...errors import McpError
from .event_log import EventLog, MemoryEventLog, Priority
from .session_store import MAX_SESSIONS, SESSION_LIFETIME, MemorySessionStore, SessionStore

STREAM_LIFETIME = 300.0
"""Seconds for which a stream that has ended, or that nobody reads, can be resumed."""
STREAMS = 32
"""How many streams of a session are kept."""

STANDALONE = "0"
"""The stream of a session that belongs to no request."""


class StoreUnavailable(McpError):
    """The store cannot be reached now."""


Receive = Callable[[str, bytes], None]
"""Takes the id of a session, and a message of its client that another process has received."""

Hear = Callable[[str, bool, bytes], None]
"""Takes the mark of an announcement, whether this process has made it, and what it is."""


class Store(Protocol):
    """What is kept of an endpoint: sessions, the logs of their streams, and a way between the processes that serve it."""

    @property
    def sessions(self) -> SessionStore:
        """The sessions."""
        ...

    def open(self, session_id: str, stream: str, *, keep: bool = True) -> EventLog:
        """The log of a stream; it is begun where it is not there, and with ``keep`` so that it can be resumed."""
        ...

    def find(self, session_id: str, stream: str) -> EventLog | None:
        """The log of a stream; None where it never was, or is kept no longer."""
        ...

    def forget(self, session_id: str) -> None:
        """Ends all streams of a session."""
        ...

    def listen(self, receive: Receive) -> None:
        """Has a function called with what other processes pass on."""
        ...

    def pass_on(self, session_id: str, line: bytes, receive: Receive) -> None:
        """Gives a message to the other processes; ``receive`` is that of the one who does."""
        ...


@runtime_checkable
class SharedStore(Store, Protocol):
    """A store of several processes, by which all of them hear what one has to announce."""

    def hear(self, hear: Hear) -> None:
        """Has a function called with what is announced in any process, in the same order in all of them."""
        ...

    def changes(self, changed: Callable[[str], None]) -> None:
        """Has a function called with the id of each session that another process has saved, in order with ``hear``."""
        ...

    def spread(self, news: bytes) -> None:
        """Announces something to all processes, this one among them. Raises StoreUnavailable."""
        ...

    def tell(self, session_id: str, line: bytes, mark: str, priority: Priority) -> int:
        """Append a notification to the standalone stream, unless that was done with the same mark before.

        Return how many notifications were dropped for want of room; do not wait for it. Raises as ``EventLog.append`` does.
        """
        ...


class MemoryStore:
    """Keeps all in this process: bounded, and for a while only.

    ``sessions`` is how many sessions there are at most, ``lifetime`` after how many seconds without use they end.
    """

    def __init__(self, *, sessions: int = MAX_SESSIONS, lifetime: float = SESSION_LIFETIME) -> None:
        self.sessions = MemorySessionStore(most=sessions, lifetime=lifetime)
        self.sessions.tell(self.forget)
        self._lock = Lock()
        self._logs: dict[str, dict[str, MemoryEventLog]] = {}
        # Streams by when they were last looked at, so that those nobody comes back to are found.
        self._ages: OrderedDict[tuple[str, str], MemoryEventLog] = OrderedDict()
        self._receivers: list[Receive] = []

    def open(self, session_id: str, stream: str, *, keep: bool = True) -> EventLog:
        """As ``Store.open``."""
        with self._lock:
            logs = self._logs.setdefault(session_id, {})
            log = logs.get(stream)
            if log is None:
                self._sweep()
                if len(logs) >= STREAMS:
                    self._drop_one(session_id, logs)
                log = logs[stream] = MemoryEventLog(keep=keep, expected=stream != STANDALONE)
                if stream != STANDALONE:
                    self._ages[session_id, stream] = log
            return log

    def _sweep(self) -> None:
        """Drops the oldest streams that nobody has come back to; looks at a few each time, so at all of them in turn."""
        oldest = monotonic() - STREAM_LIFETIME
        for _ in range(min(3, len(self._ages))):
            (session_id, stream), log = self._ages.popitem(last=False)
            if log.attached or log.since > oldest:
                self._ages[session_id, stream] = log
            else:
                self._logs.get(session_id, {}).pop(stream, None)

    def _drop_one(self, session_id: str, logs: dict[str, MemoryEventLog]) -> None:
        """Drops the oldest stream of a session that has ended."""
        name = next((name for name, log in logs.items() if log.ended and not log.attached), None)
        if name is not None:
            del logs[name]
            self._ages.pop((session_id, name), None)

    def find(self, session_id: str, stream: str) -> EventLog | None:
        """As ``Store.find``."""
        with self._lock:
            logs = self._logs.get(session_id)
            return None if logs is None else logs.get(stream)

    def forget(self, session_id: str) -> None:
        """As ``Store.forget``."""
        with self._lock:
            logs = self._logs.pop(session_id, {})
            for name in logs:
                self._ages.pop((session_id, name), None)
        for log in logs.values():
            log.end()

    def listen(self, receive: Receive) -> None:
        """As ``Store.listen``."""
        with self._lock:
            self._receivers.append(receive)

    def pass_on(self, session_id: str, line: bytes, receive: Receive) -> None:
        """As ``Store.pass_on``."""
        with self._lock:
            others = [each for each in self._receivers if each != receive]
        for other in others:
            other(session_id, line)
