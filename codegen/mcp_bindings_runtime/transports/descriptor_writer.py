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
from . import CLOSED_HERE, LONGEST, checked
from .descriptors import WakeupDescriptor, lost, take


class _Begun(NamedTuple):
    """A message that is being written, so that whatever interrupts that, it is known what is still to be written."""

    line: bytes
    owed: int
    """So many bytes at its beginning belong to the message before."""
    written: list[int]

    def rest(self) -> bytes:
        """What has to be written before the next message. One that was begun is finished; one that was not is not sent."""
        done = sum(self.written)
        return self.line[done : self.owed if done <= self.owed else len(self.line)]


_NOTHING = _Begun(b"", 0, [])


class DescriptorWriter:
    """The sending half of a connection. It owns ``fd``.

    A pipe or socket is written in non-blocking mode, which is put back at the end. Files and terminals are written as
    they are: that mode would be seen by all who have them open, and they take what they are given.
    """

    __slots__ = (
        "_begun",
        "_blocking",
        "_closed",
        "_fd",
        "_idle",
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
        # Held by whoever writes at once, and never while something is waited for.
        self._lock = Lock()
        # Held by whoever may have to wait, until its message is written. Meanwhile the writer is not idle.
        self._turn = Lock()
        self._idle = True
        self._begun = _NOTHING
        # Made when a write has to wait for the first time, which most never do.
        self._wake: WakeupDescriptor | None = None
        self.broken = False
        """Whether the other side stopped in the middle of a message, so that nothing can be sent after it."""
        mode = os.fstat(fd).st_mode
        # So much is written to a pipe whole or not at all (POSIX, write()).
        self._whole = select.PIPE_BUF if stat.S_ISFIFO(mode) else 0
        self._blocking = (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)) and os.get_blocking(fd)
        if self._blocking:
            os.set_blocking(fd, False)
        self._owner = os.getpid()
        self._fd = fd
        self._closed = False

    def send(self, message: bytes, timeout: float | None = None) -> None:
        """As ``Transport.send``."""
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
                            raise lost(problem) from problem
                        else:
                            return
            self._send_in_turn(line, timeout)
        finally:
            if self._closed:
                self._dispose()

    def unread(self) -> int:
        """How many bytes nobody has read out of the pipe; 0 where that cannot be told."""
        # Not on every system.
        import fcntl
        import termios

        with self._lock:
            try:
                told = fcntl.ioctl(self._fd, termios.FIONREAD, bytes(4))
            except (OSError, ValueError):
                return 0
        return int.from_bytes(told, sys.byteorder)

    def close(self) -> None:
        """As ``Transport.close``, for this half."""
        self._closed = True
        wake = self._wake
        if wake is not None:
            wake.set()
        self._dispose()

    def __del__(self) -> None:
        self._closed = True
        self._dispose()

    def _send_in_turn(self, line: bytes, timeout: float | None) -> None:
        seconds = None if timeout is None else checked(timeout)
        held: list[bool] = []
        try:
            take(self._turn.acquire, seconds, held)
            if self._closed:
                raise ConnectionClosed(CLOSED_HERE)
            if not held[0]:
                raise RequestTimeout(_nothing_taken(seconds))
            with self._lock:
                self._idle = False
            try:
                self._write(line, seconds)
            finally:
                # If this is not reached the next one comes here too, and only loses time.
                self._idle = not self._begun.rest()
        finally:
            # Nothing is called before, so no signal's handler is.
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
                # Noted by the call that writes, in C: the exception of a signal's handler cannot come between.
                written.extend(map(os.write, (self._fd,), (rest,)))
            except BlockingIOError:
                pass
            except OSError as problem:
                raise lost(problem) from problem
            done = sum(written)
            if done == len(line):
                self._begun = _NOTHING
                return
            rest = memoryview(line)[done:]
            self._wait(seconds, partial=done > owed)
        raise ConnectionClosed(CLOSED_HERE)

    def _wait(self, seconds: float | None, *, partial: bool) -> None:
        """Waits until something can be written, or ``close`` was called."""
        if self._wake is None:
            self._wake = WakeupDescriptor()
        poll = select.poll()
        poll.register(self._fd, select.POLLOUT)
        poll.register(self._wake.fileno(), select.POLLIN)
        left = seconds
        # Whoever closes sets this first and wakes then, so one of the two is seen.
        while not self._closed and not poll.poll(None if left is None else min(left, LONGEST) * 1000):
            if left is None:
                continue
            left -= LONGEST
            if left > 0:
                continue
            if not partial:
                raise RequestTimeout(_nothing_taken(seconds))
            self.broken = True
            reason = f"{_nothing_taken(seconds)} after a part of a message, so the connection was closed"
            raise ConnectionClosed(reason)

    def _dispose(self) -> None:
        """Gives the descriptor back, unless a thread is using it: then that thread will."""
        while self._fd >= 0:
            turn: list[bool] = []
            lock: list[bool] = []
            try:
                take(self._turn.acquire, 0.0, turn)
                if not turn[0]:
                    return
                take(self._lock.acquire, 0.0, lock)
                if lock[0]:
                    self._give_back()
                    return
            finally:
                try:
                    if lock and lock[0]:
                        self._lock.release()
                finally:
                    if turn and turn[0]:
                        self._turn.release()
            # Whoever held the lock may have let go meanwhile, and have found the turn taken.
            if self._lock.locked():
                return

    def _give_back(self) -> None:
        fd, self._fd = self._fd, -1
        if fd < 0:
            return  # Another thread was faster, after this one had looked and before it had the lock.
        if self._wake is not None:
            self._wake.close()
        try:
            # A fork shares the mode with the process that set it, and leaves it alone.
            if self._blocking and self._owner == os.getpid():
                os.set_blocking(fd, True)
        finally:
            os.close(fd)


def _nothing_taken(seconds: float | None) -> str:
    return f"the other side took nothing for {seconds:g} seconds"
