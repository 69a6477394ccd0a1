"""Paths that come from outside, kept inside a folder (Resources: Security Considerations)."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def inside(folder: str | os.PathLike[str], path: str) -> Path:
    """The real path of what ``path`` leads to from a folder, with every ``..`` and every symbolic link resolved.

    Raises FileNotFoundError where that is not in the folder, or is nowhere. ``path`` is taken as relative, slashes at
    its beginning included. Where others may change links in the folder meanwhile, open what is returned and nothing else.

    ```python
    @server.resource_template("notes:///{+path}")
    def note(path: str) -> str:
        return inside("/srv/notes", path).read_text()
    ```
    """
    root = Path(folder).resolve(strict=True)
    try:
        found = root.joinpath(path.lstrip("/\\")).resolve(strict=True)
    except (ValueError, RuntimeError, FileNotFoundError, NotADirectoryError) as fault:
        # A zero byte in it, links that lead in a circle, nothing there, or a way through a file.
        raise _absent(path) from fault
    except OSError as fault:
        # Links that lead in a circle, from Python 3.13 on.
        if fault.errno != errno.ELOOP:
            raise
        raise _absent(path) from fault
    if not found.is_relative_to(root):
        raise _absent(path)
    return found


def _absent(path: str) -> FileNotFoundError:
    return FileNotFoundError(errno.ENOENT, "nothing of that name in the folder", path)
