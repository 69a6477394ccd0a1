"""Two types side by side, one line for each member; lines that only one side has are marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

from attrs import define, field, frozen

MAX_LINES = 400
"""In longer texts a line is marked if the other side lacks it anywhere; matching lines in order would take too long."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\{\}|[{}();]| \| |[^"{}(); ]+|.', re.DOTALL)
_SHORT = re.compile(r'\{ (?:"(?:[^"\\]|\\.)*"|[^"{};\n]){0,60} \}')
_WIDE = 60
"""Length from which a union gets a line for each of its members."""


@frozen
class Line:
    """A line of one side, with the tag of its element."""

    tag: str
    """``span``: both sides have the line; ``del`` or ``ins``: only this one; ``i``: only the other one."""
    text: str


@frozen
class Side:
    """One side; ``lines`` is None if the type does not exist there."""

    heading: str
    lines: tuple[Line, ...] | None

    @property
    def is_absent(self) -> bool:
        """The type does not exist on this side."""
        return self.lines is None


@frozen
class Row:
    """A line of each side; None if a side has no line beside that of the other."""

    old: str | None
    new: str | None
    same: bool


def side_by_side(old: str | None, new: str | None, headings: tuple[str, str]) -> tuple[Side, Side]:
    """Return two types side by side; None for one that does not exist."""
    found = list(rows(lines(old) if old else [], lines(new) if new else []))
    return (
        Side(headings[0], None if old is None else tuple(_line(row.old, "del", same=row.same) for row in found)),
        Side(headings[1], None if new is None else tuple(_line(row.new, "ins", same=row.same) for row in found)),
    )


def _line(text: str | None, mark: str, *, same: bool) -> Line:
    return Line("i", "") if text is None else Line("span" if same else mark, text)


def rows(old: Sequence[str], new: Sequence[str]) -> Iterator[Row]:
    """Yield the lines of two texts, with equal ones beside each other."""
    if max(len(old), len(new)) > MAX_LINES:
        both = set(old) & set(new)
        for one, other in zip_longest(old, new):
            yield Row(one, other, same=(one is None or one in both) and (other is None or other in both))
        return
    found = SequenceMatcher(None, old, new, autojunk=False)
    for tag, start, end, new_start, new_end in found.get_opcodes():
        for one, other in zip_longest(old[start:end], new[new_start:new_end]):
            yield Row(one, other, same=tag == "equal")


def lines(text: str) -> list[str]:
    """Return the lines of a type that is written in one: its members and those of inline objects, indented."""
    made = _Lines()
    wide = len(text) > _WIDE
    for token in _tokens(text):
        match token:
            case "{":
                made.add(token)
                made.down()
            case "}":
                made.up()
                made.add(token)
            case ";":
                made.add(token)
                made.end()
            case " | " if wide and not made.depth and not made.inside:
                made.end()
                made.add("| ")
            case "(":
                made.inside += 1
                made.add(token)
            case ")":
                made.inside -= 1
                made.add(token)
            case _:
                made.add(token)
    made.end()
    return made.done


def _tokens(text: str) -> Iterator[str]:
    place = 0
    while place < len(text):
        found = _SHORT.match(text, place) or _TOKEN.match(text, place)
        assert found is not None
        yield found.group()
        place = found.end()


@define
class _Lines:
    done: list[str] = field(factory=list[str])
    depth: int = 0
    inside: int = 0
    """Parentheses that are open."""
    _line: str = ""

    def add(self, token: str) -> None:
        self._line += token if self._line else token.lstrip(" ")

    def end(self) -> None:
        if self._line.strip():
            self.done.append("  " * self.depth + self._line.rstrip(" "))
        self._line = ""

    def down(self) -> None:
        self.end()
        self.depth += 1

    def up(self) -> None:
        # The last member ends like the others, so that one more after it is one more line.
        if self._line.strip():
            self._line = self._line.rstrip(" ") + ";"
        self.end()
        self.depth = max(0, self.depth - 1)
