"""A result that goes to a file instead of to standard output."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from mcp_bindgen.cli import output


def deliver(text: str, file: Path | None) -> None:
    """Print the text, or write it to the file."""
    if file is None:
        output.write(text)
    else:
        write_file(file, text)


def json_for(document: Any, file: Path | None) -> str:
    """A document for a program, for standard output or a file."""
    return output.json_text(document, sys.stdout if file is None else None)


def write_file(file: Path, text: str) -> None:
    """Write the file whole, or raise BindgenError and leave everything as it was."""
    from mcp_bindgen.emit.transaction import apply_changes, exclusive
    from mcp_bindgen.errors import BindgenError

    # What a link leads to is written, not the link.
    place = Path(os.path.realpath(file))
    if place.exists() and not place.is_file():
        what = "a folder" if place.is_dir() else "no regular file"
        message = f"cannot write {output.shown(file)}: it is {what}; give -o the name of a file"
        raise BindgenError(message)
    with exclusive(place.parent):
        apply_changes({place.name: text.encode("utf-8", "backslashreplace")}, (), place.parent)
