"""Free ports for servers that run in processes of their own."""

from __future__ import annotations

import socket
from contextlib import closing
from random import SystemRandom


def port_for_a_server() -> int:
    """One that is free, and is not given to another socket before the server listens.

    What the system itself gives away, for ``bind`` to port 0 and for what connects, is above 32767 on Linux.
    """
    while True:
        port = SystemRandom().randrange(12_000, 32_000)
        with closing(socket.socket()) as tried:
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
