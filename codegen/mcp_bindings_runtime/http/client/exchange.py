"""One HTTP request and its response: its deadline, and its end by another thread."""

from __future__ import annotations

import io
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from math import inf
from threading import Lock, Timer
from time import monotonic
from typing import Any, Literal, TypeAlias

from ...connection.auto_reset_event import AutoResetEvent
from ...connection.call_scope import extend_scopes
from ...errors import ConnectionClosed, RequestTimeout
from ...logs import write_log

Sent: TypeAlias = Literal["new", "reused"] | None

LONGEST = 1_000_000.0
"""Limit in seconds on one wait; sockets accept no more than some weeks."""


class Exchange:
    """A request in flight. ``deadline``, by ``time.monotonic``, holds for all of it, however slowly bytes arrive."""

    __slots__ = (
        "_event",
        "_lock",
        "_socket",
        "_started",
        "deadline",
        "ended",
        "exhausted",
        "paused",
        "response_began",
        "sent",
        "url",
        "what",
    )

    def __init__(self, what: str, deadline: float = inf) -> None:
        self.what = what
        """Its description in error messages."""
        self.deadline = deadline
        self._started = monotonic()
        self.url = ""
        """The URL that its request was sent to last; redirects change it."""
        self.ended = False
        """Whether ``end`` has been called."""
        self._event: AutoResetEvent | None = None
        """Set while a thread sleeps. Few threads sleep, and exchanges are many."""
        self.sent: Sent = None
        """The kind of connection that its request was sent over; None if nothing was sent."""
        self.response_began = False
        """Whether any byte of the response has arrived."""
        self.exhausted = False
        """Whether no further attempt is made after a failure."""
        self.paused = 0.0
        """Seconds that did not count against its deadline."""
        self._lock = Lock()
        """Held while its socket is shut, so that no other exchange uses it."""
        self._socket: Any = None

    @property
    def place(self) -> str:
        """The URL for messages: without its query, which may hold a secret."""
        return self.url.partition("?")[0]

    def forget_attempt(self) -> None:
        """Prepare for another attempt, which may reach the server in another way."""
        self.sent = None
        self.response_began = False

    @contextmanager
    def pause(self, seconds: float) -> Generator[None]:
        """Replace the deadline inside ``with`` by one in so many seconds; the time does not count against the first one."""
        deadline, before, started = self.deadline, self._started, monotonic()
        self.deadline, self._started = started + seconds, started
        try:
            yield
        finally:
            passed = monotonic() - started
            self.deadline, self._started = deadline + passed, before + passed
            self.paused += passed
            extend_scopes(passed)

    def use_socket(self, connection: Any) -> None:
        """Use this socket from now on; None for none."""
        with self._lock:
            self._socket = connection
            if self.ended:
                _shut(connection)

    def end(self) -> None:
        """End the exchange at once, from any thread; the connection is closed. Idempotent."""
        with self._lock:
            self.ended = True
            if self._event is not None:
                self._event.set()
            _shut(self._socket)

    def wake(self) -> None:
        """Set the event of the thread that sleeps, if one does. From any thread."""
        with self._lock:
            if self._event is not None:
                self._event.set()

    def end_later(self, seconds: float, ended: Callable[[], object]) -> None:
        """End the exchange after so many seconds, and call ``ended``."""

        def end() -> None:
            self.end()
            ended()

        timer = Timer(seconds, end)
        timer.name = "mcp-http-linger"
        timer.daemon = True
        try:
            timer.start()
        except RuntimeError as fault:
            write_log("warning", "no thread could be started: %s", fault)
            end()

    def sleep(self, seconds: float) -> bool:
        """Sleep for so long, or until it is ended; return whether it is. For the one thread that reads."""
        event = self.new_event()
        return event is None or (event.wait(seconds) and self.ended)

    def new_event(self) -> AutoResetEvent | None:
        """Return an event that ``end`` and ``wake`` set; None if it has ended. For the one thread that reads."""
        with self._lock:
            event = self._event = None if self.ended else AutoResetEvent()
        return event

    def remaining(self) -> float | None:
        """Return the seconds until the deadline, or None without one. Raise ``RequestTimeout`` once it has passed."""
        if self.deadline == inf:
            return None
        left = self.deadline - monotonic()
        if left <= 0:
            raise self.timed_out()
        return min(left, LONGEST)

    def timed_out(self) -> RequestTimeout:
        """Return the error for a deadline that has passed."""
        seconds = max(0.0, self.deadline - self._started)
        server = f" from {self.place}" if self.url else ""
        return RequestTimeout(f"{self.what}: no answer{server} in {round(seconds, 3):g} s")

    def closed(self) -> ConnectionClosed:
        """Return the error for an exchange that was ended on this side."""
        return ConnectionClosed(f"{self.what}: the connection was closed on this side")


def receive(connection: Any, exchange: Exchange, amount: int) -> bytes:
    """Return bytes from a socket, empty at its end. Raise ``TimeoutError`` at the deadline, and ``OSError``."""
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
    """Reads from a socket until the deadline of an exchange; first the bytes ``ahead``, which were received before."""

    def __init__(self, raw: io.RawIOBase, connection: Any, exchange: Exchange, ahead: bytes = b"") -> None:
        super().__init__()
        self._raw = raw
        # Keeps the socket open until this is closed.
        self._socket = connection
        self._exchange = exchange
        self._ahead = ahead

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """See ``io.RawIOBase``. Raise ``TimeoutError`` at the deadline."""
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
        """See ``io.RawIOBase``."""
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
