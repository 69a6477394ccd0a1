"""Wakes a thread that waits for descriptors (POSIX)."""

from __future__ import annotations

import os
import sys
from threading import RLock
from typing import Final

_ONE: Final = (1).to_bytes(8, sys.byteorder)
"""What an eventfd takes; a pipe takes anything."""


class WakeupDescriptor:
    """A descriptor that is readable from ``set`` until ``clear``: an eventfd on Linux, a pipe elsewhere."""

    __slots__ = ("_lock", "_reader", "_writer")

    def __init__(self) -> None:
        # Reentrant, because a signal's handler may come in between; nothing waits while it is held.
        self._lock = RLock()
        if sys.platform == "linux":
            self._reader = self._writer = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        else:
            self._reader, self._writer = os.pipe()
            os.set_blocking(self._reader, False)
            os.set_blocking(self._writer, False)

    def fileno(self) -> int:
        """The descriptor to wait for; -1 once closed."""
        return self._reader

    def set(self) -> None:
        """Makes it readable; from any thread, and from a signal's handler. Does nothing once closed."""
        with self._lock:
            if self._writer >= 0:
                try:
                    os.write(self._writer, _ONE)
                except BlockingIOError:
                    return  # So full that it is readable.

    def clear(self) -> None:
        """Makes it unreadable again."""
        with self._lock:
            if self._reader >= 0:
                try:
                    os.read(self._reader, 4096)
                except BlockingIOError:
                    return

    def close(self) -> None:
        """Gives its descriptors back. Nobody may be waiting for them any more; ``set`` may be under way."""
        with self._lock:
            reader, writer = self._reader, self._writer
            self._reader = self._writer = -1
            if reader >= 0:
                os.close(reader)
            if writer not in {reader, -1}:
                os.close(writer)
