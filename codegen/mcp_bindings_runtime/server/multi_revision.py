"""Servers of several revisions behind one transport; the first message of the client chooses among them.

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
"""A line with ``initialize`` contains the word, or this if a part of the word is escaped."""
_SEND_TIMEOUT = 10.0
"""Seconds to wait until the client has received a response."""


class MultiRevisionServer:
    """Serves each client with the server of its revision.

    A request that names its revision in ``_meta`` stands alone and goes to the server of that revision. ``initialize``
    chooses one of the other servers for the rest of the connection.
    """

    def __init__(self, servers: Sequence[Server]) -> None:
        self._routes = Routes(servers)

    def serve(self, transport: Transport) -> None:
        """Serve the client at the other end of a transport until it leaves."""
        require_transport(transport)
        try:
            routed = self._receive(transport)
            while routed is not None:
                routed = self._serve(transport, routed)
        finally:
            transport.close()

    def _serve(self, transport: Transport, routed: _Routed) -> _Routed | None:
        """Serve a client from a message on; return the message that begins a session, None once the client has left."""
        server = routed.server
        interrupts = server.binding.era == "stateless" and bool(self._routes.handshake)
        part = _TransportPart(transport, routed.line, self._beginning if interrupts else _never)
        server.serve_connection(server.connect(part, versions=self._routes.revisions))
        return part.successor

    def _receive(self, transport: Transport) -> _Routed | None:
        """Return the first message that is for one of the servers; None once the client has left.

        Messages before it get the responses of a session that has not begun.
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
        # Few lines contain the word or an escaped letter, so few are parsed twice.
        if _WORD not in line and _ESCAPE not in line:
            return None
        server = self._routes.choose(_parsed(line))
        return None if server is None or server.binding.era == "stateless" else _Routed(server, line)


class _Routed(NamedTuple):
    """A message and the server that it is for."""

    server: Server
    line: bytes


class _TransportPart:
    """The part of a transport's messages that is for one server.

    It begins with a line that was read before, and ends at a line for which ``ends`` returns a successor, or with the
    transport.
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
        message = "the client has begun a session with the server of another revision"
        raise ConnectionClosed(message)

    def close(self) -> None:
        if self.successor is None:
            self._transport.close()


def _send(transport: Transport, line: bytes) -> None:
    try:
        transport.send(line, _SEND_TIMEOUT)
    except McpError as fault:
        write_log("info", "a response could not be sent: %s", fault)


def _never(_line: bytes) -> None:
    """Return no successor: the part ends with the transport."""


def _parsed(line: bytes) -> Any:
    """Return the JSON value in a line; None, for which there is no server, if it is not JSON."""
    try:
        return json.loads(line.decode())
    except (ValueError, RecursionError):
        return None
