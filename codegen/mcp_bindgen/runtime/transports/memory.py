"""Two ends of a connection within one process: for tests, and for a server in the program that uses it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Condition, RLock, Thread
from time import monotonic
from typing import Final

from ..errors import ConnectionClosed, MessageTooLarge, RequestTimeout
from ..framing import DEFAULT_LIMIT, line_of
from . import Transport
from .waits import LONGEST, checked

CAPACITY: Final = 1024 * 1024
"""How many bytes of messages wait in each direction, if nothing else is said."""


def pair(*, capacity: int = CAPACITY, limit: int = DEFAULT_LIMIT) -> tuple[Transport, Transport]:
    """Two transports; what is sent on one is received on the other.

    A sender waits while ``capacity`` bytes wait to be received; a larger message goes through alone. ``limit`` is how
    many bytes a message may have.
    """
    there, back = _Queue(capacity, limit), _Queue(capacity, limit)
    return _End(there, back), _End(back, there)


class _Queue:
    """One direction."""

    def __init__(self, capacity: int, limit: int) -> None:
        self._capacity = capacity
        self._limit = limit
        # Reentrant, because a signal's handler may interrupt whoever holds it.
        self._changed = Condition(RLock())
        self._messages: deque[bytes] = deque()
        self._size = 0
        self._interrupted = False
        self._closed: dict[str, bool] = {}

    def put(self, message: bytes, timeout: float | None) -> None:
        line_of(message)
        deadline = None if timeout is None else monotonic() + checked(timeout)
        with self._changed:
            while not self._closed and self._messages and self._size + len(message) > self._capacity:
                left = None if deadline is None else deadline - monotonic()
                if left is not None and left <= 0:
                    text = f"the other side took nothing for {timeout:g} seconds"
                    raise RequestTimeout(text)
                self._changed.wait(None if left is None else min(left, LONGEST))
            self._refuse_closed("sender", "receiver")
            self._messages.append(message)
            self._size += len(message)
            self._changed.notify_all()

    def get(self, timeout: float | None) -> bytes | None:
        deadline = None if timeout is None else monotonic() + checked(timeout)
        with self._changed:
            while not self._interrupted and not self._messages and not self._closed:
                left = None if deadline is None else deadline - monotonic()
                if left is not None and left <= 0:
                    return None
                self._changed.wait(None if left is None else min(left, LONGEST))
            if "receiver" in self._closed:
                self._refuse_closed("receiver", "sender")
            if self._interrupted:
                self._interrupted = False
                return None
            if not self._messages:
                self._refuse_closed("receiver", "sender")
            message = self._messages.popleft()
            self._size -= len(message)
            self._changed.notify_all()
        if len(message) > self._limit:
            raise MessageTooLarge(len(message), self._limit)
        return message

    def interrupt(self) -> None:
        with self._changed:
            self._interrupted = True
            self._changed.notify_all()

    def close(self, side: str) -> None:
        with self._changed:
            self._closed[side] = True
            self._changed.notify_all()

    def _refuse_closed(self, own: str, other: str) -> None:
        if own in self._closed:
            message = "the connection was closed on this side"
            raise ConnectionClosed(message)
        if other in self._closed:
            message = "the other side closed the connection"
            raise ConnectionClosed(message)


class _End:
    """One end: sends into one queue and receives from the other."""

    def __init__(self, there: _Queue, back: _Queue) -> None:
        self._there = there
        self._back = back

    def receive(self, timeout: float | None = None) -> bytes | None:
        return self._back.get(timeout)

    def interrupt(self) -> None:
        self._back.interrupt()

    def send(self, message: bytes, timeout: float | None = None) -> None:
        self._there.put(message, timeout)

    def close(self) -> None:
        self._there.close("sender")
        self._back.close("receiver")


def serving(serve: Callable[[Transport], object]) -> Transport:
    """One end of a pair; at the other end, ``serve`` runs in a thread of its own until it returns."""
    mine, theirs = pair()
    Thread(target=serve, args=(theirs,), name="mcp-server", daemon=True).start()
    return mine
