"""Ctrl-C at safe points only: anywhere else a message could be lost half read or half written."""

from __future__ import annotations

import signal
from collections.abc import Callable
from importlib import import_module
from threading import get_ident, main_thread
from types import FrameType
from typing import Any, Final, TypeVar

W = TypeVar("W")

LONGEST: Final = 3600.0
"""Limit in seconds on one wait; waits follow each other without limit."""
MOMENT: Final = 0.25
"""Limit in seconds on one wait of the main thread.

Python runs a signal's handler between two steps of the program: that of a signal right before a wait runs after the wait.
"""


class DeferredInterrupt:
    """Replaces SIGINT's handler until ``release``, for blocks that Ctrl-C must not break.

    ``release`` calls the program's own handler if the signal has come meanwhile. While ``passes``, the signal calls it
    at once.
    """

    passes: bool = False
    """Whether the signal calls the program's own handler at once."""
    seen: bool = False
    """Whether the signal has come and was deferred."""

    def __init__(self, previous: Any, target: Any, wake: Callable[[Any], object]) -> None:
        self._previous: Any = previous
        self._target = target
        self._wake = wake
        self.longest = LONGEST if previous is None else MOMENT
        """Limit in seconds on one wait: a moment in the main thread, where the signal may come."""

    def release(self) -> None:
        """Restore the program's handler, and call it if the signal has come."""
        previous = self._previous
        if previous is not None:
            self._previous = None
            self.passes = False
            _set(signal.SIGINT, previous)
            if self.seen:
                self.seen = False
                previous(signal.SIGINT, None)

    def note(self, number: int, frame: FrameType | None) -> None:
        """Handle the signal."""
        if self.passes:
            self._previous(number, frame)
        else:
            self.seen = True
            self._wake(self._target)


def defer_interrupt(target: W, wake: Callable[[W], object]) -> DeferredInterrupt:
    """Defer Ctrl-C until the returned object is released; meanwhile the signal only calls ``wake(target)``.

    Python runs signal handlers in the main thread only; in other threads this does nothing.
    """
    if get_ident() != _MAIN:
        return DeferredInterrupt(None, None, wake)
    previous = _get(signal.SIGINT)
    # A handler that was not installed from Python could not be restored.
    if not callable(previous):
        return DeferredInterrupt(None, None, wake)
    interrupt = DeferredInterrupt(previous, target, wake)
    _set(signal.SIGINT, interrupt.note)
    return interrupt


# The functions that `signal` wraps: every request calls them, and the wrappers take ten times as long.
_set: Callable[[int, Any], Any] = import_module("_signal").signal
_get: Callable[[int], Any] = import_module("_signal").getsignal
_MAIN = main_thread().ident
