"""Sessions of the revisions that begin with ``initialize``: what has to be known of one to go on with it anywhere."""

from __future__ import annotations

import re
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Protocol

from ...errors import McpError
from ...validation import check_counts, check_times

if TYPE_CHECKING:
    from ...session.log_levels import Level

SESSION_LIFETIME: Final = 3600.0
"""Seconds without a request or an open stream after which a session ends, if nothing else is said."""
MAX_SESSIONS: Final = 10_000
"""How many sessions there are at most, if nothing else is said."""

_ID = re.compile(r"[\x21-\x7e]{1,256}")


class TooManySessions(McpError):
    """There are as many sessions as there may be."""


class SessionRecord:
    """A session as plain JSON values: ``SessionRecord(**record.values())`` is the same."""

    __slots__ = (
        "capabilities",
        "client",
        "id",
        "log_level",
        "principal",
        "revision",
        "state",
        "subscribed",
        "transport",
        "version",
    )

    def __init__(
        self,
        id: str,  # noqa: A002  # the name that the field has where it is stored
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
        """Empty as long as none is agreed on."""
        self.transport = transport
        """``streamable``, or ``sse`` for the older HTTP+SSE."""
        self.principal = principal
        """Who has begun it, and alone may go on with it."""
        self.state = state
        self.client = client
        """``clientInfo``."""
        self.capabilities = capabilities
        """``capabilities`` of the client."""
        self.log_level: Level = log_level
        self.subscribed = sorted(subscribed)
        """URIs of the resources whose updates the client wants to hear of."""
        self.version = version
        """How often it has been saved."""

    def values(self) -> dict[str, Any]:
        """Its values by name."""
        return {name: getattr(self, name) for name in self.__slots__}


class SessionStore(Protocol):
    """Where sessions are kept. Thread-safe; each method may be called in any process that serves the endpoint."""

    def create(self, record: SessionRecord) -> None:
        """Keeps a new session. Raises TooManySessions."""
        ...

    def load(self, session_id: str) -> SessionRecord | None:
        """A session, whose time begins anew; None for one that has ended or never was."""
        ...

    def save(self, record: SessionRecord, before: Mapping[str, Any]) -> None:
        """Keeps what has changed of a session since its values were those; counts its version up.

        What another process has changed meanwhile stays. A session that has ended stays so.
        """
        ...

    def delete(self, session_id: str) -> None:
        """Ends a session."""
        ...

    def tell(self, gone: Callable[[str], None]) -> None:
        """Has a function called with the id of each session that ends."""
        ...


class MemorySessionStore:
    """Sessions in this process: at most ``most``, each for ``lifetime`` seconds after it was last used.

    ``clock`` gives the time in seconds.
    """

    def __init__(
        self,
        *,
        most: int = MAX_SESSIONS,
        lifetime: float = SESSION_LIFETIME,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        check_counts(sessions=most)
        check_times(lifetime=lifetime)
        self._most = most
        self._lifetime = lifetime
        self._clock = clock
        self._lock = Lock()
        self._gone: list[Callable[[str], None]] = []
        # The one that was used least recently comes first.
        self._records: OrderedDict[str, tuple[SessionRecord, float]] = OrderedDict()

    def tell(self, gone: Callable[[str], None]) -> None:
        """As ``SessionStore.tell``."""
        self._gone.append(gone)

    def create(self, record: SessionRecord) -> None:
        """As ``SessionStore.create``."""
        with self._lock:
            ended = self._expire()
            full = len(self._records) >= self._most
            if not full:
                self._records[record.id] = record, self._clock()
        self._tell(ended)
        if full:
            text = f"there are {self._most} sessions, and not more are allowed"
            raise TooManySessions(text)

    def load(self, session_id: str) -> SessionRecord | None:
        """As ``SessionStore.load``."""
        with self._lock:
            ended = self._expire()
            found = self._records.get(session_id)
            if found is not None:
                self._records[session_id] = found[0], self._clock()
                self._records.move_to_end(session_id)
        self._tell(ended)
        return None if found is None else found[0]

    def save(self, record: SessionRecord, before: Mapping[str, Any]) -> None:
        """As ``SessionStore.save``."""
        with self._lock:
            record.version += 1
            if record.id in self._records:
                self._records[record.id] = record, self._records[record.id][1]

    def delete(self, session_id: str) -> None:
        """As ``SessionStore.delete``."""
        with self._lock:
            found = self._records.pop(session_id, None)
        if found is not None:
            self._tell([session_id])

    def _expire(self) -> list[str]:
        oldest = self._clock() - self._lifetime
        ended: list[str] = []
        while self._records:
            session_id, (_, used) = next(iter(self._records.items()))
            if used > oldest:
                break
            del self._records[session_id]
            ended.append(session_id)
        return ended

    def _tell(self, ended: list[str]) -> None:
        for session_id in ended:
            for gone in self._gone:
                gone(session_id)


def new_session_id() -> str:
    """An id that nobody guesses: 256 random bits in visible ASCII (Transports: Session Management)."""
    return secrets.token_urlsafe(32)


def is_session_id(text: str) -> bool:
    """Whether a text may be a session's id: visible ASCII, and not of any length."""
    return _ID.fullmatch(text) is not None
