"""Transaction on a folder: packages are replaced as a whole, so a killed run leaves each old or new, never mixed.

1. The run locks the folder, so that one run at a time writes to it.
2. It restores what a killed run left unfinished, and removes that run's stage.
3. It builds the new packages in a stage of its own. Files that stay, the user's among them, become hard links there.
4. It writes a journal of what it is about to replace, and replaces one package (or file at the top) after the other.
5. It removes the journal, which commits the run, and then the stage with the old packages.

A failure restores the old packages by the journal, just as the next run does after a kill.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from attrs import asdict, frozen

from mcp_bindgen.errors import BindgenError

STAGE = ".mcp-codegen-"
"""Prefix of the name of a stage."""
JOURNAL = "journal.json"
LOCK_TIMEOUT = 30.0
"""Seconds to wait for another run that writes to the same folder."""
_POLL = 0.05
_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


@frozen
class _Unit:
    """A package, or a file at the top, to replace; inode numbers identify it wherever it is at the moment."""

    name: str
    before: int | None
    """Inode before; None if it did not exist."""
    after: int | None
    """Inode afterwards; None for a package that is removed."""


@contextmanager
def exclusive(target: Path) -> Generator[None, None, None]:
    """Lock a folder against other runs; create it if it is absent, and restore what a killed run left unfinished.

    A created folder that is still empty at the end is removed. Raise BindgenError if another run keeps the lock.
    """
    made: list[Path] = []
    try:
        with _explained(target):
            _make_folders(target, made)
            descriptor = _lock(target)
        try:
            with _explained(target):
                for stage in sorted(target.glob(f"{STAGE}*")):
                    _restore(stage, target)
            yield
        finally:
            if descriptor is not None:
                os.close(descriptor)
    finally:
        for folder in reversed(made):
            with contextlib.suppress(OSError):
                folder.rmdir()


def apply_changes(written: Mapping[str, bytes], removed: Sequence[str], target: Path) -> None:
    """Write and remove files below ``target``, which ``exclusive`` has made and locked.

    Raise BindgenError and change nothing on failure.
    """
    with _explained(target):
        # Inside the target, so that it is on the same file system.
        stage = Path(tempfile.mkdtemp(prefix=STAGE, dir=target))
        try:
            units = _build(written, removed, target, stage)
            _write_journal(stage, units)
            for unit in units:
                _replace(unit, target, stage)
            (stage / JOURNAL).unlink()
        finally:
            # After the commit there is nothing to restore.
            _restore(stage, target)


def _build(written: Mapping[str, bytes], removed: Sequence[str], target: Path, stage: Path) -> list[_Unit]:
    """Build the new packages in the stage."""
    new = stage / "new"
    new.mkdir()
    (stage / "old").mkdir()
    names = list(dict.fromkeys(path.partition("/")[0] for path in (*written, *removed)))
    replaced = {target / path for path in (*written, *removed)}
    modes: list[tuple[Path, Path]] = []
    for name in names:
        if (target / name).is_dir():
            _link_tree(target / name, new / name, replaced, modes)
    for path, data in written.items():
        place = new / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        if (target / path).exists():
            shutil.copymode(target / path, place)
    for path in removed:
        _drop_empty((new / path).parent, new)
    # Last, as a folder may be read-only; the inner ones first.
    for before, after in reversed(modes):
        if after.exists():
            shutil.copymode(before, after)
    return [_Unit(name, _inode(target / name), _inode(new / name)) for name in names]


def _link_tree(source: Path, to: Path, left_out: Collection[Path], modes: list[tuple[Path, Path]]) -> None:
    to.mkdir()
    modes.append((source, to))
    for entry in os.scandir(source):
        place, copy = source / entry.name, to / entry.name
        if entry.is_dir(follow_symlinks=False):
            _link_tree(place, copy, left_out, modes)
        elif entry.is_symlink():
            copy.symlink_to(place.readlink())
        elif place not in left_out:
            try:
                os.link(place, copy)
            except OSError:
                # A file system without hard links, or somebody else's file.
                shutil.copy2(place, copy)


def _write_journal(stage: Path, units: Sequence[_Unit]) -> None:
    # Renamed into place, so that nobody reads half of one.
    draft = stage / "draft.json"
    draft.write_text(json.dumps([asdict(unit) for unit in units]), encoding="utf-8")
    draft.replace(stage / JOURNAL)


def _replace(unit: _Unit, target: Path, stage: Path) -> None:
    place, new, old = target / unit.name, stage / "new" / unit.name, stage / "old" / unit.name
    if unit.after is None:
        place.rename(old)
    elif unit.before is None:
        new.rename(place)
    elif not exchange_paths(new, place):
        if place.is_dir():
            place.rename(old)
        else:
            _keep_file(place, old)
        new.replace(place)


def _keep_file(place: Path, old: Path) -> None:
    # A file at the top can be kept without taking it away.
    try:
        os.link(place, old)
    except OSError:
        place.rename(old)


def _restore(stage: Path, target: Path) -> None:
    """Restore what the journal of a stage lists, if there is one, and remove the stage; may be repeated."""
    if (stage / JOURNAL).is_file():
        undone = stage / "undone"
        undone.mkdir(exist_ok=True)
        for unit in _read_journal(stage):
            _restore_unit(unit, target / unit.name, stage)
        (stage / JOURNAL).unlink()
    shutil.rmtree(stage, ignore_errors=True)


def _restore_unit(unit: _Unit, place: Path, stage: Path) -> None:
    now = _inode(place)
    if now == unit.before or now not in {unit.after, None}:
        # Never replaced, or changed by somebody else since.
        return
    undone = stage / "undone" / unit.name
    if unit.before is None:
        place.rename(undone)
        return
    # Two renames put it there, or an exchange.
    places = (stage / "old" / unit.name, stage / "new" / unit.name)
    kept = next((each for each in places if _inode(each) == unit.before), None)
    if kept is None:
        return
    if now is not None and place.is_dir():
        if exchange_paths(kept, place):
            return
        place.rename(undone)
    kept.replace(place)


def _read_journal(stage: Path) -> list[_Unit]:
    try:
        units = [_Unit(**row) for row in json.loads((stage / JOURNAL).read_bytes())]
        ours = all(unit.name == Path(unit.name).name for unit in units)
    except (TypeError, ValueError):
        ours, units = False, []
    if not ours:
        message = (
            f"cannot restore the files in {stage}: its {JOURNAL} was not written by mcp-codegen; remove that folder"
        )
        raise BindgenError(message)
    return units


def _inode(place: Path) -> int | None:
    try:
        return place.lstat().st_ino
    except FileNotFoundError:
        return None


def _lock(target: Path) -> int | None:
    """Return the descriptor that holds the lock until it is closed; None on Windows, where folders cannot be locked."""
    if sys.platform == "win32":
        return None
    import fcntl

    descriptor = os.open(target, os.O_RDONLY)
    try:
        limit = time.monotonic() + LOCK_TIMEOUT
        while time.monotonic() < limit:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return descriptor
            time.sleep(_POLL)
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    message = f"another run of mcp-codegen is writing to {target}; try again when it has finished"
    raise BindgenError(message)


def _make_folders(folder: Path, made: list[Path]) -> None:
    missing: list[Path] = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        with contextlib.suppress(FileExistsError):
            each.mkdir()
            made.append(each)


def _drop_empty(folder: Path, top: Path) -> None:
    while folder != top:
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent


@contextmanager
def _explained(target: Path) -> Generator[None, None, None]:
    """Raise BindgenError for an OSError."""
    try:
        yield
    except OSError as problem:
        place = problem.filename2 or problem.filename or target
        message = f"cannot write {_beside(place, target)}: {problem.strerror}; nothing was changed"
        raise BindgenError(message) from problem


def _beside(place: str | bytes | Path | int, target: Path) -> str:
    """Return the path to show: the target instead of a file of the stage."""
    shown = place if isinstance(place, str) else str(target) if isinstance(place, (bytes, int)) else str(place)
    return str(target) if STAGE in shown else shown


def exchange_paths(one: Path, other: Path) -> bool:
    """Exchange two paths of one file system, so that both exist at every moment; return False if that is impossible.

    This requires Linux and a file system that supports ``renameat2`` with ``RENAME_EXCHANGE``, for which Python has no
    function. Otherwise the caller renames twice, which raises an error if the paths are the problem.
    """
    if sys.platform != "linux":
        return False
    # Loaded here: a run that changes nothing does not need it.
    import ctypes

    try:
        renameat2 = ctypes.CDLL(None).renameat2
    except AttributeError:
        # glibc before 2.28.
        return False
    done: int = renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE)
    return done == 0
