"""Free ports for servers in processes of their own."""

from __future__ import annotations

import socket
from contextlib import closing
from random import SystemRandom


def port_for_a_server() -> int:
    """Return a free port that no other socket gets before the server listens.

    On Linux the system assigns ports above 32767, for ``bind`` to port 0 and for outgoing connections.
    """
    while True:
        port = SystemRandom().randrange(12_000, 32_000)
        with closing(socket.socket()) as tried:
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
