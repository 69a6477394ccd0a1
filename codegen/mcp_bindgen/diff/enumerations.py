"""Compares the values of enumerations, one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from mcp_bindgen.diff.alternatives import Literal
from mcp_bindgen.diff.findings import Shift
from mcp_bindgen.diff.rules import Weights

NOTHING_LEFT = Weights("compatible", "breaking")
"""For what was added where nothing was kept: a new sender has nothing else to send."""


def lost(values: Mapping[str, Literal], others: Mapping[str, Literal]) -> list[str]:
    """The texts of the values that are not among the others."""
    return [text for text in values if text not in others]


def values(
    removed: Iterable[str], added: Iterable[str], *, open_to_others: bool = False, nothing_left: bool = False
) -> Iterator[Shift]:
    """The values that went and came. ``open_to_others``: any other string was and is legal."""
    prefix = "open-" if open_to_others else ""
    for text in removed:
        yield Shift("enum_value_removed", f"{prefix}enum-value-removed", text)
    for text in added:
        if nothing_left:
            why = f"All values are others now: an old receiver knows none that a new sender has, such as {text}."
            yield Shift("enum_value_added", "enum-value-added", text, weights=NOTHING_LEFT, why=why)
        else:
            yield Shift("enum_value_added", f"{prefix}enum-value-added", text)
