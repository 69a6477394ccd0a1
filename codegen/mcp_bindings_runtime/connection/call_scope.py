"""One deadline, and cancellation by another thread, for a call that takes several requests and waits.

A scope belongs to the thread that enters it. Every request that the thread sends inside ends with the scope, whatever its
own ``timeout`` is: polls of a task, further rounds, a connection that is opened again.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from math import inf
from threading import Lock, local
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from ..errors import CallCancelled, RequestTimeout
from ..validation import require_seconds

if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Self

Wake = Callable[[CallCancelled], object]
"""Function that ends a wait with an error; called from any thread."""


class Cancellation:
    """Ends the waits of one call, when a thread calls ``cancel``."""

    def __init__(self) -> None:
        self.error: CallCancelled | None = None
        """Set once the call is cancelled."""
        self._lock = Lock()
        self._waits: list[Wake] = []

    def cancel(self, reason: str | None) -> None:
        """End all waits, and those that would begin later; idempotent, from any thread."""
        with self._lock:
            if self.error is not None:
                return
            error = self.error = CallCancelled(reason)
            waits, self._waits = self._waits, []
        for wake in waits:
            wake(error)

    def add(self, wake: Wake) -> None:
        """Register a wait; raise CallCancelled if the call is cancelled already."""
        with self._lock:
            if self.error is None:
                self._waits.append(wake)
                return
        raise CallCancelled(self.error.reason)

    def remove(self, wake: Wake) -> None:
        """Forget a wait that is over."""
        with self._lock:
            if wake in self._waits:
                self._waits.remove(wake)


class Bounded(Protocol):
    """A wait that a scope bounds: a ``Call``."""

    deadline: float
    limit: float

    def stop(self, error: CallCancelled) -> None:
        """End the wait with an error."""
        ...


class CallScope:
    """The deadline of everything that a thread does inside ``with``, in seconds from now.

    ``renew`` starts ``timeout`` again, up to ``limit``. An inner scope ends with the outer one at the latest.
    """

    __slots__ = ("cancellation", "deadline", "limit", "outer", "timeout")

    def __init__(self, timeout: float = inf, limit: float = 0.0, *, cancellation: Cancellation | None = None) -> None:
        if timeout.__class__ is not float or not timeout >= 0:
            require_seconds(timeout=timeout)
        now = monotonic()
        outer = self.outer = ACTIVE.scope
        self.timeout = timeout
        self.deadline = now + timeout
        self.limit = now + limit if limit > timeout else self.deadline
        self.cancellation = cancellation
        if outer is not None:
            self.cancellation = cancellation or outer.cancellation
            self.deadline = min(self.deadline, outer.deadline)
            self.limit = min(self.limit, outer.limit)

    def __enter__(self) -> Self:
        ACTIVE.scope = self
        return self

    def __exit__(self, *_: object) -> None:
        ACTIVE.scope = self.outer

    @property
    def left(self) -> float:
        """Seconds until the deadline; 0 once it has passed."""
        return max(0.0, self.deadline - monotonic())

    def renew(self) -> None:
        """Start the timeout again, up to the limit: the other side has shown progress."""
        self.deadline = min(monotonic() + self.timeout, self.limit)

    def extend(self, seconds: float) -> None:
        """Move the deadline and the limit by so many seconds."""
        self.deadline += seconds
        self.limit += seconds

    def bind(self, wait: Bounded, what: str) -> None:
        """End a wait with the scope; raise `RequestTimeout` or `CallCancelled` if the scope has ended."""
        if monotonic() > self.deadline:
            text = f"{what}: no answer in {self.timeout:g} s"
            raise RequestTimeout(text)
        self.wake(wait.stop)
        wait.limit = min(wait.limit, self.limit)
        wait.deadline = min(wait.deadline, self.deadline)

    def wake(self, wake: Wake) -> None:
        """Register a function that ends a wait when the call is cancelled; raise `CallCancelled` if it is."""
        if self.cancellation is not None:
            self.cancellation.add(wake)

    def forget(self, wake: Wake) -> None:
        """Forget a wait that is over."""
        if self.cancellation is not None:
            self.cancellation.remove(wake)


class _Active(local):
    scope: CallScope | None = None


ACTIVE = _Active()
"""The innermost scope of the thread, as ``scope``."""


def extend_scopes(seconds: float) -> None:
    """Move the deadlines of this thread's scopes: time in which the user was waited for does not count."""
    scope = ACTIVE.scope
    while scope is not None:
        scope.extend(seconds)
        scope = scope.outer


class OutsideScope:
    """Leave the scope of this thread inside ``with``, for work that does not belong to its call."""

    __slots__ = ("_scope",)

    def __enter__(self) -> None:
        self._scope, ACTIVE.scope = ACTIVE.scope, None

    def __exit__(self, *_: object) -> None:
        ACTIVE.scope = self._scope


def bounded(seconds: float) -> float:
    """Return a timeout, or the seconds left in the scope of this thread if that is less."""
    scope = ACTIVE.scope
    return seconds if scope is None else min(seconds, scope.left)


@contextmanager
def held(lock: Lock, what: str) -> Generator[None]:
    """Hold a lock inside ``with``; raise `RequestTimeout` if it is not free before the deadline of this thread's scope."""
    scope = ACTIVE.scope
    if not lock.acquire(timeout=-1 if scope is None or scope.left > _LONGEST else scope.left):
        text = f"{what} in another thread, and did not end in time"
        raise RequestTimeout(text)
    try:
        yield
    finally:
        lock.release()


_LONGEST = 1_000_000.0
