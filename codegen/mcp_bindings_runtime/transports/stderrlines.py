"""Reads what a server writes to standard error: the last lines are kept, and each may be passed on."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from threading import Thread
from typing import Final

from ..errors import ConnectionClosed, MessageTooLarge
from ..logs import report
from .descriptor_reader import DescriptorReader

KEPT: Final = 50
"""How many of the last lines are kept."""
_LONGEST: Final = 64 * 1024
"""How many bytes of a line are read; a longer one is left out, and a note in its place."""
_SHOWN: Final = 500
"""How many characters of a line are kept."""


class StderrLines:
    """Reads lines from ``fd`` in a daemon thread, so that the server never has to wait for its reader.

    It owns ``fd`` from the call on, even if that fails.
    """

    def __init__(self, fd: int, each: Callable[[str], object] | None = None) -> None:
        try:
            self._reader = DescriptorReader(fd, limit=_LONGEST)
        except BaseException:
            os.close(fd)
            raise
        self._each = each
        self._last: deque[str] = deque(maxlen=KEPT)
        self._thread = Thread(target=self._run, name="mcp: standard error of a server", daemon=True)
        self._thread.start()

    def last(self) -> tuple[str, ...]:
        """The last lines, oldest first, each cut where it gets long."""
        return tuple(self._last.copy())

    def wait(self, seconds: float) -> None:
        """Waits until all has been read that will come, at most so long."""
        self._thread.join(seconds)

    def close(self) -> None:
        """Reads no more."""
        self._reader.close()

    def _run(self) -> None:
        while True:
            try:
                line = self._reader.receive()
            except MessageTooLarge as problem:
                self._take(f"(a line of more than {problem.limit} bytes)")
            except ConnectionClosed:
                return
            else:
                self._take((line or b"").decode("utf-8", "replace"))

    def _take(self, line: str) -> None:
        self._last.append(line if len(line) <= _SHOWN else line[:_SHOWN] + " ...")
        each = self._each
        if each is None:
            return
        try:
            each(line)
        except Exception as problem:  # noqa: BLE001  # the server goes on, and must not wait for somebody to read
            self._each = None
            report(problem, "no more lines of standard error for %r", each)
