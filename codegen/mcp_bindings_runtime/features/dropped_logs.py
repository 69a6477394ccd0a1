"""Log messages that a rate limit drops: they are counted, and the next message that is sent comes after a notice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..logs import note
from ..session.log_levels import LEVELS

LOGGER = "mcp_bindings"
"""The logger that notices name."""


class DroppedLogs:
    """Counts the log messages that were dropped, and sends a notice of them before the next message.

    The notice has the highest level of those messages, so a client that wanted one of them wants the notice. ``send``
    sends a message; ``params_of`` returns the params of one, and ``replaced`` a message with other params. Not
    thread-safe: the caller holds a lock.
    """

    def __init__(
        self,
        rate: float,
        send: Callable[[Any], None],
        params_of: Callable[[Any], Any] = lambda message: message,
        replaced: Callable[[Any, Any], Any] = lambda _, params: params,
    ) -> None:
        self._rate = rate
        self._send = send
        self._params_of = params_of
        self._replaced = replaced
        self._count = 0
        self._highest = 0

    def drop(self, message: Any) -> None:
        """Count a message that is not sent."""
        self._count += 1
        self._highest = max(self._highest, LEVELS.index(self._params_of(message).level))

    def send(self, message: Any) -> None:
        """Send a message, after a notice if others were dropped since the last one."""
        if self._count:
            count, level = self._count, LEVELS[self._highest]
            self._count = self._highest = 0
            some = "1 log message was" if count == 1 else f"{count} log messages were"
            text = f"{some} dropped: no more than {self._rate:g} are sent in a second"
            note("info", "%s", text)
            params = self._params_of(message).__replace__(level=level, data=text, logger=LOGGER)
            self._send(self._replaced(message, params))
        self._send(message)
