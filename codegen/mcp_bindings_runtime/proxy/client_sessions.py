"""The sessions with a server behind a proxy, by client of the proxy."""

from __future__ import annotations

import json
from collections.abc import Callable
from threading import Condition, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from ..errors import ResponseError
from ..installed_revisions import facts_of
from ..jsonrpc import INTERNAL_ERROR
from .backend_session import BackendSession

if TYPE_CHECKING:
    from ..connection.context import Context

IDLE_SECONDS: Final = 600.0
"""Seconds to keep the session of a client that has none itself, counted from its last request."""
_LOOK: Final = 5.0
"""Seconds between two looks for sessions that are not used any more."""


class ClientSessions:
    """Finds the session that a client has with a server behind the proxy, or opens it by ``new``.

    A client with a session of its own has one session with the server until it leaves. Requests without a session share one
    if they come from the same principal (else the same address), and declare the same client and capabilities. At most
    ``limit`` sessions exist at the same time, of which one principal or address has at most three fourths. Beyond that,
    sessions of clients that have none end first, unless a request is in progress. ``key`` names the server in the state of
    a client's session. Thread-safe.
    """

    def __init__(self, new: Callable[[Context], BackendSession], limit: int, key: str) -> None:
        self._new = new
        self._key = f"session with {key}"
        self._limit = limit
        self._limit_of_source = limit - limit // 4
        self._changed = Condition()
        self._shared: dict[str, BackendSession] = {}
        self._all: dict[BackendSession, str | None] = {}
        """The sessions, and the sources that they count for; None for a client over stdio or in memory."""
        self._watched = False
        """Whether a thread ends the sessions that are not used any more."""
        self._closed = False

    def of(self, context: Any) -> BackendSession:
        """Return the session of a request's client. Raise ``ResponseError`` if there are too many."""
        state: dict[str, Any] = context.connection.session.feature_state
        found: BackendSession | None = state.get(self._key)
        if found is not None:
            return found
        facts = facts_of(context.peer_revision)
        has_session = facts is None or facts.handshake
        sessions: dict[str, Any] = state if has_session else self._shared
        key = self._key if has_session else _identity(context)
        with self._changed:
            found = self._found(sessions, key)
        if found is not None:
            return found
        self._end_unused()
        source: str | None = context.principal or context.source
        with self._changed:
            found = self._found(sessions, key)
            if found is not None:
                return found
            removed = self._make_room(source)
            found = sessions[key] = self._new(context)
            self._all[found] = source
            if not self._watched:
                self._watched = True
                Thread(target=self._watch, name="mcp-backends", daemon=True).start()
        if removed is not None:
            removed.close()
        return found

    @staticmethod
    def _found(sessions: dict[str, Any], key: str) -> BackendSession | None:
        """Return a session by its key; None if there is none; hold the lock."""
        found: BackendSession | None = sessions.get(key)
        if found is not None:
            # Otherwise it might end before the request begins.
            found.used = monotonic()
        return found

    def existing(self, context: Any) -> BackendSession | None:
        """Return the session of a client that has one itself; None if it has not used the server yet."""
        found: BackendSession | None = context.connection.session.feature_state.get(self._key)
        return found

    def close(self) -> None:
        """Close all sessions, and make no more. Idempotent; from any thread."""
        with self._changed:
            self._closed = True
            found = [*self._all]
            self._all.clear()
            self._shared.clear()
            self._changed.notify_all()
        for each in found:
            each.close()

    def _watch(self) -> None:
        """End the sessions that are not used any more, until there are none left."""
        while self._watched:
            with self._changed:
                self._changed.wait_for(lambda: self._closed, _LOOK)
            self._end_unused()
            with self._changed:
                self._watched = bool(self._all)

    def _end_unused(self) -> None:
        """End the sessions of clients that have left, and those of which the last request was long ago."""
        oldest = monotonic() - IDLE_SECONDS
        with self._changed:
            unused = [
                each
                for each in self._all
                if (each.front.gone if each.front.has_session else each.used < oldest and not each.front.active)
            ]
            for each in unused:
                self._forget(each)
        for each in unused:
            each.close()

    def _make_room(self, source: str | None) -> BackendSession | None:
        """Make room for a session of a source: return one that has to end, if any; hold the lock.

        Raise ``ResponseError`` if none can.
        """
        crowd = [] if source is None else [each for each, owner in self._all.items() if owner == source]
        whose = " of this client or address"
        if len(crowd) < self._limit_of_source:
            crowd, whose = [*self._all], ""
            if len(crowd) < self._limit and not self._closed:
                return None
        idle = [each for each in crowd if not (each.front.has_session or each.front.active)]
        if self._closed or not idle:
            reason = f"the proxy has {len(crowd)} sessions{whose} with the server behind; no more are allowed"
            raise ResponseError(INTERNAL_ERROR, "Too busy", {"reason": reason})
        longest = min(idle, key=lambda each: each.used)
        self._forget(longest)
        return longest

    def _forget(self, session: BackendSession) -> None:
        """Remove a session; hold the lock."""
        del self._all[session]
        for key in [key for key, each in self._shared.items() if each is session]:
            del self._shared[key]


def _identity(context: Any) -> str:
    """Return a text that is equal for requests of one client."""
    unstructure = context.connection.session.binding.codec.unstructure
    parts = [None if each is None else unstructure(each) for each in (context.peer_info, context.peer_capabilities)]
    return json.dumps([context.principal, None if context.principal else context.source, *parts], sort_keys=True)
