"""Keys that sign what clients carry from one request to the next: cursors and states."""

from __future__ import annotations

import os

from ..logs import write_log


class SigningKey:
    """The key of a server: the ``chosen`` bytes or, if it is None, random ones.

    It is made with the server, so processes that are forked from the one that made the server have the same.
    """

    __slots__ = ("_maker", "_warned", "value")

    def __init__(self, chosen: bytes | None) -> None:
        self.value = chosen or os.urandom(32)
        self._maker = None if chosen else os.getpid()
        """The process that made the key; None for a chosen one."""
        self._warned = False

    def warn_if_unshared(self) -> None:
        """Log, once, that other processes of the endpoint have other keys; call it if there are others."""
        if self._maker == os.getpid() and not self._warned:
            self._warned = True
            write_log(
                "warning",
                "several processes serve this endpoint, and each has made a state_key of its own: if the client's answer to "
                "a request for input reaches another process, it is refused; pass the same state_key=, at least 32 secret "
                "bytes, to the servers of all processes",
            )
