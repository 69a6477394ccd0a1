"""Detect that the client of a running request has closed its connection, if the WSGI server exposes its socket.

The thread that waits for the handler polls the socket now and then: that of the WSGI server, or the event loop. A request
that is answered quickly costs nothing. Nothing is read, so pipelined requests and TLS are not disturbed.
"""

from __future__ import annotations

import select
import socket
from collections.abc import Mapping
from typing import Any, Final

POLL_INTERVAL: Final = 0.5
"""Seconds between two polls."""
SOCKET: Final = "mcp_bindings.socket"
"""The key of the client's socket in the environment that ``run_http`` makes."""
_SOCKETS: Final = (SOCKET, "gunicorn.socket", "werkzeug.socket")
"""The keys of the client's socket in the environments of WSGI servers."""
_WAITRESS: Final = "waitress.client_disconnected"
"""The key of a function of waitress, which needs its option ``channel_request_lookahead``."""
_PEER_CLOSED: Final[int | None] = getattr(select, "POLLRDHUP", None)
"""The poll event of a peer that has closed its sending side, even if unread bytes come first (Linux)."""


class ClientGone(Exception):
    """The client has closed the connection on which it waits for a response."""


def has_hung_up(environ: Mapping[str, Any]) -> bool:
    """Return whether the client has closed the connection or its sending side; False if that is unknown."""
    sock: socket.socket | None = next((environ[name] for name in _SOCKETS if name in environ), None)
    if sock is not None:
        try:
            return is_closed(sock)
        except (OSError, ValueError):
            # The descriptor is closed, or the socket is of a kind that cannot be polled.
            return sock.fileno() < 0
    is_disconnected = environ.get(_WAITRESS)
    return is_disconnected is not None and bool(is_disconnected())


def is_closed(sock: socket.socket) -> bool:
    """Return whether the peer has closed the connection or its sending side."""
    if _PEER_CLOSED is not None:
        poll = select.poll()
        poll.register(sock.fileno(), _PEER_CLOSED)
        return bool(poll.poll(0))
    # Other systems show only the next byte: a pipelined request hides the end of the stream behind it.
    readable, _, _ = select.select([sock], [], [], 0)
    return bool(readable) and not sock.recv(1, socket.MSG_PEEK)
