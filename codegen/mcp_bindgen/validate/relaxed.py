"""JSON as documentation writes it, with comments, trailing commas and ellipses: blanked out, and reported."""

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
"""What cannot be closed runs on to the end of its line: so nothing is looked at twice, whatever the text is."""


class Relaxed(NamedTuple):
    """A text of the same length with blanks for what is not JSON, and the offsets of the first of what was there."""

    text: str
    comment: int | None
    """A comment, or a trailing comma where these are allowed."""
    elision: int | None
    """An ellipsis or ``<placeholder>``, in a comment too."""
    gap: int | None
    """One that stands for a value or for members of an object: what it leaves out cannot be known to be optional."""


def relax(text: str, *, commas: bool = False) -> Relaxed:
    """Blank out what documentation adds to JSON; trailing commas only where ``commas`` says so.

    Elements of an array that are elided are none that are missed, so an ellipsis among them is blanked with its comma.
    """
    made = list(text)
    open_: list[str] = []
    comment = elision = gap = None
    comma: int | None = None
    """Where the last token is a comma."""
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
