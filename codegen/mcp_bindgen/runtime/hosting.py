"""Servers of several revisions behind one transport: how the client opens chooses.

2026-07-28, Versioning and Compatibility: Backward Compatibility with Initialization-Based Versions.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

from .errors import ConnectionClosed, MessageTooLarge, UsageError
from .events import Reply
from .given import check_transport
from .meta import member
from .server import Server
from .session import Session
from .stateless import VERSION
from .transports import Transport

INITIALIZE = "initialize"


def newest_first(servers: Iterable[object]) -> list[Server]:
    """Servers that are hosted together; raises UsageError for none, for what is no server, and for two of a revision."""
    found: dict[str, Server] = {}
    for each in servers:
        if not isinstance(each, Server):
            text = f"what is hosted are server objects, each an argument of its own, and not {each!r}"
            raise UsageError(text)
        revision = each.binding.revision
        if revision in found:
            text = f"two servers of {revision} cannot share a transport; register all handlers with one"
            raise UsageError(text)
        found[revision] = each
    if not found:
        message = "there is no server to host; give at least one"
        raise UsageError(message)
    return [found[revision] for revision in sorted(found, reverse=True)]


class Host:
    """Serves each client by the server of its revision.

    A request that names its revision in ``_meta`` is served by that revision's server, as it stands alone.
    ``initialize`` chooses among the others, and is final: from then on the transport speaks the revision that was
    agreed on, and nothing else.
    """

    def __init__(self, servers: Sequence[Server]) -> None:
        self._servers = newest_first(servers)
        revisions = [server.binding.revision for server in self._servers]
        self._modern = [server for server in self._servers if server.binding.era == "stateless"]
        self._legacy = [server for server in self._servers if server.binding.era == "handshake"]
        for server in self._modern:
            modern: Any = server
            modern.versions = tuple(revisions)

    def serve(self, transport: Transport) -> None:
        """Speaks with a client until it leaves."""
        check_transport(transport)
        try:
            self._serve(transport)
        finally:
            transport.close()

    def _serve(self, transport: Transport) -> None:
        waiting: deque[bytes] = deque()
        while True:
            server = self._wait(transport, waiting)
            if server is None:
                return
            if server.binding.era == "handshake":
                server.serve(_Lease(transport, waiting, ends_with=None))
                return
            lease = _Lease(transport, waiting, ends_with=INITIALIZE if self._legacy else None)
            server.serve(lease)
            if not waiting:
                return

    def _wait(self, transport: Transport, waiting: deque[bytes]) -> Server | None:
        """The server for what comes next, which stays in ``waiting``; None at the end.

        What says nothing of a revision is answered as a server does that has not been introduced.
        """
        stranger = self._stranger()
        while True:
            if not waiting:
                try:
                    line = transport.receive()
                except MessageTooLarge as fault:
                    self._send(transport, stranger.too_large(fault))
                    continue
                except ConnectionClosed:
                    return None
                if line is not None:
                    waiting.append(line)
                continue
            server = self._server_for(waiting[0])
            if server is not None:
                return server
            self._send(transport, stranger.receive(waiting.popleft()))

    def _server_for(self, line: bytes) -> Server | None:
        server = self._named(line)
        # Where every request stands alone, there is nothing to wait for: the server knows best how to refuse.
        return self._modern[0] if server is None and not self._legacy else server

    def _named(self, line: bytes) -> Server | None:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            return None
        version = member(value, "params", "_meta", VERSION)
        if self._modern and version.__class__ is str:
            return next((each for each in self._modern if each.binding.revision == version), self._modern[0])
        if member(value, "method") == INITIALIZE and self._legacy:
            wanted = member(value, "params", "protocolVersion")
            return next((each for each in self._legacy if each.binding.revision == wanted), self._legacy[0])
        return None

    def _stranger(self) -> Session:
        """A session that nobody has introduced itself to."""
        return (self._legacy or self._modern)[0].session()

    @staticmethod
    def _send(transport: Transport, events: Sequence[Any]) -> None:
        for event in events:
            if isinstance(event, Reply):
                transport.send(event.line, 10.0)


class _Lease:
    """A transport lent to one server: begins with what was read before, and may end before the transport does."""

    def __init__(self, transport: Transport, waiting: deque[bytes], *, ends_with: str | None) -> None:
        self._transport = transport
        self._waiting = waiting
        self._ends_with = ends_with
        self._over = False
        self.interrupt = transport.interrupt
        self.send = transport.send

    def receive(self, timeout: float | None = None) -> bytes | None:
        if self._over:
            message = "the client has begun a handshake, and is served by another revision"
            raise ConnectionClosed(message)
        line = self._waiting.popleft() if self._waiting else self._transport.receive(timeout)
        if line is not None and self._ends_with is not None and self._begins(line):
            self._waiting.append(line)
            self._over = True
            return self.receive()
        return line

    def _begins(self, line: bytes) -> bool:
        # Few lines hold the word, so few are parsed twice.
        if b"initialize" not in line:
            return False
        try:
            method = member(json.loads(line), "method")
        except (ValueError, RecursionError):
            return False
        return bool(method == self._ends_with)

    def close(self) -> None:
        if not self._over:
            self._transport.close()
