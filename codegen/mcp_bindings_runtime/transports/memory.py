"""Two ends of a connection within one process: for tests, and for a server in the program that uses it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Condition, RLock, Thread
from time import monotonic
from typing import Final

from ..errors import ConnectionClosed, MessageTooLarge, RequestTimeout
from ..session.framing import DEFAULT_LIMIT, check_message
from . import CLOSED_HERE, CLOSED_THERE, LONGEST, Transport, check_timeout

CAPACITY: Final = 1024 * 1024
"""Limit on the bytes of unread messages in each direction of an in-memory connection."""


def pair(*, capacity: int = CAPACITY, limit: int = DEFAULT_LIMIT) -> tuple[Transport, Transport]:
    """Return two transports; each receives what is sent on the other.

    A sender waits while ``capacity`` bytes wait to be received; a larger message goes through alone. ``limit`` is the
    size limit of a message in bytes.
    """
    there, back = MessageQueue(capacity, limit), MessageQueue(capacity, limit)
    return _End(there, back), _End(back, there)


class MessageQueue:
    """One direction: messages that wait to be received, bounded by their size."""

    def __init__(self, capacity: int, limit: int) -> None:
        self._capacity = capacity
        self._limit = limit
        # Reentrant, because a signal's handler may interrupt the thread that holds it.
        self._changed = Condition(RLock())
        self._messages: deque[bytes | MessageTooLarge] = deque()
        self._size = 0
        self._interrupted = False
        self._sender_closed = ""
        self._receiver_closed = ""

    def put(self, message: bytes | MessageTooLarge, timeout: float | None) -> None:
        """Add a message, or the report that one was skipped; as ``Transport.send``."""
        if not isinstance(message, MessageTooLarge) and len(message) > self._limit:
            message = MessageTooLarge(len(message), self._limit)
        size = 0 if isinstance(message, MessageTooLarge) else len(message)
        deadline = None if timeout is None else monotonic() + check_timeout(timeout)
        with self._changed:
            while not self._closed and self._messages and self._size + size > self._capacity:
                left = None if deadline is None else deadline - monotonic()
                if left is not None and left <= 0:
                    text = f"the other side took nothing for {timeout:g} s"
                    raise RequestTimeout(text)
                self._changed.wait(None if left is None else min(left, LONGEST))
            if self._closed:
                raise ConnectionClosed(CLOSED_HERE if self._sender_closed else self._receiver_closed)
            self._messages.append(message)
            self._size += size
            self._changed.notify_all()

    def get(self, timeout: float | None) -> bytes | None:
        """Return the next message; as ``Transport.receive``."""
        deadline = None if timeout is None else monotonic() + check_timeout(timeout)
        with self._changed:
            while not self._interrupted and not self._messages and not self._closed:
                left = None if deadline is None else deadline - monotonic()
                if left is not None and left <= 0:
                    return None
                self._changed.wait(None if left is None else min(left, LONGEST))
            if self._receiver_closed:
                raise ConnectionClosed(CLOSED_HERE)
            if self._interrupted:
                self._interrupted = False
                return None
            if not self._messages:
                raise ConnectionClosed(self._sender_closed)
            message = self._messages.popleft()
            if isinstance(message, MessageTooLarge):
                raise message
            self._size -= len(message)
            self._changed.notify_all()
            return message

    def interrupt(self) -> None:
        """See ``Transport.interrupt``."""
        with self._changed:
            self._interrupted = True
            self._changed.notify_all()

    def end(self, reason: str = CLOSED_THERE) -> None:
        """Stop putting messages; after those in the queue, ``get`` raises `ConnectionClosed` with ``reason``."""
        with self._changed:
            self._sender_closed = self._sender_closed or reason
            self._changed.notify_all()

    def refuse(self, reason: str = CLOSED_THERE) -> None:
        """Stop getting messages; ``put`` raises `ConnectionClosed` with ``reason``."""
        with self._changed:
            self._receiver_closed = self._receiver_closed or reason
            self._messages.clear()
            self._changed.notify_all()

    @property
    def _closed(self) -> bool:
        return bool(self._sender_closed or self._receiver_closed)


class _End:
    """One end: sends into one queue and receives from the other."""

    def __init__(self, there: MessageQueue, back: MessageQueue) -> None:
        self._there = there
        self._back = back

    def receive(self, timeout: float | None = None) -> bytes | None:
        return self._back.get(timeout)

    def interrupt(self) -> None:
        self._back.interrupt()

    def send(self, message: bytes, timeout: float | None = None) -> None:
        check_message(message)
        self._there.put(message, timeout)

    def close(self) -> None:
        self._there.end()
        self._back.refuse()


def serve_in_thread(serve: Callable[[Transport], object]) -> Transport:
    """Return one end of a pair; ``serve`` runs with the other end in a thread of its own until it returns."""
    mine, theirs = pair()
    Thread(target=serve, args=(theirs,), name="mcp-server", daemon=True).start()
    return mine
