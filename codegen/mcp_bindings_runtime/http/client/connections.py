"""The connections of urllib3, extended so that the deadline and the end of a request hold in every wait.

They use public names of urllib3 and ``http.client``: the classes that a pool and a connection make (``ConnectionCls``,
``QueueCls``, ``response_class``) and methods that subclasses may override.
"""

from __future__ import annotations

import http.client
import io
import queue
import select
import socket
import sys
from collections.abc import Generator
from contextlib import contextmanager
from threading import local
from typing import Any, Final

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection

from .exchange import BoundedReader, Exchange

BUFFER: Final = 64 * 1024


class _Current(local):
    exchange: Exchange | None = None


_CURRENT = _Current()
"""Its ``exchange`` is the one that the thread has passed to urllib3."""


@contextmanager
def sending(exchange: Exchange) -> Generator[None]:
    """Mark what the thread has urllib3 do inside ``with`` as part of an exchange."""
    _CURRENT.exchange = exchange
    try:
        yield
    finally:
        _CURRENT.exchange = None


class BoundedResponse(http.client.HTTPResponse):
    """A response that is read no longer than until the deadline of its exchange."""

    def __init__(self, sock: Any, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        exchange = _CURRENT.exchange
        if exchange is not None:
            self.bind(sock, exchange)

    def bind(self, sock: Any, exchange: Exchange, received: bytes = b"") -> None:
        """Read within the deadline of an exchange; ``received`` is the part that was read before."""
        raw: Any = self.fp.detach()
        self.fp = io.BufferedReader(BoundedReader(raw, sock, exchange, received), BUFFER)

    def begin(self) -> None:
        """Read the head of the final response."""
        super().begin()
        # http.client skips 100 only, and would take what follows another interim response for that of the next request.
        while 100 < self.status < 200 and self.status != http.HTTPStatus.SWITCHING_PROTOCOLS:
            response: Any = self
            response.headers = None
            super().begin()


class _ExchangeConnection:
    """Mixed into the connections of urllib3: tells its exchange which socket it uses."""

    sock: Any
    timeout: Any
    close: Any
    response_class: Any = BoundedResponse
    _exchange: Exchange | None = None
    _fresh: bool = False
    """Whether it was connected for the request that is being sent."""
    _parts: list[bytes] | None = None
    """The parts of a request that is being put together."""
    _polled_socket: Any = None
    _poll: Any = None

    @property
    def is_connected(self) -> bool:
        """Whether the connection is open, and the other side has neither closed it nor sent anything unrequested."""
        sock = self.sock
        if sock is None or not hasattr(select, "poll"):
            base: Any = super()
            connected: bool = base.is_connected
            return connected
        if self._polled_socket is not sock:
            self._polled_socket, self._poll = sock, select.poll()
            self._poll.register(sock, select.POLLIN)
        return not self._poll.poll(0)

    def connect(self) -> None:
        super().connect()  # type: ignore[misc]  # of the connection that this is mixed into
        self._fresh = True
        exchange = _CURRENT.exchange
        if exchange is not None:
            self.attach(exchange)

    def send(self, data: Any) -> None:
        if self._parts is None or data.__class__ is not bytes:
            super().send(data)  # type: ignore[misc]  # of the connection that this is mixed into
        else:
            self._parts.append(data)

    def request(self, *args: Any, **options: Any) -> None:
        exchange = _CURRENT.exchange
        if exchange is not None and self.sock is not None:
            self.timeout = exchange.remaining()
            self.attach(exchange)
        # Headers and body are sent together: a server that gets them one by one wakes up twice.
        self._parts = []
        try:
            super().request(*args, **options)  # type: ignore[misc]  # as above
            parts, self._parts = self._parts, None
            if self.sock is None:
                # ``send`` would do that, too; but what fails until here has sent nothing.
                self.connect()
            if exchange is not None:
                exchange.sent = "new" if self._fresh else "reused"
            self._fresh = False
            super().send(b"".join(parts))  # type: ignore[misc]  # as above
        finally:
            self._parts = None

    def attach(self, exchange: Exchange) -> None:
        """Use the connection for an exchange from now on."""
        if self._exchange is not exchange:
            self.detach()
            self._exchange = exchange
        # The time to connect is over, and the body may take longer.
        self.sock.settimeout(exchange.remaining())
        exchange.use_socket(self.sock)

    def detach(self) -> None:
        """Separate the connection from its exchange, whose end then ends no later exchange."""
        exchange, self._exchange = self._exchange, None
        if exchange is not None:
            exchange.use_socket(None)


class _Connection(_ExchangeConnection, HTTPConnection):
    pass


class _SecureConnection(_ExchangeConnection, HTTPSConnection):
    pass


class IdleConnections:
    """The idle connections of a pool, as ``queue.LifoQueue`` but without waiting; None stands for one not yet made."""

    def __init__(self, maxsize: int) -> None:
        self._limit = maxsize
        self._items: list[Any] = []
        self._closed = False

    def put(self, item: Any, **_: Any) -> None:
        """Add a connection that is not used any more. Raise ``queue.Full`` beyond the limit, and after ``close``."""
        if item is not None:
            item.detach()
        # Threads that come at the same moment may make it a few more than that.
        if len(self._items) >= self._limit:
            raise queue.Full
        self._items.append(item)
        if self._closed and item is not None:
            # The pool was closed meanwhile, perhaps after its connections were.
            item.close()

    def get(self, **_: Any) -> Any:
        """Remove and return the connection that was used last. Raise ``queue.Empty`` if there is none."""
        try:
            return self._items.pop()
        except IndexError:
            raise queue.Empty from None

    def qsize(self) -> int:
        """Return the number of connections."""
        return len(self._items)

    def close(self) -> None:
        """Close what is put from now on."""
        self._closed = True


class _Pool:
    """Mixed into the pools of urllib3."""

    QueueCls: Any = IdleConnections
    pool: Any

    def close(self) -> None:
        if self.pool is not None:
            self.pool.close()
        super().close()  # type: ignore[misc]  # of the pool that this is mixed into


class Pool(_Pool, urllib3.HTTPConnectionPool):
    """A pool of plain connections."""

    ConnectionCls: Any = _Connection


class SecurePool(_Pool, urllib3.HTTPSConnectionPool):
    """A pool of connections with TLS."""

    ConnectionCls: Any = _SecureConnection


def socket_options() -> list[tuple[int, int, int]]:
    """Return options for small messages and silent streams: a peer that is gone is noticed within minutes."""
    found = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1), (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)]
    if sys.platform == "linux":
        found += [
            (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 30),
            (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 10),
            (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3),
        ]
    return found
