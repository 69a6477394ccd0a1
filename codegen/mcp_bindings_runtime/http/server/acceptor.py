"""Accept connections, and keep their number below a limit."""

from __future__ import annotations

import socket
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from ...logs import write_log
from .event_loop import READ, EventLoop
from .http_connection import HttpConnection

_PAUSE: Final = 0.5
"""Seconds without accepting after the system had no descriptor or memory for a connection."""
_IN_A_ROW: Final = 64
"""Limit on the connections that are accepted before other sockets have their turn."""


class Acceptor:
    """Accepts connections from a listening socket and passes each to ``begin``.

    At ``limit`` connections, the one that has waited for longest is closed: an idle one or, if there is none, one with an
    incomplete request. If all have requests, further clients wait in the queue of the system.
    """

    deadline: float = 0.0
    timer: float = 0.0

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
        self.idle: OrderedDict[HttpConnection, None] = OrderedDict()
        """Connections without a request, the one that is idle for longest first."""
        self.incomplete: OrderedDict[HttpConnection, None] = OrderedDict()
        """Connections with an incomplete request, the oldest first."""
        self._events = 0
        self._full = False
        """Whether it was logged that the limit is reached; that is logged again after some room was left."""
        listener.settimeout(0.0)
        self._listen(READ)

    def _listen(self, events: int) -> None:
        if self._listener.fileno() >= 0:
            self._loop.register(self._listener, events, self._events, self)
            self._events = events

    def on_ready(self, _events: int) -> None:
        """Accept connections."""
        if self.open >= self._limit and not self._make_room():
            self._listen(0)
            return
        for _ in range(min(_IN_A_ROW, self._limit - self.open)):
            try:
                sock, address = self._listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                self._pause(error)
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
        """Close the connection that has waited for longest; return whether there is one."""
        if not self._full:
            self._full = True
            write_log("warning", "%d connections are open, which is the limit; idle ones are closed", self.open)
        waiting = self.idle or self.incomplete
        if waiting:
            self._close(next(iter(waiting)))
        return bool(waiting)

    def _pause(self, error: OSError) -> None:
        """Close a connection and accept no more for a while: the system has no descriptors or memory left."""
        if not self.deadline:
            write_log("warning", "no connections are accepted for %g s: %s", _PAUSE, error)
        self._make_room()
        self._listen(0)
        self._loop.set_deadline(self, _PAUSE)

    def count_closed(self) -> None:
        """Count one open connection less."""
        self.open -= 1
        if self.open < self._limit * 3 // 4:
            self._full = False
        if self.open < self._limit and not self.deadline:
            self._listen(READ)

    def close(self) -> None:
        """Accept no more connections. Idempotent."""
        self._listen(0)
        self._listener.close()
        for connection in list(self.idle):
            self._close(connection)
