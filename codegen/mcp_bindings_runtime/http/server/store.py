"""Stores: the sessions and event logs of an endpoint, which outlive a request, and may be shared between processes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from enum import Enum, auto
from threading import Lock
from time import monotonic
from typing import Protocol, TypeAlias, runtime_checkable

from ...connection.account import Account
from ...errors import McpError
from .event_log import EventLog, MemoryEventLog, Priority
from .session_expiry import SESSION_LIFETIME, STREAM_LIFETIME
from .session_store import MAX_SESSIONS, MEMORY, MemorySessionStore, SessionStore

MAX_STREAMS = 32
"""Limit on the streams that are kept for one session."""

_MAX_FRUITLESS = 1000
"""Limit on the requestors for which ``MemoryStore`` remembers that it found no message to drop."""
_PAUSE = 1.0
"""Seconds for which ``MemoryStore`` does not search the messages of a requestor again after it has found no message to
drop.
"""

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


CallReceiver: TypeAlias = Callable[[bytes], None]
"""A function of a request of another process."""


class CallsBusy(McpError):
    """Too many requests wait for a process."""

    def __init__(self) -> None:
        super().__init__("too many requests wait for the process that holds the call")


class ProcessState(Enum):
    """The state of another process."""

    ALIVE = auto()
    DEAD = auto()
    UNKNOWN = auto()
    """The store has lost its data, and the process may not have noticed that yet."""


class CallQueue(Protocol):
    """Requests from one process to another, and their answers."""

    @property
    def process(self) -> str:
        """The id of this process, 16 hexadecimal digits; another one after a restart."""
        ...

    def on_call(self, receive: CallReceiver) -> None:
        """Register a function to call with each request for this process; it must not wait."""
        ...

    def send(self, process: str, call_id: str, source: str, request: bytes) -> ProcessState:
        """Send a request if the process is alive, once. Raise ``StoreUnavailable`` and ``CallsBusy``.

        Its answer has this id, and is charged to ``source``. Without an id it has none.
        """
        ...

    def answer(self, call_id: str) -> EventLog:
        """Return the log of an answer: one process appends to it, the other reads it. It is over when a process dies."""
        ...


@runtime_checkable
class CallStore(SharedStore, Protocol):
    """A shared store through which processes send each other requests."""

    @property
    def calls(self) -> CallQueue:
        """The requests."""
        ...


class MemoryStore:
    """A store that keeps the sessions and streams of an HTTP endpoint in the memory of this process.

    It keeps at most ``sessions`` sessions, which expire ``lifetime`` seconds after the last use.
    ``sessions_per_source`` limits the sessions of one principal or, without a principal, of one address; the default is
    a fourth of ``sessions``. At a limit, sessions end for a new one: first those whose client never sent
    ``notifications/initialized``, then those that are unused for longest. A session with an open stream or a running
    request does not end.

    The attribute ``memory`` counts and limits the bytes of sessions and streams. Beyond this limit, streams lose
    messages: first those that were delivered, then notifications that no client reads, then whole answers whose client
    has gone.
    """

    def __init__(
        self,
        *,
        sessions: int = MAX_SESSIONS,
        sessions_per_source: int | None = None,
        lifetime: float = SESSION_LIFETIME,
    ) -> None:
        self.memory = Account("bytes of sessions and streams", MEMORY)
        self.memory.add_eviction(self._shrink)
        self.sessions = MemorySessionStore(
            limit=sessions, lifetime=lifetime, per_source=sessions_per_source, memory=self.memory
        )
        self.sessions.on_end(self.end_streams)
        self.sessions.add_use_check(self._is_read)
        self._lock = Lock()
        self._logs: dict[str, dict[str, MemoryEventLog]] = {}
        # Streams in the order in which they were last checked for expiry.
        self._checked: OrderedDict[tuple[str, str], MemoryEventLog] = OrderedDict()
        self._receivers: list[MessageReceiver] = []
        self._fruitless: dict[str | None, float] = {}
        """Sources of whose streams nothing could be dropped, and the times until which that is not tried again."""

    def open(self, session_id: str, stream: str, *, keep: bool = True) -> EventLog:
        """See ``Store.open``."""
        with self._lock:
            logs = self._logs.setdefault(session_id, {})
            log = logs.get(stream)
            if log is None:
                self._expire_some()
                if len(logs) >= MAX_STREAMS:
                    self._drop_oldest(session_id, logs)
                log = logs[stream] = MemoryEventLog(
                    keep=keep,
                    expected=stream != STANDALONE,
                    account=self.memory,
                    source=self.sessions.source_of(session_id),
                )
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
                log.discard()

    def _shrink(self, source: str | None, excess: int) -> None:
        """Drop messages of a source, those first that are missed least; of all sources if it is None."""
        now = monotonic()
        if now < self._fruitless.get(source, 0.0):
            return
        before = self.memory.used
        # Some more, so that not every message has to search.
        excess += self.memory.each // 8
        for drop in (self._drop_delivered, _drop_notifications, self._drop_ended):
            with self._lock:
                found = [
                    (session_id, stream, log)
                    for session_id, logs in self._logs.items()
                    for stream, log in logs.items()
                    if source in {None, log.source}
                ]
            for session_id, stream, log in sorted(found, key=lambda each: each[2].since):
                excess -= drop(session_id, stream, log)
                if excess <= 0:
                    return
        if self.memory.used >= before:
            if len(self._fruitless) >= _MAX_FRUITLESS:
                self._fruitless.clear()
            self._fruitless[source] = now + _PAUSE

    def _drop_delivered(self, session_id: str, stream: str, log: MemoryEventLog) -> int:
        """Drop the messages that were delivered, and the stream if there are no others; return the freed bytes."""
        return log.shrink(undelivered=False) + (self._drop_ended(session_id, stream, log) if log.empty else 0)

    def _drop_ended(self, session_id: str, stream: str, log: MemoryEventLog) -> int:
        """Drop a stream that has ended and that no client reads; return the number of freed bytes."""
        if log.attached or not log.ended:
            return 0
        with self._lock:
            self._logs.get(session_id, {}).pop(stream, None)
            self._checked.pop((session_id, stream), None)
        return log.discard()

    def _drop_oldest(self, session_id: str, logs: dict[str, MemoryEventLog]) -> None:
        """Drop the oldest stream of a session that has ended."""
        name = next((name for name, log in logs.items() if log.ended and not log.attached), None)
        if name is not None:
            logs.pop(name).discard()
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
            log.discard()

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


def _drop_notifications(_session_id: str, _stream: str, log: MemoryEventLog) -> int:
    """Drop the notifications that no client reads; return the number of freed bytes."""
    return 0 if log.attached else log.shrink(undelivered=True)
