"""Sessions of the handshake revisions: their records, and the stores that keep and expire them."""

from __future__ import annotations

import re
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Protocol

from ...errors import McpError
from ...validation import require_positive_integers, require_positive_numbers

if TYPE_CHECKING:
    from ...session.log_levels import Level

SESSION_LIFETIME: Final = 3600.0
"""Default number of seconds after which a session without requests and open streams expires."""
MAX_SESSIONS: Final = 10_000
"""Default limit on the sessions of a store."""

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

    def values(self) -> dict[str, Any]:
        """Return the attributes by name."""
        return {**vars(self)}


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

    ``clock`` returns the time in seconds.
    """

    def __init__(
        self,
        *,
        limit: int = MAX_SESSIONS,
        lifetime: float = SESSION_LIFETIME,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        require_positive_integers(sessions=limit)
        require_positive_numbers(lifetime=lifetime)
        self._limit = limit
        self._lifetime = lifetime
        self._clock = clock
        self._lock = Lock()
        self._callbacks: list[Callable[[str], None]] = []
        # Least recently used first.
        self._records: OrderedDict[str, tuple[SessionRecord, float]] = OrderedDict()

    def on_end(self, callback: Callable[[str], None]) -> None:
        """See ``SessionStore.on_end``."""
        self._callbacks.append(callback)

    def create(self, record: SessionRecord) -> None:
        """See ``SessionStore.create``."""
        with self._lock:
            expired = self._expire()
            full = len(self._records) >= self._limit
            if not full:
                self._records[record.id] = record, self._clock()
        self._call_back(expired)
        if full:
            raise TooManySessions(self._limit)

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
            if record.id in self._records:
                self._records[record.id] = record, self._records[record.id][1]

    def delete(self, session_id: str) -> None:
        """See ``SessionStore.delete``."""
        with self._lock:
            found = self._records.pop(session_id, None)
        if found is not None:
            self._call_back([session_id])

    def _expire(self) -> list[str]:
        """Remove the expired sessions; return their ids."""
        oldest = self._clock() - self._lifetime
        expired: list[str] = []
        while self._records:
            session_id, (_, last_used) = next(iter(self._records.items()))
            if last_used > oldest:
                break
            del self._records[session_id]
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
