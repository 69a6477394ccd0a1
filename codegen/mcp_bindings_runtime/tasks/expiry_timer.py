"""The threads of tasks: those that execute them, and one that wakes up when a task has expired."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock, Timer, current_thread

from ..logs import log_exception, write_log

_MOMENT = 0.05
"""Seconds by which an alarm is late, so that what was due is over by then."""


class ExpiryTimer:
    """Calls a function, in a thread of its own, when the first of the times that are set has passed.

    ``now`` gives the time in seconds.
    """

    def __init__(self, function: Callable[[], object], now: Callable[[], float]) -> None:
        self._function = function
        self._now = now
        self._lock = Lock()
        self._times: dict[object, float] = {}
        self._timer: Timer | None = None
        self._next = 0.0

    def set(self, name: object, when: float | None) -> None:
        """There is something at this time under a name; with None there is nothing any more."""
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
                # It looks then what is next.
                return
            timer.cancel()
            self._timer = None
        if first is None:
            return
        self._next = first
        timer = Timer(max(first - self._now(), 0.0) + _MOMENT, self._ring)
        timer.daemon = True
        timer.name = "mcp-task-alarm"
        try:
            timer.start()
        except RuntimeError as fault:
            write_log("warning", "what waits for a task does so until something is asked: %s", fault)
        else:
            self._timer = timer

    def _ring(self) -> None:
        try:
            self._function()
        except Exception as fault:  # noqa: BLE001  # the next alarm is to be heard all the same
            log_exception(fault, "what was to be done when a task expires has failed: %s", fault)
        with self._lock:
            if self._timer is current_thread():
                # Otherwise another was set meanwhile.
                self._timer = None
            self._arm()
