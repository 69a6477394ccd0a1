"""The official names that are most like one that does not exist.

People bring names from other texts: another case, another spelling, a word more or less. So names are compared word by
word; ``LogLevel`` is like ``LoggingLevel``, and ``$/progress`` like ``notifications/progress``.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from functools import cache

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

_ENOUGH = 0.62
"""Below, names have no more in common than any two names of a protocol."""

_CLOSE = 0.15
"""Names this far behind the best are not worth a look."""

_LONGEST = 100
"""No name is longer, and comparing takes the longer the more there is to compare."""

_ABBREVIATION = 3
"""So many letters may stand for a longer word: ``log`` for ``logging``."""

_MISSPELT = 0.75
"""Words as like as this are one word, misspelt."""


def nearest_names(query: str, names: Iterable[str], count: int = 3) -> list[str]:
    """At most ``count`` of the names, the most alike first; equally alike ones the shorter first, then by alphabet."""
    query = query[:_LONGEST]
    scored = sorted((-_likeness(query, name), len(name), name) for name in set(names))
    best = -scored[0][0] if scored else 0.0
    return [name for score, _, name in scored if -score >= max(_ENOUGH, best - _CLOSE)][:count]


def _likeness(query: str, name: str) -> float:
    if plain(query) == plain(name):
        return 2.0
    # Who writes a slash means a method.
    bonus = 0.1 if "/" in query and "/" in name else 0.0
    by_letters = difflib.SequenceMatcher(None, plain(query), plain(name)).ratio() - 0.1
    return bonus + max(by_letters, _by_words(_words(query), _words(name)))


def plain(name: str) -> str:
    """A name without case and punctuation: ``logging/set_level`` and ``logging/setLevel`` are the same."""
    return "".join(char for char in name.casefold() if char.isalnum())


@cache
def _words(name: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in _WORDS.findall(name))


def _by_words(asked: tuple[str, ...], known: tuple[str, ...]) -> float:
    """How well the words of two names pair up; a word asked for that is missing costs more than one too many."""
    if not asked or not known:
        return 0.0
    found = sum(max(_word_likeness(word, other) for other in known) for word in asked) / len(asked)
    covered = sum(max(_word_likeness(word, other) for other in asked) for word in known) / len(known)
    return 0.7 * found + 0.3 * covered


@cache
def _word_likeness(one: str, other: str) -> float:
    if one == other:
        return 1.0
    short, long = sorted((one, other), key=len)
    if len(short) >= _ABBREVIATION and long.startswith(short):
        return 0.9
    ratio = difflib.SequenceMatcher(None, one, other).ratio()
    return ratio if ratio >= _MISSPELT else 0.0
