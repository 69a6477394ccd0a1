"""Ends a server process: asks by closing its input, then with SIGTERM, then with SIGKILL (POSIX).

The specification of the stdio transport asks for these steps. The signals go to the process group, so that what the
server has started does not survive it.
"""

from __future__ import annotations

import os
import select
import signal
from contextlib import suppress
from time import monotonic, sleep
from typing import TYPE_CHECKING, NamedTuple

from .exits import exit_descriptor, is_collected

if TYPE_CHECKING:
    import subprocess


class Patience(NamedTuple):
    """How many seconds each step may take before the next one is tried."""

    grace: float = 2.0
    """After its input was closed."""
    terminate: float = 2.0
    """After SIGTERM."""
    kill: float = 2.0
    """After SIGKILL; what is still there then hangs in the kernel, and is left to it."""


def end(popen: subprocess.Popen[bytes], stdout: int, patience: Patience, owner: int) -> None:
    """Ends a process whose input is closed already, and its group; reaps it. Closes ``stdout``, its output.

    Does nothing else in a fork of the process that started it (``owner``). An exception of a signal's handler skips to
    the last step.
    """
    exited = -1
    try:
        if os.getpid() != owner:
            # Not a child of this process, so there is nothing to reap.
            popen.returncode = 0
            return
        exited = exit_descriptor(popen.pid)
        try:
            _end(popen, exited, stdout, patience)
        except BaseException:
            _signal(popen, signal.SIGKILL)
            _wait(exited, stdout, patience.kill)
            popen.poll()
            raise
    finally:
        for fd in (exited, stdout):
            if fd >= 0:
                os.close(fd)


def _end(popen: subprocess.Popen[bytes], exited: int, stdout: int, patience: Patience) -> None:
    asked = False
    ended = _wait(exited, stdout, patience.grace)
    if not ended:
        _signal(popen, signal.SIGTERM)
        asked = True
        ended = _wait(exited, stdout, patience.terminate)
    if not ended:
        _signal(popen, signal.SIGKILL)
        ended = _wait(exited, stdout, patience.kill)
    collected = is_collected(popen.pid)
    popen.poll()
    if ended and not collected:
        _end_group(popen.pid, patience.terminate, asked=asked)


def _end_group(group: int, seconds: float, *, asked: bool) -> None:
    """Ends what the process has started. As long as any of it lives, the group's number stays taken."""
    deadline = monotonic() + seconds
    pause = 0.001
    while _alive(group):
        if not asked:
            asked = True
            _signal_group(group, signal.SIGTERM)
        if monotonic() >= deadline:
            _signal_group(group, signal.SIGKILL)
            return
        sleep(pause)
        pause = min(pause * 2, 0.05)


def _alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except OSError:
        return False
    return True


def _signal(popen: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Signals the group, as long as its number is certain to be that of the process."""
    if popen.returncode is None and not is_collected(popen.pid):
        _signal_group(popen.pid, number)


def _signal_group(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _wait(exited: int, stdout: int, seconds: float) -> bool:
    """Whether it ends in time. What it still writes is thrown away, so that it need not wait for a reader."""
    poll = select.poll()
    poll.register(exited, select.POLLIN)
    poll.register(stdout, select.POLLIN)
    deadline = monotonic() + seconds
    while True:
        left = max(deadline - monotonic(), 0.0)
        ready = {fd for fd, _ in poll.poll(left * 1000)}
        if exited in ready:
            return True
        if stdout in ready and not _thrown_away(stdout):
            poll.unregister(stdout)
        if left <= 0:
            return False


def _thrown_away(stdout: int) -> bool:
    try:
        return bool(os.read(stdout, 64 * 1024))
    except OSError:
        return False
