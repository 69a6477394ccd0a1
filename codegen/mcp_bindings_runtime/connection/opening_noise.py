"""The lines that a server writes before its first answer and that are not messages.

Many servers print a banner or a log to standard output and then work, some of them after they have loaded for long. So such
a line ends nothing, but it is reported early if no answer follows, and a flood of them is not taken for a server.
"""

from __future__ import annotations

from threading import Lock, Timer
from typing import Final

from ..errors import ProtocolError
from ..logs import log_warning, write_log
from ..session.events import Dropped
from .calls import PendingCalls

MAX_LINES: Final = 10_000
"""Limit on the lines that a server may print before its first response."""
_LOGGED: Final = 10
"""Lines that are logged as warnings; more would bury them."""
_WARNING_DELAY: Final = 5.0
"""Seconds after the first line at which a warning says what is wrong."""


class OpeningNoise:
    """The lines that were dropped before the session was open, on one connection or several to the same server."""

    def __init__(self, *, opened: bool = False) -> None:
        self.opened = opened
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
            self._timer = Timer(_WARNING_DELAY, self._warn)
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


def drop(event: Dropped, noise: OpeningNoise, calls: PendingCalls, lock: Lock) -> None:
    """Log a message without effect. If too many came before the first answer, end the calls that wait for it."""
    if event.expected or noise.opened:
        write_log("debug" if event.expected else "info", "dropped: %s", event.reason)
        return
    flood = noise.add(event.reason)
    if flood is not None:
        with lock:
            ended = calls.end()
        for call in ended:
            call.finish(None, flood)
