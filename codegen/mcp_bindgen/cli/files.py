"""Output of results to files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from mcp_bindgen.cli import output


def print_or_write(text: str, file: Path | None, summary: str | None = None) -> None:
    """Print the text, or write it to the file and remark that, with a summary of the text; None if the caller does."""
    if file is None:
        output.write(text)
        return
    write_file(file, text)
    if summary is not None:
        output.note(f"{summary} -> {output.shown(file)}")


def json_for(document: Any, file: Path | None) -> str:
    """Return a document as JSON for standard output or a file."""
    return output.json_text(document, sys.stdout if file is None else None)


def read_approved(file: Path | None, stale: Callable[[Mapping[str, str]], Iterable[str]]) -> Mapping[str, str]:
    """Return the reasons of an approvals file by change; warn about the entries that ``stale`` returns a message for."""
    if file is None:
        return {}
    from mcp_bindgen.diff.approvals import read_approvals
    from mcp_bindgen.sources import read_bytes

    name = output.shown(file)
    approved = read_approvals(read_bytes(file), name)
    for line in stale(approved):
        output.warning(f"{name}: {line}")
    return approved


def write_file(file: Path, text: str) -> None:
    """Write the file atomically, and the folders above it that do not exist; raise `BindgenError` if that fails."""
    from mcp_bindgen.emit.transaction import apply_changes, exclusive

    # Replace the target of a link, not the link.
    place = Path(os.path.realpath(file))
    require_writable("-o", file)
    with exclusive(place.parent):
        apply_changes({place.name: text.encode("utf-8", "backslashreplace")}, (), place.parent)


def require_writable(option: str, file: Path | None, others: Iterable[Path] = ()) -> None:
    """Raise `BindgenError` if the file of an option is a folder, or one of the other files."""
    from mcp_bindgen.errors import BindgenError

    if file is None:
        return
    place = Path(os.path.realpath(file))
    if place.exists() and not place.is_file():
        what = "a folder" if place.is_dir() else "not a regular file"
        message = f"cannot write {output.shown(file)}: it is {what}; pass the name of a file to {option}"
        raise BindgenError(message)
    if place in {Path(os.path.realpath(each)) for each in others}:
        message = f"{option} {output.shown(file)} would overwrite another file of the command; pass another name"
        raise BindgenError(message)
