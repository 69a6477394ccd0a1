"""Starts a server as a process: what it is given, and what is said when that fails."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from ..errors import ConnectionClosed, UsageError
from ..validation import check_command

if TYPE_CHECKING:
    import subprocess

PIPE: Final = -1
"""Stands for a new pipe, as it does in ``subprocess``, which is imported only when something is started."""

ENVIRONMENT: Final = tuple(
    (
        "APPDATA HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PATHEXT PROCESSOR_ARCHITECTURE SYSTEMDRIVE SYSTEMROOT TEMP TMP"
        " USERNAME USERPROFILE"
        if sys.platform == "win32"
        else "HOME LANG LC_ALL LC_CTYPE LOGNAME PATH SHELL TERM TMPDIR TZ USER"
    ).split()
)
"""The variables that a server is given of this process's environment, if nothing else is said."""

LONGEST_WORD: Final = 60
LONGEST_COMMAND: Final = 200
"""Characters of one argument, and of a whole command, that messages show."""


def environment(env: Mapping[str, str] | None, *, inherit_env: bool) -> dict[str, str]:
    """The environment of a server: all of this process's or the harmless part, and ``env`` over it."""
    if inherit_env:
        given = dict(os.environ)
    else:
        # A value that begins with () is a function of an old shell, and code.
        given = {
            name: os.environ[name]
            for name in ENVIRONMENT
            if name in os.environ and not os.environ[name].startswith("()")
        }
    given.update(env or {})
    return given


def as_line(command: Sequence[str | os.PathLike[str]]) -> str:
    """Return a command as one types it, for messages: long arguments, such as programs after ``-c``, are cut."""
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
    """Starts it in a session of its own; raises UsageError for what the caller can mend.

    Gives this side's ends of its pipes, too: its input, its output, and its standard error if that is ``PIPE``.
    """
    # Costs more than the rest together, and only who starts a process needs it.
    import subprocess

    check_command(command)
    words: list[str] = []
    own: list[int] = []
    given: list[int] = []
    try:
        words = [os.fsdecode(part) for part in command]
        # Pipes of its own making `Popen` leaves open in CPython 3.11.2 when descriptors run out halfway.
        for _ in range(3 if stderr == PIPE else 2):
            reader, writer = os.pipe()
            own.append(reader if own else writer)
            given.append(writer if given else reader)
        popen = subprocess.Popen(  # noqa: S603 - to run what the caller names is what this is for
            words,
            stdin=given[0],
            stdout=given[1],
            stderr=given[2] if stderr == PIPE else stderr,
            env=dict(env),
            cwd=cwd,
            bufsize=0,
            start_new_session=True,
        )
    except BaseException as problem:
        for fd in (*own, *given):
            os.close(fd)
        if isinstance(problem, OSError):
            raise _explained(problem, words, env, cwd) from problem
        if isinstance(problem, (TypeError, ValueError)):
            text = f"cannot start {_named(command)}: {problem}"
            raise UsageError(text) from problem
        raise
    for fd in given:
        os.close(fd)
    return popen, own


def _named(command: Sequence[object]) -> str:
    """Return a command that cannot be started for its message; it may hold what is no text."""
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
        import shutil

        found = shutil.which(program, path=env.get("PATH"))
        if found is not None:
            return UsageError(f"{begun}the interpreter that the first line of {found} names is not there; install it")
        if os.sep in program:
            return UsageError(f"{begun}there is no such file; give the path of a program")
        return UsageError(f"{begun}no such program in PATH ({env.get('PATH', '')}); install it, or give its full path")
    if isinstance(problem, PermissionError):
        return UsageError(
            f"{begun}it may not be executed; chmod +x it, or name its interpreter before it in the command"
        )
    if isinstance(problem, NotADirectoryError):
        return UsageError(f"{begun}a part of its path is no folder; give the path of a program")
    if problem.errno == 8:
        return UsageError(f"{begun}it is no program (no #! line); name its interpreter before it in the command")
    return ConnectionClosed(f"{begun}{problem.strerror}")
