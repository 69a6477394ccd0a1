"""Compares the numbers of two types: TypeScript writes ``number`` for both, and a tag says whether fractions are allowed."""

from __future__ import annotations

from collections.abc import Iterator

from mcp_bindgen.diff.alternatives import Alternatives
from mcp_bindgen.diff.findings import Shift

_INTEGER, _NUMBER = "@TJS-type integer", "@TJS-type number"


def fractions(before: Alternatives, after: Alternatives) -> Iterator[Shift]:
    """The shift between integers and numbers with fractions, which a decoder of integers refuses."""
    match before.has_fractions, after.has_fractions:
        case False, True:
            why = "A new {s} may send a number with a fraction, and an old {r} takes integers only."
            yield Shift("constraint_changed", "type-widened", why=why, texts=(_INTEGER, _NUMBER))
        case True, False:
            why = "An old {s} may send a number with a fraction, and a new {r} takes integers only."
            yield Shift("constraint_changed", "type-narrowed", why=why, texts=(_NUMBER, _INTEGER))
        case _:
            pass
