"""Servers of several revisions behind one transport: how the client opens chooses.

2026-07-28, Versioning and Compatibility: Backward Compatibility with Initialization-Based Versions.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..errors import ConnectionClosed, McpError, MessageTooLarge
from ..logs import write_log
from ..session.events import Reply
from ..session.stateless import INITIALIZE
from ..transports import Transport
from ..validation import require_transport
from .routing import Routes
from .server import Server

_WORD = INITIALIZE.encode()
_ESCAPE = b"\\u00"
"""What a line with ``initialize`` in it contains, or with a part of the word that is escaped."""
_PATIENCE = 10.0
"""Seconds that the client may take to receive an answer."""


class Host:
    """Serves each client by the server of its revision.

    A request that names its revision in ``_meta`` is served by that revision's server, as it stands alone.
    ``initialize`` chooses among the others, and is final: from then on the transport speaks the revision that was
    agreed on, and nothing else.
    """

    def __init__(self, servers: Sequence[Server]) -> None:
        self._routes = Routes(servers)

    def serve(self, transport: Transport) -> None:
        """Speaks with a client until it leaves."""
        require_transport(transport)
        try:
            routed = self._receive(transport)
            while routed is not None:
                routed = self._serve(transport, routed)
        finally:
            transport.close()

    def _serve(self, transport: Transport, routed: _Routed) -> _Routed | None:
        """Serve until the end, or until the client begins a session: return what begins it."""
        server = routed.server
        interrupts = server.binding.era == "stateless" and bool(self._routes.handshake)
        lease = _Lease(transport, routed.line, self._beginning if interrupts else _nothing)
        server.serve_connection(server.connect(lease, versions=self._routes.revisions))
        return lease.successor

    def _receive(self, transport: Transport) -> _Routed | None:
        """Return the first message that is for one of the servers; None at the end.

        Those before it are answered as by a server of the handshake era whose session has not begun.
        """
        unbegun = (self._routes.handshake or self._routes.stateless)[0].session()
        while True:
            try:
                line = transport.receive()
            except MessageTooLarge as fault:
                events = unbegun.receive_too_large(fault)
            except ConnectionClosed:
                return None
            else:
                if line is None:
                    continue
                server = self._routes.choose(_parsed(line))
                if server is not None:
                    return _Routed(server, line)
                events = unbegun.receive(line)
            for event in events:
                if isinstance(event, Reply):
                    _send(transport, event.line)

    def _beginning(self, line: bytes) -> _Routed | None:
        """Return the server of the session that a line begins; None for other lines."""
        # Few lines hold the word, or may hold it in another spelling, so few are parsed twice.
        if _WORD not in line and _ESCAPE not in line:
            return None
        server = self._routes.choose(_parsed(line))
        return None if server is None or server.binding.era == "stateless" else _Routed(server, line)


class _Routed(NamedTuple):
    """A message, and the server it is for."""

    server: Server
    line: bytes


class _Lease:
    """A transport lent to one server: begins with a line that was read before, and may end before the transport does.

    It ends with a line for which ``ends`` names a successor.
    """

    def __init__(self, transport: Transport, first: bytes, ends: Callable[[bytes], _Routed | None]) -> None:
        self._transport = transport
        self._first: bytes | None = first
        self._ends = ends
        self.successor: _Routed | None = None
        self.interrupt = transport.interrupt
        self.send = transport.send

    def receive(self, timeout: float | None = None) -> bytes | None:
        if self.successor is None:
            line = self._first
            if line is not None:
                self._first = None
                return line
            line = self._transport.receive(timeout)
            if line is None:
                return None
            self.successor = self._ends(line)
            if self.successor is None:
                return line
        message = "the client has begun a handshake, and is served by another revision"
        raise ConnectionClosed(message)

    def close(self) -> None:
        if self.successor is None:
            self._transport.close()


def _send(transport: Transport, line: bytes) -> None:
    try:
        transport.send(line, _PATIENCE)
    except McpError as fault:
        write_log("info", "an answer could not be sent: %s", fault)


def _nothing(_line: bytes) -> None:
    """No line ends the lease."""


def _parsed(line: bytes) -> Any:
    """The JSON value in a line; None for what is none, which no server is chosen by."""
    try:
        return json.loads(line.decode())
    except (ValueError, RecursionError):
        return None
