"""The fast path of HTTP: a request on an idle connection without urllib3, and a plain response without ``http.client``.

A plain response is what nearly all are: status 200, JSON, a stated length, a connection that stays open. Without this module
a call takes three times as long.

It relies on: ``pool`` of a urllib3 pool being the ``QueueCls`` that was set (``IdleConnections``), ``sock`` of its
connections, and ``HTTPResponse`` of urllib3 and of ``http.client`` taking a socket or body that others have opened.
Tested with the oldest urllib3 that is allowed (2.2, ``nox -s oldest``) and with 2.8.

Whatever does not fit is left to the public interface: ``FastPath.send`` returns None if the pool keeps no
``IdleConnections``, no connection is idle, or a header has not passed ``http.client`` before; a response that is not plain
is parsed by ``http.client``, which knows all of RFC 9112.
"""

from __future__ import annotations

import http.client
import queue
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache, partial
from http.client import IncompleteRead
from typing import Any, Final

import urllib3

from .connections import BUFFER, BoundedResponse, IdleConnections
from .exchange import Exchange, receive

_NAMES: Final = 256
"""Limit on the valid names of request headers that a client remembers."""
_FIELDS: Final = 32
"""Number of header fields up to which a response is plain."""
_HEAD_SIZE: Final = 4096
"""Number of bytes of a head up to which a response is plain."""
_DIGITS: Final = 15
"""Number of digits of a length up to which a response is plain."""
_TOKEN = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_HEAD = re.compile(rb"HTTP/1\.1 200 [\t -~]*\r\n((?:" + _TOKEN + rb":[\t -~]*\r\n)*)\r\n")
"""The head of a response (RFC 9112, sections 2.1, 4 and 5), all in ASCII, and no field over several lines."""
_TYPE = re.compile(r"application/json(?:[ \t]*;.*)?", re.IGNORECASE)
_SPECIAL: Final = frozenset({"transfer-encoding", "content-encoding", "upgrade", "trailer"})


class HeaderFields(Mapping[str, str]):
    """Header fields; names are case-insensitive."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, str]) -> None:
        """Initialize the fields; the names in ``values`` are in lower case."""
        self._values = values

    def __getitem__(self, name: str) -> str:
        return self._values[name.lower()]

    # ``Mapping`` would raise and catch an exception for each missing field.

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._values

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of a field, or ``default``."""
        return self._values.get(name.lower(), default)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def getlist(self, name: str) -> list[str]:
        """Return the values of a field: one or none."""
        return [self[name]] if name in self else []


class PlainResponse:
    """A response whose body has yet to be read, with the interface of urllib3.

    ``ahead`` is the part of its body that arrived with its head. ``released`` is called once, with whether the connection
    can be used for another request.
    """

    status: Final = 200
    reason: Final = "OK"

    __slots__ = ("_ahead", "_exchange", "_released", "_socket", "headers", "left")

    def __init__(
        self,
        headers: HeaderFields,
        length: int,
        ahead: bytes,
        connection: Any,
        exchange: Exchange,
        released: Callable[[bool], object],
    ) -> None:
        self.headers = headers
        self.left = length
        """Bytes of the body that have not been read."""
        self._ahead = ahead
        self._socket = connection
        self._exchange = exchange
        self._released: Callable[[bool], object] | None = released
        if len(ahead) > length:
            # More than the stated length: the rest cannot be attributed.
            self._ahead = ahead[:length]
            self._release(whole=False)

    def read(self, amount: int | None = None) -> bytes:
        """Return the body, or at most ``amount`` bytes. Raise ``IncompleteRead`` if it is cut off, and ``OSError``."""
        if amount is not None:
            return self.read1(amount)
        if len(self._ahead) == self.left:
            return self.read1(self.left)
        parts: list[bytes] = []
        while part := self.read1(256 * 1024):
            parts.append(part)
        return b"".join(parts)

    def read1(self, amount: int) -> bytes:
        """Return some bytes of the body; empty at its end. Raise as ``read``."""
        if self._ahead:
            part, self._ahead = self._ahead[:amount], self._ahead[amount:]
        elif self.left:
            part = receive(self._socket, self._exchange, min(amount, self.left))
            if not part:
                nothing = b""
                raise IncompleteRead(nothing, self.left)
        else:
            part = b""
        self.left -= len(part)
        if not self.left:
            self._release(whole=True)
        return part

    def close(self) -> None:
        """Release the connection, and close it unless the body was read. Idempotent."""
        self._release(whole=not self.left)

    def release_conn(self) -> None:
        """See ``close``."""
        self.close()

    def _release(self, *, whole: bool) -> None:
        released, self._released = self._released, None
        if released is not None:
            released(whole)


def plain_head(data: bytes) -> tuple[HeaderFields, int, int] | None:
    """Return the fields, the length and the start of the body if ``data`` starts with a plain head, else None."""
    end = data.find(b"\r\n\r\n") + 4
    plain = _plain(data[:end]) if 4 <= end <= _HEAD_SIZE else None
    return None if plain is None else (*plain, end)


# The heads of a busy server are equal within a second.
@lru_cache(maxsize=64)
def _plain(data: bytes) -> tuple[HeaderFields, int] | None:
    head = _HEAD.fullmatch(data)
    if head is None:
        return None
    lines = head[1].decode("ascii").split("\r\n")
    lines.pop()
    fields: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        fields[name.lower()] = value.strip(" \t")
    length = fields.get("content-length", "")
    if (
        # Repeated names must be joined, or contradict each other.
        len(fields) < len(lines)
        or len(fields) > _FIELDS
        or not (length.isdigit() and len(length) <= _DIGITS)
        or not _TYPE.fullmatch(fields.get("content-type", ""))
        or fields.get("connection", "keep-alive").lower() != "keep-alive"
        or not _SPECIAL.isdisjoint(fields)
    ):
        return None
    return HeaderFields(fields), int(length)


class FastPath:
    """Sends requests over the idle connections of one pool; for any number of threads."""

    def __init__(self, pool: Any, target: str, host: str) -> None:
        self._pool = pool
        self._target = target
        self._fixed = f"Host: {host}\r\nAccept-Encoding: identity\r\n"
        self._accepted: set[str] = set()
        """Names of header fields that ``http.client`` has accepted."""
        self._written: tuple[Mapping[str, str], str] = ({}, "")
        """The fields of the last request, and their text: those of a session are the same each time."""

    def accept(self, headers: Mapping[str, str]) -> None:
        """Remember the names of header fields that ``http.client`` has accepted."""
        if len(self._accepted) < _NAMES:
            self._accepted.update(headers)

    def send(self, method: str, exchange: Exchange, headers: Mapping[str, str], body: bytes) -> Any:
        """Return the response to a request, or None if urllib3 has to send it. Raise OSError or HTTPException."""
        idle = getattr(self._pool, "pool", None)
        if not isinstance(idle, IdleConnections):
            return None
        fields = self._fields(headers)
        if fields is None:
            return None
        connection = acquire(idle)
        if connection is None:
            return None
        try:
            head = f"{method} {self._target} HTTP/1.1\r\n{self._fixed}Content-Length: {len(body)}\r\n{fields}\r\n"
            return send_over(connection, method, exchange, head.encode("ascii") + body, self._pool, idle)
        except BaseException:
            release(idle, connection, whole=False)
            raise

    def _fields(self, headers: Mapping[str, str]) -> str | None:
        """Return the text of header fields; None if ``http.client`` might refuse or encode them."""
        last, written = self._written
        if headers == last:
            return written
        if not self._accepted.issuperset(headers):
            return None
        written = "".join([f"{name}: {value}\r\n" for name, value in headers.items()])
        if not written.isascii() or not written.count("\r") == written.count("\n") == len(headers):
            return None
        self._written = dict(headers), written
        return written


def acquire(idle: IdleConnections) -> Any:
    """Return an open connection, to be returned by ``release``; None if there is none."""
    try:
        connection = idle.get()
    except queue.Empty:
        return None
    if connection is not None:
        if connection.is_connected:
            return connection
        connection.close()
    with suppress(queue.Full):
        idle.put(connection)
    return None


def release(idle: IdleConnections, connection: Any, whole: bool) -> None:
    """Return a connection; close it unless the ``whole`` response was read."""
    if not whole:
        connection.close()
    try:
        idle.put(connection)
    except queue.Full:
        connection.close()


def send_over(
    connection: Any, method: str, exchange: Exchange, request: bytes, pool: Any, idle: IdleConnections
) -> Any:
    """Send the bytes of a request over an open connection, and return the response. Raise OSError or HTTPException."""
    exchange.sent = "reused"
    connection.attach(exchange)
    sock = connection.sock
    # A server that wants no more of a request may have answered it.
    with suppress(BrokenPipeError):
        sock.sendall(request)
    received = receive(sock, exchange, BUFFER)
    if not received:
        text = "Remote end closed connection without response"
        raise http.client.RemoteDisconnected(text)
    plain = plain_head(received)
    if plain is not None:
        fields, length, start = plain
        return PlainResponse(fields, length, received[start:], sock, exchange, partial(release, idle, connection))
    response = BoundedResponse(sock, method=method)
    response.bind(sock, exchange, received)
    try:
        response.begin()
    except BaseException:
        # It holds the socket, too.
        response.close()
        raise
    if response.will_close:
        # The response goes on holding the socket.
        connection.close()
    return urllib3.HTTPResponse(
        body=response,
        headers=urllib3.HTTPHeaderDict(response.msg.items()),
        status=response.status,
        version=response.version,
        reason=response.reason,
        preload_content=False,
        decode_content=False,
        original_response=response,
        pool=pool,
        connection=connection,
        request_method=method,
    )
