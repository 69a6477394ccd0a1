"""One TCP connection of the HTTP server: received bytes, the request in progress, and bytes to send.

Nothing here waits. The event loop and the workers call a connection in turn, never at the same time.
"""

from __future__ import annotations

import select
import socket
from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Protocol

from .cheroot_fast_path import FastRequest, HeadCache, ParsedHead
from .disconnection import is_closed
from .http1 import HEAD_LIMIT, ChunkScanner
from .request_reader import RequestReader

if TYPE_CHECKING:
    from .event_loop import EventLoop, Timer
    from .event_stream import EventStream
    from .pending_response import PendingResponse

_READ_SIZE: Final = 64 * 1024


class Phase(Enum):
    """The thing that the event loop waits for."""

    RECEIVING = 0
    """The bytes of a request."""
    WORKING = 1
    """A worker, or a handler."""
    SENDING = 2
    """The client, to read a response."""
    STREAMING = 3
    """The events of a stream, or the client, to read them."""
    CLOSING = 4
    """The client, to close the connection after the last response."""
    CLOSED = 5


class Progress(Enum):
    """Result of parsing what has arrived."""

    MORE = 0
    """The request is incomplete."""
    COMPLETE = 1
    """A worker can respond to the request."""
    REFUSED = 2
    """The head is not valid; the response to it is on its way, and the connection is to be closed."""


class Handler(Protocol):
    """Decides what happens with a connection."""

    @property
    def loop(self) -> EventLoop:
        """The event loop that waits for connections."""
        ...

    def on_ready(self, connection: HttpConnection, events: int) -> None:
        """Receive from or send to a connection."""
        ...

    def on_deadline(self, connection: HttpConnection) -> None:
        """Act on a client that takes too long, or on a stream without events."""
        ...

    def on_error(self, connection: HttpConnection) -> None:
        """Close a connection that has failed."""
        ...


class HttpConnection:
    """A connection of a client at ``address``.

    ``server`` has the attributes that cheroot's requests read. The attributes until ``heads`` are those that cheroot reads
    from a connection.
    """

    ssl_env: Any = None
    _poll: Any = None

    def __init__(self, server: Any, handler: Handler, sock: socket.socket, address: tuple[Any, ...]) -> None:
        self.server = server
        self._handler = handler
        self.socket = sock
        self.remote_addr: str = address[0]
        self.remote_port: int = address[1]
        self.rfile = RequestReader()
        self.heads: HeadCache[ParsedHead] = HeadCache()
        self.request: FastRequest | None = None
        """The request whose head is parsed."""
        self._searched = 0
        """Number of unread bytes in which no head ends."""
        self._chunks: ChunkScanner | None = None
        self._held: list[bytes] | None = None
        self.unsent = bytearray()
        """Bytes that the socket did not accept yet."""
        self.unsent_charged = 0
        """Number of them that the event loop has accounted for."""
        self.ended = False
        """Whether the client has closed its sending side."""
        self.broken = False
        """Whether the connection is lost."""
        self.pending: PendingResponse | None = None
        """The response that a handler has not produced yet."""
        self.stream: EventStream | None = None
        """The body of the response, if it is a stream."""
        self.since = 0.0
        """Time at which the present request was passed to a worker."""
        self.deadline = 0.0
        """Time at which the event loop has to act."""
        self.timer: Timer | None = None
        """The timer of the event loop for this connection."""
        self.phase = Phase.RECEIVING
        self.charged = 0
        """Bytes that the event loop has accounted for."""
        self.last = False
        """Whether no request can follow."""
        self.queued = False
        """Whether the event loop will soon read the stream."""
        self.transferring = False
        """Whether a worker reads the stream."""
        self.again = False
        """Whether the stream has changed since."""
        self.complete_at = 0.0
        """Time at which the rest of a head or body must have arrived."""
        self.has_head = False
        """Whether ``complete_at`` is for a body."""
        self._events = 0
        """The events of the socket that the event loop waits for."""
        sock.settimeout(0.0)

    @property
    def wfile(self) -> HttpConnection:
        """The connection, to which cheroot writes; an attribute would leave each connection to the garbage collector."""
        return self

    # The event loop.

    def register(self, events: int) -> None:
        """Wait for these events of the socket, and no others."""
        self._handler.loop.register(self.socket, events, self._events, self)
        self._events = events

    def on_ready(self, events: int) -> None:
        """See ``Target``."""
        self._handler.on_ready(self, events)

    def on_deadline(self) -> None:
        """See ``Target``."""
        self._handler.on_deadline(self)

    def on_error(self) -> None:
        """See ``Target``."""
        self._handler.on_error(self)

    # Receiving.

    def wait(self, milliseconds: int) -> bool:
        """Wait for bytes of the client; return whether there are any, or the end of the connection."""
        if self._poll is None:
            if not hasattr(select, "poll"):
                return False
            self._poll = select.poll()
            self._poll.register(self.socket, select.POLLIN)
        return bool(self._poll.poll(milliseconds))

    def receive(self) -> bool:
        """Read what has arrived; return whether anything has, the end of the connection included."""
        try:
            data = self.socket.recv(_READ_SIZE)
        except (BlockingIOError, InterruptedError):
            return False
        except OSError:
            self.ended = self.broken = True
            return True
        if data:
            self.rfile.add(data)
        else:
            self.ended = True
        return True

    def parse(self, body_limit: int) -> Progress:
        """Parse what has arrived. A request is complete, too, if its body exceeds the limit or cannot become complete."""
        request = self.request
        if request is None:
            cached = self.heads.find(*self.rfile.peek())
            if cached is not None:
                request = self.request = FastRequest.of_cached(cached, self.server, self)
            elif self._has_head():
                request = self.request = FastRequest(self.server, self)
                request.parse_request()
                if not request.ready:
                    return Progress.REFUSED
            else:
                return Progress.MORE
            self._searched = 0
            self._chunks = ChunkScanner() if request.chunked_read else None
        return Progress.COMPLETE if self._has_body(request, body_limit) else Progress.MORE

    def _has_head(self) -> bool:
        """Return whether a whole head has arrived, or as much as no valid head has."""
        size = len(self.rfile)
        found = size > 0 and (self.rfile.find_head_end(self._searched) or size > HEAD_LIMIT)
        self._searched = size
        return found

    def _has_body(self, request: FastRequest, limit: int) -> bool:
        if self.ended or self.rfile.late:
            return True
        if self._chunks is None:
            length = int(request.inheaders.get(b"Content-Length", 0))
            return length <= len(self.rfile) or length > limit
        return self._chunks.is_complete(*self.rfile.peek()) or len(self.rfile) > 2 * limit + _READ_SIZE

    @property
    def is_closed(self) -> bool:
        """Whether the client has closed the connection or its sending side."""
        try:
            return self.broken or is_closed(self.socket)
        except (OSError, ValueError):
            return True

    @property
    def has_unread(self) -> bool:
        """Whether bytes have arrived that were not received yet."""
        try:
            return bool(self.socket.recv(1, socket.MSG_PEEK))
        except OSError:
            return False

    @property
    def idle(self) -> bool:
        """Whether no request has begun to arrive."""
        return self.request is None and not len(self.rfile)

    # Sending.

    def hold(self) -> None:
        """Hold back what is written until ``release``."""
        self._held = []

    def release(self) -> None:
        """Send what was held back."""
        held, self._held = self._held, None
        if held:
            self.write(b"".join(held))

    def write(self, data: bytes) -> None:
        """Send bytes; keep those that the socket does not accept now."""
        if self._held is not None:
            self._held.append(data)
        elif not self.broken:
            if not self.unsent:
                data = data[self._send(data) :]
            if data and not self.broken:
                self.unsent += data

    def flush(self) -> bool:
        """Send what was kept; return whether nothing is left."""
        while self.unsent and not self.broken:
            sent = self._send(self.unsent)
            if not sent:
                return self.broken
            del self.unsent[:sent]
        return True

    def _send(self, data: bytes | bytearray) -> int:
        try:
            return self.socket.send(data)
        except (BlockingIOError, InterruptedError):
            return 0
        except OSError:
            self.broken = True
            self.unsent.clear()
            return len(data)

    def end_request(self) -> None:
        """Forget the request whose response is complete."""
        request, self.request = self.request, None
        self.stream = None
        self.rfile.late = False
        self.last = self.last or request is None or request.close_connection
        if request is not None:
            # The two refer to each other, and to the body.
            request.gateway = None

    def refuse(self, status: str) -> None:
        """Respond to an incomplete request; no other can follow."""
        self.last = True
        request: Any = self.request or FastRequest(self.server, self)
        request.simple_response(status)

    def close(self) -> None:
        """Close the connection in both directions, and forget its bytes. Idempotent."""
        self.broken = True
        # A worker may refer to the connection for a while.
        self.unsent = bytearray()
        self.rfile.clear()
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
