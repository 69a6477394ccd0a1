"""The sessions with a server behind a proxy, by client of the proxy."""

from __future__ import annotations

import json
from collections.abc import Callable
from threading import Lock
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


class ClientSessions:
    """Finds the session that a client has with a server behind the proxy, or opens it by ``new``.

    A client with a session of its own has one session with the server until it leaves. Requests without a session share one
    if they come from the same principal (else the same address), and declare the same client and capabilities. At most
    ``limit`` sessions exist at the same time. ``key`` names the server in the state of a client's session. Thread-safe.
    """

    def __init__(self, new: Callable[[Context], BackendSession], limit: int, key: str) -> None:
        self._new = new
        self._key = f"session with {key}"
        self._limit = limit
        self._lock = Lock()
        self._shared: dict[str, BackendSession] = {}
        self._all: list[BackendSession] = []
        self._closed = False

    def of(self, context: Any) -> BackendSession:
        """Return the session of a request's client. Raise ``ResponseError`` if there are too many."""
        state: dict[str, Any] = context.connection.session.feature_state
        found: BackendSession | None = state.get(self._key)
        if found is not None:
            return found
        facts = facts_of(context.peer_revision)
        has_session = facts is None or facts.handshake
        key = "" if has_session else _identity(context)
        with self._lock:
            found = state.get(self._key) if has_session else self._shared.get(key)
            if found is not None:
                return found
            unused = self._remove_unused()
            if self._closed or len(self._all) >= self._limit:
                reason = f"the proxy has {len(self._all)} sessions with the server behind; no more are allowed"
                raise ResponseError(INTERNAL_ERROR, "Too busy", {"reason": reason})
            found = self._new(context)
            self._all.append(found)
            if has_session:
                state[self._key] = found
            else:
                self._shared[key] = found
        for each in unused:
            each.close()
        return found

    def existing(self, context: Any) -> BackendSession | None:
        """Return the session of a client that has one itself; None if it has not used the server yet."""
        found: BackendSession | None = context.connection.session.feature_state.get(self._key)
        return found

    def close(self) -> None:
        """Close all sessions, and make no more. Idempotent; from any thread."""
        with self._lock:
            self._closed = True
            found, self._all = self._all, []
            self._shared.clear()
        for each in found:
            each.close()

    def _remove_unused(self) -> list[BackendSession]:
        """Remove and return the sessions of clients that have left, and of requests long ago; hold the lock."""
        oldest = monotonic() - IDLE_SECONDS
        unused = [
            each
            for each in self._all
            if (each.front.gone if each.front.has_session else each.used < oldest and not each.front.active)
        ]
        self._all = [each for each in self._all if each not in unused]
        self._shared = {key: each for key, each in self._shared.items() if each not in unused}
        return unused


def _identity(context: Any) -> str:
    """Return a text that is equal for requests of one client."""
    unstructure = context.connection.session.binding.codec.unstructure
    parts = [None if each is None else unstructure(each) for each in (context.peer_info, context.peer_capabilities)]
    return json.dumps([context.principal, None if context.principal else context.source, *parts], sort_keys=True)
