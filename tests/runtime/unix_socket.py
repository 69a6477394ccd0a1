"""An example of a transport of one's own: messages over a Unix socket, built on ``streams``."""

from __future__ import annotations

import socket
from pathlib import Path

from mcp_bindings_runtime.errors import ConnectionClosed
from mcp_bindings_runtime.session.framing import DEFAULT_LIMIT
from mcp_bindings_runtime.transports.streams import Streams


class UnixSocket(Streams):
    """A connection to the server that listens at ``path``; raises ConnectionClosed if there is none."""

    def __init__(self, path: Path, *, limit: int = DEFAULT_LIMIT) -> None:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(str(path))
        except OSError as problem:
            connection.close()
            message = f"no server listens at {path}: {problem.strerror}"
            raise ConnectionClosed(message) from problem
        # From here on the descriptor is the transport's.
        descriptor = connection.detach()
        super().__init__(descriptor, descriptor, limit=limit)


def accept(listener: socket.socket) -> Streams:
    """The server's side of the next connection."""
    connection, _ = listener.accept()
    descriptor = connection.detach()
    return Streams(descriptor, descriptor)
