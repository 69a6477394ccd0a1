"""Types in several lines, one for each member, from their texts in one line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import define, field

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\{\}|[{}();]| \| |[^"{}(); ]+|.', re.DOTALL)
_SHORT = re.compile(r'\{ (?:"(?:[^"\\]|\\.)*"|[^"{};\n]){0,60} \}')
_WIDE = 60
"""A union that is longer gets a line for each of its members."""


def lines(text: str) -> list[str]:
    """The lines of a type: its members and those of the objects inside it, indented."""
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
