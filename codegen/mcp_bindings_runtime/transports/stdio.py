"""The server's side of stdio: this process's standard input and output carry messages (POSIX).

Any other output, such as a stray ``print``, would break the connection. So while the transport is open, descriptor 1 is a
duplicate of descriptor 2 (standard error), for Python, C code and child processes, and descriptor 0 is empty. The original
ones are kept at other numbers, which are not inherited.
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

_in_use = Lock()


class Stdio(Streams):
    """A transport over standard input and output, which it owns until ``close``.

    What ``print`` has buffered but not written goes to standard error. ``sys.stdout`` stays the same object, and writes
    each line at once to standard error meanwhile; ``sys.stdin`` is empty. ``close`` restores everything, and so does the
    end of the program. Raise UsageError if another one is open, or a descriptor is closed.
    """

    __slots__ = ("_put_back",)

    def __init__(self, *, limit: int = DEFAULT_LIMIT) -> None:
        if sys.platform == "win32":
            text = "taking over standard input and output needs POSIX; on Windows use windows.ThreadStreams(0, 1)"
            raise UsageError(text)
        if not _in_use.acquire(blocking=False):
            message = "standard input and output are taken over already; close the transport that has them first"
            raise UsageError(message)
        duplicates: list[int] = []
        try:
            _open_standard_error()
            for fd, name in ((0, "input"), (1, "output")):
                duplicates.append(_duplicate(fd, name))
            duplicates.append(_duplicate(duplicates[0], "input"))
            duplicates.append(_duplicate(duplicates[1], "output"))
            duplicates.append(os.open(os.devnull, os.O_RDWR))
            super().__init__(duplicates[2], duplicates[3], limit=limit)
        except BaseException:
            for fd in duplicates:
                os.close(fd)
            _in_use.release()
            raise
        kept, null = duplicates[:2], duplicates[-1]
        os.dup2(null, 0)
        os.dup2(2, 1)
        os.close(null)
        # Only now that it leads to standard error: before, the buffered text would have come between messages.
        buffered = _line_buffered(on=True)
        self._put_back = weakref.finalize(self, _put_back, self._writer, kept, buffered=buffered, owner=os.getpid())

    def close(self) -> None:
        """See ``Transport.close``; standard input and output are what they were before."""
        super().close()
        self._put_back()


def run(serve: Callable[[Stdio], object]) -> None:
    """Run a function that serves over standard input and output.

    Ctrl-C is the usual end of a server that was started in a terminal. It raises KeyboardInterrupt as usual; if nobody
    catches that, the program ends by the signal (status 130 in a shell) without a traceback.
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
    """Return a duplicate that is not inherited, above the numbers that programs use by number."""
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
    """Open the null device as standard error if there is none, so that no other file gets its number."""
    try:
        os.fstat(2)
    except OSError:
        null = os.open(os.devnull, os.O_WRONLY)
        if null != 2:
            os.dup2(null, 2)
            os.close(null)
        os.set_inheritable(2, True)  # noqa: FBT003 - takes no keywords


def _put_back(writer: DescriptorWriter, kept: list[int], *, buffered: bool, owner: int) -> None:
    """Restore everything; called once, by ``weakref.finalize``."""
    # Resets the blocking mode, which all processes that have the same pipe share.
    writer.close()
    # A fork has descriptors of its own and leaves them alone.
    if os.getpid() == owner:
        _line_buffered(on=buffered)
        for fd, original in enumerate(kept):
            os.dup2(original, fd)
    for original in kept:
        os.close(original)
    _in_use.release()


def _line_buffered(*, on: bool) -> bool:
    """Flush ``sys.stdout`` and set whether it writes each line at once; return whether it did before."""
    stream = sys.stdout
    try:
        # A program that has replaced `sys.stdout` has decided where it goes.
        if not isinstance(stream, io.TextIOWrapper) or stream.fileno() != 1:
            return on
        before = stream.line_buffering
        stream.reconfigure(line_buffering=on)
    except (OSError, ValueError):
        return on
    return before
