"""Headings of a document, and the type that they name for the examples below them."""

from __future__ import annotations

import re

_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
_ANCHOR = re.compile(r"\{#[^{}]*\}")
_LONGEST = 200
"""Maximum length of a heading that names a type."""
_NOT_WORDS = re.compile(r"[^\w.$/-]+")
_EXAMPLE = re.compile(r"examples?\b", re.IGNORECASE)
_TYPE = re.compile(r"[A-Z][A-Za-z0-9]*")
_BESIDE = frozenset({"example", "examples", "interface", "object", "the", "type"})
"""Words that a heading may contain besides the name of a type."""


class Outline:
    """The headings above the current position in a document."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    def add(self, level: int, text: str) -> None:
        """Continue below another heading; level 1 is the highest."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, text))

    def read(self, line: str) -> bool:
        """Continue below a line of Markdown if it is a heading; return whether it is."""
        found = _ATX.fullmatch(line)
        if found is not None:
            self.add(len(found[1]), found[2])
        return found is not None

    @property
    def type(self) -> str | None:
        """The name of a type in the nearest heading, or in the one around it if that is only "Example".

        Outer headings do not count: a subsection usually shows something else.
        """
        for _, text in reversed(self._open):
            name = _type_in(text)
            if name is not None or not _EXAMPLE.match(_plain(text[:_LONGEST])):
                return name
        return None


def is_heading(line: str) -> bool:
    """Return whether a line of Markdown is a heading."""
    return _ATX.fullmatch(line) is not None


def _type_in(text: str) -> str | None:
    if len(text) > _LONGEST:
        return None
    words = [word for word in _plain(text).split() if word.lower() not in _BESIDE]
    return words[0] if len(words) == 1 and _TYPE.fullmatch(words[0]) else None


def _plain(text: str) -> str:
    """Return the words of a heading without links, emphasis, code marks and zero-width characters."""
    return _NOT_WORDS.sub(" ", _ANCHOR.sub("", _LINK.sub(r"\1", text))).strip()
