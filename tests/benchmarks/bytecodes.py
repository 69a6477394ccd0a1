"""The number of bytecodes that threads execute: a cost that other work of the machine does not change."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class BytecodeCounter:
    """Counts the bytecodes of this thread and of all that begin within ``counting``."""

    def __init__(self) -> None:
        self._counts = False
        self._count = 0

    def of(self, function: Callable[[], object], times: int) -> float:
        """Return the bytecodes of a call of a function, by all threads."""
        self._count, self._counts = 0, True
        for _ in range(times):
            function()
        self._counts = False
        return self._count / times

    def _enter(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return self._step

    def _step(self, _frame: FrameType, event: str, _argument: Any) -> Any:
        if event == "opcode" and self._counts:
            self._count += 1
        return self._step

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Trace threads during the block."""
        before = sys.gettrace()
        threading.settrace(self._enter)
        sys.settrace(self._enter)
        try:
            yield
        finally:
            sys.settrace(before)
            # The module has a function to read it from CPython 3.10 on.
            threading.settrace(before)  # type: ignore[arg-type]  # None is accepted
