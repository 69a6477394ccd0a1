"""Routing of messages to servers of several revisions.

2026-07-28, Versioning and Compatibility: Backward Compatibility with Initialization-Based Versions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..errors import UsageError
from ..meta import member
from ..session.stateless import INITIALIZE, VERSION
from .server import Server


class Routes:
    """The servers behind one transport or endpoint, and the choice among them for each message.

    stdio and HTTP both route by this class, so that they agree. Raise `UsageError` for no server, for an object that is
    not a server, and for two servers of one revision.
    """

    def __init__(self, servers: Iterable[object]) -> None:
        self.servers = _newest_first(servers)
        self.revisions = tuple(server.binding.revision for server in self.servers)
        self.stateless = [server for server in self.servers if server.binding.era == "stateless"]
        self.handshake = [server for server in self.servers if server.binding.era == "handshake"]

    def choose(self, message: Any, header: str | None = None) -> Server | None:
        """Return the server for a message, a JSON value; None if it needs a session and does not begin one.

        ``header`` is the revision in the headers of an HTTP request. A message that names a revision in ``_meta`` is
        for a server of the stateless era, even an ``initialize``, which that server refuses with the reason.
        """
        if self.stateless:
            named = member(message, "params", "_meta", VERSION)
            if named is None and any(server.binding.revision == header for server in self.stateless):
                named = header
            if named is not None or not self.handshake:
                return _of(named, self.stateless)
        return self.beginning(message)

    def beginning(self, message: Any) -> Server | None:
        """Return the server of the session that a message begins; None for anything but an ``initialize`` request.

        It is the server of the requested revision, else the newest (Lifecycle: Version Negotiation).
        """
        if not self.handshake or member(message, "method") != INITIALIZE or "id" not in message:
            return None
        return _of(member(message, "params", "protocolVersion"), self.handshake)


def _of(revision: Any, servers: Sequence[Server]) -> Server:
    """Return the server of a revision, else the newest."""
    return next((server for server in servers if server.binding.revision == revision), servers[0])


def _newest_first(servers: Iterable[object]) -> list[Server]:
    found: dict[str, Server] = {}
    for each in servers:
        if not isinstance(each, Server):
            text = f"each argument must be a server object, got {each!r}"
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
