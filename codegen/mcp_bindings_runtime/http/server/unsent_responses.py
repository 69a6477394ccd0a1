"""The responses that clients have not read yet, charged to their addresses."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ...connection.account import Account
from .client_address import client_address
from .http_connection import HttpConnection


class UnsentResponses:
    """Charges unsent bytes of connections to ``memory``; used in the thread of the event loop.

    At a limit, ``close`` is called with the connections that have waited for their clients for longest; a response of any
    size passes alone.
    """

    def __init__(self, memory: Account, close: Callable[[HttpConnection], object]) -> None:
        self._memory = memory
        self._close = close
        self._sources: dict[HttpConnection, str] = {}
        """Connections with unsent bytes, those first that have waited for longest, and their addresses."""

    def update(self, connection: HttpConnection) -> None:
        """Charge what the client of a connection has not read."""
        size = len(connection.unsent)
        more = size - connection.unsent_charged
        source = self._sources.get(connection)
        if source is None:
            source = self._sources[connection] = client_address({"REMOTE_ADDR": connection.remote_addr})
        connection.unsent_charged = size
        self._memory.charge(source, more)
        if not size:
            del self._sources[connection]
        elif more > 0 and not self._memory.admits(source):
            self._memory.make_room(source, 0, partial(self._cut_off, connection))

    def forget(self, connection: HttpConnection) -> None:
        """Release the memory that was charged for a closed connection."""
        source = self._sources.pop(connection, None)
        if source is not None:
            self._memory.release(source, connection.unsent_charged)
            connection.unsent_charged = 0

    def _cut_off(self, newest: HttpConnection, source: str | None, excess: int) -> None:
        for connection, address in list(self._sources.items()):
            if excess <= 0:
                return
            if connection is not newest and source in {None, address}:
                excess -= connection.unsent_charged
                self._close(connection)
