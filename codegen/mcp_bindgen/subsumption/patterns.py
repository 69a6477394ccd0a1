"""Texts of patterns: whether one matches, and the shortest text that some patterns match and another one does not."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from attrs import frozen

from mcp_bindgen.subsumption.regular_expressions import Automaton, UnsupportedPattern, automaton_of

__all__ = ["Patterns", "Search", "UnsupportedPattern"]

_MAX_SETS = 3_000
"""Maximum number of sets of states that a search visits."""

_SHORT = 12
"""Length up to which a pattern without an automaton is run: its time is at worst exponential in the length."""

_LIKED = "a0A-_ ./:@+1bz"
"""Characters that examples prefer."""

_Sets: TypeAlias = tuple[frozenset[int], ...]


@frozen
class Search:
    """The result of a search."""

    text: str | None
    """The shortest text found."""
    exhaustive: bool
    """Whether there is no other one, if none was found."""


class Patterns:
    """Automata of patterns, each made once."""

    def __init__(self) -> None:
        self._automata: dict[str, Automaton | UnsupportedPattern] = {}

    def matches(self, pattern: str, text: str) -> bool:
        """Return whether a pattern is found in a text; raise ``UnsupportedPattern``."""
        try:
            automaton = self._automaton(pattern)
        except UnsupportedPattern:
            if len(text) > _SHORT:
                raise
            return _found(pattern, text)
        states = _initial(automaton)
        for char in text:
            states = _after(automaton, states, ord(char))
        return _accepts(automaton, states)

    def search(
        self, matching: Sequence[str], other: str | None, shortest: int = 0, longest: int | None = None
    ) -> Search:
        """Search the shortest text that all patterns match and ``other`` does not, with a length in these limits."""
        try:
            automata = [self._automaton(pattern) for pattern in matching]
            automata += [] if other is None else [self._automaton(other)]
        except UnsupportedPattern:
            return Search(None, exhaustive=False)
        count = len(matching)
        characters = [*_representatives(automata)]
        start: _Sets = tuple(map(_initial, automata))
        waiting: deque[tuple[_Sets, str]] = deque([(start, "")])
        seen = {(start, 0)}
        while waiting:
            sets, text = waiting.popleft()
            if len(text) >= shortest and all(
                _accepts(automaton, states) == (place < count)
                for place, (automaton, states) in enumerate(zip(automata, sets, strict=True))
            ):
                return Search(text, exhaustive=True)
            if longest is not None and len(text) >= longest:
                continue
            for char in characters:
                after = tuple(
                    _after(automaton, states, ord(char)) for automaton, states in zip(automata, sets, strict=True)
                )
                # The accepting state loops, so that an empty set never matches again.
                key = (after, min(len(text) + 1, shortest))
                if key in seen or not all(after[:count]):
                    continue
                if len(seen) >= _MAX_SETS:
                    return Search(None, exhaustive=False)
                seen.add(key)
                waiting.append((after, text + char))
        return Search(None, exhaustive=True)

    def _automaton(self, pattern: str) -> Automaton:
        if pattern not in self._automata:
            try:
                self._automata[pattern] = automaton_of(pattern)
            except UnsupportedPattern as problem:
                self._automata[pattern] = problem
        found = self._automata[pattern]
        if isinstance(found, UnsupportedPattern):
            raise found
        return found


def _found(pattern: str, text: str) -> bool:
    try:
        return re.search(pattern, text) is not None
    except (re.error, OverflowError, RecursionError) as problem:
        message = f"the pattern {pattern[:60]!r} is not valid: {problem}"
        raise UnsupportedPattern(message) from problem


def _initial(automaton: Automaton) -> frozenset[int]:
    return _closure(automaton, {0}, "start")


def _after(automaton: Automaton, states: frozenset[int], code: int) -> frozenset[int]:
    reached = {
        target
        for state in states
        for intervals, target in automaton.steps[state]
        if any(low <= code <= high for low, high in intervals)
    }
    return _closure(automaton, reached, None)


def _accepts(automaton: Automaton, states: frozenset[int]) -> bool:
    return len(automaton.jumps) - 1 in _closure(automaton, set(states), "end")


def _closure(automaton: Automaton, states: set[int], anchor: str | None) -> frozenset[int]:
    waiting = [*states]
    while waiting:
        for target, needed in automaton.jumps[waiting.pop()]:
            if target not in states and (needed is None or needed == anchor):
                states.add(target)
                waiting.append(target)
    return frozenset(states)


def _representatives(automata: Sequence[Automaton]) -> Iterator[str]:
    """Yield a character of each set of characters that all automata treat alike."""
    every = {pair for automaton in automata for steps in automaton.steps for pairs, _ in steps for pair in pairs}
    bounds = sorted({0x20, *(low for low, _ in every), *(high + 1 for _, high in every)})
    classes: dict[frozenset[tuple[int, int]], str] = {}
    liked = [*map(ord, _LIKED)]
    for code in (*liked, *bounds):
        if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            continue
        classes.setdefault(_class_of(every, code), chr(code))
    yield from classes.values()


def _class_of(every: set[tuple[int, int]], code: int) -> frozenset[tuple[int, int]]:
    return frozenset(pair for pair in every if pair[0] <= code <= pair[1])
