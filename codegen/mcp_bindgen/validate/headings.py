"""The headings of a document, and the type that the examples below them are of."""

from __future__ import annotations

import re

_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
_ANCHOR = re.compile(r"\{#[^{}]*\}")
_LONGEST = 200
"""Longer headings name no type."""
_NOT_WORDS = re.compile(r"[^\w.$/-]+")
_EXAMPLE = re.compile(r"examples?\b", re.IGNORECASE)
_TYPE = re.compile(r"[A-Z][A-Za-z0-9]*")
_BESIDE = frozenset({"example", "examples", "interface", "object", "the", "type"})
"""Words that may stand in a heading beside the name of a type."""


class Outline:
    """The headings above the current place of a document."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    def add(self, level: int, text: str) -> None:
        """Go on below another heading, 1 being the highest level."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, text))

    def read(self, line: str) -> bool:
        """Go on below the heading that a line of Markdown is, if it is one; return whether it is."""
        found = _ATX.fullmatch(line)
        if found is not None:
            self.add(len(found[1]), found[2])
        return found is not None

    @property
    def type(self) -> str | None:
        """The name of a type that the nearest heading has, or the one around it where that says "Example" only.

        Headings further out name no type of an example: a subsection mostly shows something else.
        """
        for _, text in reversed(self._open):
            name = _type_in(text)
            if name is not None or not _EXAMPLE.match(_plain(text[:_LONGEST])):
                return name
        return None


def is_heading(line: str) -> bool:
    """Whether a line of Markdown is a heading."""
    return _ATX.fullmatch(line) is not None


def _type_in(text: str) -> str | None:
    if len(text) > _LONGEST:
        return None
    words = [word for word in _plain(text).split() if word.lower() not in _BESIDE]
    return words[0] if len(words) == 1 and _TYPE.fullmatch(words[0]) else None


def _plain(text: str) -> str:
    """The words of a heading, without its marks: links, emphasis, code, zero-width characters."""
    return _NOT_WORDS.sub(" ", _ANCHOR.sub("", _LINK.sub(r"\1", text))).strip()
