"""The connections of urllib3, extended: they know the exchange that goes over them, and carry one that needs no more."""

from __future__ import annotations

import http.client
import io
import queue
import select
import socket
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from functools import partial
from threading import local
from typing import Any, Final

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection

from .exchange import Bytes, Exchange, receive
from .fast_response import PlainAnswer, plain_head

_BUFFER: Final = 64 * 1024
CARRIES: Final = hasattr(urllib3.HTTPConnectionPool, "_get_conn") and hasattr(urllib3.HTTPConnectionPool, "_put_conn")
"""Whether a connection can be had of urllib3's pools, and be given back. Otherwise urllib3 does all by itself."""


class _UnderWay(local):
    exchange: Exchange | None = None


_under_way = _UnderWay()
"""The exchange that the thread has given to urllib3."""


@contextmanager
def serving(exchange: Exchange) -> Generator[None]:
    """What this thread has urllib3 do meanwhile is for this exchange."""
    _under_way.exchange = exchange
    try:
        yield
    finally:
        _under_way.exchange = None


class _Answer(http.client.HTTPResponse):
    """Reads no longer than its exchange may take."""

    def __init__(self, sock: Any, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        exchange = _under_way.exchange
        if exchange is not None:
            self.bounded(sock, exchange)

    def bounded(self, sock: Any, exchange: Exchange, ahead: bytes = b"") -> None:
        """Reads within the time of an exchange; ``ahead`` is what has been read of it already."""
        raw: Any = self.fp.detach()
        self.fp = io.BufferedReader(Bytes(raw, sock, exchange, ahead), _BUFFER)

    def _read_status(self) -> Any:
        # Python passes over 100 only, and would take what comes behind another for the answer to the next request.
        answer: Any = super()
        while True:
            found = answer._read_status()  # noqa: SLF001  # of the class that this derives from
            if not 100 < found[1] < 200 or found[1] == http.HTTPStatus.SWITCHING_PROTOCOLS:
                return found
            http.client.parse_headers(self.fp)


class _Noted:
    """Tells the exchange which socket it goes over."""

    sock: Any
    timeout: Any
    close: Any
    response_class: Any = _Answer
    _exchange: Exchange | None = None
    """The one that goes over it."""
    _parts: list[bytes] | None = None
    """What is to be sent, while a request is put together."""
    _watched: Any = None
    """The socket that is watched, and what watches it."""
    _watch: Any = None

    @property
    def is_connected(self) -> bool:
        """Whether it is open, and the other side has neither closed it nor sent what nobody has asked for."""
        sock = self.sock
        if sock is None or not hasattr(select, "poll"):
            base: Any = super()
            connected: bool = base.is_connected
            return connected
        if self._watched is not sock:
            self._watched, self._watch = sock, select.poll()
            self._watch.register(sock, select.POLLIN)
        return not self._watch.poll(0)

    def connect(self) -> None:
        super().connect()  # type: ignore[misc]  # of the connection that this is mixed into
        exchange = _under_way.exchange
        if exchange is not None:
            self._note(exchange)

    def send(self, data: Any) -> None:
        if self._parts is None or data.__class__ is not bytes:
            super().send(data)  # type: ignore[misc]  # of the connection that this is mixed into
        else:
            self._parts.append(data)

    def request(self, *args: Any, **options: Any) -> None:
        if self.sock is not None:
            exchange = _under_way.exchange
            if exchange is not None:
                exchange.reused = True
                self.timeout = exchange.left()
                self._note(exchange)
        # Headers and body are sent as one: a server that gets them one by one wakes up twice.
        self._parts = []
        try:
            super().request(*args, **options)  # type: ignore[misc]  # as above
            parts, self._parts = self._parts, None
            super().send(b"".join(parts))  # type: ignore[misc]  # as above
        finally:
            self._parts = None

    def leave(self) -> None:
        """Its exchange is over: ending that one ends none that comes after it."""
        exchange, self._exchange = self._exchange, None
        if exchange is not None:
            exchange.over(None)

    def _note(self, exchange: Exchange) -> None:
        if self._exchange is not exchange:
            self.leave()
            self._exchange = exchange
        # The time to connect is over, and the body may take longer.
        self.sock.settimeout(exchange.left())
        exchange.over(self.sock)

    def carry(self, method: str, exchange: Exchange, request: bytes, pool: Any) -> Any:
        """Sends a request as it is, on a connection that is open, and gives the answer; raises OSError, HTTPException."""
        exchange.reused = True
        self._note(exchange)
        # A server that wants no more of a request may have answered it.
        with suppress(BrokenPipeError):
            self.sock.sendall(request)
        ahead = receive(self.sock, exchange, _BUFFER)
        if not ahead:
            text = "Remote end closed connection without response"
            raise http.client.RemoteDisconnected(text)
        plain = plain_head(ahead)
        if plain is not None:
            fields, length, start = plain
            return PlainAnswer(fields, length, ahead[start:], self.sock, exchange, partial(pool.give, self))
        answer = _Answer(self.sock, method=method)
        answer.bounded(self.sock, exchange, ahead)
        try:
            answer.begin()
        except BaseException:
            # It holds the socket, too.
            answer.close()
            raise
        if answer.will_close:
            # The answer goes on holding the socket.
            self.close()
        return urllib3.HTTPResponse(
            body=answer,
            headers=urllib3.HTTPHeaderDict(answer.msg.items()),
            status=answer.status,
            version=answer.version,
            reason=answer.reason,
            preload_content=False,
            decode_content=False,
            original_response=answer,
            pool=pool,
            connection=self,  # type: ignore[arg-type]  # what this is mixed into
            request_method=method,
        )


class _Connection(_Noted, HTTPConnection):
    pass


class _SecureConnection(_Noted, HTTPSConnection):
    pass


class _Stack:
    """Idle connections, and None for those that could be more; as ``queue.LifoQueue`` where nobody waits for one."""

    def __init__(self, maxsize: int) -> None:
        self._most = maxsize
        self._items: list[Any] = []

    def put(self, item: Any, **_: Any) -> None:
        # Threads that come at the same moment may make it a few more than that.
        if len(self._items) >= self._most:
            raise queue.Full
        self._items.append(item)

    def get(self, **_: Any) -> Any:
        try:
            return self._items.pop()
        except IndexError:
            raise queue.Empty from None

    def qsize(self) -> int:
        return len(self._items)


class _Keeping:
    """Hands out connections that are open and idle."""

    QueueCls: Any = _Stack
    pool: Any
    _get_conn: Any

    def _put_conn(self, conn: Any) -> None:
        if conn is not None:
            conn.leave()
        pool: Any = super()
        pool._put_conn(conn)  # noqa: SLF001  # of the class that this is mixed into
        if self.pool is None and conn is not None:
            # The pool was closed meanwhile, perhaps after its connections were.
            conn.close()

    def kept(self) -> Any:
        """One of them; None where there is none. It is given back with ``give``."""
        connection = self._get_conn()
        if connection.sock is not None:
            return connection
        self._put_conn(connection)
        return None

    def give(self, connection: Any, whole: bool) -> None:
        """Takes a connection back; it is closed unless the ``whole`` answer was read."""
        if not whole:
            connection.close()
        self._put_conn(connection)


class Pool(_Keeping, urllib3.HTTPConnectionPool):
    """Of plain connections."""

    ConnectionCls: Any = _Connection


class SecurePool(_Keeping, urllib3.HTTPSConnectionPool):
    """Of connections with TLS."""

    ConnectionCls: Any = _SecureConnection


def socket_options() -> list[tuple[int, int, int]]:
    """Messages are small, and streams silent for long: a peer that is gone is to be noticed within minutes."""
    found = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1), (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)]
    if sys.platform == "linux":
        found += [
            (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 30),
            (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 10),
            (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3),
        ]
    return found
