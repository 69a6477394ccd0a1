"""Output of the commands: results to stdout, messages to stderr, colour on terminals."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any, TextIO

import click

_OBEYED = re.compile(r"[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Characters that JSON leaves as they are and a terminal obeys: controls, line separators, direction of the text."""


class _Verbosity:
    quiet = False


def silence() -> None:
    """Print results and errors only, until ``prepare`` is called again."""
    _Verbosity.quiet = True


def is_quiet() -> bool:
    """Return whether remarks and warnings are left out."""
    return _Verbosity.quiet


def prepare() -> None:
    """Configure the standard streams so that every character can be printed."""
    _Verbosity.quiet = False
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            # Closed by the parent process (`>&-`).
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


class OutputError(Exception):
    """Standard output cannot be written, for instance because the disk is full."""


class ClosedOutputError(OutputError):
    """The reader of standard output has closed it, as ``head`` does."""


def print_line(text: str) -> None:
    """Print a line of a result."""
    write(f"{text}\n")


def write(text: str) -> None:
    """Print a part of a result without adding a line end."""
    with _printing():
        sys.stdout.write(text)


def flush() -> None:
    """Flush standard output, so that failures are reported."""
    with _printing():
        sys.stdout.flush()


@contextlib.contextmanager
def _printing() -> Generator[None, None, None]:
    try:
        yield
    except BrokenPipeError as problem:
        raise ClosedOutputError from problem
    except OSError as problem:
        message = f"cannot write to standard output: {problem.strerror}"
        raise OutputError(message) from problem


def confirm(line: str) -> None:
    """Print that all is well, or what was written, unless the command is quiet."""
    if not _Verbosity.quiet:
        print_line(line)


def print_json(document: Any) -> None:
    """Print a result as JSON."""
    write(json_text(document, sys.stdout))


def json_text(document: Any, stream: TextIO | None) -> str:
    """Return a document as indented JSON, as `json_line` escapes it, with a newline."""
    return f"{json_line(document, stream, indent=2)}\n"


def json_line(value: Any, stream: TextIO | None, *, indent: int | None = None) -> str:
    """Return a value as JSON, escaped for the stream's encoding and for terminals; None stands for a file in UTF-8."""
    if stream is None:
        return json.dumps(value, indent=indent, ensure_ascii=False)
    unicode = (stream.encoding or "").lower().replace("-", "") in {"utf8", "utf8sig"}
    text = json.dumps(value, indent=indent, ensure_ascii=not unicode)
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def note(text: str) -> None:
    """Print a remark to standard error, unless the command is quiet."""
    if not _Verbosity.quiet:
        _write_to_stderr("", text)


def detail(text: str) -> None:
    """Print a part of an error, or what the user has asked for, to standard error."""
    _write_to_stderr("", text)


def warning(text: str) -> None:
    """Print a warning, unless the command is quiet."""
    if not _Verbosity.quiet:
        _write_to_stderr(paint(sys.stderr, "warning:", fg="yellow") + " ", text)


def warnings(label: str, texts: Iterable[str]) -> None:
    """Print warnings about the schema with this label."""
    for text in texts:
        warning(f"{label}: {text}")


def error(text: str) -> None:
    """Print an error."""
    _write_to_stderr(paint(sys.stderr, "error:", fg="red", bold=True) + " ", text)


def _write_to_stderr(label: str, text: str) -> None:
    # Names of a schema may contain control characters.
    visible = "".join(char if char.isprintable() or char == "\n" else "\N{REPLACEMENT CHARACTER}" for char in text)
    with contextlib.suppress(OSError):
        sys.stderr.write(f"{label}{visible}\n")


def paint(stream: TextIO, text: str, **style: Any) -> str:
    """Return the text in colour, if the stream supports it."""
    return click.style(text, **style) if wants_colour(stream) else text


def wants_colour(stream: TextIO) -> bool:
    """Return whether to use colour: ``NO_COLOR`` (https://no-color.org), ``FORCE_COLOR``, else on terminals.

    ``FORCE_COLOR=0`` means no colour, as in Node.js.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if forced := os.environ.get("FORCE_COLOR"):
        return forced != "0"
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def width() -> int:
    """Return the width of the terminal: 80 if unknown, at most 100."""
    import shutil

    return min(shutil.get_terminal_size((80, 24)).columns, 100)


def shown(path: Path) -> str:
    """Return a path relative to the current folder if it is below it."""
    try:
        return path.resolve().relative_to(Path.cwd().resolve()).as_posix()
    except (ValueError, OSError):
        return str(path)


def discard() -> None:
    """Redirect standard output to the null device, so that the interpreter's final flush cannot fail."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
