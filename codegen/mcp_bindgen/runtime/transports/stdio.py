"""The server's side of stdio: this process's standard input and output carry messages (POSIX).

Whatever else writes to standard output, a stray ``print`` included, would break the connection; so while the transport
is open, descriptor 1 is a duplicate of descriptor 2 (standard error), for Python, for C code and for processes that are
started, and descriptor 0 is empty. The real ones are kept at other numbers, which are not inherited.
"""

from __future__ import annotations

import io
import os
import sys
import weakref
from threading import Lock

from ..errors import UsageError
from ..framing import DEFAULT_LIMIT
from .streams import Streams
from .writing import Writer

_taken = Lock()


class Stdio(Streams):
    """A transport over standard input and output, which it takes over until ``close``.

    What ``print`` has buffered but not written goes to standard error. ``sys.stdout`` stays the object that it is, and
    writes each line at once to standard error meanwhile; ``sys.stdin`` has nothing more to read. ``close`` puts all back,
    and so does the end of the program. Raises UsageError while another one is open, and where a descriptor is closed.
    """

    __slots__ = ("_put_back",)

    def __init__(self, *, limit: int = DEFAULT_LIMIT) -> None:
        if sys.platform == "win32":
            text = "taking over standard input and output needs POSIX; on Windows use windows.ThreadStreams(0, 1)"
            raise UsageError(text)
        if not _taken.acquire(blocking=False):
            message = "standard input and output are taken over already; close the transport that has them first"
            raise UsageError(message)
        kept: list[int] = []
        try:
            _open_standard_error()
            for fd, name in ((0, "input"), (1, "output")):
                kept.append(_duplicate(fd, name))
            super().__init__(*(_duplicate(fd, "input or output") for fd in kept), limit=limit)
            _redirect()
        except BaseException:
            for fd in kept:
                os.close(fd)
            _taken.release()
            raise
        # What is in its buffer is written now that it leads to standard error; before, it would have come between messages.
        buffered = _line_buffered(on=True)
        self._put_back = weakref.finalize(self, _put_back, self._writer, kept, buffered=buffered, owner=os.getpid())

    def close(self) -> None:
        """As ``Transport.close``; standard input and output are what they were before."""
        super().close()
        self._put_back()


def _duplicate(fd: int, name: str) -> int:
    """A duplicate that is not inherited, above the numbers that programs use by number."""
    # Not on every system.
    import fcntl

    try:
        return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10)
    except OSError as problem:
        message = f"standard {name} (descriptor {fd}) is closed; start the server with both connected to its client"
        raise UsageError(message) from problem


def _open_standard_error() -> None:
    """Where there is none, what is written there goes nowhere, and not to what happens to get its number."""
    try:
        os.fstat(2)
    except OSError:
        _to_null(2)


def _redirect() -> None:
    _to_null(0)
    os.dup2(2, 1)


def _to_null(fd: int) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, fd)
    if null == fd:
        os.set_inheritable(fd, True)  # noqa: FBT003 - takes no keywords
    else:
        os.close(null)


def _put_back(writer: Writer, kept: list[int], *, buffered: bool, owner: int) -> None:
    """Undoes what was done; at most once, because ``weakref.finalize`` calls it."""
    # Puts the blocking mode back, which everybody sees who has the same pipe.
    writer.close()
    # A fork has numbers of its own, and only uses them for what is its own.
    if os.getpid() == owner:
        _line_buffered(on=buffered)
        for fd, original in enumerate(kept):
            os.dup2(original, fd)
    for original in kept:
        os.close(original)
    _taken.release()


def _line_buffered(*, on: bool) -> bool:
    """Writes what ``sys.stdout`` has buffered, and sets whether it writes each line at once; gives whether it did."""
    stream = sys.stdout
    try:
        # Who has put something else there has decided where it goes.
        if not isinstance(stream, io.TextIOWrapper) or stream.fileno() != 1:
            return on
        before = stream.line_buffering
        stream.reconfigure(line_buffering=on)
    except (OSError, ValueError):
        return on
    return before
