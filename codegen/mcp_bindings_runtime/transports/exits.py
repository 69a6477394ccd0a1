"""Tells when a child process has ended, and how, without reaping it (POSIX).

As long as it is not reaped its number is not given to another process, so a signal cannot hit the wrong one. SIGCHLD is
left to the program.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from threading import Thread


def exit_descriptor(pid: int) -> int:
    """A new descriptor that becomes readable when the child ends: a pidfd on Linux, else a pipe with a thread."""
    if sys.platform == "linux":
        # An old kernel may not have it, and a sandbox may forbid it.
        with suppress(OSError):
            return os.pidfd_open(pid)
    return _watched(pid)


def is_collected(pid: int) -> bool:
    """Whether another part of this program has reaped the child, so that its number may be anybody's."""
    try:
        _look(pid)
    except ChildProcessError:
        return True
    return False


def exit_text(pid: int) -> str | None:
    """How the child ended, for people; None while it runs."""
    try:
        result = _look(pid)
    except ChildProcessError:
        return "ended; another part of this program has collected its exit status"
    if result is None:
        return None
    if result.si_code == os.CLD_EXITED:
        return f"exited with status {result.si_status}"
    try:
        name = signal.Signals(result.si_status).name
    except ValueError:
        name = f"signal {result.si_status}"
    return f"was killed by {name}"


def _look(pid: int) -> os.waitid_result | None:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)


def _watched(pid: int) -> int:
    reader, writer = os.pipe()

    def watch() -> None:
        try:
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        except ChildProcessError:
            pass
        finally:
            os.close(writer)

    Thread(target=watch, name=f"mcp: exit of {pid}", daemon=True).start()
    return reader
