"""Ctrl-C at a safe place only: in between, a message could be lost half read or half written."""

from __future__ import annotations

import signal
from collections.abc import Callable
from importlib import import_module
from threading import get_ident, main_thread
from types import FrameType
from typing import Any, Final, TypeVar

W = TypeVar("W")

LONGEST: Final = 3600.0
"""Seconds that one wait lasts at most; there is no limit to how many follow each other."""
MOMENT: Final = 0.25
"""Seconds that a wait of the main thread lasts at most before it is begun again.

Python runs a signal's handler between two steps of the program: for a signal that comes right before a wait begins, that
is when the wait is over.
"""


class DeferredInterrupt:
    """Stands for SIGINT's handler from ``defer_interrupt`` to ``release``, for blocks that Ctrl-C may not break.

    What the program has installed stays in charge of what the signal means: ``release`` calls it, if the signal has come
    meanwhile, and the signal does while it ``passes``.
    """

    passes: bool = False
    """Whether the signal does what it did before."""
    seen: bool = False
    """Whether the signal has come, and not passed."""

    def __init__(self, previous: Any, whom: Any, wake: Callable[[Any], object]) -> None:
        self._previous: Any = previous
        self._whom = whom
        self._wake = wake
        self.patience = LONGEST if previous is None else MOMENT
        """Seconds that one wait may last: a moment where the signal may come, in the main thread."""

    def release(self) -> None:
        """The signal does again what it did, and does it now if it has come."""
        previous = self._previous
        if previous is not None:
            self._previous = None
            self.passes = False
            _set(signal.SIGINT, previous)
            if self.seen:
                self.seen = False
                previous(signal.SIGINT, None)

    def note(self, number: int, frame: FrameType | None) -> None:
        """What the signal does."""
        if self.passes:
            self._previous(number, frame)
        else:
            self.seen = True
            self._wake(self._whom)


def defer_interrupt(whom: W, wake: Callable[[W], object]) -> DeferredInterrupt:
    """From now on the signal only calls ``wake`` with ``whom``, until what is returned is released.

    Python runs signal handlers in the main thread alone; in others this does nothing.
    """
    if get_ident() != _MAIN:
        return DeferredInterrupt(None, None, wake)
    previous = _get(signal.SIGINT)
    # What was not installed from Python could not be put back.
    if not callable(previous):
        return DeferredInterrupt(None, None, wake)
    interrupt = DeferredInterrupt(previous, whom, wake)
    _set(signal.SIGINT, interrupt.note)
    return interrupt


# What `signal` wraps. The wrappers look enumerations up, which takes ten times as long; these are called with each request.
_set: Callable[[int, Any], Any] = import_module("_signal").signal
_get: Callable[[int], Any] = import_module("_signal").getsignal
_MAIN = main_thread().ident
