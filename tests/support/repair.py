"""Commands that failing tests print: each works when it is copied to the shell in which the tests were started."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path


def repair_command(program: str, *arguments: str) -> str:
    """Return the command that runs a program of the tests with the interpreter that runs the tests."""
    return shlex.join([short_path(sys.executable), short_path(program), *arguments])


def short_path(path: str) -> str:
    """Return a path relative to the working directory if it is below it; symbolic links are kept."""
    absolute, folder = Path(path).absolute(), Path.cwd()
    return str(absolute.relative_to(folder)) if absolute.is_relative_to(folder) else str(absolute)
