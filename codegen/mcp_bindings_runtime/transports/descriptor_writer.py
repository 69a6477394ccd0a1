"""Sends messages to a descriptor (POSIX)."""

from __future__ import annotations

import os
import select
import stat
import sys
from threading import Lock
from typing import NamedTuple

from ..errors import ConnectionClosed, RequestTimeout
from ..session.framing import check_message
from . import CLOSED_HERE, LONGEST, check_timeout
from .descriptors import WakeupDescriptor, acquire, connection_lost


class _Begun(NamedTuple):
    """A message that is being written, with all that is needed to finish it after an interruption."""

    line: bytes
    owed: int
    """Bytes at its beginning that belong to the message before."""
    written: list[int]

    def rest(self) -> bytes:
        """Return the bytes to write before the next message: the rest of a message that was begun."""
        done = sum(self.written)
        return self.line[done : self.owed if done <= self.owed else len(self.line)]


_NOTHING = _Begun(b"", 0, [])


class DescriptorWriter:
    """The sending half of a connection. It owns ``fd``.

    A pipe or socket is written in non-blocking mode, which is reset at the end. Files and terminals are written as they are,
    because all processes that have them open would share that mode; they accept everything at once.
    """

    __slots__ = (
        "_begun",
        "_blocking",
        "_closed",
        "_fd",
        "_fionread",
        "_idle",
        "_ioctl",
        "_lock",
        "_owner",
        "_turn",
        "_wake",
        "_whole",
        "broken",
    )

    def __init__(self, fd: int) -> None:
        self._closed = True
        self._fd = -1
        # Held during a write that does not wait.
        self._lock = Lock()
        # Held by a thread that may have to wait, until its message is written. Meanwhile the writer is not idle.
        self._turn = Lock()
        self._idle = True
        self._begun = _NOTHING
        # Created when a write has to wait for the first time; most never do.
        self._wake: WakeupDescriptor | None = None
        self.broken = False
        """Whether the other side stopped in the middle of a message, so that nothing can be sent after it."""
        mode = os.fstat(fd).st_mode
        # A pipe accepts a write of this size whole or not at all (POSIX, write()).
        self._whole = select.PIPE_BUF if stat.S_ISFIFO(mode) else 0
        self._blocking = (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)) and os.get_blocking(fd)
        if self._blocking:
            os.set_blocking(fd, False)
        self._owner = os.getpid()
        # Not on every system; and not in `unread`: a thread that imports while the interpreter exits can make it hang.
        import fcntl
        import termios

        self._ioctl, self._fionread = fcntl.ioctl, termios.FIONREAD
        self._fd = fd
        self._closed = False

    def send(self, message: bytes, timeout: float | None = None) -> None:
        """See ``Transport.send``."""
        if not message or b"\n" in message:
            check_message(message)
        line = message + b"\n"
        try:
            if len(line) <= self._whole:
                with self._lock:
                    if self._idle and not self._closed:
                        try:
                            os.write(self._fd, line)
                        except BlockingIOError:
                            pass
                        except OSError as problem:
                            raise connection_lost(problem) from problem
                        else:
                            return
            self._send_in_turn(line, timeout)
        finally:
            if self._closed:
                self._dispose()

    def unread(self) -> int:
        """Return the number of bytes in the pipe that nobody has read; 0 if that is unknown."""
        with self._lock:
            try:
                unread = self._ioctl(self._fd, self._fionread, bytes(4))
            except (OSError, ValueError):
                return 0
        return int.from_bytes(unread, sys.byteorder)

    def close(self) -> None:
        """See ``Transport.close``, for this half."""
        self._closed = True
        wake = self._wake
        if wake is not None:
            wake.set()
        self._dispose()

    def __del__(self) -> None:
        self._closed = True
        self._dispose()

    def _send_in_turn(self, line: bytes, timeout: float | None) -> None:
        seconds = None if timeout is None else check_timeout(timeout)
        held: list[bool] = []
        try:
            acquire(self._turn.acquire, seconds, held)
            if self._closed:
                raise ConnectionClosed(CLOSED_HERE)
            if not held[0]:
                raise RequestTimeout(_timeout_text(seconds))
            with self._lock:
                self._idle = False
            try:
                self._write(line, seconds)
            finally:
                # If an exception prevents this, the next message takes this slower path, too.
                self._idle = not self._begun.rest()
        finally:
            # Nothing is called before this, so no signal's handler can run.
            if held and held[0]:
                self._turn.release()

    def _write(self, line: bytes, seconds: float | None) -> None:
        before = self._begun.rest()
        owed = len(before)
        begun = _Begun(before + line if before else line, owed, [])
        self._begun = begun
        line, _, written = begun
        rest: bytes | memoryview = line
        while not self._closed:
            try:
                # One call in C writes and notes it: the exception of a signal's handler cannot come between.
                written.extend(map(os.write, (self._fd,), (rest,)))
            except BlockingIOError:
                pass
            except OSError as problem:
                raise connection_lost(problem) from problem
            done = sum(written)
            if done == len(line):
                self._begun = _NOTHING
                return
            rest = memoryview(line)[done:]
            self._wait(seconds, partial=done > owed)
        raise ConnectionClosed(CLOSED_HERE)

    def _wait(self, seconds: float | None, *, partial: bool) -> None:
        """Wait until something can be written, or ``close`` was called."""
        if self._wake is None:
            self._wake = WakeupDescriptor()
        poll = select.poll()
        poll.register(self._fd, select.POLLOUT)
        poll.register(self._wake.fileno(), select.POLLIN)
        left = seconds
        # `close` sets `_closed` first and wakes then, so one of the two is seen.
        while not self._closed and not poll.poll(None if left is None else min(left, LONGEST) * 1000):
            if left is None:
                continue
            left -= LONGEST
            if left > 0:
                continue
            if not partial:
                raise RequestTimeout(_timeout_text(seconds))
            self.broken = True
            reason = f"{_timeout_text(seconds)} after a part of a message, so the connection was closed"
            raise ConnectionClosed(reason)

    def _dispose(self) -> None:
        """Close the descriptor, unless a thread is using it: that thread closes it then."""
        while self._fd >= 0:
            turn: list[bool] = []
            lock: list[bool] = []
            try:
                acquire(self._turn.acquire, 0.0, turn)
                if not turn[0]:
                    return
                acquire(self._lock.acquire, 0.0, lock)
                if lock[0]:
                    self._close_descriptor()
                    return
            finally:
                try:
                    if lock and lock[0]:
                        self._lock.release()
                finally:
                    if turn and turn[0]:
                        self._turn.release()
            # The holder of the lock may have released it meanwhile, and have found the turn taken.
            if self._lock.locked():
                return

    def _close_descriptor(self) -> None:
        fd, self._fd = self._fd, -1
        if fd < 0:
            return  # Another thread was faster.
        if self._wake is not None:
            self._wake.close()
        try:
            # A fork shares the mode with the process that set it, and leaves it alone.
            if self._blocking and self._owner == os.getpid():
                os.set_blocking(fd, True)
        finally:
            os.close(fd)


def _timeout_text(seconds: float | None) -> str:
    return f"the other side took nothing for {seconds:g} s"
