"""The server's side of stdio: this process's standard input and output carry messages (POSIX).

Whatever else writes to standard output, a stray ``print`` included, would break the connection; so while the transport
is open, descriptor 1 is a duplicate of descriptor 2 (standard error), for Python, for C code and for processes that are
started, and descriptor 0 is empty. The real ones are kept at other numbers, which are not inherited.
"""

from __future__ import annotations

import errno
import io
import os
import sys
import weakref
from collections.abc import Callable
from threading import Lock
from typing import Any

from ..errors import UsageError
from ..session.framing import DEFAULT_LIMIT
from .descriptor_writer import DescriptorWriter
from .streams import Streams

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
        taken: list[int] = []
        try:
            _open_standard_error()
            for fd, name in ((0, "input"), (1, "output")):
                taken.append(_duplicate(fd, name))
            taken.append(_duplicate(taken[0], "input"))
            taken.append(_duplicate(taken[1], "output"))
            taken.append(os.open(os.devnull, os.O_RDWR))
            super().__init__(taken[2], taken[3], limit=limit)
        except BaseException:
            for fd in taken:
                os.close(fd)
            _taken.release()
            raise
        kept, null = taken[:2], taken[-1]
        os.dup2(null, 0)
        os.dup2(2, 1)
        os.close(null)
        # What is in its buffer is written now that it leads to standard error; before, it would have come between messages.
        buffered = _line_buffered(on=True)
        self._put_back = weakref.finalize(self, _put_back, self._writer, kept, buffered=buffered, owner=os.getpid())

    def close(self) -> None:
        """As ``Transport.close``; standard input and output are what they were before."""
        super().close()
        self._put_back()


def run(serve: Callable[[Stdio], object]) -> None:
    """Has a function serve over standard input and output.

    Ctrl-C, by which people end a server that they have started in a terminal, is no fault: it raises KeyboardInterrupt, as
    ever, and where nobody catches that the program ends by the signal (status 130 in a shell) without a traceback.
    """
    try:
        serve(Stdio())
    except KeyboardInterrupt:
        sys.excepthook = _quiet(sys.excepthook)
        raise


def _quiet(hook: Callable[..., Any]) -> Callable[..., Any]:
    def show(kind: type[BaseException], *what: Any) -> None:
        if not issubclass(kind, KeyboardInterrupt):
            hook(kind, *what)

    return show


def _duplicate(fd: int, name: str) -> int:
    """A duplicate that is not inherited, above the numbers that programs use by number."""
    # Not on every system.
    import fcntl

    try:
        return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10)
    except OSError as problem:
        if problem.errno != errno.EBADF:
            raise
        message = f"standard {name} (descriptor {fd}) is closed; start the server with both connected to its client"
        raise UsageError(message) from problem


def _open_standard_error() -> None:
    """Where there is none, what is written there goes nowhere, and not to what happens to get its number."""
    try:
        os.fstat(2)
    except OSError:
        null = os.open(os.devnull, os.O_WRONLY)
        if null != 2:
            os.dup2(null, 2)
            os.close(null)
        os.set_inheritable(2, True)  # noqa: FBT003 - takes no keywords


def _put_back(writer: DescriptorWriter, kept: list[int], *, buffered: bool, owner: int) -> None:
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
