"""Text that people and build servers see: nothing in it is obeyed, whatever a message or a schema says."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias

Severity: TypeAlias = Literal["error", "warning", "notice"]

_ESCAPES = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_IN_PROPERTIES = {**_ESCAPES, ":": "%3A", ",": "%2C"}


def visible(text: str) -> str:
    """Return the text with control characters escaped."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escaped(char) for char in text)


def annotation(severity: Severity, properties: Mapping[str, str], message: str) -> str:
    """Return a workflow command of GitHub Actions that shows a message at a changed line.

    The path in ``file`` is relative to the current folder, or absolute; GitHub gets it relative to the repository.
    """
    if "file" in properties:
        properties = {**properties, "file": _path_in_repository(properties["file"])}
    where = ",".join(f"{name}={_replaced(value, _IN_PROPERTIES)}" for name, value in properties.items())
    return visible(f"::{severity} {where}::{_replaced(message, _ESCAPES)}")


def _path_in_repository(path: str) -> str:
    """Return a path relative to the root of the repository; unchanged if it is not in the repository."""
    here = Path.cwd()
    workspace = os.environ.get("GITHUB_WORKSPACE")
    above = (here, *here.parents)
    root = next((folder for folder in above if str(folder) == workspace or (folder / ".git").exists()), None)
    place = Path(os.path.normpath(here / path))
    return place.relative_to(root).as_posix() if root and place.is_relative_to(root) else path


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _replaced(text: str, escapes: Mapping[str, str]) -> str:
    return "".join(escapes.get(char, char) for char in text)
