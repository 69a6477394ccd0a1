"""A result that goes to a file instead of to standard output."""

from __future__ import annotations

import os
from pathlib import Path

from mcp_bindgen.cli import output
from mcp_bindgen.errors import BindgenError


def write_file(file: Path, text: str) -> None:
    """Write the file whole, or raise BindgenError and leave everything as it was."""
    from mcp_bindgen.emit.swap import swap

    # What a link leads to is written, not the link.
    place = Path(os.path.realpath(file))
    if place.exists() and not place.is_file():
        what = "a folder" if place.is_dir() else "no regular file"
        message = f"cannot write {output.shown(file)}: it is {what}; give -o the name of a file"
        raise BindgenError(message)
    swap({place.name: text.encode("utf-8", "backslashreplace")}, (), place.parent)
