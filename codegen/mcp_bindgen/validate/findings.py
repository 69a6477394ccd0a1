"""Findings of the validation, each with its place."""

from __future__ import annotations

from typing import Literal, TypeAlias

from attrs import frozen

Level: TypeAlias = Literal["error", "rule", "note"]
"""``error``: not JSON, or not what the revision's schema declares. ``rule``: breaks a rule of the specification's prose.
``note``: could not be checked, and why; not an error."""


@frozen
class Place:
    """Location of a message."""

    source: str
    """Name of the file as the user wrote it, ``<stdin>`` for standard input."""
    line: int | None = None
    """Line on which its JSON starts, counted from 1; None if the whole file is one JSON text."""

    def __str__(self) -> str:
        return self.source if self.line is None else f"{self.source}:{self.line}"


@frozen
class Finding:
    """An error in a message, a broken rule, or a note."""

    place: Place
    level: Level
    code: str
    """Id of the check, in words joined by hyphens: ``type``, ``json``, ``format``, ``meta-key``."""
    path: str
    """Path within the message, as ``$.params.name``; ``$`` is the message itself."""
    message: str
    """Full text without place and path: ``"video" is not one of "text", "image"``."""
    revision: str | None
    """Revision that was checked; None if it is wrong in every revision, such as text that is not JSON."""
    found: str | None = None
    """Short description of the value found, if there is one."""
    expected: str | None = None
    """Description of valid values."""

    def __str__(self) -> str:
        where = str(self.place) if self.path == "$" else f"{self.place}: {self.path}"
        by = f"  ({self.revision})" if self.revision else ""
        return f"{where}: {self.message}{by}"
