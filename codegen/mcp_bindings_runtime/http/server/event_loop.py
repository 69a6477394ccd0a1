"""An event loop: one thread that waits for sockets, for deadlines and for calls of other threads."""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from heapq import heappop, heappush
from itertools import count
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector
from time import monotonic
from typing import Any, Final, Protocol

from ...logs import log_exception

READ: Final = EVENT_READ
WRITE: Final = EVENT_WRITE


class Timer:
    """A time at which the loop looks at the deadline of a target; None if that is not needed any more."""

    __slots__ = ("target", "time")

    def __init__(self, time: float, target: Target) -> None:
        self.time = time
        self.target: Target | None = target


class Target(Protocol):
    """Something that waits for a socket or a deadline."""

    deadline: float
    """Time of the deadline; 0 without one."""
    timer: Timer | None
    """The timer of the loop for this target."""

    def on_ready(self, events: int, /) -> None:
        """Handle events of the socket."""
        ...

    def on_deadline(self) -> None:
        """Handle the end of the time that was set."""
        ...

    def on_error(self) -> None:
        """Handle an exception of one of these methods."""
        ...


class EventLoop:
    """Waits in the thread that calls ``run``. ``call`` is for any thread, everything else for that one.

    ``interval`` is the limit on the seconds between two calls of ``run``'s argument.
    """

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._selector = DefaultSelector()
        self._calls: deque[Callable[[], object]] = deque()
        self._timers: list[tuple[float, int, Timer]] = []
        self._timer_ids = count()
        self._awake = False
        self._receiver, self._waker = socket.socketpair()
        self._receiver.settimeout(0.0)
        self._waker.settimeout(0.0)
        self._selector.register(self._receiver, READ, None)

    def call(self, function: Callable[[], object]) -> None:
        """Call a function in the thread of the loop, soon; from any thread."""
        self._calls.append(function)
        if not self._awake:
            self._awake = True
            # A full buffer wakes the loop, too.
            with suppress(OSError):
                self._waker.send(b"\0")

    def run(self, look: Callable[[], bool]) -> None:
        """Handle events until ``look``, which is called now and then, returns False."""
        while self._guard(look):
            for key, events in self._selector.select(self._wait_time()):
                target: Any = key.data
                if target is None:
                    with suppress(OSError):
                        self._receiver.recv(4096)
                elif key.fileobj.fileno() >= 0:  # type: ignore[union-attr]  # only sockets are registered
                    self._guard(partial(target.on_ready, events), target)
            self._awake = False
            # Calls that are added meanwhile are for the next round, so that sockets have their turn.
            for _ in range(len(self._calls)):
                self._guard(self._calls.popleft())
            self._run_timers()

    def _wait_time(self) -> float:
        if self._calls:
            return 0.0
        wait = self._interval
        if self._timers:
            wait = min(wait, self._timers[0][0] - monotonic())
        return max(wait, 0.0)

    @staticmethod
    def _guard(function: Callable[[], object], target: Target | None = None) -> object:
        """Call a function and return its result; the loop survives whatever it raises."""
        try:
            return function()
        except Exception as error:  # noqa: BLE001  # one connection must not end all others
            log_exception(error, "a connection failed: %s", error)
            if target is not None:
                target.on_error()
        return True

    # Sockets.

    def register(self, sock: socket.socket, events: int, before: int, target: Target) -> None:
        """Wait for these events of a socket, of which it waited for others ``before``; 0 is for none."""
        if events == before:
            return
        if not events:
            self._selector.unregister(sock)
        elif before:
            self._selector.modify(sock, events, target)
        else:
            self._selector.register(sock, events, target)

    def close(self) -> None:
        """Release the descriptors of the loop."""
        self._selector.close()
        self._receiver.close()
        self._waker.close()

    # Deadlines.

    def set_deadline(self, target: Target, seconds: float) -> None:
        """Call ``on_deadline`` of a target after so many seconds, instead of at its deadline before."""
        target.deadline = deadline = monotonic() + seconds
        timer = target.timer
        if timer is None or timer.time > deadline:
            if timer is not None:
                timer.target = None
            self._add_timer(target, deadline)

    def forget(self, target: Target) -> None:
        """Drop the deadline of a target, and the reference to it."""
        target.deadline = 0.0
        timer = target.timer
        if timer is not None:
            timer.target = target.timer = None

    def _add_timer(self, target: Target, time: float) -> None:
        target.timer = timer = Timer(time, target)
        heappush(self._timers, (time, next(self._timer_ids), timer))

    def _run_timers(self) -> None:
        now = monotonic()
        while self._timers and self._timers[0][0] <= now:
            target = heappop(self._timers)[2].target
            if target is None:
                continue
            target.timer = None
            if target.deadline > now:
                self._add_timer(target, target.deadline)
            elif target.deadline:
                target.deadline = 0.0
                self._guard(target.on_deadline, target)
