"""JSON as documentation writes it: comments, trailing commas and ellipses are blanked out and reported."""

from __future__ import annotations

import re
from typing import NamedTuple

_TOKEN = re.compile(
    r"""
      (?P<string>      "[^"\\\n]*(?:\\.[^"\\\n]*)*"? )
    | (?P<comment>     //[^\n]* | /\* )
    | (?P<elision>     \.{3,} | … | <[A-Za-z][^<>"\n]*> )
    | (?P<punctuation> [\[\]{},] )
    | (?P<other>       [^\s"/.…<\[\]{},]+ | [^\s] )
    """,
    re.VERBOSE,
)
"""Tokens. Unterminated ones extend to the end of the line, so that the scan takes linear time."""


class Relaxed(NamedTuple):
    """A text of the same length with blanks for non-JSON parts, and the offsets of the first of them."""

    text: str
    comment: int | None
    """Offset of a comment, or of an allowed trailing comma."""
    elision: int | None
    """Offset of an ellipsis or ``<placeholder>``, including those in comments."""
    gap: int | None
    """Offset of one that replaces a value or members of an object, which may be required."""


def relax(text: str, *, commas: bool = False) -> Relaxed:
    """Blank out what documentation adds to JSON; trailing commas only if ``commas`` is set.

    Elements left out of an array are never required, so an ellipsis among them is blanked with its comma.
    """
    made = list(text)
    open_: list[str] = []
    comment = elision = gap = None
    comma: int | None = None
    """Offset of the last token if it is a comma."""
    last, drops_comma = "", False
    position = 0
    while (token := _TOKEN.search(text, position)) is not None:
        start, position = token.start(), token.end()
        kind, word = token.lastgroup, token[0]
        if kind == "comment":
            if word == "/*":
                end = text.find("*/", position)
                position = len(text) if end < 0 else end + 2
            _blank(made, start, position)
            comment = start if comment is None else comment
            if "..." not in (comment_text := text[start:position]) and "…" not in comment_text:
                continue
        elif kind == "elision":
            _blank(made, start, position)
            if comma is not None:
                _blank(made, comma, comma + 1)
            drops_comma = comma is None and last == "["
            comma = None
        if kind in {"comment", "elision"}:
            elision = start if elision is None else elision
            gap = start if gap is None and open_[-1:] == ["{"] else gap
            continue
        if word == "," and drops_comma:
            _blank(made, start, position)
        elif word in {"]", "}"} and comma is not None and commas:
            _blank(made, comma, comma + 1)
            comment = comma if comment is None else comment
        comma = start if word == "," and not drops_comma else None
        last, drops_comma = word, False
        if word in {"[", "{"}:
            open_.append(word)
        elif word in {"]", "}"} and open_:
            open_.pop()
    return Relaxed("".join(made), comment, elision, gap)


def _blank(made: list[str], start: int, end: int) -> None:
    made[start:end] = [each if each == "\n" else " " for each in made[start:end]]
