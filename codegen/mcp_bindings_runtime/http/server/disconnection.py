"""Whether the client of a running request has hung up, where the WSGI server lets an application see that.

It is looked at by the thread that holds the request, every now and then while it waits: no other thread has to know of
the socket, and a request that is answered quickly is not touched by it. Nothing is read from the socket. So requests that
a client has sent ahead stay where they are, and TLS is no obstacle.
"""

from __future__ import annotations

import select
import socket
from collections.abc import Mapping
from typing import Any, Final

LOOK: Final = 0.5
"""Seconds between two looks."""
SOCKET: Final = "mcp_bindings.socket"
"""The entry of the environment in which ``run_http`` has the client's socket."""
_SOCKETS: Final = (SOCKET, "gunicorn.socket", "werkzeug.socket")
"""Where WSGI servers have it."""
_ASKED: Final = "waitress.client_disconnected"
"""Where waitress has a function that says it; its loop reads ahead only with ``channel_request_lookahead``."""
_CLOSED: Final[int | None] = getattr(select, "POLLRDHUP", None)
"""The event of a peer that has closed its side, whatever of its bytes is unread (Linux)."""


class ClientGone(Exception):
    """The client has closed the connection on which it waits for an answer."""


def has_hung_up(environ: Mapping[str, Any]) -> bool:
    """Return whether the client has closed the connection, or its sending side; False where that cannot be seen."""
    sock: socket.socket | None = next((environ[name] for name in _SOCKETS if name in environ), None)
    if sock is not None:
        try:
            return _is_closed(sock)
        except (OSError, ValueError):
            # There is no such descriptor any more, or the socket is of a kind that cannot be looked into.
            return sock.fileno() < 0
    asked = environ.get(_ASKED)
    return asked is not None and bool(asked())


def _is_closed(sock: socket.socket) -> bool:
    if _CLOSED is not None:
        poll = select.poll()
        poll.register(sock.fileno(), _CLOSED)
        return bool(poll.poll(0))
    # Elsewhere only what comes next can be seen: bytes that were sent ahead hide the end behind them.
    readable, _, _ = select.select([sock], [], [], 0)
    return bool(readable) and not sock.recv(1, socket.MSG_PEEK)
