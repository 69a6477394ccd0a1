"""Accept connections, and keep their number below a limit."""

from __future__ import annotations

import socket
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Any, Final

from ...logs import RareWarning
from .event_loop import READ, EventLoop, Timer
from .http_connection import HttpConnection

_PAUSE: Final = 0.5
"""Seconds without accepting after the system had no descriptor or memory for a connection."""
_GRACE: Final = 0.5
"""Seconds for which an idle or new connection stays open although another client waits for its place."""
_IN_A_ROW: Final = 64
"""Number of connections that are accepted before other sockets have their turn."""


class Acceptor:
    """Accepts connections from a listening socket and passes each to ``begin``.

    At ``limit`` connections, the one that has waited for longest is closed for a new one: an idle connection or, if there is
    none, one with an incomplete request. While all have requests or are new, clients wait in the queue of the system.
    """

    deadline: float = 0.0
    timer: Timer | None = None

    def __init__(
        self,
        loop: EventLoop,
        listener: socket.socket,
        limit: int,
        begin: Callable[[socket.socket, Any], object],
        close: Callable[[HttpConnection], object],
    ) -> None:
        self._loop = loop
        self._listener = listener
        self._limit = limit
        self._begin = begin
        self._close = close
        self.open = 0
        """Number of open connections."""
        self._idle: OrderedDict[HttpConnection, float] = OrderedDict()
        """Connections without a request and the times since when, the longest first."""
        self._incomplete: OrderedDict[HttpConnection, float] = OrderedDict()
        """Connections with an incomplete request and the times at which it began, the oldest first."""
        self._events = 0
        self._full = RareWarning("%d connections are open, which is the limit; idle ones are closed")
        self._exhausted = RareWarning("no connections are accepted for a moment: %s")
        listener.settimeout(0.0)
        self._listen(READ)

    def _listen(self, events: int) -> None:
        if self._listener.fileno() >= 0:
            self._loop.register(self._listener, events, self._events, self)
            self._events = events

    def on_ready(self, _events: int) -> None:
        """Accept connections."""
        if self.open >= self._limit:
            self._full.log(self.open)
            if not self._make_room():
                return
        self._accept()

    def _accept(self) -> None:
        """Accept the clients that wait, as far as the limit allows."""
        for _ in range(min(_IN_A_ROW, self._limit - self.open)):
            try:
                sock, address = self._listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                self._on_exhausted(error)
                return
            with suppress(OSError):
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.open += 1
            self._begin(sock, address)

    def on_deadline(self) -> None:
        """Accept connections again after a pause."""
        self._listen(READ)

    def on_error(self) -> None:
        """Do nothing: the next client tries again."""

    def _make_room(self) -> bool:
        """Close a connection for a new one; if that must wait, accept none for the time being, and return False."""
        waiting = self._idle or self._incomplete
        if not waiting:
            self._listen(0)
            return False
        # A request that has just arrived is read next.
        connection = next((each for each in waiting if not each.has_unread), None)
        wait = _GRACE if connection is None else waiting[connection] + _GRACE - monotonic()
        if connection is None or wait > 0:
            self._pause(wait)
            return False
        self._close(connection)
        return True

    def _on_exhausted(self, error: OSError) -> None:
        """Close a connection and accept no more for a while: the system has no descriptors or memory left."""
        self._exhausted.log(error)
        waiting = self._idle or self._incomplete
        if waiting:
            self._close(next(iter(waiting)))
        self._pause(_PAUSE)

    def _pause(self, seconds: float) -> None:
        self._listen(0)
        self._loop.set_deadline(self, seconds)

    def add_idle(self, connection: HttpConnection) -> None:
        """Note that a connection has no request: it may be closed for a new one."""
        self._idle[connection] = monotonic()
        self._resume()

    def add_incomplete(self, connection: HttpConnection) -> bool:
        """Note that a request has begun to arrive; return whether it begins only now."""
        self._idle.pop(connection, None)
        if connection in self._incomplete:
            return False
        self._incomplete[connection] = monotonic()
        self._resume()
        return True

    def _resume(self) -> None:
        """Accept connections again, unless a deadline will do that."""
        if not self._events and not self.deadline:
            self._listen(READ)

    def remove_waiting(self, connection: HttpConnection) -> None:
        """Note that a connection must not be closed for a new one."""
        self._idle.pop(connection, None)
        self._incomplete.pop(connection, None)

    def count_closed(self) -> None:
        """Count one open connection less."""
        self.open -= 1
        self._listen(READ)

    @property
    def closed(self) -> bool:
        """Whether no more connections are accepted."""
        return self._listener.fileno() < 0

    def close(self) -> None:
        """Accept the clients that wait and no more, and close connections without a request. Idempotent."""
        self._listen(0)
        if self._listener.fileno() >= 0:
            self._accept()
            self._listener.close()
        for connection in list(self._idle):
            # A request that has just arrived is read next.
            if not connection.has_unread:
                self._close(connection)
