"""Ctrl-C at a safe place only: in between, a message could be lost half read or half written."""

from __future__ import annotations

import signal
from collections.abc import Callable
from threading import get_ident, main_thread
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import Self


class Deferred:
    """A block that Ctrl-C does not break: it calls ``wake``, and acts as usual when the block is left.

    Python runs signal handlers in the main thread alone; in others this does nothing. What the program has installed
    for SIGINT stays in charge of what the signal means.
    """

    __slots__ = ("_previous", "_wake", "seen")

    def __init__(self, wake: Callable[[], object]) -> None:
        self._wake = wake
        self._previous: Any = None
        self.seen = False
        """Whether the signal has come."""

    def __enter__(self) -> Self:
        if get_ident() == _MAIN:
            previous = signal.getsignal(signal.SIGINT)
            if callable(previous):
                self._previous = previous
                signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        previous = self._previous
        if previous is not None:
            signal.signal(signal.SIGINT, previous)
            if self.seen:
                previous(signal.SIGINT, None)

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self.seen = True
        self._wake()


_MAIN = main_thread().ident
