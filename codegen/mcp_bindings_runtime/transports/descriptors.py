"""Shared parts of reading and writing descriptors: a wakeup for poll(), errors, locks (POSIX)."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from threading import RLock
from typing import Final

from ..errors import ConnectionClosed
from . import CLOSED_THERE, LONGEST

_ONE: Final = (1).to_bytes(8, sys.byteorder)
"""The value to write: an eventfd takes 8 bytes, a pipe anything."""


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
        """Return the descriptor to poll; -1 once closed."""
        return self._reader

    def set(self) -> None:
        """Make it readable; from any thread, and from a signal's handler. Do nothing once closed."""
        with self._lock:
            if self._writer >= 0:
                try:
                    os.write(self._writer, _ONE)
                except BlockingIOError:
                    return  # So full that it is readable.

    def clear(self) -> None:
        """Make it unreadable again."""
        with self._lock:
            if self._reader >= 0:
                try:
                    os.read(self._reader, 4096)
                except BlockingIOError:
                    return

    def close(self) -> None:
        """Close its descriptors. No thread may be polling them any more; ``set`` may be running."""
        with self._lock:
            reader, writer = self._reader, self._writer
            self._reader = self._writer = -1
            if reader >= 0:
                os.close(reader)
            if writer not in {reader, -1}:
                os.close(writer)


def connection_lost(problem: OSError) -> ConnectionClosed:
    """Return the error for a failed read or write.

    Errors of the system have a number. One without, such as a TimeoutError, was raised by a signal's handler and is
    raised again, because it says nothing about the connection.
    """
    if problem.errno is None:
        raise problem
    if isinstance(problem, BrokenPipeError | ConnectionResetError):
        return ConnectionClosed(CLOSED_THERE)
    return ConnectionClosed(f"the connection broke: {problem.strerror}")


def acquire(lock_acquire: Callable[[bool, float], bool], timeout: float | None, held: list[bool]) -> None:
    """Acquire a lock within ``timeout`` seconds, and append the outcome to ``held``.

    One call in C does both, so the exception of a signal handler cannot come between them. A caller that obeys ``held``
    never leaves the lock locked.
    """
    held.extend(map(lock_acquire, (True,), (-1.0 if timeout is None else min(timeout, LONGEST),)))
