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

    def set(self, name: object, when: float) -> None:
        """Set the time under a name that has none."""
        with self._lock:
            self._times[name] = when
            if self._timer is None:
                # Times are waiting if a timer could not be started.
                self._arm(min(self._times.values()))
            elif when < self._next:
                self._arm(when)

    def remove(self, name: object) -> None:
        """Remove the time under a name, if it has one."""
        with self._lock:
            # A timer that is set for it comes too early, which does no harm, and is then set for the next time.
            if self._times.pop(name, None) is not None and not self._times and self._timer is not None:
                self._timer.cancel()
                self._timer = None

    def _arm(self, when: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._next = when
        timer = Timer(max(when - self._now(), 0.0) + _MOMENT, self._run)
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
            if self._timer is not current_thread():
                # Another timer was started meanwhile.
                return
            self._timer = None
            if self._times:
                self._arm(min(self._times.values()))
