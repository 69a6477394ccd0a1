"""The process of a server: its start, its exit and its end (POSIX).

A process keeps its id until it is reaped, so it is watched without reaping it: a signal cannot hit another process. SIGCHLD
is left to the program.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from threading import Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final, NamedTuple

from ..errors import ConnectionClosed, UsageError
from ..validation import require_command

if TYPE_CHECKING:
    import subprocess

PIPE: Final = -1
"""A new pipe, as in ``subprocess``, which is imported only when a process is started."""

ENVIRONMENT: Final = tuple(
    (
        "APPDATA HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PATHEXT PROCESSOR_ARCHITECTURE SYSTEMDRIVE SYSTEMROOT TEMP TMP"
        " USERNAME USERPROFILE"
        if sys.platform == "win32"
        else "HOME LANG LC_ALL LC_CTYPE LOGNAME PATH SHELL TERM TMPDIR TZ USER"
    ).split()
)
"""Variables of this process's environment that a server gets by default."""

LONGEST_WORD: Final = 60
LONGEST_COMMAND: Final = 200
"""Characters of one argument, and of a whole command, that messages show."""


def environment(env: Mapping[str, str] | None, *, inherit_env: bool) -> dict[str, str]:
    """Return the environment of a server: ``env`` over all of this process's or its harmless part."""
    if inherit_env:
        variables = dict(os.environ)
    else:
        # A value that begins with () is a function of an old shell, and code.
        variables = {
            name: os.environ[name]
            for name in ENVIRONMENT
            if name in os.environ and not os.environ[name].startswith("()")
        }
    variables.update(env or {})
    return variables


def as_line(command: Sequence[str | os.PathLike[str]]) -> str:
    """Return a command as typed in a shell, for messages; long arguments, such as programs after ``-c``, are cut."""
    import shlex

    words = shlex.join(_shown(os.fsdecode(part)) for part in command)
    return words if len(words) <= LONGEST_COMMAND else f"{words[: LONGEST_COMMAND - 1]}\N{HORIZONTAL ELLIPSIS}"


def _shown(word: str) -> str:
    """Return the beginning of an argument if it has several lines or is long."""
    first = word.partition("\n")[0][:LONGEST_WORD]
    return word if first == word else f"{first}\N{HORIZONTAL ELLIPSIS}"


def start(
    command: Sequence[str | os.PathLike[str]],
    *,
    env: Mapping[str, str],
    cwd: str | os.PathLike[str] | None,
    stderr: int | None,
) -> tuple[subprocess.Popen[bytes], list[int]]:
    """Start a process in a session of its own; raise `UsageError` if the caller can fix the problem.

    Return it with this side's ends of its pipes: its input, its output, and its standard error if that is ``PIPE``.
    """
    # Importing it takes longer than all the rest.
    import subprocess

    require_command(command)
    words: list[str] = []
    own: list[int] = []
    theirs: list[int] = []
    try:
        words = [os.fsdecode(part) for part in command]
        # CPython 3.11.2 leaves pipes that `Popen` itself makes open if descriptors run out halfway.
        for _ in range(3 if stderr == PIPE else 2):
            reader, writer = os.pipe()
            own.append(reader if own else writer)
            theirs.append(writer if theirs else reader)
        popen = subprocess.Popen(  # noqa: S603 - to run what the caller names is what this is for
            words,
            stdin=theirs[0],
            stdout=theirs[1],
            stderr=theirs[2] if stderr == PIPE else stderr,
            env=dict(env),
            cwd=cwd,
            bufsize=0,
            start_new_session=True,
        )
    except BaseException as problem:
        for fd in (*own, *theirs):
            os.close(fd)
        if isinstance(problem, OSError):
            raise _explained(problem, words, env, cwd) from problem
        if isinstance(problem, (TypeError, ValueError)):
            text = f"cannot start {_named(command)}: {problem}"
            raise UsageError(text) from problem
        raise
    for fd in theirs:
        os.close(fd)
    return popen, own


def _named(command: Sequence[object]) -> str:
    """Return a command that cannot be started, for a message; its arguments may be of any type."""
    words = [_shown(word) if isinstance(word, str) else word for word in command]
    return repr(words)


def _explained(
    problem: OSError, command: list[str], env: Mapping[str, str], cwd: str | os.PathLike[str] | None
) -> UsageError | ConnectionClosed:
    program = command[0]
    begun = f"cannot start {_shown(program)!r}: "
    # Imported where they are needed, because a module cannot be read when descriptors have run out.
    if cwd is not None:
        from pathlib import Path

        if not Path(cwd).is_dir():
            return UsageError(f"{begun}the folder {os.fspath(cwd)!r} (cwd) is not there; create it, or give another")
    if isinstance(problem, FileNotFoundError):
        return UsageError(f"{begun}{_not_found(program, env, cwd)}")
    if isinstance(problem, PermissionError):
        return UsageError(
            f"{begun}it may not be executed; chmod +x it, or name its interpreter before it in the command"
        )
    if isinstance(problem, NotADirectoryError):
        return UsageError(f"{begun}a part of its path is not a folder; give the path of a program")
    if problem.errno == 8:
        return UsageError(f"{begun}it is not a program (no #! line); name its interpreter before it in the command")
    return ConnectionClosed(f"{begun}{problem.strerror}")


def _not_found(program: str, env: Mapping[str, str], cwd: str | os.PathLike[str] | None) -> str:
    """Return why a program was not found, and what to write."""
    import shlex
    import shutil
    from pathlib import Path

    if "://" in program:
        return "it is a URL; to connect to it, use Client.http or connect.http"
    path, is_path = env.get("PATH"), os.sep in program
    if Path(cwd or "", program).exists() if is_path else shutil.which(program, path=path):
        return f"the interpreter that the first line of {program} names is not there; install it"
    with suppress(ValueError):
        words = shlex.split(program)
        if len(words) > 1 and shutil.which(words[0], path=path):
            return f"it is a program with arguments, in one string; write {words!r}"
    if is_path and cwd is not None and not Path(program).is_absolute():
        here = Path(program).absolute()
        found = f"; write the absolute path {os.fspath(here)!r}" if here.exists() else ""
        return f"its path starts at the folder {os.fspath(cwd)!r} (cwd), where there is no such file{found}"
    if is_path:
        return "there is no such file; give the path of a program"
    if program.endswith(".py"):
        return f"it is not a program; name its interpreter before it, as in ['python', {program!r}]"
    return f"no such program in PATH ({path or ''}); install it, or give its full path"


def exit_descriptor(pid: int) -> int:
    """Return a new descriptor that becomes readable when the child ends: a pidfd on Linux, else a pipe with a thread."""
    if sys.platform == "linux":
        # An old kernel may not have it, and a sandbox may forbid it.
        with suppress(OSError):
            return os.pidfd_open(pid)
    return _watched(pid)


def is_collected(pid: int) -> bool:
    """Return whether another part of this program has reaped the child, so that its id may be another process's."""
    try:
        _look(pid)
    except ChildProcessError:
        return True
    return False


def exit_text(pid: int) -> str | None:
    """Return how the child ended, for people; None while it runs."""
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


class ShutdownTimeouts(NamedTuple):
    """Seconds that each step may take before the next one."""

    grace: float = 2.0
    """After its input was closed."""
    terminate: float = 2.0
    """After SIGTERM."""
    kill: float = 2.0
    """After SIGKILL; a process that survives this hangs in the kernel."""


def end(popen: subprocess.Popen[bytes], stdout: int, timeouts: ShutdownTimeouts, owner: int) -> None:
    """End a process whose input is closed, and its group, and reap it; close ``stdout``, its output.

    The steps are those of the stdio transport: SIGTERM, then SIGKILL, to the process group, so that the processes that
    the server has started end, too. In a fork of the process that started it (``owner``) only close ``stdout``. An
    exception of a signal's handler skips to the last step.
    """
    exited = -1
    try:
        if os.getpid() != owner:
            # Not a child of this process, so there is nothing to reap.
            popen.returncode = 0
            return
        exited = exit_descriptor(popen.pid)
        try:
            _end(popen, exited, stdout, timeouts)
        except BaseException:
            _signal(popen, signal.SIGKILL)
            _wait(exited, stdout, timeouts.kill)
            popen.poll()
            raise
    finally:
        for fd in (exited, stdout):
            if fd >= 0:
                os.close(fd)


def _end(popen: subprocess.Popen[bytes], exited: int, stdout: int, timeouts: ShutdownTimeouts) -> None:
    terminated = False
    ended = _wait(exited, stdout, timeouts.grace)
    if not ended:
        _signal(popen, signal.SIGTERM)
        terminated = True
        ended = _wait(exited, stdout, timeouts.terminate)
    if not ended:
        _signal(popen, signal.SIGKILL)
        ended = _wait(exited, stdout, timeouts.kill)
    collected = is_collected(popen.pid)
    popen.poll()
    if ended and not collected:
        _end_group(popen.pid, timeouts.terminate, terminated=terminated)


def _end_group(group: int, seconds: float, *, terminated: bool) -> None:
    """End the processes that the server has started. The id of the group stays taken while any of them lives."""
    deadline = monotonic() + seconds
    pause = 0.001
    while _alive(group):
        if not terminated:
            terminated = True
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
    """Signal the group, as long as its id is certain to be that of the process."""
    if popen.returncode is None and not is_collected(popen.pid):
        _signal_group(popen.pid, number)


def _signal_group(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _wait(exited: int, stdout: int, seconds: float) -> bool:
    """Wait for the end and discard the output, so that it need not wait; return whether it came in time."""
    poll = select.poll()
    poll.register(exited, select.POLLIN)
    poll.register(stdout, select.POLLIN)
    deadline = monotonic() + seconds
    while True:
        left = max(deadline - monotonic(), 0.0)
        ready = {fd for fd, _ in poll.poll(left * 1000)}
        if exited in ready:
            return True
        if stdout in ready and not _discard(stdout):
            poll.unregister(stdout)
        if left <= 0:
            return False


def _discard(stdout: int) -> bool:
    try:
        return bool(os.read(stdout, 64 * 1024))
    except OSError:
        return False
