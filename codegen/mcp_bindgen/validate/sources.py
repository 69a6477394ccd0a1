"""What to check: the files that a path means, how each of them is read, and what its place says about its content."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from attrs import frozen

from mcp_bindgen import catalog
from mcp_bindgen.errors import BindgenError

Form: TypeAlias = Literal["lines", "log", "json", "markdown", "html"]
"""How a source is read: a JSON text on each line, the same among other text, one JSON text, documentation."""

FORMS: tuple[Form, ...] = get_args(Form)

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
    """Something to check is not there, cannot be read, or is larger than allowed; the message names it."""


@frozen
class Source:
    """One file, or standard input."""

    name: str
    """As the user named it; ``<stdin>`` for standard input."""
    path: Path | None
    """None for standard input."""
    form: Form | None
    """None: to be told from how it begins."""
    type: str | None = None
    """The type that the name of its folder says its values are of."""
    revision: str | None = None
    """The revision that its path names."""
    size: int = 0
    """In bytes; 0 where that is not known beforehand."""


def find(
    paths: Iterable[str | Path], form: Form | None = None, is_type: Callable[[str], bool] | None = None
) -> Iterator[Source]:
    """The sources that paths mean: files, folders with all they hold, sorted, and ``-`` for standard input.

    Of a folder, files that no reader knows by their suffix are left out, as are hidden ones and ``node_modules``.
    ``is_type`` says whether the name of a folder is that of a type; then what lies in it is of that type. Raises
    InputError for a path that is not there, and for a folder with nothing in it to check.
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
        message = f"{folder}: nothing to check; looked for {', '.join(_BY_SUFFIX)}"
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
    """Only for folders of examples: one of logs is as likely named after the day on which they were written."""
    return next((part for part in reversed(folder.parts) if part in catalog.revisions()), None)


def _unreadable(problem: OSError) -> None:
    raise InputError(unreadable(str(problem.filename), problem)) from None


def unreadable(name: str, problem: Exception) -> str:
    """Why a source cannot be read, in a line."""
    reason = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
    return f"cannot read {name}: {reason[:1].lower()}{reason[1:]}"
