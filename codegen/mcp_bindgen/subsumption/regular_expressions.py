"""Regular expressions of JSON Schema (ECMA-262) without lookaround and back references, as nondeterministic automata.

An automaton needs time in proportion to the text, so that no pattern can run for ever; and automata, unlike patterns, can
be compared. A pattern with a construct outside of this table is ``UnsupportedPattern``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NoReturn, TypeAlias

from attrs import define, field

Intervals: TypeAlias = tuple[tuple[int, int], ...]
"""Code points, as sorted pairs of first and last."""

Anchor: TypeAlias = Literal["start", "end"]

MAX_STATES = 5_000
"""Maximum number of states; counted repetitions multiply them."""

_MAX_DEPTH = 40
"""Maximum levels of groups."""

_LAST = 0x10FFFF
ANY: Intervals = ((0, 0xD7FF), (0xE000, _LAST))
_DIGIT: Intervals = ((48, 57),)
_WORD: Intervals = ((48, 57), (65, 90), (95, 95), (97, 122))
_SPACE: Intervals = (
    *((9, 13), (32, 32), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029)),
    *((0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)),
)
_LINE_ENDS: Intervals = ((10, 10), (13, 13), (0x2028, 0x2029))
_CONTROLS = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "0": 0}


class UnsupportedPattern(Exception):
    """A pattern has a construct without an automaton; ``str()`` describes it."""


@define
class Automaton:
    """States by number, from 0, where it starts, to the last, which accepts."""

    jumps: list[list[tuple[int, Anchor | None]]] = field(factory=list[list[tuple[int, "Anchor | None"]]])
    """Transitions without a character; with an anchor only at the start or the end of the text."""
    steps: list[list[tuple[Intervals, int]]] = field(factory=list[list[tuple[Intervals, int]]])
    """Transitions that read a character."""

    def add(self) -> int:
        """Add a state and return its number."""
        if len(self.jumps) >= MAX_STATES:
            message = "the pattern repeats too much"
            raise UnsupportedPattern(message)
        self.jumps.append([])
        self.steps.append([])
        return len(self.jumps) - 1


def complement(intervals: Iterable[tuple[int, int]]) -> Intervals:
    """Return all other characters."""
    found: list[tuple[int, int]] = []
    for first, last in ANY:
        start = first
        for low, high in sorted(intervals):
            if high < start or low > last:
                continue
            if low > start:
                found.append((start, low - 1))
            start = max(start, high + 1)
        if start <= last:
            found.append((start, last))
    return tuple(found)


def automaton_of(pattern: str) -> Automaton:
    """Return the automaton of the texts in which a pattern is found, anywhere unless it has anchors."""
    parser = _Parser(pattern)
    made = parser.automaton
    start = made.add()
    end = parser.alternation(start, 0)
    parser.require_end()
    accepting = made.add()
    made.jumps[end].append((accepting, None))
    for loop in (start, accepting):
        made.steps[loop].append((ANY, loop))
    return made


class _Parser:
    """Recursive descent over the pattern; each method adds states after one, and returns the state at its end."""

    def __init__(self, pattern: str) -> None:
        self._text = pattern
        self._place = 0
        self.automaton = Automaton()

    def require_end(self) -> None:
        if self._place < len(self._text):
            self._refuse("an unmatched parenthesis")

    def alternation(self, start: int, depth: int) -> int:
        if depth > _MAX_DEPTH:
            self._refuse("too many levels of groups")
        end = self.automaton.add()
        while True:
            # The start of a search loops, so that branches need a state of their own.
            branch = self.automaton.add()
            self.automaton.jumps[start].append((branch, None))
            self.automaton.jumps[self._sequence(branch, depth)].append((end, None))
            if self._peek() != "|":
                return end
            self._place += 1

    def _sequence(self, start: int, depth: int) -> int:
        state = start
        while self._peek() not in ("", "|", ")"):
            state = self._repeated(state, depth)
        return state

    def _repeated(self, start: int, depth: int) -> int:
        begin = self._place
        first = self.automaton.add()
        self.automaton.jumps[start].append((first, None))
        end = self._atom(first, depth)
        after = self._place
        low, high = self._quantifier()
        if (low, high) == (1, 1):
            return end
        if low == 0 and high is None:
            return self._star(first, end)
        behind = self._place
        if low == 0:
            self.automaton.jumps[first].append((end, None))
        ends = [end]
        for number in range(1, max(low, high or 0) + (high is None)):
            self._place = begin
            copy = self.automaton.add()
            self.automaton.jumps[end].append((copy, None))
            end = self._atom(copy, depth)
            if high is None and number >= low:
                end = self._star(copy, end)
            elif number >= low:
                ends.append(end)
                self.automaton.jumps[copy].append((end, None))
        self._place = max(after, behind)
        return end

    def _star(self, first: int, end: int) -> int:
        self.automaton.jumps[first].append((end, None))
        self.automaton.jumps[end].append((first, None))
        behind = self.automaton.add()
        self.automaton.jumps[end].append((behind, None))
        return behind

    def _quantifier(self) -> tuple[int, int | None]:
        found: tuple[int, int | None] = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(self._peek(), (1, 1))
        if self._peek() == "{":
            closed = self._text.find("}", self._place)
            low, comma, high = self._text[self._place + 1 : max(closed, 0)].partition(",")
            if closed < 0 or not low.isdecimal() or (high and not high.isdecimal()) or len(low + high) > 8:
                self._refuse("a brace that is not a repetition")
            found = (int(low), int(high) if high else None if comma else int(low))
            if found[1] is not None and found[0] > found[1]:
                self._refuse("a repetition with its limits reversed")
            self._place = closed + 1
        elif self._peek() in ("*", "+", "?"):
            self._place += 1
        else:
            return found
        if self._peek() == "?":
            # Lazy: the same texts match.
            self._place += 1
        return found

    def _atom(self, start: int, depth: int) -> int:
        char = self._next()
        match char:
            case "^" | "$":
                end = self.automaton.add()
                self.automaton.jumps[start].append((end, "start" if char == "^" else "end"))
                return end
            case "(":
                self._group_head()
                end = self.alternation(start, depth + 1)
                if self._next() != ")":
                    self._refuse("an unclosed group")
                return end
            case ".":
                return self._read(start, complement(_LINE_ENDS))
            case "[":
                return self._read(start, self._class())
            case "\\":
                return self._read(start, self._escape())
            case _:
                if char in "*+?{":
                    self._refuse("a repetition of nothing")
                return self._read(start, ((ord(char), ord(char)),))

    def _group_head(self) -> None:
        if self._peek() != "?":
            return
        for head in ("?:", "?<", "?P<"):
            if self._text.startswith(head, self._place) and not self._text.startswith(("?<=", "?<!"), self._place):
                self._place += len(head)
                if head != "?:":
                    self._place = self._text.find(">", self._place) + 1 or len(self._text)
                return
        self._refuse("lookaround or an option")

    def _read(self, start: int, characters: Intervals) -> int:
        end = self.automaton.add()
        self.automaton.steps[start].append((characters, end))
        return end

    def _class(self) -> Intervals:
        negated = self._peek() == "^"
        self._place += negated
        found: list[tuple[int, int]] = []
        while self._peek() != "]":
            low = self._member()
            single = len(low) == 1 and low[0][0] == low[0][1]
            if self._peek() == "-" and self._text[self._place + 1 : self._place + 2] not in ("", "]") and single:
                self._place += 1
                high = self._member()
                if len(high) != 1 or high[0][0] != high[0][1] or high[0][0] < low[0][0]:
                    self._refuse("a range without an order")
                low = ((low[0][0], high[0][0]),)
            found.extend(low)
        self._place += 1
        return complement(found) if negated else tuple(sorted(found))

    def _member(self) -> Intervals:
        char = self._next()
        if char == "\\":
            if self._peek() == "b":
                self._place += 1
                return ((8, 8),)
            return self._escape()
        return ((ord(char), ord(char)),)

    def _escape(self) -> Intervals:
        char = self._next()
        kinds = {"d": _DIGIT, "w": _WORD, "s": _SPACE}
        if char.lower() in kinds:
            found = kinds[char.lower()]
            return found if char.islower() else complement(found)
        if char in _CONTROLS:
            return ((_CONTROLS[char], _CONTROLS[char]),)
        if char in "xu":
            return self._code_point(char)
        if char.isalnum():
            self._refuse(f"the escape \\{char}")
        return ((ord(char), ord(char)),)

    def _code_point(self, kind: str) -> Intervals:
        if kind == "u" and self._peek() == "{":
            closed = self._text.find("}", self._place)
            digits, self._place = self._text[self._place + 1 : max(closed, 0)], closed + 1
        else:
            length = 2 if kind == "x" else 4
            digits, self._place = self._text[self._place : self._place + length], self._place + length
        try:
            code = int(digits, 16)
        except ValueError:
            self._refuse(f"the escape \\{kind} without its digits")
        if code > _LAST:
            self._refuse("an escape beyond Unicode")
        return ((code, code),)

    def _peek(self) -> str:
        return self._text[self._place : self._place + 1]

    def _next(self) -> str:
        char = self._peek()
        if not char:
            self._refuse("an unexpected end")
        self._place += 1
        return char

    def _refuse(self, what: str) -> NoReturn:
        shown = self._text if len(self._text) <= 60 else f"{self._text[:59]}…"
        message = f"the pattern {shown!r} has {what} at {self._place}, which has no automaton"
        raise UnsupportedPattern(message)
