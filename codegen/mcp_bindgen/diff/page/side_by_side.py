"""Two texts side by side, line by line; what only one of them has is marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

from attrs import frozen

from mcp_bindgen.diff.page.lines import lines
from mcp_bindgen.diff.page.markup import Html, element, joined

MAX_LINES = 400
"""In longer texts a line is marked where the other side has it nowhere; looking for moves would take too long."""


@frozen
class Row:
    """A line of each side; None where a side has nothing to set against the other."""

    old: str | None
    new: str | None
    same: bool


@frozen
class Heads:
    """What stands above the sides."""

    old: str
    new: str


def rows(old: Sequence[str], new: Sequence[str]) -> Iterator[Row]:
    """The lines of two texts, with the same ones beside each other."""
    if max(len(old), len(new)) > MAX_LINES:
        both = set(old) & set(new)
        for one, other in zip_longest(old, new):
            yield Row(one, other, same=(one is None or one in both) and (other is None or other in both))
        return
    found = SequenceMatcher(None, old, new, autojunk=False)
    for tag, start, end, new_start, new_end in found.get_opcodes():
        for one, other in zip_longest(old[start:end], new[new_start:new_end]):
            yield Row(one, other, same=tag == "equal")


def sides(old: str | None, new: str | None, heads: Heads) -> Html:
    """Two types side by side; None for one that is not there."""
    found = list(rows(lines(old) if old else [], lines(new) if new else []))
    return element(
        "div",
        {"class": "sides"},
        _side(heads.old, None if old is None else [(row.old, row.same) for row in found], "del"),
        _side(heads.new, None if new is None else [(row.new, row.same) for row in found], "ins"),
    )


def _side(head: str, found: list[tuple[str | None, bool]] | None, mark: str) -> Html:
    title = element("figcaption", None, head)
    if found is None:
        return element("figure", {"class": "nothing"}, title, element("p", None, "not there"))
    text = joined(_line(line, mark, same=same) for line, same in found)
    return element("figure", None, title, element("pre", {"tabindex": 0}, element("code", None, text)))


def _line(line: str | None, mark: str, *, same: bool) -> Html:
    if line is None:
        return element("i", None, "\n")
    return element("span" if same else mark, None, line + "\n")
