"""One HTTP request and its answer: until when it may take, and how another thread ends it."""

from __future__ import annotations

import io
import socket
from contextlib import suppress
from math import inf
from threading import Lock
from time import monotonic
from typing import Any

from ...connection.auto_reset_event import AutoResetEvent
from ...errors import ConnectionClosed, RequestTimeout

LONGEST = 1_000_000.0
"""Seconds of one wait at most; sockets take no more than some weeks."""


class Exchange:
    """A request under way. ``deadline``, by ``time.monotonic``, holds for all of it, however slowly bytes drip in."""

    __slots__ = ("_event", "_lock", "_socket", "deadline", "ended", "response_began", "reused", "url", "what")

    def __init__(self, what: str, deadline: float = inf) -> None:
        self.what = what
        """What it is about, for errors."""
        self.deadline = deadline
        self.url = ""
        """Where its request was sent last; redirects change it."""
        self.ended = False
        """Whether ``end`` has been called."""
        self._event: AutoResetEvent | None = None
        """Is there while a thread rests. Threads that rest are rare, and exchanges many."""
        self.reused = False
        """Whether it goes over a connection that has been used before."""
        self.response_began = False
        """Whether the other side has answered anything yet."""
        self._lock = Lock()
        """Held while its socket is shut, which then is no other's yet."""
        self._socket: Any = None

    def use_socket(self, connection: Any) -> None:
        """It goes over this socket from now on; None: over none any more."""
        with self._lock:
            self._socket = connection
            if self.ended:
                _shut(connection)

    def end(self) -> None:
        """Ends it at once, in whatever thread it is; the server sees the connection closed. Idempotent."""
        with self._lock:
            self.ended = True
            if self._event is not None:
                self._event.set()
            _shut(self._socket)

    def sleep(self, seconds: float) -> bool:
        """Sleep for so long, or until it is ended; return whether it is. For the one thread that reads."""
        event = self.new_event()
        return event is None or event.wait(seconds)

    def new_event(self) -> AutoResetEvent | None:
        """Return an event that ``end`` sets, as others may; None if it has ended. For the one thread that reads."""
        with self._lock:
            event = self._event = None if self.ended else AutoResetEvent()
        return event

    def remaining(self) -> float | None:
        """Seconds until the deadline, None where there is none; raises RequestTimeout once it has passed."""
        if self.deadline == inf:
            return None
        left = self.deadline - monotonic()
        if left <= 0:
            raise self.timed_out()
        return min(left, LONGEST)

    def timed_out(self) -> RequestTimeout:
        """Its deadline has passed."""
        return RequestTimeout(f"{self.what}: the server has not answered in time")

    def closed(self) -> ConnectionClosed:
        """It was ended on this side."""
        return ConnectionClosed(f"{self.what}: the connection was closed on this side")


def receive(connection: Any, exchange: Exchange, amount: int) -> bytes:
    """What has come on a socket, empty at its end. Raises TimeoutError at the deadline of the exchange, and OSError."""
    connection.settimeout(_until(exchange))
    data: bytes = connection.recv(amount)
    if data:
        exchange.response_began = True
    return data


def _until(exchange: Exchange) -> float | None:
    try:
        return exchange.remaining()
    except RequestTimeout as late:
        raise TimeoutError from late


class BoundedReader(io.RawIOBase):
    """What comes on a socket, as long as the deadline of its exchange lets it come; ``ahead`` has come already."""

    def __init__(self, raw: io.RawIOBase, connection: Any, exchange: Exchange, ahead: bytes = b"") -> None:
        super().__init__()
        self._raw = raw
        # Keeps the socket open until this is closed.
        self._socket = connection
        self._exchange = exchange
        self._ahead = ahead

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """As io.RawIOBase. Raises TimeoutError at the deadline."""
        if self._ahead:
            part, self._ahead = self._ahead[: len(buffer)], self._ahead[len(buffer) :]
            buffer[: len(part)] = part
            return len(part)
        self._socket.settimeout(_until(self._exchange))
        count: int = self._socket.recv_into(buffer)
        if count:
            self._exchange.response_began = True
        return count

    def close(self) -> None:
        """As io.RawIOBase."""
        if not self.closed:
            super().close()
            self._raw.close()


def _shut(connection: Any) -> None:
    # For both directions at once, below TLS: the thread that reads from it sees the end of the stream.
    with suppress(OSError):
        if isinstance(connection, socket.socket):
            socket.socket.shutdown(connection, socket.SHUT_RDWR)
        elif connection is not None:
            # TLS within TLS, to a proxy.
            connection.close()
