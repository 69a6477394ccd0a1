"""Files of options such as ``--record``, to which lines are appended while a command runs."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from mcp_bindgen.errors import BindgenError


def open_for_appending(path: Path, option: str) -> TextIO:
    """Open the file of an option, and make the folders above it that do not exist; raise `BindgenError` if that fails."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("a", encoding="utf-8")
    except OSError as problem:
        message = f"cannot write {str(path)!r}: {problem.strerror}; pass a writable file to {option}"
        raise BindgenError(message) from problem
