"""Emptiness: whether no value satisfies some schemas together."""

from __future__ import annotations

from mcp_bindgen.subsumption.alternatives import Alternative, Kind, NormalForms
from mcp_bindgen.subsumption.conjunction import Conjunction, joined
from mcp_bindgen.subsumption.judge import Judge
from mcp_bindgen.subsumption.members import ArrayView, ObjectView
from mcp_bindgen.subsumption.numbers import NumberRange
from mcp_bindgen.syntax.jsonschema.schema import JsonType, type_of

_MAX_DEPTH = 6
"""Maximum levels of values that are looked into."""


_KINDS: dict[JsonType, Kind] = {
    "integer": "number",
    "number": "number",
    "string": "string",
    "array": "array",
    "object": "object",
}


def kind_of(alternative: Alternative) -> Kind:
    """Return the kind of an alternative's values, also of a single value; ``value`` for null and booleans."""
    if alternative.kind != "value":
        return alternative.kind
    return _KINDS.get(type_of(alternative.value), "value")


class Emptiness:
    """Finds conjunctions without values; True is a proof, False is none."""

    def __init__(self, forms: NormalForms, judge: Judge) -> None:
        self._forms = forms
        self._judge = judge

    def of_conjunction(self, conjunction: Conjunction, kind: Kind | None = None, depth: int = 0) -> bool:
        """Return whether a conjunction is proven to have no value; with ``kind`` none of that kind."""
        found = self._forms.of(joined(conjunction))
        return found.complete and all(
            self.of_alternative(each, depth) for each in found.items if kind is None or kind_of(each) == kind
        )

    def of_alternative(self, alternative: Alternative, depth: int = 0) -> bool:
        """Return whether an alternative is proven to have no value."""
        if depth > _MAX_DEPTH:
            return False
        match alternative.kind:
            case "number":
                return NumberRange.of(alternative.leaves, integer=alternative.integer).is_empty
            case "string":
                return self._string(alternative.leaves)
            case "array":
                return self._array(alternative.leaves, depth)
            case "object":
                return self._object(alternative.leaves, depth)
            case _:
                return False

    def _string(self, leaves: Conjunction) -> bool:
        low = max((part.schema.min_length or 0 for part in leaves), default=0)
        high = min((part.schema.max_length for part in leaves if part.schema.max_length is not None), default=None)
        return high is not None and low > high

    def _array(self, leaves: Conjunction, depth: int) -> bool:
        view = ArrayView(leaves)
        if view.at_most is not None and view.at_least > view.at_most:
            return True
        places = range(min(view.at_least, view.positions + 1))
        return any(self.of_conjunction(view.item(place), depth=depth + 1) for place in places)

    def _object(self, leaves: Conjunction, depth: int) -> bool:
        view = ObjectView(leaves, self._judge.patterns)
        if view.at_most is not None and view.at_least > view.at_most:
            return True
        return any(self.of_conjunction(view.member(name), depth=depth + 1) for name in view.required)
