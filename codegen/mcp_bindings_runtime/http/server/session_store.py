"""Sessions of the handshake revisions: their records, and the stores that keep and expire them."""

from __future__ import annotations

import json
import re
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Protocol

from ...connection.account import SHARE, Account, memory_size
from ...errors import McpError
from ...validation import require_positive_integers, require_positive_numbers
from .session_expiry import SESSION_LIFETIME

if TYPE_CHECKING:
    from ...session.log_levels import Level

MAX_SESSIONS: Final = 10_000
"""Default limit on the sessions of a store."""
MEMORY: Final = 128 * 1024 * 1024
"""Default limit on the bytes of all sessions of a store, with their subscriptions and streams."""
MAX_RECORD_SIZE: Final = 64 * 1024
"""Limit on the bytes that a client may send about itself in ``initialize``."""
_SMALL_SHARE: Final = 64
"""Number of sessions that each source may have, however few a fourth is."""
_OVERHEAD: Final = 8 * 1024
"""Bytes that are charged for a session besides what its client says."""
_PAUSE: Final = 1.0
"""Seconds for which a store does not search again for a session that it can end, after a search that found all sessions
in use.
"""

_ID = re.compile(r"[\x21-\x7e]{1,256}")


class TooManySessions(McpError):
    """The limit on sessions is reached."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the limit of {limit} sessions is reached")


def limit_of_source(limit: int, wanted: int | None) -> int:
    """Return the limit on the sessions of one source: ``wanted``, or a share of ``limit``. Raise ``UsageError``."""
    if wanted is None:
        return max(_SMALL_SHARE, limit // SHARE)
    require_positive_integers(sessions_per_source=wanted)
    return wanted


class SessionRecord:
    """The state of a session as JSON values, from which any process can resume it.

    ``SessionRecord(**record.values())`` is an equal record.
    """

    def __init__(
        self,
        id: str,  # noqa: A002  # the name of the stored field
        revision: str,
        *,
        transport: str = "streamable",
        principal: str | None = None,
        state: str = "agreed",
        client: Any = None,
        capabilities: Any = None,
        log_level: Level | None = "debug",
        subscribed: Sequence[str] = (),
        version: int = 0,
        source: str = "",
    ) -> None:
        self.id = id
        self.revision = revision
        """The negotiated revision; empty before the negotiation."""
        self.transport = transport
        """``streamable``, or ``sse`` for the older HTTP+SSE."""
        self.principal = principal
        """The principal that began the session; others cannot use it."""
        self.state = state
        self.client = client
        """``clientInfo``."""
        self.capabilities = capabilities
        """``capabilities`` of the client."""
        self.log_level: Level | None = log_level
        self.subscribed = sorted(subscribed)
        """URIs of the resources that the client is subscribed to."""
        self.version = version
        """Number of times that the session was saved."""
        self.source = source
        """The source that the session is charged to: the principal, or the address of the client."""

    def values(self) -> dict[str, Any]:
        """Return the attributes by name."""
        return {**vars(self)}

    @property
    def size(self) -> int:
        """Bytes of what the client says of itself."""
        return len(json.dumps([self.client, self.capabilities]))

    @property
    def memory(self) -> int:
        """Bytes that the session takes in memory: its record, and its channel with the same values as objects."""
        texts = memory_size([self.client, self.capabilities, self.subscribed])
        return 2 * texts + _OVERHEAD


class SessionStore(Protocol):
    """Keeps sessions. Thread-safe; each method may be called in any process that serves the endpoint."""

    def create(self, record: SessionRecord) -> None:
        """Add a session. Raise ``TooManySessions``."""
        ...

    def load(self, session_id: str) -> SessionRecord | None:
        """Return a session and restart its lifetime; None if it has ended or never existed."""
        ...

    def save(self, record: SessionRecord, before: Mapping[str, Any]) -> None:
        """Save the attributes that differ from the values ``before``, and increment the version.

        Attributes that another process has changed are kept. A session that has ended stays ended.
        """
        ...

    def delete(self, session_id: str) -> None:
        """End a session."""
        ...

    def on_end(self, callback: Callable[[str], None]) -> None:
        """Register a function to call with the id of each session that ends."""
        ...


class MemorySessionStore:
    """Sessions in this process: at most ``limit``, each for ``lifetime`` seconds after its last use.

    ``per_source`` limits the sessions of one source, by default to a fourth of ``limit``. Their bytes are charged to
    ``memory``. Beyond a limit, sessions end for a new one: those whose client never sent ``notifications/initialized``
    first, then those that are unused for longest. A session with an open stream or a running request stays. ``clock``
    returns the time in seconds.
    """

    def __init__(
        self,
        *,
        limit: int = MAX_SESSIONS,
        lifetime: float = SESSION_LIFETIME,
        per_source: int | None = None,
        memory: Account | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        require_positive_integers(sessions=limit)
        own = limit_of_source(limit, per_source)
        require_positive_numbers(lifetime=lifetime)
        self._limit = limit
        self._lifetime = lifetime
        self._clock = clock
        self._lock = Lock()
        self._callbacks: list[Callable[[str], None]] = []
        # Least recently used first.
        self._records: OrderedDict[str, tuple[SessionRecord, float]] = OrderedDict()
        self._sizes: dict[str, int] = {}
        """Bytes that are charged for each session."""
        self._by_source: dict[str, OrderedDict[str, None]] = {}
        """The sessions of each source, the least recently used first."""
        self._unopened: OrderedDict[str, str] = OrderedDict()
        """Sessions whose client has not sent ``notifications/initialized``, the oldest first, and their sources."""
        self._unopened_by_source: dict[str, OrderedDict[str, None]] = {}
        self._fruitless: dict[str | None, float] = {}
        """Sources all of whose sessions are in use, and the times until which no session is searched."""
        self._counts = Account("sessions", limit, own)
        self._memory = memory or Account("bytes of sessions", MEMORY)
        self._use_checks: list[Callable[[str], bool]] = []

    def on_end(self, callback: Callable[[str], None]) -> None:
        """See ``SessionStore.on_end``."""
        self._callbacks.append(callback)

    def add_use_check(self, is_used: Callable[[str], bool]) -> None:
        """Register a function that returns whether a session is in use, and so must not end for a new one."""
        self._use_checks.append(is_used)

    def create(self, record: SessionRecord) -> None:
        """See ``SessionStore.create``."""
        with self._lock:
            ended = self._expire()
            self._records[record.id] = record, self._clock()
            self._by_source.setdefault(record.source, OrderedDict())[record.id] = None
            if record.state != "open":
                self._unopened[record.id] = record.source
                self._unopened_by_source.setdefault(record.source, OrderedDict())[record.id] = None
            self._sizes[record.id] = size = record.memory
            self._counts.charge(record.source, 1)
            self._memory.charge(record.source, size)
            fits = self._make_room(record, ended)
            if not fits:
                self._remove(record.id)
        self._call_back(ended)
        if not fits:
            raise TooManySessions(self._limit)

    def _remove(self, session_id: str) -> None:
        record, _ = self._records.pop(session_id)
        if _discard(self._by_source, record.source, session_id):
            self._fruitless.pop(record.source, None)
        self._mark_opened(session_id)
        self._counts.release(record.source, 1)
        self._memory.release(record.source, self._sizes.pop(session_id))

    def _make_room(self, record: SessionRecord, ended: list[str]) -> bool:
        """End other sessions until no limit is exceeded; return False if that is not possible."""

        def end_some(account: Account, source: str | None, _excess: int) -> None:
            while account.excess(source) > 0:
                victim = self._find_victim(record.id, source)
                if victim is None:
                    return
                self._remove(victim)
                ended.append(victim)

        source, accounts = record.source, (self._counts, self._memory)
        return all(each.admits(source) or each.make_room(source, 0, partial(end_some, each)) for each in accounts)

    def _mark_opened(self, session_id: str) -> None:
        source = self._unopened.pop(session_id, None)
        if source is not None:
            _discard(self._unopened_by_source, source, session_id)

    def _find_victim(self, new: str, source: str | None) -> str | None:
        """Return the session to end for a new one, among those of a source if it is given."""
        # Looking at every session for each new one would stop the server for many milliseconds while a limit is reached.
        now = self._clock()
        if now < self._fruitless.get(source, now):
            return None
        unopened: OrderedDict[str, Any] | None = self._unopened
        opened: OrderedDict[str, Any] | None = self._records
        if source is not None:
            unopened, opened = self._unopened_by_source.get(source), self._by_source.get(source)
        for order in (unopened, opened):
            for _ in range(len(order or ())):
                assert order is not None
                session_id = next(iter(order))
                if session_id != new and not any(is_used(session_id) for is_used in self._use_checks):
                    self._fruitless.pop(source, None)
                    return session_id
                # The next search begins behind it.
                order.move_to_end(session_id)
                self._use(session_id)
        self._fruitless[source] = now + _PAUSE
        return None

    def _use(self, session_id: str) -> SessionRecord:
        """Note that a session is used now, and return it."""
        record, _ = self._records[session_id]
        self._records[session_id] = record, self._clock()
        self._records.move_to_end(session_id)
        self._by_source[record.source].move_to_end(session_id)
        return record

    def source_of(self, session_id: str) -> str:
        """Return the source that a session is charged to; empty if there is no such session. Takes no lock."""
        found = self._records.get(session_id)
        return "" if found is None else found[0].source

    def load(self, session_id: str) -> SessionRecord | None:
        """See ``SessionStore.load``."""
        with self._lock:
            expired = self._expire()
            record = self._use(session_id) if session_id in self._records else None
        if expired:
            self._call_back(expired)
        return record

    def save(self, record: SessionRecord, before: Mapping[str, Any]) -> None:
        """See ``SessionStore.save``."""
        with self._lock:
            record.version += 1
            ended: list[str] = []
            if record.id in self._records:
                self._records[record.id] = record, self._records[record.id][1]
                if record.state == "open":
                    self._mark_opened(record.id)
                size = record.memory
                self._memory.charge(record.source, size - self._sizes[record.id])
                self._sizes[record.id] = size
                self._make_room(record, ended)
        self._call_back(ended)

    def delete(self, session_id: str) -> None:
        """See ``SessionStore.delete``."""
        with self._lock:
            found = session_id in self._records
            if found:
                self._remove(session_id)
        if found:
            self._call_back([session_id])

    def _expire(self) -> list[str]:
        """Remove the expired sessions; return their ids."""
        oldest = self._clock() - self._lifetime
        expired: list[str] = []
        while self._records:
            session_id = next(iter(self._records))
            if self._records[session_id][1] > oldest:
                break
            self._remove(session_id)
            expired.append(session_id)
        return expired

    def _call_back(self, ended: list[str]) -> None:
        for session_id in ended:
            for callback in self._callbacks:
                callback(session_id)


def _discard(orders: dict[str, OrderedDict[str, None]], source: str, session_id: str) -> bool:
    """Remove a session from the order of its source; return whether it was the last one."""
    order = orders[source]
    del order[session_id]
    if not order:
        del orders[source]
    return not order


def new_session_id() -> str:
    """Return an id that cannot be guessed: 256 random bits in visible ASCII (Transports: Session Management)."""
    return secrets.token_urlsafe(32)


def is_session_id(text: str) -> bool:
    """Return whether a text may be a session id: 1 to 256 characters of visible ASCII."""
    return _ID.fullmatch(text) is not None
