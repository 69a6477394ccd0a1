"""The output folder: all files of a run are written or none, and files of the user are never overwritten.

A file is ours if it starts with our header. Files below a folder (``v2025_03_26/types.py``) belong to that folder's
package: files of ours that the run does not make are removed. A package of another label is never replaced. The marker
``py.typed``, which has no header, is created if it is absent.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from attrs import field, frozen

from mcp_bindgen.emit.header import HEADER, label_of, version_of
from mcp_bindgen.emit.transaction import apply_changes, exclusive
from mcp_bindgen.errors import BindgenError

_ROOT = "__init__.py"
_MARKER = "py.typed"
_OPTIONAL = ("adapters.py", "connect.py", "serve.py", "testing.py")
"""Modules at the top that a run may leave out, and then removes."""


@frozen
class Written:
    """Result of a run, as sorted paths relative to the target."""

    created: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    overwritten: tuple[str, ...] = ()
    """Files in ``changed`` that were not ours and were overwritten because of ``--force``."""

    @property
    def touched(self) -> bool:
        """Whether the run changed any file."""
        return bool(self.created or self.changed or self.removed)

    def below(self, package: str) -> Written:
        """Return the part for one package, or for the files at the top if the name is empty."""

        def part(paths: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(path for path in paths if _package(path) == package)

        groups = (self.created, self.changed, self.unchanged, self.removed, self.overwritten)
        return Written(*(part(paths) for paths in groups))


@frozen
class Drift:
    """A file that differs from the file that would be generated."""

    path: str
    state: str
    """``missing``, ``changed`` or ``stale``."""
    diff: str
    only_line_ends: bool = False
    """The file has CRLF where LF would be generated, as Git writes it on Windows, and no other difference."""
    generated_by: str | None = None
    """The version of mcp-codegen in the header of the file, if it has one."""


@frozen
class _Survey:
    """Comparison of the existing files with those to write, made once."""

    created: tuple[str, ...]
    changed: tuple[str, ...]
    unchanged: tuple[str, ...]
    stale: tuple[str, ...]
    foreign: tuple[str, ...]
    """Files to change that are not ours; also in ``changed``."""
    found: Mapping[str, bytes] = field(repr=False)


def write(files: Mapping[str, str], target: Path, *, force: bool = False) -> Written:
    """Write ``files`` (relative path to text) below ``target``; raise BindgenError and change nothing on failure."""
    _refuse_no_folder(target)
    with exclusive(target):
        survey = _survey(files, target)
        _refuse_foreign(survey, target, force=force)
        written = {path: files[path].encode() for path in (*survey.created, *survey.changed)}
        if written or survey.stale:
            apply_changes(written, survey.stale, target)
    return Written(survey.created, survey.changed, survey.unchanged, survey.stale, survey.foreign)


def require_writable(files: Mapping[str, str], target: Path, *, force: bool = False) -> None:
    """Raise BindgenError if ``write`` would refuse the files because of what the target contains."""
    _refuse_foreign(_survey(files, target), target, force=force)


def check(files: Mapping[str, str], target: Path) -> list[Drift]:
    """Return the differences between ``target`` and ``files`` as unified diffs, without writing."""
    survey = _survey(files, target)
    drifts: list[Drift] = []
    for path in sorted((*survey.created, *survey.changed, *survey.stale)):
        state = "missing" if path in survey.created else "stale" if path in survey.stale else "changed"
        found = survey.found.get(path)
        before = None if found is None else found.decode("utf-8", "backslashreplace")
        difference = _diff(str(target / path), before, files.get(path))
        line_ends = found is not None and path in files and found.replace(b"\r\n", b"\n") == files[path].encode()
        drifts.append(Drift(path, state, difference, line_ends, None if found is None else version_of(found)))
    return drifts


def strange_modules(files: Mapping[str, str], target: Path) -> list[str]:
    """Return the Python files in the packages that are neither ours nor in the way: they are kept, and not compared."""
    found = (path for path, ours in _files_in_packages(files, target) if not ours and path not in files)
    return [path for path in found if path.endswith((".py", ".pyi"))]


def _survey(files: Mapping[str, str], target: Path) -> _Survey:
    _refuse_no_folder(target)
    created: list[str] = []
    changed: list[str] = []
    unchanged: list[str] = []
    foreign: list[str] = []
    found: dict[str, bytes] = {}
    _refuse_other_label(files, target)
    for path, text in sorted(files.items()):
        before = _read(target, path)
        if before is None:
            created.append(path)
            continue
        found[path] = before
        ours = before.startswith(HEADER.encode())
        if before == text.encode() or path == _MARKER:
            unchanged.append(path)
        else:
            changed.append(path)
            if not ours:
                foreign.append(path)
    stale = [path for path, ours in _files_in_packages(files, target) if ours and path not in files]
    if _ROOT in files:
        stale = [*(name for name in _OPTIONAL if name not in files and is_ours(target / name)), *stale]
    found.update((path, (target / path).read_bytes()) for path in stale)
    return _Survey(tuple(created), tuple(changed), tuple(unchanged), tuple(stale), tuple(foreign), found)


def _refuse_other_label(files: Mapping[str, str], target: Path) -> None:
    """Raise ``BindgenError`` if the package of another label has the name of one of the run's packages."""
    for path, text in files.items():
        package, _, name = path.partition("/")
        label = label_of(text.encode()) if name == _ROOT else None
        present = None if label is None else label_of(_read(target, path) or b"")
        if present is not None and present != label:
            message = (
                f"{target / package} is the package of {present!r}, and {label!r} has the same package name; choose another "
                "label, or delete that folder"
            )
            raise BindgenError(message)


def _refuse_foreign(survey: _Survey, target: Path, *, force: bool) -> None:
    if survey.foreign and not force:
        raise BindgenError(_foreign_message(survey.foreign, target))


def _foreign_message(foreign: Sequence[str], target: Path) -> str:
    listed = "\n".join(f"    {target / path}" for path in foreign)
    message = f"these files were not generated by mcp-codegen; pass --force to overwrite them:\n{listed}"
    if _ROOT in foreign:
        own = target / "_mcp"
        message += f"\nmcp-codegen writes the `{_ROOT}` of its folder; use a folder of its own, such as --out {own}"
    return message


def _refuse_no_folder(target: Path) -> None:
    # A link to a folder counts as a folder; a dangling link or one to a file does not.
    for folder in (target, *target.parents):
        if folder.is_dir():
            return
        if folder.is_symlink() or folder.exists():
            kind = "a broken link" if not folder.exists() else "not a folder"
            message = f"the output folder {target} cannot be used: {folder} is {kind}"
            raise BindgenError(message)


def _read(target: Path, path: str) -> bytes | None:
    """Return the bytes of a file below ``target``, None if it is absent; raise BindgenError for a link or folder."""
    place = target
    for part in Path(path).parts:
        place /= part
        # Writing through a link would change files outside the target; replacing it would surprise its owner.
        if place.is_symlink():
            message = f"{place} is a symbolic link; remove it, or write elsewhere with --out"
            raise BindgenError(message)
    try:
        return place.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as problem:
        message = f"cannot read {problem.filename or place}: {problem.strerror}"
        raise BindgenError(message) from problem


def _files_in_packages(files: Mapping[str, str], target: Path) -> Iterator[tuple[str, bool]]:
    """Yield the files in the packages that the run writes, each with whether it is ours."""
    packages = {_package(path) for path in files} - {""}
    for package in sorted(packages):
        for folder, inner, names in os.walk(target / package):
            inner[:] = sorted(name for name in inner if name != "__pycache__")
            for name in sorted(names):
                path = Path(folder, name)
                yield path.relative_to(target).as_posix(), is_ours(path)


def is_ours(path: Path) -> bool:
    """Return whether a file starts with our header."""
    try:
        if path.is_symlink() or not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(HEADER)) == HEADER.encode()
    except OSError as problem:
        message = f"cannot read {path}: {problem.strerror}"
        raise BindgenError(message) from problem


def _package(path: str) -> str:
    """Return the first folder of a path; empty for a file at the top."""
    head, separator, _ = path.partition("/")
    return head if separator else ""


def _diff(path: str, before: str | None, after: str | None) -> str:
    shown = path.replace(os.sep, "/")
    lines = difflib.unified_diff(
        (before or "").splitlines(keepends=True),
        (after or "").splitlines(keepends=True),
        "/dev/null" if before is None else shown,
        "/dev/null" if after is None else shown,
        "" if before is None else "on disk",
        "" if after is None else "as generated",
    )
    whole = [line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines]
    # A missing empty file (py.typed) has no lines, but must be reported too.
    return "".join(whole) or f"--- {'/dev/null' if before is None else shown}\n+++ {shown}\n"
