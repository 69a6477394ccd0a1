"""Stores: the sessions and event logs of an endpoint, which outlive a request, and may be shared between processes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import Protocol, TypeAlias, runtime_checkable

from ...errors import McpError
from ...validation import require_positive_integers
from .event_log import EventLog, MemoryEventLog, Priority
from .expiry import SESSION_LIFETIME, STREAM_LIFETIME
from .session_store import MAX_SESSIONS, MemorySessionStore, SessionStore

MAX_STREAMS = 32
"""Limit on the streams that are kept of a session."""

STANDALONE = "0"
"""The name of the stream of a session that belongs to no request."""


class StoreUnavailable(McpError):
    """The store cannot be reached now."""


MessageReceiver: TypeAlias = Callable[[str, bytes], None]
"""A function of a session id and a message of its client that another process has received."""

AnnouncementReceiver: TypeAlias = Callable[[str, bool, bytes], None]
"""A function of the unique mark of an announcement, whether this process published it, and its content."""


class Store(Protocol):
    """Keeps the sessions and event logs of an endpoint, and forwards messages between its processes."""

    @property
    def sessions(self) -> SessionStore:
        """The sessions."""
        ...

    def open(self, session_id: str, stream: str, *, keep: bool = True) -> EventLog:
        """Return the log of a stream, a new one if there is none; with ``keep``, it can be resumed."""
        ...

    def find(self, session_id: str, stream: str) -> EventLog | None:
        """Return the log of a stream; None if it never existed or is not kept any more."""
        ...

    def end_streams(self, session_id: str) -> None:
        """End all streams of a session."""
        ...

    def on_message(self, receive: MessageReceiver) -> None:
        """Register a function to call with forwarded messages."""
        ...

    def forward(self, session_id: str, line: bytes, receive: MessageReceiver) -> None:
        """Pass a message to every registered function but ``receive``, the sender's own."""
        ...


@runtime_checkable
class SharedStore(Store, Protocol):
    """A store of several processes, through which each can publish announcements to all."""

    def on_announcement(self, receive: AnnouncementReceiver) -> None:
        """Register a function to call with each announcement, in the same order in all processes."""
        ...

    def on_session_saved(self, callback: Callable[[str], None]) -> None:
        """Register a function to call with the id of each session that another process saves, in order with the above."""
        ...

    def publish(self, announcement: bytes) -> None:
        """Send an announcement to all processes, this one included. Raise ``StoreUnavailable``."""
        ...

    def append_once(self, session_id: str, line: bytes, mark: str, priority: Priority) -> int:
        """Append a notification to the standalone stream, unless any process has done so with the same mark.

        Return the number of notifications that were dropped; do not wait for room. Raise as ``EventLog.append`` does.
        """
        ...


class MemoryStore:
    """A store in this process; ``sessions`` limits their number, and they expire ``lifetime`` seconds after the last use.

    ``sessions_per_source`` is the limit for one principal or, without one, one address: by default a fourth. See
    ``MemorySessionStore`` for what ends at a limit.
    """

    def __init__(
        self,
        *,
        sessions: int = MAX_SESSIONS,
        sessions_per_source: int | None = None,
        lifetime: float = SESSION_LIFETIME,
    ) -> None:
        if sessions_per_source is not None:
            require_positive_integers(sessions_per_source=sessions_per_source)
        self.sessions = MemorySessionStore(limit=sessions, lifetime=lifetime, per_source=sessions_per_source)
        self.sessions.on_end(self.end_streams)
        self.sessions.add_use_check(self._is_read)
        self._lock = Lock()
        self._logs: dict[str, dict[str, MemoryEventLog]] = {}
        # Streams in the order in which they were last checked for expiry.
        self._checked: OrderedDict[tuple[str, str], MemoryEventLog] = OrderedDict()
        self._receivers: list[MessageReceiver] = []

    def open(self, session_id: str, stream: str, *, keep: bool = True) -> EventLog:
        """See ``Store.open``."""
        with self._lock:
            logs = self._logs.setdefault(session_id, {})
            log = logs.get(stream)
            if log is None:
                self._expire_some()
                if len(logs) >= MAX_STREAMS:
                    self._drop_oldest(session_id, logs)
                log = logs[stream] = MemoryEventLog(keep=keep, expected=stream != STANDALONE)
                if stream != STANDALONE:
                    self._checked[session_id, stream] = log
            return log

    def _is_read(self, session_id: str) -> bool:
        """Return whether a client reads a stream of a session."""
        logs = self._logs.get(session_id)
        return logs is not None and any(log.attached for log in list(logs.values()))

    def _expire_some(self) -> None:
        """Check a few streams, and drop those that nobody has resumed; repeated calls check all of them."""
        oldest = monotonic() - STREAM_LIFETIME
        for _ in range(min(3, len(self._checked))):
            (session_id, stream), log = self._checked.popitem(last=False)
            if log.attached or log.since > oldest:
                self._checked[session_id, stream] = log
            else:
                self._logs.get(session_id, {}).pop(stream, None)

    def _drop_oldest(self, session_id: str, logs: dict[str, MemoryEventLog]) -> None:
        """Drop the oldest stream of a session that has ended."""
        name = next((name for name, log in logs.items() if log.ended and not log.attached), None)
        if name is not None:
            del logs[name]
            self._checked.pop((session_id, name), None)

    def find(self, session_id: str, stream: str) -> EventLog | None:
        """See ``Store.find``."""
        with self._lock:
            logs = self._logs.get(session_id)
            return None if logs is None else logs.get(stream)

    def end_streams(self, session_id: str) -> None:
        """See ``Store.end_streams``."""
        with self._lock:
            logs = self._logs.pop(session_id, {})
            for name in logs:
                self._checked.pop((session_id, name), None)
        for log in logs.values():
            log.end()

    def on_message(self, receive: MessageReceiver) -> None:
        """See ``Store.on_message``."""
        with self._lock:
            self._receivers.append(receive)

    def forward(self, session_id: str, line: bytes, receive: MessageReceiver) -> None:
        """See ``Store.forward``."""
        with self._lock:
            others = [each for each in self._receivers if each != receive]
        for other in others:
            other(session_id, line)
