"""The client's side of stdio: starts the server as a process, and ends it (POSIX).

The server runs in a session of its own. So Ctrl-C in the terminal only reaches the client, which can then end the server in
order, together with the processes that the server has started. The server has no controlling terminal, so it cannot ask for
a password there.
"""

from __future__ import annotations

import os
import select
import sys
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from threading import Thread
from time import monotonic
from typing import IO, TYPE_CHECKING, Final, Literal, TypeAlias

from ..errors import ConnectionClosed, MessageTooLarge, UsageError
from ..logs import log_exception
from ..session.framing import DEFAULT_LIMIT, Lines
from .descriptor_reader import DescriptorReader
from .descriptor_writer import DescriptorWriter
from .server_process import (
    PIPE,
    ShutdownTimeouts,
    as_line,
    end,
    environment,
    exit_descriptor,
    exit_text,
    start,
)
from .start_hints import environment_hint, missing_script_hint
from .streams import Streams

if TYPE_CHECKING:
    import subprocess

Stderr: TypeAlias = "Literal['inherit', 'capture'] | int | IO[bytes] | IO[str] | Callable[[str], object]"

KEPT: Final = 50
"""Number of last lines that are kept."""
_LONGEST: Final = 64 * 1024
"""Limit on the bytes of a line that a server writes to standard error; a note replaces a longer line."""
_START: Final = 10.0
"""Age of a server, in seconds, up to which its failure may come from a missing environment variable."""
_SHOWN: Final = 500
"""Characters of a line that are kept."""


class Child(Streams):
    """A transport to a server that it starts.

    ``command`` is the program and its arguments, without a shell; ``cwd`` is the folder it starts in.

    ``env`` is added to the few harmless variables of ``server_process.ENVIRONMENT`` (``HOME``, ``PATH``, ``LANG`` and
    the like), as the environment of this process may hold keys and tokens. ``inherit_env=True`` passes all of it on.

    ``stderr`` is the destination of the server's standard error: ``"inherit"``: that of this process; ``"capture"``:
    only ``stderr_lines`` and the ConnectionClosed that reports the server's end show the last lines; a function:
    captured, too, and called with each line (in a thread of its own, so it should return soon); a file or descriptor:
    written to directly.

    ``environment_advice`` says in errors how to pass a variable; by default they name ``env`` and ``inherit_env``.

    ``close`` closes the server's input, waits ``grace`` seconds for its end, then ``terminate`` seconds after SIGTERM
    and ``kill`` seconds after SIGKILL. The end of the program does the same for transports that are still open. If this
    process is killed, the server only sees the end of its input.

    When the server ends, ``receive`` returns what it has sent, and then raises ConnectionClosed, which says how it
    ended. Raise UsageError if it cannot be started.
    """

    __slots__ = (
        "_advice",
        "_answered",
        "_command",
        "_cwd",
        "_end",
        "_inherits",
        "_lines",
        "_sent",
        "_started",
        "_variables",
        "_waited",
        "peer",
        "pid",
    )

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
        environment_advice: str | None = None,
    ) -> None:
        if sys.platform == "win32":
            text = "starting a server needs POSIX; on Windows use windows.ThreadStreams, whose module says how"
            raise UsageError(text)
        each = stderr if callable(stderr) else None
        target = PIPE if callable(stderr) or stderr == "capture" else _target(stderr)
        # Before there is something to undo.
        Lines(limit)
        variables = environment(env, inherit_env=inherit_env)
        popen, descriptors = start(command, env=variables, cwd=cwd, stderr=target)
        self._started = monotonic()
        self._command, self._cwd = command, cwd
        self._variables = frozenset(variables)
        self._inherits = inherit_env
        self._advice = environment_advice
        self.pid = popen.pid
        """The process id of the server."""
        self.peer: str = f"the server {as_line(command)!r} (process {popen.pid})"
        """The server, for messages."""
        self._waited = False
        self._answered = False
        """Whether the server has sent anything, so that its start has succeeded."""
        self._sent = 0
        """Bytes sent to the server; right as long as one thread sends, as before the session is open."""
        self._lines: StderrLines | None = None
        try:
            if target == PIPE:
                self._lines = StderrLines(descriptors.pop(), each)
            descriptors.append(os.dup(descriptors[1]))
            descriptors.append(exit_descriptor(popen.pid))
            super().__init__(descriptors[1], descriptors[0], limit=limit, end=descriptors[-1])
        except BaseException as problem:
            popen.kill()
            popen.wait()
            if self._lines is not None:
                self._lines.close()
                self._lines.wait(1.0)
            for fd in descriptors:
                os.close(fd)
            if isinstance(problem, OSError):
                text = f"cannot start {self.peer}: {problem.strerror}"
                raise ConnectionClosed(text) from problem
            raise
        timeouts = ShutdownTimeouts(grace, terminate, kill)
        self._end = weakref.finalize(
            self, _shut_down, popen, descriptors[-2], self._reader, self._writer, self._lines, timeouts, os.getpid()
        )

    def stderr_lines(self) -> tuple[str, ...]:
        """Return the last lines of the server's standard error, if they are captured."""
        return self._lines.last() if self._lines is not None else ()

    def receive(self, timeout: float | None = None) -> bytes | None:
        """See ``Transport.receive``."""
        try:
            message = self._reader.receive(timeout)
        except ConnectionClosed as problem:
            raise self._explained(problem) from problem
        self._answered |= message is not None
        return message

    def send(self, message: bytes, timeout: float | None = None) -> None:
        """See ``Transport.send``."""
        try:
            self._writer.send(message, timeout)
        except ConnectionClosed as problem:
            if self._writer.broken:
                super().close()
            raise self._explained(problem) from problem
        self._sent += len(message) + 1

    def close(self) -> None:
        """See ``Transport.close``; the server has ended afterwards."""
        super().close()
        self._end()

    def _explained(self, problem: ConnectionClosed) -> ConnectionClosed:
        """Return the error with how the server ended."""
        if self._reader.closed:
            return problem
        how = exit_text(self.pid) if self._waited else _exit_soon(self.pid)
        self._waited = True
        text = f"{self.peer} {how or 'has closed its end of the connection, and still runs'}"
        last: Sequence[str] | None = None
        if self._lines is not None:
            # A process that the server has started may keep the pipe open.
            self._lines.wait(0.2)
            last = self._lines.last()[-10:]
        unread = how is not None and self._writer.unread() >= self._sent
        failed = how is not None and how.startswith("exited") and not how.endswith(" 0")
        if unread and how is not None and how.endswith(" 0"):
            text += " without reading a message; an MCP server reads its standard input until that is closed"
        if failed and not self._answered and monotonic() - self._started < _START:
            text += missing_script_hint(self._command, self._cwd) or environment_hint(
                self._variables, last, inherits=self._inherits, advice=self._advice
            )
        if last:
            text += "; the last lines of its standard error:\n" + "\n".join(f"    {line}" for line in last)
        end = ConnectionClosed(text)
        end.unread = unread
        return end


def _exit_soon(pid: int) -> str | None:
    """Return how a process ended whose pipes are closed; its exit may be visible a moment later."""
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
        text = (
            f"stderr is {stderr!r}, which has no descriptor; give subprocess.DEVNULL to drop it, or a function to be called "
            "with each line"
        )
        raise UsageError(text) from problem


def _shut_down(
    popen: subprocess.Popen[bytes],
    stdout: int,
    reader: DescriptorReader,
    writer: DescriptorWriter,
    lines: StderrLines | None,
    timeouts: ShutdownTimeouts,
    owner: int,
) -> None:
    """End everything; called once, by ``weakref.finalize``."""
    writer.close()
    try:
        end(popen, stdout, timeouts, owner)
    finally:
        reader.close()
        if lines is not None:
            # The last lines may still be in the pipe, which a process that the server has started may keep open.
            lines.wait(0.2)
            lines.close()


class StderrLines:
    """Reads lines from ``fd`` in a daemon thread, so that the server never has to wait.

    Owns ``fd`` from the call on, even if that fails.
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
        """Return the last lines, oldest first, each cut if it is long."""
        return tuple(self._last.copy())

    def wait(self, seconds: float) -> None:
        """Wait until everything has been read, for at most so many seconds."""
        self._thread.join(seconds)

    def close(self) -> None:
        """Stop reading."""
        self._reader.close()

    def _run(self) -> None:
        while True:
            try:
                line = self._reader.receive()
            except MessageTooLarge as problem:
                self._keep(f"(a line of more than {problem.limit} bytes)")
            except ConnectionClosed:
                return
            else:
                self._keep((line or b"").decode("utf-8", "replace"))

    def _keep(self, line: str) -> None:
        self._last.append(line if len(line) <= _SHOWN else line[:_SHOWN] + " ...")
        each = self._each
        if each is None:
            return
        try:
            each(line)
        except Exception as problem:  # noqa: BLE001  # the server must never wait for its standard error
            self._each = None
            log_exception(problem, "no more lines of standard error for %r", each)
