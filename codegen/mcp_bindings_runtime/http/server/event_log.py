"""Event logs: the messages of a stream, kept until they are delivered or, for a resumable stream, a while longer.

Handlers append to the log of a stream; the thread that holds a connection to the client reads from it. So a handler does
not notice when the client reconnects, even to another process.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from enum import Enum
from itertools import takewhile
from sys import maxsize
from threading import Condition
from time import monotonic
from typing import Final, NamedTuple, Protocol

from ...connection.account import Account
from ...errors import ConnectionClosed, RequestTimeout

CAPACITY: Final = 1024 * 1024
"""Limit on the bytes of the messages that a stream keeps; a larger message is accepted only if no other message of the
stream waits to be delivered.
"""
COUNT: Final = 1000
"""Limit on the number of messages that a stream keeps."""
_LOG_SIZE: Final = 2048
"""Bytes that an empty log takes."""
_EVENT_SIZE: Final = 200
"""Bytes that an event takes besides its message."""
_LOOK: Final = 0.05
"""Seconds between two looks whether there is room in an account."""


class Priority(Enum):
    """Delivery guarantee of a message; the values are those of ``http.redis.scripts``."""

    REQUIRED = "0"
    """A response or a request: kept until it is delivered."""
    OPTIONAL = "n"
    """A notification: dropped if the log is full."""
    CHANGE = "c"
    """A notification that a list or resource has changed: also dropped if equal to the undelivered message before it."""


class LogEvent(NamedTuple):
    """A message of a stream, numbered from 1; one with ``retry`` has no message and ends the response."""

    number: int
    line: bytes
    retry: int = 0
    """Milliseconds after which the client is to reconnect."""
    required: bool = True
    """Whether it must not be dropped before it is delivered."""


class ReadResult(NamedTuple):
    """New events, none after a timeout; ``over`` means that the reader has to stop after them."""

    events: Sequence[LogEvent]
    over: bool


class EventLog(Protocol):
    """The messages of one stream. The latest reader replaces the previous one, whose connection was lost."""

    def append(self, line: bytes, timeout: float | None = None, priority: Priority = Priority.REQUIRED) -> int:
        """Append a message; return the number of notifications that were dropped, this one perhaps among them.

        If the log is full, wait for a reader that is attached or expected. Without one, drop the oldest notifications; a
        required message waits if that is not enough.
        Raise ``RequestTimeout`` after ``timeout`` seconds and ``ConnectionClosed`` once the stream has ended.
        """
        ...

    def pause(self, retry: int) -> None:
        """End the response, and make the client reconnect after ``retry`` milliseconds."""
        ...

    def end(self) -> None:
        """End the stream."""
        ...

    @property
    def ended(self) -> bool:
        """Whether the stream has ended."""
        ...

    @property
    def delivered(self) -> int:
        """The number of the last event that was delivered to a reader."""
        ...

    def attach(self) -> int:
        """Attach a reader and detach the previous one; return the number of the new one."""
        ...

    def watch(self, reader: int, callback: Callable[[], object]) -> None:
        """Call a function, which must not wait, from any thread whenever ``read`` may have something new to return."""
        ...

    @property
    def remote(self) -> bool:
        """Whether ``read`` takes as long as an answer from another process."""
        ...

    def detach(self, reader: int) -> None:
        """Detach a reader."""
        ...

    def read(self, reader: int, after: int, timeout: float) -> ReadResult:
        """Return the events after a number; wait up to ``timeout`` seconds for the first."""
        ...


class MemoryEventLog:
    """A log in this process. With ``keep``, delivered messages remain as long as there is room, so that clients can resume.

    With ``expected``, writers wait for the first reader if the log is full. Until nobody can read them any more, the bytes
    of the log are charged to ``source`` in ``account``.
    """

    remote = False

    def __init__(
        self,
        *,
        keep: bool,
        expected: bool = False,
        capacity: int = CAPACITY,
        count: int = COUNT,
        account: Account | None = None,
        source: str = "",
    ) -> None:
        self.source = source
        self._account = account or Account("bytes of a log", maxsize)
        self._charged = 0
        """Bytes that are charged now."""
        self._discarded = False
        self._keep = keep
        self._expected = expected
        self._capacity = capacity
        self._count = count
        self._changed = Condition()
        self._events: deque[LogEvent] = deque()
        self._size = 0
        self._pending = 0
        """Number of undelivered messages."""
        self._pending_size = 0
        """Bytes of the undelivered messages."""
        self._required = 0
        """Number of undelivered required messages."""
        self._required_size = 0
        self._last = 0
        self._reader = 0
        self._readers = 0
        self._watcher: Callable[[], object] | None = None
        """Called when there may be something to read for the reader."""
        self.delivered = 0
        self.ended = False
        self.since = monotonic()
        """Time of the last append, delivery, attachment or detachment."""
        self._charge(_LOG_SIZE)

    def _charge(self, size: int) -> None:
        self._charged += size
        self._account.charge(self.source, size)

    def _release(self, size: int) -> None:
        self._charged -= size
        self._account.release(self.source, size)

    def _fits_account(self, size: int, timeout: float | None, *, required: bool) -> bool:
        """Return whether the account has room for a message; wait for that with a required one. Hold no lock.

        A message of any size passes alone. Raise ``RequestTimeout``.
        """
        account, source = self._account, self.source
        if self.ended or account.admits(source, size):
            return True
        waiting = account.waiting
        if waiting.amount_of(source) and not waiting.admits(source, size):
            # Messages that wait take memory, too.
            timeout = 0.0
        with waiting.charged(source, size):
            return self._await_room(size, timeout, required=required)

    def _await_room(self, size: int, timeout: float | None, *, required: bool) -> bool:
        """Make room in the account; wait for it if the message is required. Raise ``RequestTimeout``."""
        account, source = self._account, self.source
        deadline = None if timeout is None else monotonic() + timeout
        while not (self.ended or account.make_room(source, size) or account.admits(source)):
            if not required:
                return False
            if deadline is not None and monotonic() >= deadline:
                text = f"clients read too slowly: for {timeout:g} s there was no room for a message of {size} bytes"
                raise RequestTimeout(text)
            with self._changed:
                self._changed.wait(_LOOK)
        return True

    def append(self, line: bytes, timeout: float | None = None, priority: Priority = Priority.REQUIRED) -> int:
        """See ``EventLog.append``."""
        required = priority is Priority.REQUIRED
        if not self._fits_account(len(line) + _EVENT_SIZE, timeout, required=required):
            return 1
        with self._changed:
            if priority is Priority.CHANGE and self._repeats_last(line):
                return 0
            dropped = 0 if self._has_room(len(line)) else self._make_room(len(line), timeout, required=required)
            if self.ended:
                message = "the stream has ended"
                raise ConnectionClosed(message)
            if not required and not self._has_room(len(line)):
                return dropped + 1
            # A copy: orjson reserves up to ten times the bytes of a line, and they would be kept with it.
            self._add(LogEvent(self._last + 1, bytes(memoryview(line)), required=required))
            return dropped

    def _repeats_last(self, line: bytes) -> bool:
        """Return whether no reader is attached and the last undelivered message is an equal notification."""
        if self._reader or self.ended or not self._pending:
            return False
        last = self._events[-1]
        return not last.required and last.line == line

    def _has_room(self, size: int) -> bool:
        if not self._pending:
            # A message of any size passes alone.
            return True
        return self._fits(self._pending, self._pending_size + size)

    def _fits(self, before: int, size: int) -> bool:
        return size <= self._capacity and (before < self._count or bool(self._reader) or self._expected)

    def _has_room_without_notifications(self, size: int) -> bool:
        return not self._required or self._fits(self._required, self._required_size + size)

    def _make_room(self, size: int, timeout: float | None, *, required: bool) -> int:
        """Wait for a reader or drop notifications; return the number of those."""
        deadline = None if timeout is None else monotonic() + timeout
        dropped = 0
        while not self.ended and not self._has_room(size):
            if not (self._reader or self._expected):
                if self._has_room_without_notifications(size):
                    self._drop_notification()
                    dropped += 1
                    continue
                if not required:
                    break
            left = None if deadline is None else deadline - monotonic()
            if left is not None and left <= 0:
                text = f"the client read nothing for {timeout:g} s"
                raise RequestTimeout(text)
            self._changed.wait(left)
        return dropped

    def _drop_notification(self) -> None:
        """Drop the oldest undelivered notification."""
        events = self._events
        index = next(at for at, each in enumerate(events) if each.number > self.delivered and not each.required)
        size = len(events[index].line)
        del events[index]
        self._release(size + _EVENT_SIZE)
        self._size -= size
        self._pending -= 1
        self._pending_size -= size

    def _add(self, event: LogEvent) -> None:
        self._last = event.number
        self._events.append(event)
        self._charge(len(event.line) + _EVENT_SIZE)
        self._size += len(event.line)
        self._pending += 1
        self._pending_size += len(event.line)
        if event.required:
            self._required += 1
            self._required_size += len(event.line)
        self._trim()
        self.since = monotonic()
        self._notify_reader()

    def _notify_reader(self) -> None:
        self._changed.notify_all()
        if self._watcher is not None:
            self._watcher()

    def _trim(self) -> None:
        """Drop delivered events for which there is no room."""
        events = self._events
        while len(events) > 1 and (self._size > self._capacity or len(events) > self._count):
            if events[0].number > self.delivered:
                return
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        """Drop the oldest event, which is delivered."""
        size = len(self._events.popleft().line)
        self._size -= size
        self._release(size + _EVENT_SIZE)

    def shrink(self, *, undelivered: bool) -> int:
        """Drop the delivered events; with ``undelivered`` notifications, too. Return the number of freed bytes."""
        with self._changed:
            before = self._charged
            while self._events and self._events[0].number <= self.delivered:
                self._drop_oldest()
            while undelivered and self._pending > self._required:
                self._drop_notification()
            return before - self._charged

    def discard(self) -> int:
        """End the log, which nobody can find any more; return the number of freed bytes."""
        with self._changed:
            self._discarded = True
            self.ended = True
            self._notify_reader()
            return 0 if self._reader else self._free()

    def _free(self) -> int:
        freed = self._charged
        self._release(freed)
        self._events.clear()
        return freed

    def pause(self, retry: int) -> None:
        """See ``EventLog.pause``."""
        with self._changed:
            if not self.ended and not (self._events and self._events[-1].retry):
                self._add(LogEvent(self._last + 1, b"", retry))

    def end(self) -> None:
        """See ``EventLog.end``."""
        with self._changed:
            self.ended = True
            self._notify_reader()
            if not (self._keep or self._expected or self._reader):
                self._free()

    def attach(self) -> int:
        """See ``EventLog.attach``."""
        with self._changed:
            self._expected = False
            self._readers += 1
            self._reader = self._readers
            self.since = monotonic()
            self._notify_reader()
            self._watcher = None
            return self._reader

    def watch(self, reader: int, callback: Callable[[], object]) -> None:
        """See ``EventLog.watch``."""
        with self._changed:
            if self._reader == reader:
                self._watcher = callback
        # There may be something to read already.
        callback()

    def detach(self, reader: int) -> None:
        """See ``EventLog.detach``."""
        with self._changed:
            if self._reader == reader:
                self._reader = 0
                self.since = monotonic()
                self._notify_reader()
                self._watcher = None
                if self._discarded or not self._keep:
                    self._free()

    @property
    def empty(self) -> bool:
        """Whether no event is kept."""
        return not self._events

    @property
    def attached(self) -> bool:
        """Whether a reader is attached."""
        return bool(self._reader)

    def read(self, reader: int, after: int, timeout: float) -> ReadResult:
        """See ``EventLog.read``."""
        with self._changed:
            if self._reader == reader and self._last <= after and not self.ended:
                self._changed.wait_for(
                    lambda: self._reader != reader or self._last > after or self.ended, timeout=timeout
                )
            if self._reader != reader:
                return ReadResult((), over=True)
            events: Sequence[LogEvent] = ()
            if self._last > after:
                events = [*takewhile(lambda event: event.number > after, reversed(self._events))][::-1]
                self._mark_delivered()
            return ReadResult(events, over=self.ended)

    def _mark_delivered(self) -> None:
        self.delivered = self._last
        self._pending = self._pending_size = self._required = self._required_size = 0
        if not self._keep:
            self._events.clear()
            self._size = 0
            self._release(self._charged - _LOG_SIZE)
        self._trim()
        self.since = monotonic()
        self._changed.notify_all()
