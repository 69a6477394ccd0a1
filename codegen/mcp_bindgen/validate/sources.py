"""Sources to check: the files of a path, their formats, and the types and revisions that their folders name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal, TypeAlias

from attrs import frozen

from mcp_bindgen import catalog
from mcp_bindgen.errors import BindgenError

Form: TypeAlias = Literal["lines", "log", "json", "markdown", "html"]
"""Format of a source: a JSON text on each line, the same among other text, one JSON text, or documentation."""

_BY_SUFFIX: dict[str, Form] = {
    ".jsonl": "lines",
    ".ndjson": "lines",
    ".log": "log",
    ".json": "json",
    ".md": "markdown",
    ".mdx": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
}
_LEFT_OUT = frozenset({"node_modules", "__pycache__"})
STDIN = "-"


class InputError(BindgenError):
    """A source is missing, unreadable, or larger than allowed; the message names it."""


@frozen
class Source:
    """One file, or standard input."""

    name: str
    """Name as the user wrote it; ``<stdin>`` for standard input."""
    path: Path | None
    """File; None for standard input."""
    form: Form | None
    """Format; None if it must be detected from the content."""
    type: str | None = None
    """Type of its values, named by its folder."""
    revision: str | None = None
    """Revision named by its path."""
    size: int = 0
    """Size in bytes; 0 if unknown."""


def find(
    paths: Iterable[str | Path], form: Form | None = None, is_type: Callable[[str], bool] | None = None
) -> Iterator[Source]:
    """Yield the sources of paths: files, folders with their files, sorted, and ``-`` for standard input.

    In folders, files with an unknown suffix, hidden files and ``node_modules`` are skipped. ``is_type`` returns whether
    the name of a folder is that of a type; the values of its files are then of that type. Raise `InputError` for a
    missing path, and for a folder without files to check.
    """
    for path in paths:
        if str(path) == STDIN:
            yield Source("<stdin>", None, form)
        elif os.path.isdir(path):  # noqa: PTH112 - Path.is_dir raises for a name that is too long
            yield from _below(Path(path), is_type, form)
        else:
            yield _file(Path(path), is_type, form or _BY_SUFFIX.get(Path(path).suffix.lower()))


def _below(folder: Path, is_type: Callable[[str], bool] | None, form: Form | None) -> Iterator[Source]:
    empty = True
    for here, folders, files in os.walk(folder, onerror=_unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _LEFT_OUT)
        for name in sorted(files):
            known = _BY_SUFFIX.get(Path(name).suffix.lower())
            if known is None or name.startswith("."):
                continue
            empty = False
            yield _file(Path(here, name), is_type, form or known)
    if empty:
        message = f"{folder}: no files to check; looked for {', '.join(_BY_SUFFIX)}"
        raise InputError(message)


def _file(path: Path, is_type: Callable[[str], bool] | None, form: Form | None) -> Source:
    try:
        size = path.stat().st_size
        folder = path.resolve().parent
    except (OSError, ValueError, RuntimeError) as problem:
        raise InputError(unreadable(str(path), problem)) from None
    kind = folder.name if is_type and form not in {"markdown", "html"} and is_type(folder.name) else None
    revision = _revision_of(folder) if kind else None
    return Source(str(path), path, form, kind, revision, size)


def _revision_of(folder: Path) -> str | None:
    """Return the revision that the path of a folder of examples names; folders of logs may be named after dates."""
    return next((part for part in reversed(folder.parts) if part in catalog.revisions()), None)


def _unreadable(problem: OSError) -> None:
    raise InputError(unreadable(str(problem.filename), problem)) from None


def unreadable(name: str, problem: Exception) -> str:
    """Return the error message for an unreadable source."""
    reason = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
    return f"cannot read {name}: {reason[:1].lower()}{reason[1:]}"
