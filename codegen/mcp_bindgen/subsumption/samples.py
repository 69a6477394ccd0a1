"""Small values of a conjunction, each accepted by the judge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from mcp_bindgen.subsumption.alternatives import Alternative, NormalForms
from mcp_bindgen.subsumption.conjunction import Conjunction, joined
from mcp_bindgen.subsumption.inclusion import lengths, patterns
from mcp_bindgen.subsumption.json_values import canonical, size_of
from mcp_bindgen.subsumption.judge import Judge, Undecidable
from mcp_bindgen.subsumption.members import ArrayView, ObjectView
from mcp_bindgen.subsumption.numbers import NumberRange

_MAX_DEPTH = 8
"""Maximum levels of a sample."""

_MAX_ITEMS = 64
"""Maximum number of items and members of a sample, and its length in characters divided by 64."""

_MOST = 12
"""Maximum number of samples of a conjunction."""

FRESH = ("x", "y", "z", "x-1", "_x")
"""Names of members that no schema declares."""


class Samples:
    """Makes samples, each conjunction once."""

    def __init__(self, forms: NormalForms, judge: Judge) -> None:
        self._forms = forms
        self._judge = judge
        self._known: dict[frozenset[tuple[int, int]], tuple[Any, ...]] = {}

    def smallest(self, conjunction: Conjunction, depth: int = 0) -> Any:
        """Return a small value; raise ``LookupError`` if none was found."""
        return self.of(conjunction, depth)[0]

    def of(self, conjunction: Conjunction, depth: int = 0) -> tuple[Any, ...]:
        """Return some values, smallest first; raise ``LookupError`` if none was found."""
        conjunction = joined(conjunction)
        key = frozenset((id(part.schema), id(part.document)) for part in conjunction)
        found = self._known.get(key)
        if found is None:
            if depth > _MAX_DEPTH:
                raise LookupError
            found = self.accepted(conjunction, self._candidates(conjunction, depth))[:_MOST]
            if found or not depth:
                self._known[key] = found
        if not found:
            raise LookupError
        return found

    def accepted(self, conjunction: Conjunction, candidates: Iterable[Any]) -> tuple[Any, ...]:
        """Return the candidates that the judge accepts, smallest first and without duplicates."""
        every = {canonical(each): each for each in candidates}
        return tuple(each for each in sorted(every.values(), key=size_of) if self.is_accepted(conjunction, each))

    def is_accepted(self, conjunction: Conjunction, value: Any) -> bool:
        """Return whether the judge is sure that a value satisfies a conjunction."""
        try:
            return all(self._judge.accepts(part, value) for part in conjunction)
        except Undecidable:
            return False

    def _candidates(self, conjunction: Conjunction, depth: int) -> Iterator[Any]:
        for alternative in self._forms.of(conjunction).items[:64]:
            try:
                yield from self.of_alternative(alternative, depth)
            except LookupError:
                continue

    def of_alternative(self, one: Alternative, depth: int) -> Iterator[Any]:
        """Yield values of an alternative that may be accepted."""
        match one.kind:
            case "value":
                yield one.value
            case "number":
                yield from (0, 1, -1) if one.integer else (0, 1, 0.5, -1)
                yield from NumberRange.of(one.leaves, integer=one.integer).boundaries()
            case "string":
                yield from self.texts(one.leaves)
            case "array":
                yield self.array(one.leaves, depth)
            case "object":
                yield self.object(one.leaves, depth)

    def texts(self, leaves: Conjunction, other: str | None = None) -> Iterator[str]:
        """Yield strings that satisfy the lengths and patterns of leaves, and do not match ``other``."""
        low, high = lengths(leaves)
        if low <= _MAX_ITEMS * 64:
            found = self._judge.patterns.search(patterns(leaves), other, low, high) if low <= _MAX_ITEMS else None
            if found is not None and found.text is not None:
                yield found.text
            yield "a" * low
        for each in {part.schema.pattern for part in leaves if part.schema.pattern}:
            # Parts of a pattern that is too complex for an automaton may match it.
            yield each.strip("^$")
            yield from dict.fromkeys(each[:32])

    def array(self, leaves: Conjunction, depth: int) -> list[Any]:
        """Return a short array; raise ``LookupError``."""
        view = ArrayView(leaves)
        needed = [part.inside(part.schema.contains) for part in leaves if part.schema.contains is not None]
        count = max(view.at_least, 1 if needed else 0)
        if count > _MAX_ITEMS:
            raise LookupError
        items: list[Any] = []
        for place in range(count):
            schemas = (*view.item(place), *needed)
            items.append(
                self._different(schemas, items, depth) if view.is_unique else self.smallest(schemas, depth + 1)
            )
        return items

    def _different(self, schemas: Conjunction, items: list[Any], depth: int) -> Any:
        known = {canonical(each) for each in items}
        more = [f"a{number}" for number in range(len(items) + 1)] + list(range(len(items) + 1))
        for each in (*self.of(schemas, depth + 1), *more):
            if canonical(each) not in known and self.is_accepted(schemas, each):
                return each
        raise LookupError

    def object(self, leaves: Conjunction, depth: int) -> dict[str, Any]:
        """Return an object with its required members only, if possible; raise ``LookupError``."""
        view = ObjectView(leaves, self._judge.patterns)
        if view.at_least > _MAX_ITEMS:
            raise LookupError
        needed = [name for part in leaves for name in part.schema.required]
        needed += [
            each
            for part in leaves
            for name, names in part.schema.dependent_required.items()
            if name in needed
            for each in names
        ]
        found = {name: self.smallest(view.member(name), depth + 1) for name in dict.fromkeys(needed)}
        spare = (*view.names, *FRESH, *(f"x{number}" for number in range(_MAX_ITEMS)))
        for name in spare:
            if len(found) >= view.at_least:
                break
            if name not in found:
                found[name] = self.smallest(view.member(name), depth + 1)
        return found
