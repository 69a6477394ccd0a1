"""What is sent on a stream, kept until it is delivered and, for streams that can be resumed, a while longer.

A message that is to be sent on a stream is appended to the stream's *log*; whoever holds a connection to the client
reads it from there. So a handler does not notice when the client comes back on another connection, or to another
process.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from enum import Enum
from itertools import takewhile
from threading import Condition
from time import monotonic
from typing import Final, NamedTuple, Protocol

from ...errors import ConnectionClosed, RequestTimeout

CAPACITY: Final = 1024 * 1024
"""How many bytes a log holds, if nothing else is said. A larger message goes through alone."""
COUNT: Final = 1000
"""How many messages a log holds."""


class Priority(Enum):
    """What may be done with a message that no reader has taken yet. The values are those of ``http.redis.scripts``."""

    REQUIRED = "0"
    """A response or a request: kept until it is delivered."""
    OPTIONAL = "n"
    """A notification: dropped where there is no room for it."""
    CHANGE = "c"
    """A notification that a list or resource has changed: dropped, too, where the undelivered message before it is equal."""


class LogEvent(NamedTuple):
    """A message of a stream; numbers increase from 1. Without a message, it asks the reader to hang up and come back."""

    number: int
    line: bytes
    retry: int = 0
    """After how many milliseconds to come back."""
    required: bool = True
    """Whether it may not be dropped before it is delivered."""


class ReadResult(NamedTuple):
    """What a reader gets: events, none where nothing came in time; ``over`` says that it has to stop after them."""

    events: Sequence[LogEvent]
    over: bool


class EventLog(Protocol):
    """The messages of one stream. One reader has it at a time: the latest, as a client only comes back to what it lost."""

    def append(self, line: bytes, timeout: float | None = None, priority: Priority = Priority.REQUIRED) -> int:
        """Add a message; return how many notifications were dropped for want of room, this one perhaps among them.

        Where there is no room, this waits for the reader if there is one or will be. Where there is none, the oldest
        notifications are dropped; a required message waits if that does not suffice.
        Raises RequestTimeout after ``timeout`` seconds, and ConnectionClosed once the stream has ended.
        """
        ...

    def pause(self, retry: int) -> None:
        """Has the reader hang up, and come back after ``retry`` milliseconds."""
        ...

    def end(self) -> None:
        """Nothing more will come."""
        ...

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        ...

    @property
    def delivered(self) -> int:
        """The number of the last event that a reader was given."""
        ...

    def attach(self) -> int:
        """Who reads from now on; the reader before has to stop."""
        ...

    def detach(self, reader: int) -> None:
        """This reader reads no more."""
        ...

    def read(self, reader: int, after: int, timeout: float) -> ReadResult:
        """The events behind a number; waits up to ``timeout`` seconds for one."""
        ...


class MemoryEventLog:
    """A log in this process. With ``keep`` delivered messages stay as long as there is room, so that it can be resumed.

    With ``expected`` a reader is about to come, and writers wait for it where there is no room.
    """

    def __init__(self, *, keep: bool, expected: bool = False, capacity: int = CAPACITY, count: int = COUNT) -> None:
        self._keep = keep
        self._expected = expected
        self._capacity = capacity
        self._count = count
        self._changed = Condition()
        self._events: deque[LogEvent] = deque()
        self._size = 0
        self._pending = 0
        """How many messages no reader has been given."""
        self._pending_size = 0
        """Their bytes."""
        self._required = 0
        """How many of them are required."""
        self._required_size = 0
        self._last = 0
        self._reader = 0
        self._readers = 0
        self.delivered = 0
        self.ended = False
        self.since = monotonic()
        """When it was last read or added to."""

    def append(self, line: bytes, timeout: float | None = None, priority: Priority = Priority.REQUIRED) -> int:
        """As ``EventLog.append``."""
        required = priority is Priority.REQUIRED
        with self._changed:
            if priority is Priority.CHANGE and self._waits_last(line):
                return 0
            dropped = 0 if self._has_room(len(line)) else self._make_room(len(line), timeout, required=required)
            if self.ended:
                message = "the stream has ended"
                raise ConnectionClosed(message)
            if not required and not self._has_room(len(line)):
                return dropped + 1
            self._add(LogEvent(self._last + 1, line, required=required))
            return dropped

    def _waits_last(self, line: bytes) -> bool:
        """Whether the last message that waits for a reader to come is equal."""
        if self._reader or self.ended or not self._pending:
            return False
        last = self._events[-1]
        return not last.required and last.line == line

    def _has_room(self, size: int) -> bool:
        if not self._pending:
            # Whatever its size, a message goes through alone.
            return True
        return self._fits(self._pending, self._pending_size + size)

    def _fits(self, before: int, size: int) -> bool:
        return size <= self._capacity and (before < self._count or bool(self._reader) or self._expected)

    def _may_have_room(self, size: int) -> bool:
        """Whether there would be room if all notifications that wait were dropped."""
        return not self._required or self._fits(self._required, self._required_size + size)

    def _make_room(self, size: int, timeout: float | None, *, required: bool) -> int:
        """Drop notifications or wait, whichever is right; return how many were dropped."""
        deadline = None if timeout is None else monotonic() + timeout
        dropped = 0
        while not self.ended and not self._has_room(size):
            if not (self._reader or self._expected):
                if self._may_have_room(size):
                    self._drop_notification()
                    dropped += 1
                    continue
                if not required:
                    break
            left = None if deadline is None else deadline - monotonic()
            if left is not None and left <= 0:
                text = f"the client took nothing for {timeout:g} seconds"
                raise RequestTimeout(text)
            self._changed.wait(left)
        return dropped

    def _drop_notification(self) -> None:
        """Drop the oldest notification that no reader has been given."""
        events = self._events
        place = next(at for at, each in enumerate(events) if each.number > self.delivered and not each.required)
        size = len(events[place].line)
        del events[place]
        self._size -= size
        self._pending -= 1
        self._pending_size -= size

    def _add(self, event: LogEvent) -> None:
        self._last = event.number
        self._events.append(event)
        self._size += len(event.line)
        self._pending += 1
        self._pending_size += len(event.line)
        if event.required:
            self._required += 1
            self._required_size += len(event.line)
        self._trim()
        self.since = monotonic()
        self._changed.notify_all()

    def _trim(self) -> None:
        """Forget what was delivered, as far as there is no room for it."""
        events = self._events
        while len(events) > 1 and (self._size > self._capacity or len(events) > self._count):
            if events[0].number > self.delivered:
                return
            self._size -= len(events.popleft().line)

    def pause(self, retry: int) -> None:
        """As ``EventLog.pause``."""
        with self._changed:
            if not self.ended and not (self._events and self._events[-1].retry):
                self._add(LogEvent(self._last + 1, b"", retry))

    def end(self) -> None:
        """As ``EventLog.end``."""
        with self._changed:
            self.ended = True
            self._changed.notify_all()

    def attach(self) -> int:
        """As ``EventLog.attach``."""
        with self._changed:
            self._expected = False
            self._readers += 1
            self._reader = self._readers
            self.since = monotonic()
            self._changed.notify_all()
            return self._reader

    def detach(self, reader: int) -> None:
        """As ``EventLog.detach``."""
        with self._changed:
            if self._reader == reader:
                self._reader = 0
                self.since = monotonic()
                self._changed.notify_all()

    @property
    def attached(self) -> bool:
        """Whether somebody reads it."""
        return bool(self._reader)

    def read(self, reader: int, after: int, timeout: float) -> ReadResult:
        """As ``EventLog.read``."""
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
                self._give()
            return ReadResult(events, over=self.ended)

    def _give(self) -> None:
        self.delivered = self._last
        self._pending = self._pending_size = self._required = self._required_size = 0
        if not self._keep:
            self._events.clear()
            self._size = 0
        self._trim()
        self.since = monotonic()
        self._changed.notify_all()
