"""What is printed, and where: results on stdout, everything else on stderr, colour where somebody looks."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any, TextIO

import click


def prepare() -> None:
    """Make sure that no character can keep a message from being printed."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            # Closed by whoever started us (`>&-`): there is nobody to read anything.
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


class CannotPrintError(Exception):
    """Standard output takes no more: its disk is full, or the like."""


class NobodyReadsError(CannotPrintError):
    """Whoever read standard output has gone away, as ``head`` does."""


def say(text: str) -> None:
    """Print a result."""
    write(f"{text}\n")


def write(text: str) -> None:
    """Print a part of a result, byte for byte."""
    with _printing():
        sys.stdout.write(text)


def flush() -> None:
    """Write out what is buffered, while a failure can still be told."""
    with _printing():
        sys.stdout.flush()


@contextlib.contextmanager
def _printing() -> Generator[None, None, None]:
    try:
        yield
    except BrokenPipeError as problem:
        raise NobodyReadsError from problem
    except OSError as problem:
        message = f"cannot write to standard output: {problem.strerror}"
        raise CannotPrintError(message) from problem


def say_json(document: Any) -> None:
    """Print a result for a program."""
    write(json_text(document, sys.stdout))


def json_text(document: Any, stream: TextIO | None) -> str:
    """A result for a program, in characters that the stream can take; None stands for a file in UTF-8."""
    unicode = stream is None or (stream.encoding or "").lower().replace("-", "") in {"utf8", "utf8sig"}
    return f"{json.dumps(document, indent=2, ensure_ascii=not unicode)}\n"


def note(text: str) -> None:
    """Print what is worth knowing, but no result."""
    _complain("", text)


def warning(text: str) -> None:
    """Print what may go wrong."""
    _complain(paint(sys.stderr, "warning:", fg="yellow") + " ", text)


def warnings(label: str, texts: Iterable[str]) -> None:
    """Print what may go wrong with the schema of this label."""
    for text in texts:
        warning(f"{label}: {text}")


def error(text: str) -> None:
    """Print what went wrong."""
    _complain(paint(sys.stderr, "error:", fg="red", bold=True) + " ", text)


def _complain(label: str, text: str) -> None:
    # Names of a schema may hold what a terminal obeys.
    visible = "".join(char if char.isprintable() or char == "\n" else "\N{REPLACEMENT CHARACTER}" for char in text)
    with contextlib.suppress(OSError):
        sys.stderr.write(f"{label}{visible}\n")


def paint(stream: TextIO, text: str, **style: Any) -> str:
    """The text in colour, if the stream is to have colour."""
    return click.style(text, **style) if wants_colour(stream) else text


def wants_colour(stream: TextIO) -> bool:
    """``NO_COLOR`` forbids it (https://no-color.org), ``FORCE_COLOR`` demands it; else it takes a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def width() -> int:
    """The columns to fill: those of the terminal, 80 where there is none, at most 100 as long lines read badly."""
    import shutil

    return min(shutil.get_terminal_size((80, 24)).columns, 100)


def shown(path: Path) -> str:
    """A path as a person would type it here."""
    try:
        return path.resolve().relative_to(Path.cwd().resolve()).as_posix()
    except (ValueError, OSError):
        return str(path)


def abandon() -> None:
    """Let the interpreter find nothing to flush when it ends, since nobody reads it."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
