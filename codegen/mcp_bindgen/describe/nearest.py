"""The official names that are most similar to an unknown one.

Users bring names from other texts, in another case or spelling or with other words. So names are compared word by word:
``LogLevel`` is similar to ``LoggingLevel``, and ``$/progress`` to ``notifications/progress``.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from functools import cache

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

_ENOUGH = 0.62
"""Minimum similarity; any two names of a protocol may have less."""

_CLOSE = 0.15
"""Maximum distance from the best name."""

_LONGEST = 100
"""Maximum length of a compared name, as comparing takes longer the longer the names are."""

_ABBREVIATION = 3
"""Minimum length of an abbreviation: ``log`` for ``logging``."""

_MISSPELT = 0.75
"""Minimum similarity of a misspelt word."""


def nearest_names(query: str, names: Iterable[str], count: int = 3) -> list[str]:
    """Return at most ``count`` names, by similarity, then by length, then by alphabet."""
    query = query[:_LONGEST]
    scored = sorted((-_likeness(query, name), len(name), name) for name in set(names))
    best = -scored[0][0] if scored else 0.0
    return [name for score, _, name in scored if -score >= max(_ENOUGH, best - _CLOSE)][:count]


def enumerated(words: Sequence[str], last: str = "or") -> str:
    """Return words as a list in a sentence: ``a, b or c``."""
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _likeness(query: str, name: str) -> float:
    if plain(query) == plain(name):
        return 2.0
    # A query with a slash means a method.
    bonus = 0.1 if "/" in query and "/" in name else 0.0
    by_letters = difflib.SequenceMatcher(None, plain(query), plain(name)).ratio() - 0.1
    return bonus + max(by_letters, _by_words(_words(query), _words(name)))


def plain(name: str) -> str:
    """Return a name without case and punctuation: ``logging/set_level`` and ``logging/setLevel`` are the same."""
    return "".join(char for char in name.casefold() if char.isalnum())


@cache
def _words(name: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in _WORDS.findall(name))


def _by_words(queried: tuple[str, ...], known: tuple[str, ...]) -> float:
    """Return the similarity of two names word by word; a missing word costs more than an additional one."""
    if not queried or not known:
        return 0.0
    found = sum(max(_word_likeness(word, other) for other in known) for word in queried) / len(queried)
    covered = sum(max(_word_likeness(word, other) for other in queried) for word in known) / len(known)
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
