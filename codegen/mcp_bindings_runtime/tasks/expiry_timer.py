"""A timer for the first of several times."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock, Timer, current_thread

from ..logs import log_exception, write_log

_MOMENT = 0.05
"""Seconds by which the timer is late, so that whatever was due has expired."""


class ExpiryTimer:
    """Calls a function in a thread of its own when the first of several times has passed; ``now`` returns seconds."""

    def __init__(self, function: Callable[[], object], now: Callable[[], float]) -> None:
        self._function = function
        self._now = now
        self._lock = Lock()
        self._times: dict[object, float] = {}
        self._timer: Timer | None = None
        self._next = 0.0

    def set(self, name: object, when: float | None) -> None:
        """Set, change or (None) remove the time under a name."""
        with self._lock:
            if when is None:
                if self._times.pop(name, None) is None:
                    return
            elif self._times.get(name) == when:
                return
            else:
                self._times[name] = when
            self._arm()

    def _arm(self) -> None:
        first = min(self._times.values(), default=None)
        timer = self._timer
        if timer is not None:
            if first is not None and self._next <= first:
                # It sets the next time by itself.
                return
            timer.cancel()
            self._timer = None
        if first is None:
            return
        self._next = first
        timer = Timer(max(first - self._now(), 0.0) + _MOMENT, self._run)
        timer.daemon = True
        timer.name = "mcp-task-alarm"
        try:
            timer.start()
        except RuntimeError as fault:
            write_log("warning", "cannot start a timer; tasks expire at the next request about tasks: %s", fault)
        else:
            self._timer = timer

    def _run(self) -> None:
        try:
            self._function()
        except Exception as fault:  # noqa: BLE001  # later times still count
            log_exception(fault, "the function to call when a task expires failed: %s", fault)
        with self._lock:
            if self._timer is current_thread():
                # Otherwise another timer was started meanwhile.
                self._timer = None
            self._arm()
