"""What is sent on a stream, kept until it is delivered and, for streams that can be resumed, a while longer.

A message that is to be sent on a stream is appended to the stream's *log*; whoever holds a connection to the client
reads it from there. So a handler does not notice when the client comes back on another connection, or to another
process.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import islice
from threading import Condition
from time import monotonic
from typing import Final, NamedTuple, Protocol

from ..errors import ConnectionClosed, RequestTimeout

CAPACITY: Final = 1024 * 1024
"""How many bytes a log holds, if nothing else is said. A larger message goes through alone."""
COUNT: Final = 1000
"""How many messages a log holds."""


class Event(NamedTuple):
    """A message of a stream; numbers count from 1. Without a message, it asks the reader to hang up and come back."""

    number: int
    line: bytes
    retry: int = 0
    """After how many milliseconds to come back."""


class Reading(NamedTuple):
    """What a reader gets: events, none where nothing came in time; ``over`` says that it has to stop after them."""

    events: Sequence[Event]
    over: bool


class Log(Protocol):
    """The messages of one stream. One reader has it at a time: the latest, as a client only comes back to what it lost."""

    def append(self, line: bytes, timeout: float | None = None) -> None:
        """Adds a message.

        While a reader is there that does not keep up, this waits; where there is none, the oldest messages go.
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

    def read(self, reader: int, after: int, timeout: float) -> Reading:
        """The events behind a number; waits up to ``timeout`` seconds for one."""
        ...


class MemoryLog:
    """A log in this process. With ``keep`` delivered messages stay as long as there is room, so that it can be resumed."""

    def __init__(self, *, keep: bool, capacity: int = CAPACITY, count: int = COUNT) -> None:
        self._keep = keep
        self._capacity = capacity
        self._count = count
        self._changed = Condition()
        self._events: deque[Event] = deque()
        self._size = 0
        self._waiting = 0
        """Bytes that no reader has been given."""
        self._last = 0
        self._reader = 0
        self._readers = 0
        self.delivered = 0
        self.ended = False
        self.since = monotonic()
        """When it was last read or added to."""

    def append(self, line: bytes, timeout: float | None = None) -> None:
        """As ``Log.append``."""
        with self._changed:
            if self._reader and self._waiting and self._waiting + len(line) > self._capacity:
                self._make_room(len(line), timeout)
            if self.ended:
                message = "the stream has ended"
                raise ConnectionClosed(message)
            if not self._reader and self._last > self.delivered and self._events and self._events[-1].line == line:
                # What is told to nobody yet need not be told twice.
                return
            self._add(line, 0)

    def _make_room(self, size: int, timeout: float | None) -> None:
        deadline = None if timeout is None else monotonic() + timeout
        while self._reader and not self.ended and self._waiting and self._waiting + size > self._capacity:
            left = None if deadline is None else deadline - monotonic()
            if left is not None and left <= 0:
                text = f"the client took nothing for {timeout:g} seconds"
                raise RequestTimeout(text)
            self._changed.wait(left)

    def _add(self, line: bytes, retry: int) -> None:
        self._last += 1
        self._events.append(Event(self._last, line, retry))
        self._size += len(line)
        self._waiting += len(line)
        self._trim()
        self.since = monotonic()
        self._changed.notify_all()

    def _trim(self) -> None:
        events = self._events
        while len(events) > 1 and (self._size > self._capacity or len(events) > self._count):
            if self._reader and events[0].number > self.delivered and self._size <= 2 * self._capacity:
                # Somebody is about to read it; append sees to it that these do not become many.
                return
            self._forget()

    def _forget(self) -> None:
        event = self._events.popleft()
        self._size -= len(event.line)
        if event.number > self.delivered:
            self._waiting -= len(event.line)

    def pause(self, retry: int) -> None:
        """As ``Log.pause``."""
        with self._changed:
            if not self.ended and not (self._events and self._events[-1].retry):
                self._add(b"", retry)

    def end(self) -> None:
        """As ``Log.end``."""
        with self._changed:
            self.ended = True
            self._changed.notify_all()

    def attach(self) -> int:
        """As ``Log.attach``."""
        with self._changed:
            self._readers += 1
            self._reader = self._readers
            self.since = monotonic()
            self._changed.notify_all()
            return self._reader

    def detach(self, reader: int) -> None:
        """As ``Log.detach``."""
        with self._changed:
            if self._reader == reader:
                self._reader = 0
                self.since = monotonic()
                self._changed.notify_all()

    @property
    def attached(self) -> bool:
        """Whether somebody reads it."""
        return bool(self._reader)

    def read(self, reader: int, after: int, timeout: float) -> Reading:
        """As ``Log.read``."""
        with self._changed:
            if self._reader == reader and self._last <= after and not self.ended:
                self._changed.wait_for(
                    lambda: self._reader != reader or self._last > after or self.ended, timeout=timeout
                )
            if self._reader != reader:
                return Reading((), over=True)
            events: Sequence[Event] = ()
            if self._last > after and self._events:
                start = max(0, after + 1 - self._events[0].number)
                events = list(islice(self._events, start, None))
                self._give(events)
            return Reading(events, over=self.ended)

    def _give(self, events: Sequence[Event]) -> None:
        for event in events:
            if event.number > self.delivered:
                self._waiting -= len(event.line)
        self.delivered = max(self.delivered, self._last)
        if not self._keep:
            self._events.clear()
            self._size = 0
        self._trim()
        self.since = monotonic()
        self._changed.notify_all()
