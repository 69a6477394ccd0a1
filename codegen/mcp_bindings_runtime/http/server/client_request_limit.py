"""Limit the requests to clients that wait for a response, each of which holds a handler and its thread."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from ...connection.account import Account
from ...errors import McpError

TOTAL_SHARE: Final = 0.75
"""Limit on the share of the handlers that may wait for responses of clients."""
SOURCE_SHARE: Final = 0.5
"""Limit on the share of the handlers that may wait for responses of one requestor."""
SIZE: Final = 64 * 1024
"""Bytes that are charged for a request that waits: the thread of its handler, and the params that it works on."""


class TooManyClientRequests(McpError):
    """No more requests to clients may wait for a response: too many do, or the limit on memory is reached."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"{reason}; try again later")


class ClientRequestLimit:
    """Counts the requests to clients that wait, up to shares of the ``handlers``, and charges them to ``memory``."""

    def __init__(self, handlers: int, memory: Account) -> None:
        total, each = (max(1, int(handlers * share)) for share in (TOTAL_SHARE, SOURCE_SHARE))
        self._count = Account("requests to clients that wait", total, each)
        self._memory = memory

    @contextmanager
    def charged(self, source: str) -> Generator[None]:
        """Charge a request to a source inside ``with``. Raise ``TooManyClientRequests``."""
        if not self._count.make_room(source, 1):
            reason = "the server waits for the responses of too many clients"
            raise TooManyClientRequests(reason)
        if not self._memory.make_room(source, SIZE):
            reason = "the server has no memory for another request to a client"
            raise TooManyClientRequests(reason)
        with self._count.charged(source, 1), self._memory.charged(source, SIZE):
            yield
