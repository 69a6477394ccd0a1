"""Ctrl-C at a safe place only: in between, a message could be lost half read or half written."""

from __future__ import annotations

import signal
from collections.abc import Callable
from importlib import import_module
from threading import get_ident, main_thread
from types import FrameType
from typing import Any


class Interrupt:
    """Stands for SIGINT's handler between ``hold`` and ``release``, for blocks that Ctrl-C may not break.

    Python runs signal handlers in the main thread alone; in others this does nothing. What the program has installed stays
    in charge of what the signal means: ``release`` calls it, if the signal has come meanwhile.
    """

    __slots__ = ("_previous", "_wake", "seen")

    def __init__(self, wake: Callable[[], object]) -> None:
        self._wake = wake
        self._previous: Any = None
        self.seen = False
        """Whether the signal has come."""

    def hold(self) -> None:
        """From now on the signal only calls ``wake``."""
        if get_ident() == _MAIN:
            previous = _get(signal.SIGINT)
            # What was not installed from Python could not be put back.
            if callable(previous):
                self._previous = previous
                _set(signal.SIGINT, self._note)

    def release(self) -> None:
        """The signal does again what it did, and does it now if it has come."""
        previous = self._previous
        if previous is not None:
            self._previous = None
            _set(signal.SIGINT, previous)
            if self.seen:
                self.seen = False
                previous(signal.SIGINT, None)

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self.seen = True
        self._wake()


# What `signal` wraps. The wrappers look enumerations up, which takes ten times as long; these are called with each request.
_set: Callable[[int, Any], Any] = import_module("_signal").signal
_get: Callable[[int], Any] = import_module("_signal").getsignal
_MAIN = main_thread().ident
