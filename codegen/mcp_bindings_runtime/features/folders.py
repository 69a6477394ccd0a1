"""Untrusted paths, confined to a folder (Resources: Security Considerations)."""

from __future__ import annotations

import errno
import os
from pathlib import Path

_NOTHING_THERE = {errno.ELOOP, errno.ENAMETOOLONG, errno.EINVAL}
"""Links that lead in a circle (from Python 3.13 on), names that are too long, and characters that Windows does not allow."""


def inside(folder: str | os.PathLike[str], path: str, *, must_exist: bool = True) -> Path:
    """Return the real path that ``path`` leads to from a folder, with every ``..`` and every symbolic link resolved.

    ``path`` is relative, also if it begins with a slash. Raise ``FileNotFoundError`` if the resolved path is outside
    the folder or does not exist. Use ``must_exist=False`` for a file that you want to create: the path may then end in
    names that do not exist yet, below an existing folder. If others may change links in the folder meanwhile, open the
    returned path and no other.

    ```python
    @server.resource_template("notes:///{+path}")
    def note(path: str) -> str:
        return inside("/srv/notes", path).read_text()

    @server.tool
    def write(path: str, text: str) -> None:
        inside("/srv/notes", path, must_exist=False).write_text(text)
    ```
    """
    root = Path(folder).resolve(strict=True)
    wanted = root.joinpath(path.lstrip("/\\"))
    try:
        found = wanted.resolve(strict=True) if must_exist else _resolved(wanted)
    except (ValueError, RuntimeError, FileNotFoundError, NotADirectoryError) as fault:
        # A zero byte in it, links that lead in a circle, nothing there, or a way through a file.
        raise _absent(path) from fault
    except OSError as fault:
        if fault.errno not in _NOTHING_THERE:
            raise
        raise _absent(path) from fault
    if not found.is_relative_to(root):
        raise _absent(path)
    return found


def _resolved(path: Path) -> Path:
    """Return the real path of an existing folder or file, or of names below an existing folder.

    Raise as ``Path.resolve(strict=True)`` does for a way through a file, a link to nothing, and ``..`` after a name that
    does not exist.
    """
    try:
        return path.resolve(strict=True)
    except FileNotFoundError:
        # A link to nothing is not resolved: what is created through it is where the link says.
        if path.is_symlink() or path.name in {"", ".."}:
            raise
        above = _resolved(path.parent)
        if above.exists() and not above.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, "not a folder", str(above)) from None
        return above / path.name


def _absent(path: str) -> FileNotFoundError:
    return FileNotFoundError(errno.ENOENT, "no such file in the folder", path)
