"""Wakes a thread that waits for descriptors (POSIX)."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from threading import RLock
from typing import Final

from ..errors import ConnectionClosed
from . import CLOSED_THERE, LONGEST

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


def lost(problem: OSError) -> ConnectionClosed:
    """What a failed read or write says about the connection.

    The system's errors have a number. One without, a TimeoutError for instance, was raised by a signal's handler, and is
    raised again: it says nothing about the connection.
    """
    if problem.errno is None:
        raise problem
    if isinstance(problem, BrokenPipeError | ConnectionResetError):
        return ConnectionClosed(CLOSED_THERE)
    return ConnectionClosed(f"the connection broke: {problem.strerror}")


def take(acquire: Callable[[bool, float], bool], timeout: float | None, held: list[bool]) -> None:
    """Acquires a lock within ``timeout`` seconds, and notes in ``held`` whether it was.

    It is noted by the call that acquires, in C: the exception of a signal's handler cannot come between the two, so
    whoever releases what is noted never leaves the lock taken.
    """
    held.extend(map(acquire, (True,), (-1.0 if timeout is None else min(timeout, LONGEST),)))
