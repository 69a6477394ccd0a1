"""Sessions of the handshake revisions: their records, and the stores that keep and expire them."""

from __future__ import annotations

import json
import re
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Protocol

from ...account import SHARE, Account, memory_size
from ...errors import McpError
from ...validation import require_positive_integers, require_positive_numbers
from .expiry import SESSION_LIFETIME

if TYPE_CHECKING:
    from ...session.log_levels import Level

MAX_SESSIONS: Final = 10_000
"""Default limit on the sessions of a store."""
MEMORY: Final = 128 * 1024 * 1024
"""Default limit on the bytes of all sessions of a store, with their subscriptions and streams."""
MAX_RECORD_SIZE: Final = 64 * 1024
"""Limit on the bytes that a client may say of itself in ``initialize``."""
_SMALL_SHARE: Final = 64
"""Number of sessions that each source may have, however few a fourth is."""
_OVERHEAD: Final = 8 * 1024
"""Bytes that are charged for a session besides what its client says."""

_ID = re.compile(r"[\x21-\x7e]{1,256}")


class TooManySessions(McpError):
    """The limit on sessions is reached."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the limit of {limit} sessions is reached")


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
        log_level: Level = "debug",
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
        self.log_level: Level = log_level
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
        own = max(_SMALL_SHARE, limit // SHARE) if per_source is None else per_source
        require_positive_integers(per_source=own)
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
        self._unopened: dict[str, None] = {}
        """Sessions whose client has not sent ``notifications/initialized``, the oldest first."""
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
            if record.state != "open":
                self._unopened[record.id] = None
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
        self._unopened.pop(session_id, None)
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

    def _find_victim(self, new: str, source: str | None) -> str | None:
        """Return the session to end for a new one, among those of a source if it is given."""
        # A look at every session for each new one would stop the server for many milliseconds while a limit is reached.
        for session_id in chain(self._unopened, self._records):
            if session_id == new or (source is not None and self._records[session_id][0].source != source):
                continue
            if not any(is_used(session_id) for is_used in self._use_checks):
                return session_id
        return None

    def source_of(self, session_id: str) -> str:
        """Return the source that a session is charged to; empty if there is no such session. Takes no lock."""
        found = self._records.get(session_id)
        return "" if found is None else found[0].source

    def load(self, session_id: str) -> SessionRecord | None:
        """See ``SessionStore.load``."""
        with self._lock:
            expired = self._expire()
            found = self._records.get(session_id)
            if found is not None:
                self._records[session_id] = found[0], self._clock()
                self._records.move_to_end(session_id)
        self._call_back(expired)
        return None if found is None else found[0]

    def save(self, record: SessionRecord, before: Mapping[str, Any]) -> None:
        """See ``SessionStore.save``."""
        with self._lock:
            record.version += 1
            ended: list[str] = []
            if record.id in self._records:
                self._records[record.id] = record, self._records[record.id][1]
                if record.state == "open":
                    self._unopened.pop(record.id, None)
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
            session_id, (_, last_used) = next(iter(self._records.items()))
            if last_used > oldest:
                break
            self._remove(session_id)
            expired.append(session_id)
        return expired

    def _call_back(self, ended: list[str]) -> None:
        for session_id in ended:
            for callback in self._callbacks:
                callback(session_id)


def new_session_id() -> str:
    """Return an id that cannot be guessed: 256 random bits in visible ASCII (Transports: Session Management)."""
    return secrets.token_urlsafe(32)


def is_session_id(text: str) -> bool:
    """Return whether a text may be a session id: 1 to 256 characters of visible ASCII."""
    return _ID.fullmatch(text) is not None
