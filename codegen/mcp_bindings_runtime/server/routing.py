"""Routing of messages to servers of several revisions.

2026-07-28, Versioning and Compatibility: Backward Compatibility with Initialization-Based Versions.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..errors import UsageError
from ..installed_revisions import facts_of
from ..meta import member
from ..session.stateless import INITIALIZE, VERSION
from .server import Server


class Routes:
    """The revisions behind one transport or endpoint, and the choice of a server for each message.

    A revision for which there is no server is served by a twin of the nearest newer one, else of the newest, if the
    option ``revisions`` of that server allows it. stdio and HTTP both route by this class, so that they agree. Raise
    `UsageError` for no server, for an object that is not a server, and for two servers of one revision.
    """

    def __init__(self, servers: Iterable[object]) -> None:
        self.servers = _newest_first(servers)
        """The given servers, newest first."""
        self._originals = _originals(self.servers)
        self.revisions = tuple(sorted(self._originals, reverse=True))
        """All revisions that are served, newest first."""
        self.stateless = tuple(each for each in self.revisions if not self._has_handshake(each))
        self.handshake = tuple(each for each in self.revisions if self._has_handshake(each))
        own = [each.binding.revision for each in self.servers]
        self._preferred = [each for each in own if each in self.handshake] or [*self.handshake]

    def _has_handshake(self, revision: str) -> bool:
        original = self._originals[revision]
        facts = original.binding.facts if original.binding.revision == revision else facts_of(revision)
        return facts is None or facts.handshake

    def server_of(self, revision: str) -> Server:
        """Return the server of a revision that is served: a given one, or a twin, which is made on first use."""
        return self._originals[revision].serving(revision)

    def session_server(self, revision: str) -> Server | None:
        """Return the server for sessions of a revision; None if it is not served, or has no sessions."""
        return self.server_of(revision) if revision in self.handshake else None

    def choose(self, message: Any, header: str | None = None) -> Server | None:
        """Return the server for a message, a JSON value; None if it needs a session and does not begin one.

        ``header`` is the revision in the headers of an HTTP request. A message that names a revision in ``_meta`` is
        for a server of the stateless era, even an ``initialize``, which that server refuses with the reason.
        """
        if self.stateless:
            named = member(message, "params", "_meta", VERSION)
            if named is None and header in self.stateless:
                named = header
            if named is not None or not self.handshake:
                return self.server_of(named if named in self.stateless else self.stateless[0])
        return self.beginning(message)

    def beginning(self, message: Any) -> Server | None:
        """Return the server of the session that a message begins; None for anything but an ``initialize`` request.

        It is the server of the requested revision, else the newest given one (Lifecycle: Version Negotiation).
        """
        if not self.handshake or member(message, "method") != INITIALIZE or "id" not in message:
            return None
        wanted = member(message, "params", "protocolVersion")
        return self.server_of(wanted if wanted in self.handshake else self._preferred[0])


def _originals(servers: list[Server]) -> dict[str, Server]:
    """Return the revisions that servers serve, each with the server that handles its requests."""
    by_revision = {each.binding.revision: each for each in servers}
    served = {revision for each in servers for revision in each.revisions}
    found: dict[str, Server] = {}
    # From the newest on, the last server that was passed is the nearest newer one.
    newer: list[Server] = []
    for revision in sorted(served | by_revision.keys(), reverse=True):
        if revision in by_revision:
            newer.append(by_revision[revision])
        if revision in served:
            allowed = [each for each in servers if revision in each.revisions]
            found[revision] = next((each for each in reversed(newer) if each in allowed), allowed[0])
    return found


def _newest_first(servers: Iterable[object]) -> list[Server]:
    found: dict[str, Server] = {}
    for each in servers:
        if not isinstance(each, Server):
            hint = "; pass the servers one by one" if isinstance(each, list | tuple) else ""
            text = f"each argument must be a server object, got {each!r}{hint}"
            raise UsageError(text)
        revision = each.binding.revision
        if revision in found:
            text = f"two servers of {revision} cannot share a transport; register all handlers with one of them"
            raise UsageError(text)
        found[revision] = each
    if not found:
        message = "there is no server; pass at least one"
        raise UsageError(message)
    return [found[revision] for revision in sorted(found, reverse=True)]
