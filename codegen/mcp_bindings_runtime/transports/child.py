"""The client's side of stdio: starts the server as a process, and ends it (POSIX).

The server runs in a session of its own. So a Ctrl-C in the terminal reaches the client only, which can then end the server
as it should; and what the server starts ends with it. It has no controlling terminal, so it cannot ask for a password
there.
"""

from __future__ import annotations

import os
import select
import sys
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from threading import Thread
from typing import IO, TYPE_CHECKING, Final, Literal, TypeAlias

from ..errors import ConnectionClosed, MessageTooLarge, UsageError
from ..logs import log_exception
from ..session.framing import DEFAULT_LIMIT, Lines
from .descriptor_reader import DescriptorReader
from .descriptor_writer import DescriptorWriter
from .server_process import PIPE, Patience, as_line, end, environment, exit_descriptor, exit_text, start
from .streams import Streams

if TYPE_CHECKING:
    import subprocess

Stderr: TypeAlias = "Literal['inherit', 'capture'] | int | IO[bytes] | IO[str] | Callable[[str], object]"

KEPT: Final = 50
"""How many of the last lines are kept."""
_LONGEST: Final = 64 * 1024
"""How many bytes of a line are read; a longer one is left out, and a note in its place."""
_SHOWN: Final = 500
"""How many characters of a line are kept."""


class Child(Streams):
    """A transport to a server that it starts.

    ``command`` is the program and its arguments; no shell is involved. ``cwd`` is the folder it starts in.

    ``env`` is what the server finds in its environment besides the few harmless variables of ``starting.ENVIRONMENT``
    (``HOME``, ``PATH``, ``LANG`` and the like): the keys and tokens in this process's environment are nobody else's
    business. ``inherit_env=True`` hands all of it on.

    ``stderr`` says where the server's standard error goes: ``"inherit"`` to this process's; ``"capture"`` to nowhere, but
    ``stderr_lines`` has the last lines, and so has the ConnectionClosed that reports its end; a function is called with
    each line besides (in a thread of its own, which it should not hold up); a file or descriptor is written to directly.

    ``close`` closes the server's input, gives it ``grace`` seconds to end, then ``terminate`` seconds after SIGTERM and
    ``kill`` seconds after SIGKILL. So does the end of the program for transports that were forgotten. If this process is
    killed, the server only sees its input end.

    When the server ends, ``receive`` gives what it has sent, and then raises ConnectionClosed that says how it ended. Raises
    UsageError if it cannot be started.
    """

    __slots__ = ("_end", "_lines", "_name", "_sent", "_waited", "pid")

    def __init__(
        self,
        command: Sequence[str | os.PathLike[str]],
        *,
        env: Mapping[str, str] | None = None,
        inherit_env: bool = False,
        cwd: str | os.PathLike[str] | None = None,
        stderr: Stderr = "inherit",
        limit: int = DEFAULT_LIMIT,
        grace: float = 2.0,
        terminate: float = 2.0,
        kill: float = 2.0,
    ) -> None:
        if sys.platform == "win32":
            text = "starting a server needs POSIX; on Windows use windows.ThreadStreams, whose module says how"
            raise UsageError(text)
        each = stderr if callable(stderr) else None
        target = PIPE if callable(stderr) or stderr == "capture" else _target(stderr)
        # Before there is something to undo.
        Lines(limit)
        popen, taken = start(command, env=environment(env, inherit_env=inherit_env), cwd=cwd, stderr=target)
        self.pid = popen.pid
        """The number of the server's process."""
        self._name = f"the server {as_line(command)!r} (process {popen.pid})"
        self._waited = False
        self._sent = 0
        """Bytes that it was sent; good as long as one thread sends, as is so until there is a conversation."""
        self._lines: StderrLines | None = None
        try:
            if target == PIPE:
                self._lines = StderrLines(taken.pop(), each)
            taken.append(os.dup(taken[1]))
            taken.append(exit_descriptor(popen.pid))
            super().__init__(taken[1], taken[0], limit=limit, end=taken[-1])
        except BaseException as problem:
            popen.kill()
            popen.wait()
            if self._lines is not None:
                self._lines.close()
                self._lines.wait(1.0)
            for fd in taken:
                os.close(fd)
            if isinstance(problem, OSError):
                text = f"cannot start {self._name}: {problem.strerror}"
                raise ConnectionClosed(text) from problem
            raise
        patience = Patience(grace, terminate, kill)
        self._end = weakref.finalize(
            self, _shut_down, popen, taken[-2], self._reader, self._writer, self._lines, patience, os.getpid()
        )

    def stderr_lines(self) -> tuple[str, ...]:
        """The last lines of the server's standard error, if they are captured."""
        return self._lines.last() if self._lines is not None else ()

    def receive(self, timeout: float | None = None) -> bytes | None:
        """As ``Transport.receive``."""
        try:
            return self._reader.receive(timeout)
        except ConnectionClosed as problem:
            raise self._explained(problem) from problem

    def send(self, message: bytes, timeout: float | None = None) -> None:
        """As ``Transport.send``."""
        try:
            self._writer.send(message, timeout)
        except ConnectionClosed as problem:
            if self._writer.broken:
                super().close()
            raise self._explained(problem) from problem
        self._sent += len(message) + 1

    def close(self) -> None:
        """As ``Transport.close``; the server has ended afterwards."""
        super().close()
        self._end()

    def _explained(self, problem: ConnectionClosed) -> ConnectionClosed:
        """What became of the server."""
        if self._reader.closed:
            return problem
        how = exit_text(self.pid) if self._waited else _exit_soon(self.pid)
        self._waited = True
        text = f"{self._name} {how or 'has closed its end of the connection, and still runs'}"
        if self._lines is not None:
            # A process that it has started may have the pipe too, and keep it.
            self._lines.wait(0.2)
            last = self._lines.last()[-10:]
            if last:
                text += "; the last lines of its standard error:\n" + "\n".join(f"    {line}" for line in last)
        end = ConnectionClosed(text)
        end.unread = how is not None and self._writer.unread() >= self._sent
        return end


def _exit_soon(pid: int) -> str | None:
    """How a process ended whose pipes are closed: that comes a moment before its exit can be seen."""
    how = exit_text(pid)
    if how is None:
        exited = exit_descriptor(pid)
        try:
            poll = select.poll()
            poll.register(exited, select.POLLIN)
            poll.poll(200)
        finally:
            os.close(exited)
        how = exit_text(pid)
    return how


def _target(stderr: str | int | IO[bytes] | IO[str]) -> int | None:
    if stderr == "inherit":
        return None
    if isinstance(stderr, str):
        text = f"stderr is {stderr!r}; give 'inherit', 'capture', an open file or a function that takes a line"
        raise UsageError(text)
    try:
        return stderr if isinstance(stderr, int) else stderr.fileno()
    except (AttributeError, OSError) as problem:
        text = f"stderr is {stderr!r}, which has no descriptor; give a function to be called with each line"
        raise UsageError(text) from problem


def _shut_down(
    popen: subprocess.Popen[bytes],
    stdout: int,
    reader: DescriptorReader,
    writer: DescriptorWriter,
    lines: StderrLines | None,
    patience: Patience,
    owner: int,
) -> None:
    """Ends everything, at most once, because ``weakref.finalize`` calls it."""
    writer.close()
    try:
        end(popen, stdout, patience, owner)
    finally:
        reader.close()
        if lines is not None:
            # What it said last is in the pipe yet; a process that it has started may keep that open, though.
            lines.wait(0.2)
            lines.close()


class StderrLines:
    """Reads lines from ``fd`` in a daemon thread, so that the server never has to wait for its reader.

    It owns ``fd`` from the call on, even if that fails.
    """

    def __init__(self, fd: int, each: Callable[[str], object] | None = None) -> None:
        try:
            self._reader = DescriptorReader(fd, limit=_LONGEST)
        except BaseException:
            os.close(fd)
            raise
        self._each = each
        self._last: deque[str] = deque(maxlen=KEPT)
        self._thread = Thread(target=self._run, name="mcp: standard error of a server", daemon=True)
        self._thread.start()

    def last(self) -> tuple[str, ...]:
        """The last lines, oldest first, each cut where it gets long."""
        return tuple(self._last.copy())

    def wait(self, seconds: float) -> None:
        """Waits until all has been read that will come, at most so long."""
        self._thread.join(seconds)

    def close(self) -> None:
        """Reads no more."""
        self._reader.close()

    def _run(self) -> None:
        while True:
            try:
                line = self._reader.receive()
            except MessageTooLarge as problem:
                self._take(f"(a line of more than {problem.limit} bytes)")
            except ConnectionClosed:
                return
            else:
                self._take((line or b"").decode("utf-8", "replace"))

    def _take(self, line: str) -> None:
        self._last.append(line if len(line) <= _SHOWN else line[:_SHOWN] + " ...")
        each = self._each
        if each is None:
            return
        try:
            each(line)
        except Exception as problem:  # noqa: BLE001  # the server goes on, and must not wait for somebody to read
            self._each = None
            log_exception(problem, "no more lines of standard error for %r", each)
