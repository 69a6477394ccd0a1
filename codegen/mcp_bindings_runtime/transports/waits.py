"""What the transports share about waiting: seconds as a caller gives them and as the system takes them, and why it ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..errors import ConnectionClosed, UsageError

CLOSED_HERE: Final = "the connection was closed on this side"
CLOSED_THERE: Final = "the other side closed the connection"

LONGEST: Final = 1_000_000.0
"""The longest single wait in seconds; poll() takes 32 bits of milliseconds. Who waits longer waits again."""


def checked(timeout: float) -> float:
    """A timeout that is a number of seconds; those below 0 have gone by already."""
    if timeout != timeout:  # noqa: PLR0124 - only a NaN differs from itself
        message = "a timeout of nan seconds never goes by; give a number, or None for no limit"
        raise UsageError(message)
    return max(timeout, 0.0)


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
