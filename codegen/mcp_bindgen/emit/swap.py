"""Replaces several files at once: everything is written beside them first, and any failure undoes what was done."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from mcp_bindgen.errors import BindgenError


def swap(written: Mapping[str, bytes], removed: Sequence[str], target: Path) -> None:
    """Write and remove files below ``target``; raises BindgenError with everything as it was before."""
    undo: list[Callable[[], object]] = []
    try:
        _make_folder(target, undo)
        # Inside the target, so that it is on the same file system and os.replace can be atomic.
        stage = Path(tempfile.mkdtemp(prefix=".mcp-codegen-", dir=target))
        undo.append(partial(shutil.rmtree, stage, ignore_errors=True))
        staged = {path: _stage(stage / str(number), data) for number, (path, data) in enumerate(written.items())}
        kept = stage / "kept"
        kept.mkdir()
        for number, (path, new) in enumerate(staged.items()):
            _replace(new, target / path, kept / str(number), undo)
        for number, path in enumerate(removed, len(staged)):
            _remove(target / path, kept / str(number), undo)
    except OSError as problem:
        _roll_back(undo)
        place = problem.filename2 or problem.filename or target
        message = f"cannot write {_beside(place, target)}: {problem.strerror}; nothing was changed"
        raise BindgenError(message) from problem
    except BaseException:
        _roll_back(undo)
        raise
    for path in removed:
        _drop_empty((target / path).parent, target)
    shutil.rmtree(stage, ignore_errors=True)


def _make_folder(folder: Path, undo: list[Callable[[], object]]) -> None:
    missing: list[Path] = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for made in reversed(missing):
        made.mkdir()
        undo.append(made.rmdir)


def _stage(place: Path, data: bytes) -> Path:
    place.write_bytes(data)
    return place


def _replace(new: Path, place: Path, kept: Path, undo: list[Callable[[], object]]) -> None:
    _make_folder(place.parent, undo)
    if place.exists():
        # A copy, not a move: so the file is there, old or new, at every moment.
        shutil.copy2(place, kept)
        new.chmod(place.stat().st_mode)
        undo.append(partial(os.replace, kept, place))
    else:
        undo.append(partial(place.unlink, missing_ok=True))
    new.replace(place)


def _remove(place: Path, kept: Path, undo: list[Callable[[], object]]) -> None:
    undo.append(partial(os.replace, kept, place))
    place.replace(kept)


def _roll_back(undo: list[Callable[[], object]]) -> None:
    # The last step first: what was replaced comes back before the stage that keeps it goes, and folders go last.
    for step in reversed(undo):
        with contextlib.suppress(OSError):
            step()


def _drop_empty(folder: Path, target: Path) -> None:
    while folder != target:
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent


def _beside(place: str | bytes | Path | int, target: Path) -> str:
    """The path to show: files of the stage have names of no meaning, so the target stands for them."""
    shown = place if isinstance(place, str) else str(target) if isinstance(place, (bytes, int)) else str(place)
    return str(target) if ".mcp-codegen-" in shown else shown
