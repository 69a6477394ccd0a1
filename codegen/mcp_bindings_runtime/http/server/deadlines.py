"""What comes on a connection, as long as it comes in time: heads and bodies that drip in hold a thread each."""

from __future__ import annotations

import socket
from time import monotonic
from typing import Any, Final

HEAD_TIME: Final = 10.0
"""How many seconds the head of a request may take to come, if nothing else is said."""


class TimedSocket(socket.SocketIO):
    """A socket to read from, each part of a request within its own time, however it is cut into pieces."""

    _sock: Any

    def __init__(self, sock: Any, mode: Any) -> None:
        super().__init__(sock, mode)
        self._until: float | None = None
        self._begun = False

    def within(self, seconds: float) -> None:
        """What is read from now on has to come within so many seconds."""
        self._until = monotonic() + seconds
        self._begun = False

    def readinto(self, b: Any) -> int | None:
        """As io.RawIOBase. Raises TimeoutError when the time is over."""
        if self._until is None or not self._begun:
            # Nearly always this is all of it. It is waited for as long as the socket may be silent.
            self._begun = True
            return super().readinto(b)
        sock = self._sock
        silent = sock.gettimeout()
        left = self._until - monotonic()
        if left <= 0:
            # By this text the server knows that the client is to be told.
            message = "timed out"
            raise TimeoutError(message)
        sock.settimeout(left if silent is None else min(left, silent))
        try:
            return super().readinto(b)
        finally:
            sock.settimeout(silent)
