"""Identity of schemas in two documents: equal as JSON, with all schemas that they refer to.

It needs no knowledge of what the schemas mean, so it holds for those that consist of themselves, too.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from mcp_bindgen.subsumption.conjunction import Conjunction, Part
from mcp_bindgen.syntax.jsonschema.document import Unresolved
from mcp_bindgen.syntax.jsonschema.pointers import below, is_array, is_object
from mcp_bindgen.syntax.jsonschema.schema import same_json

MAX_VALUES = 100_000
"""Maximum number of JSON values that are compared for one proof."""


class Identity:
    """Compares schemas. Pairs that are identical are remembered."""

    def __init__(self) -> None:
        self._identical: set[tuple[int, int]] = set()
        self._left = MAX_VALUES

    def begin(self) -> None:
        """Begin a proof, which may compare ``MAX_VALUES`` values."""
        self._left = MAX_VALUES

    def holds(self, one: Conjunction, other: Conjunction) -> bool:
        """Return whether each schema of ``other`` is one of ``one``; False also if that takes too long."""
        return all(any(self._are_identical(each, part) for each in one) for part in other)

    def _are_identical(self, one: Part, other: Part) -> bool:
        waiting, seen = [(one, other)], set[tuple[int, int]]()
        while waiting:
            first, second = waiting.pop()
            pair = (id(first.schema), id(second.schema))
            if pair in seen or pair in self._identical:
                continue
            seen.add(pair)
            targets = self.targets(first, second)
            if targets is None:
                return False
            waiting += targets
        self._identical |= seen
        return True

    def targets(self, one: Part, other: Part) -> list[tuple[Part, Part]] | None:
        """Return the targets of the references in two schemas that are equal as JSON; None if those differ."""
        found: list[tuple[Part, Part]] = []
        waiting: list[tuple[Any, Any, str, str]] = [
            (one.written(), other.written(), one.schema.pointer, other.schema.pointer)
        ]
        while waiting:
            first, second, place, opposite = waiting.pop()
            self._left -= 1
            if self._left < 0:
                return None
            if is_array(first) and is_array(second) and len(first) == len(second):
                inner = [(str(number), each, second[number]) for number, each in enumerate(first)]
            elif is_object(first) and is_object(second) and first.keys() == second.keys():
                targets = _targets_at(one, other, place, opposite)
                if targets is None:
                    return None
                found += targets
                inner = [(name, each, second[name]) for name, each in first.items()]
            elif same_json(first, second):
                continue
            else:
                return None
            waiting += [(each, twin, below(place, token), below(opposite, token)) for token, each, twin in inner]
        return found


def _targets_at(one: Part, other: Part, place: str, opposite: str) -> list[tuple[Part, Part]] | None:
    """Return the targets of the references at two places, if there are schemas; None if the references differ."""
    first, second = one.document.schemas.known(place), other.document.schemas.known(opposite)
    if first is None or second is None:
        return [] if first is second else None
    if first.keywords != second.keywords:
        # The dialects differ.
        return None
    target, twin = one.document.schemas.target(first), other.document.schemas.target(second)
    if isinstance(target, Unresolved) and isinstance(twin, Unresolved):
        # A relative reference may mean different documents.
        return [] if target.reference.startswith("#") or urlsplit(target.reference).scheme else None
    if target is None or twin is None or isinstance(target, Unresolved) or isinstance(twin, Unresolved):
        return [] if target is twin else None
    return [(one.inside(target), other.inside(twin))]
