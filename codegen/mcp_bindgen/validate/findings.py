"""What is said about a message that was checked, and where it stands."""

from __future__ import annotations

from typing import Literal, TypeAlias

from attrs import frozen

Level: TypeAlias = Literal["error", "rule", "note"]
"""``error``: no JSON, or not what the revision's schema declares. ``rule``: against the specification's prose.
``note``: what could not be checked, and why; it is no fault."""


@frozen
class Place:
    """Where a message stands."""

    source: str
    """The file as the user named it, ``<stdin>`` for standard input."""
    line: int | None = None
    """The line on which its JSON starts, counted from 1; None where the whole file is one JSON text."""

    def __str__(self) -> str:
        return self.source if self.line is None else f"{self.source}:{self.line}"


@frozen
class Finding:
    """One thing that is wrong with, or to be said about, one message."""

    place: Place
    level: Level
    code: str
    """Which check says so, in words joined by hyphens: ``type``, ``json``, ``format``, ``meta-key``."""
    path: str
    """Where in the message, as ``$.params.name``; ``$`` is the message itself."""
    message: str
    """The whole of it in words, without place and path: ``"video" is not one of "text", "image"``."""
    revision: str | None
    """By which revision; None where it is wrong by all of them, as text that is no JSON is."""
    found: str | None = None
    """What is there, where that can be said in a word or two."""
    expected: str | None = None
    """What would have been accepted."""

    def __str__(self) -> str:
        where = str(self.place) if self.path == "$" else f"{self.place}: {self.path}"
        by = f"  ({self.revision})" if self.revision else ""
        return f"{where}: {self.message}{by}"
