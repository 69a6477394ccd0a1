"""Receives messages from a descriptor (POSIX)."""

from __future__ import annotations

import os
import select
from threading import Lock
from time import monotonic
from typing import Final

from ..errors import ConnectionClosed, UsageError
from ..session.framing import DEFAULT_LIMIT, Lines
from . import CLOSED_HERE, CLOSED_THERE, LONGEST, check_timeout
from .descriptors import WakeupDescriptor, acquire, connection_lost

_CHUNK: Final = 64 * 1024
"""Bytes to read at once: the capacity of a pipe."""


class DescriptorReader:
    """The receiving half of a connection. It owns ``fd``, and ``end`` if there is one.

    ``end`` becomes readable when nothing more will be written, although ``fd`` may stay open: the process that wrote has
    ended, and one of its children still holds the pipe.
    """

    __slots__ = (
        "_chunks",
        "_closed",
        "_end",
        "_ended",
        "_fd",
        "_interrupted",
        "_lines",
        "_lock",
        "_poll",
        "_readable",
        "_wake",
    )

    def __init__(self, fd: int, *, limit: int = DEFAULT_LIMIT, end: int = -1) -> None:
        self._fd = -1
        self._closed = True
        self._lines = Lines(limit)
        self._chunks = limit // _CHUNK + 2
        self._wake = WakeupDescriptor()
        self._lock = Lock()
        self._interrupted = False
        self._ended = ""
        self._fd = fd
        self._end = end
        poll = select.poll()
        for each in (fd, end, self._wake.fileno()):
            if each >= 0:
                poll.register(each, select.POLLIN)
        self._poll = poll.poll
        self._readable = [(fd, select.POLLIN)]
        """The result of poll() if there is a message and nothing else to do."""
        self._closed = False

    @property
    def closed(self) -> bool:
        """Whether ``close`` was called."""
        return self._closed

    def receive(self, timeout: float | None = None) -> bytes | None:
        """See ``Transport.receive``."""
        if self._lock.locked() and not self._closed:
            text = "another thread is receiving on this connection; let one thread receive, and share what it gets"
            raise UsageError(text)
        try:
            with self._lock:
                if self._closed or self._interrupted:
                    self._notice()
                    return None
                lines = self._lines
                if lines.ready:
                    return lines.next()
                if not self._ended and (timeout is None or 0.0 < timeout < LONGEST):
                    # The common case, in which each side waits for the other: one wait and one read.
                    started = monotonic()
                    if self._poll(None if timeout is None else timeout * 1000.0) == self._readable:
                        chunk = self._read()
                        message = lines.only(chunk)
                        if message is not None:
                            return message
                        lines.feed(chunk)
                        if lines.ready:
                            return lines.next()
                    if timeout is not None:
                        timeout = max(started + timeout - monotonic(), 0.0)
                return self._wait(timeout)
        finally:
            if self._closed:
                self._dispose()

    def interrupt(self) -> None:
        """See ``Transport.interrupt``."""
        self._interrupted = True
        self._wake.set()

    def close(self) -> None:
        """See ``Transport.close``, for this half."""
        self._closed = True
        self._wake.set()
        self._dispose()

    def __del__(self) -> None:
        self._closed = True
        self._dispose()

    def _wait(self, timeout: float | None) -> bytes | None:
        if self._ended:
            raise ConnectionClosed(self._ended)
        lines = self._lines
        deadline = pause = None
        if timeout is not None:
            # This condition holds for NaN, too.
            if not timeout >= 0.0:
                timeout = check_timeout(timeout)
            deadline = monotonic() + timeout
            pause = timeout * 1000.0 if timeout < LONGEST else LONGEST * 1000.0
        late = 0
        while True:
            events = self._poll(pause)
            if events:
                ready = {each for each, _ in events}
                if self._woken(ready):
                    return None
                if self._has_more(ready):
                    lines.feed(self._read())
            elif deadline is not None and monotonic() >= deadline:
                return None
            if lines.ready:
                return lines.next()
            if self._ended:
                raise ConnectionClosed(self._ended)
            if deadline is not None:
                pause = min(deadline - monotonic(), LONGEST) * 1000.0
                if pause <= 0.0:
                    pause = 0.0
                    # Whatever is there is still read, but a flood without end of line cannot hold the caller.
                    late += 1
                    if late > self._chunks:
                        return None

    def _notice(self) -> None:
        """Act on ``close`` and ``interrupt``."""
        if self._closed:
            raise ConnectionClosed(CLOSED_HERE)
        # In this order, an interrupt in between is noticed twice at worst.
        self._interrupted = False
        self._wake.clear()

    def _woken(self, ready: set[int]) -> bool:
        """Return whether ``receive`` was interrupted."""
        if self._wake.fileno() not in ready:
            return False
        self._wake.clear()
        if self._closed or self._interrupted:
            self._notice()
            return True
        return False

    def _has_more(self, ready: set[int]) -> bool:
        """Return whether there is something to read; notice the end that only ``end`` shows."""
        if self._fd in ready:
            return True
        if self._end not in ready:
            return False
        # The last bytes may have come after poll() checked `fd` and before it checked `end`.
        if self._fd in {fd for fd, _ in self._poll(0)}:
            return True
        self._finish("the process on the other side ended")
        return False

    def _read(self) -> bytes:
        """Read the available bytes; return none, and record the end, if the other side has closed."""
        try:
            chunk = os.read(self._fd, _CHUNK)
        except BlockingIOError:
            return b""  # Another process that reads there was faster.
        except OSError as problem:
            self._finish(str(connection_lost(problem)))
            return b""
        if not chunk:
            self._finish(CLOSED_THERE)
        return chunk

    def _finish(self, reason: str) -> None:
        self._ended = reason
        self._lines.end()

    def _dispose(self) -> None:
        """Close the descriptors, unless a thread is using them: that thread closes them then."""
        if self._fd < 0:
            return
        held: list[bool] = []
        try:
            acquire(self._lock.acquire, 0.0, held)
            if held[0]:
                fds, self._fd, self._end = (self._fd, self._end), -1, -1
                self._wake.close()
                for fd in fds:
                    if fd >= 0:
                        os.close(fd)
        finally:
            if held and held[0]:
                self._lock.release()
