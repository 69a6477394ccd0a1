"""Comparison of numbers and enumerations.

TypeScript writes ``number`` for all numbers; a tag tells whether fractions are allowed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from mcp_bindgen.diff.alternatives import Alternatives, Literal
from mcp_bindgen.diff.findings import TypeDifference
from mcp_bindgen.diff.rules import Weights

_INTEGER, _NUMBER = "@TJS-type integer", "@TJS-type number"


def fractions(before: Alternatives, after: Alternatives) -> Iterator[TypeDifference]:
    """Yield the difference between integers and numbers with fractions, which a decoder of integers refuses."""
    match before.has_fractions, after.has_fractions:
        case False, True:
            reason = "A new {s} may send a number with a fraction, but an old {r} accepts only integers."
            yield TypeDifference("constraint_changed", "type-widened", reason=reason, texts=(_INTEGER, _NUMBER))
        case True, False:
            reason = "An old {s} may send a number with a fraction, but a new {r} accepts only integers."
            yield TypeDifference("constraint_changed", "type-narrowed", reason=reason, texts=(_NUMBER, _INTEGER))
        case _:
            pass


NOTHING_LEFT = Weights("compatible", "breaking")
"""The weights of an added value if no old value was kept: a new sender has nothing else to send."""


def lost(values: Mapping[str, Literal], others: Mapping[str, Literal]) -> list[str]:
    """Return the texts of the values that are not among the others."""
    return [text for text in values if text not in others]


def values(
    removed: Iterable[str], added: Iterable[str], *, open_to_others: bool = False, nothing_left: bool = False
) -> Iterator[TypeDifference]:
    """Yield the removed and added values. ``open_to_others``: any other string was and is legal."""
    prefix = "open-" if open_to_others else ""
    for text in removed:
        yield TypeDifference("enum_value_removed", f"{prefix}enum-value-removed", text)
    for text in added:
        if nothing_left:
            reason = f"All values changed: an old receiver knows none of those of a new sender, such as {text}."
            yield TypeDifference("enum_value_added", "enum-value-added", text, weights=NOTHING_LEFT, reason=reason)
        else:
            yield TypeDifference("enum_value_added", f"{prefix}enum-value-added", text)
