"""The lines that a server writes before its first answer and that are not messages.

Many servers print a banner or a log to standard output and then work, some of them after they have loaded for long. So such
a line ends nothing, but it is reported early if no answer follows, and a flood of them is not taken for a server.
"""

from __future__ import annotations

from threading import Timer
from typing import TYPE_CHECKING, Final

from ..errors import ProtocolError
from ..logs import log_warning, write_log
from ..session.events import Dropped

if TYPE_CHECKING:
    from .connection import Connection

MAX_LINES: Final = 10_000
"""Limit on the lines before the first answer."""
_LOGGED: Final = 10
"""Lines that are logged as warnings; more would bury them."""
_PATIENCE: Final = 5.0
"""Seconds after the first line at which a warning says what is wrong."""


class OpeningNoise:
    """The lines that were dropped before the session was open, on one connection or several to the same server."""

    def __init__(self) -> None:
        self.opened = False
        """Whether the session is open, so that further lines are no noise of its start."""
        self._last = ""
        self._count = 0
        self._timer: Timer | None = None

    @property
    def last(self) -> str:
        """The reason why the last line was dropped; empty if there was none, and once the session is open."""
        return "" if self.opened else self._last

    def add(self, reason: str) -> ProtocolError | None:
        """Record a dropped line; return the error if there are too many."""
        self._last = reason
        self._count += 1
        write_log("warning" if self._count <= _LOGGED else "debug", "dropped: %s", reason)
        if self._timer is None:
            self._timer = Timer(_PATIENCE, self._warn)
            self._timer.daemon = True
            self._timer.start()
        if self._count < MAX_LINES:
            return None
        text = f"no answer in the first {self._count:,} lines, the last of which was dropped: {reason}"
        return ProtocolError(f"{text}; the other side is not an MCP server")

    def end(self, *, opened: bool = False) -> None:
        """Do not warn any more: the session is open, or the connection has ended."""
        self.opened |= opened
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _warn(self) -> None:
        log_warning("still waiting for the first answer; what came instead was dropped: %s", self._last)


def drop(connection: Connection, event: Dropped) -> None:
    """Log a message without effect. End the calls of a client to which such messages come without end."""
    noise = connection.noise
    if event.expected or noise.opened or connection.session.side == "server":
        write_log("debug" if event.expected else "info", "dropped: %s", event.reason)
        return
    flood = noise.add(event.reason)
    if flood is not None:
        with connection.lock:
            calls = connection.calls.end()
        for call in calls:
            call.finish(None, flood)
