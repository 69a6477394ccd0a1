"""Servers of several revisions behind one transport; the first message of the client chooses among them.

2026-07-28, Versioning and Compatibility: Backward Compatibility with Initialization-Based Versions.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from ..meta import member
from ..session.caller import Caller, as_caller
from ..session.stateless import VERSION, StatelessServerSession
from ..transports import Transport
from ..validation import require_transport
from .caller_binding import with_caller
from .routing import Routes
from .server import Server

if TYPE_CHECKING:
    from ..connection.connection import Connection
    from ..session.events import Event


class MultiRevisionServer:
    """Serves each client with the server of its revision.

    A request that names its revision in ``_meta`` goes to the server of that revision. While it or a subscription is in
    progress, requests of other revisions are refused. ``initialize`` chooses a server with a handshake for the rest of the
    connection. All requests come from ``caller``, a `Caller` or its principal. Raise ``UsageError`` for another one.
    """

    def __init__(self, servers: Sequence[Server], *, caller: Caller | str | None = None) -> None:
        self._routes = Routes(servers)
        self._caller = None if caller is None else as_caller(caller)

    def serve(self, transport: Transport) -> None:
        """Serve the client at the other end of a transport until it leaves."""
        require_transport(transport)
        reception = self.connect(transport)
        connection = reception.connection
        try:
            connection.serve()
            connection.drain(reception.server.options.grace)
        finally:
            reception.server.close_connection(connection)

    def connect(self, transport: Transport) -> Reception:
        """Return the reception of a client; its connection reads nothing until its ``serve`` or ``pump`` is called."""
        return Reception(self._routes, transport, self._caller)


class Reception:
    """A connection whose server is chosen by the first message, and again when the client begins a session.

    ``server`` is the current one.
    """

    def __init__(self, routes: Routes, transport: Transport, caller: Caller | None = None) -> None:
        self._routes = routes
        self._caller = caller
        self.server = _host(routes)
        self.connection: Connection = self.server.connect(transport, versions=routes.revisions, caller=caller)
        self.connection.select = self._select

    def _select(self, line: bytes) -> None:
        """Hand the connection over to the server that a line is for; keep it for a line that is for none of them.

        The session of the current server refuses such a line, since nothing has begun.
        """
        chosen = self._routes.choose(_parsed(line))
        if chosen is not None:
            self.connection.select = None
            self._continue_with(chosen)

    def _begin(self, line: bytes) -> Sequence[Event]:
        """Hand the connection over to the server that a line is for, if it is not the current one."""
        chosen = self._routes.choose(_parsed(line))
        if chosen is None or chosen is self.server:
            cast("StatelessServerSession", self.connection.session).hands_over = False
        else:
            self._continue_with(chosen)
            if chosen.binding.era == "handshake":
                self.connection.select = self._resume
        return self.connection.session.receive(line)

    def _resume(self, line: bytes) -> None:
        """Hand the connection back for a request that names its revision, unless the session is open by then.

        A client whose probe was answered late has sent ``initialize`` as well, and goes on without the session.
        """
        if self.connection.session.state == "open":
            self.connection.select = None
            return
        message = _parsed(line)
        if member(message, "params", "_meta", VERSION) is not None and "id" in message:
            self._select(line)

    def _continue_with(self, chosen: Server) -> None:
        connection, before = self.connection, self.server
        if chosen is not before:
            self.server = chosen
            session = chosen.session(self._routes.revisions)
            connection.hand_over(session, with_caller(chosen.handle_request, self._caller), chosen.handle_notification)
            before.remove_connection(connection)
            chosen.add_connection(connection)
        if isinstance(connection.session, StatelessServerSession):
            # The client may begin a session later, or choose another revision from the result of ``server/discover``.
            connection.session.hands_over = bool(self._routes.handshake)
            connection.session.others = [each for each in self._routes.stateless if each != chosen.binding.revision]
            connection.begin = self._begin
        chosen.watch(connection)


def _host(routes: Routes) -> Server:
    """Return the server whose session refuses messages before one is chosen: a given one, if possible with handshake."""
    served = [each for each in routes.servers if each.binding.revision in routes.revisions]
    with_handshake = [each for each in served if each.binding.era == "handshake"]
    return (with_handshake or served or [routes.server_of(routes.revisions[0])])[0]


def _parsed(line: bytes) -> Any:
    """Return the JSON value in a line; None, for which there is no server, if it is not JSON."""
    try:
        return json.loads(line.decode())
    except (ValueError, RecursionError):
        return None
