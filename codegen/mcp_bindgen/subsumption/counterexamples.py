"""Search for the smallest value of one conjunction that is no value of another one.

Candidates differ from a small value in one place, at which the two sides differ. A counterexample is a candidate about which
the judge agrees on both sides; it is made smaller for as long as it stays one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import combinations, islice
from typing import Any

from mcp_bindgen.subsumption.alternatives import Alternative, NormalForms
from mcp_bindgen.subsumption.conjunction import Conjunction, Part, joined
from mcp_bindgen.subsumption.inclusion import lengths
from mcp_bindgen.subsumption.json_values import canonical, size_of
from mcp_bindgen.subsumption.judge import Judge, Undecidable
from mcp_bindgen.subsumption.members import ArrayView, ObjectView
from mcp_bindgen.subsumption.numbers import NumberRange
from mcp_bindgen.subsumption.samples import FRESH, Samples
from mcp_bindgen.syntax.jsonschema.pointers import is_array, is_object
from mcp_bindgen.syntax.jsonschema.schema import Schema

_MAX_DEPTH = 5
"""Maximum levels of values that are varied."""

_MAX_CANDIDATES = 3_000
"""Maximum number of candidates of one search."""

_MAX_EFFORT = 60_000
"""Maximum number of keywords that the judge evaluates in one search."""

_MAX_INNER = 24
"""Maximum number of candidates for one member or item."""

_MAX_NESTED = 300
"""Maximum number of candidates for one member or item before the judge sees them."""

_MAX_VALUES = 64
"""Maximum number of listed values that the other side does not list."""

_MAX_RIVALS = 16
"""Maximum number of alternatives of the second side that candidates are made for."""

_MAX_SMALLER = 400
"""Maximum number of steps to make a counterexample smaller."""

_LONGEST = 4_096
"""Maximum length of a string, and number of items, that a search makes."""

_ANYTHING: tuple[Any, ...] = (None, False, 0, 0.5, "", [], {}, True, 1, -1, "a", [0], {"x": 0})


class Counterexamples:
    """Searches counterexamples.

    With ``undeclared=False``, objects have no members that the first side leaves out, see ``Inclusion``.
    """

    def __init__(self, forms: NormalForms, judge: Judge, samples: Samples, *, undeclared: bool = True) -> None:
        self._forms = forms
        self._judge = judge
        self._samples = samples
        self._undeclared = undeclared
        self._is_root = True
        self._end = 0
        """Effort of the judge at which the search ends."""

    def search(self, one: Conjunction, other: Conjunction, *, is_root: bool = True) -> tuple[Any] | None:
        """Return the smallest value found that ``one`` accepts and ``other`` does not, in a tuple; None if none was."""
        self._is_root = is_root
        best: tuple[Any] | None = None
        smallest: tuple[int, str] | None = None
        refused: set[str] = set()
        self._end = self._judge.effort + _MAX_EFFORT
        for value in islice(self._candidates(one, other, 0), _MAX_CANDIDATES):
            size = size_of(value)
            if (smallest is None or size < smallest) and size[1] not in refused:
                if self.is_witness(one, other, value):
                    best, smallest = (value,), size
                else:
                    refused.add(size[1])
            if self._judge.effort > self._end:
                break
        return None if best is None else (self._smaller(one, other, best[0]),)

    def is_witness(self, one: Conjunction, other: Conjunction, value: Any) -> bool:
        """Return whether the judge accepts a value by ``one`` and refuses it by ``other``."""
        try:
            return all(self._judge.accepts(part, value) for part in one) and not all(
                self._judge.accepts(part, value) for part in other
            )
        except Undecidable:
            return False

    def _smaller(self, one: Conjunction, other: Conjunction, value: Any) -> Any:
        steps = 0
        size = size_of(value)
        while True:
            for each in _reductions(value):
                steps += 1
                if steps > _MAX_SMALLER:
                    return value
                smaller = size_of(each)
                if smaller < size and self.is_witness(one, other, each):
                    value, size = each, smaller
                    break
            else:
                return value

    def _candidates(self, one: Conjunction, other: Conjunction, depth: int) -> Iterator[Any]:
        one, other = joined(one), joined(other)
        theirs = self._forms.of(other).items[:_MAX_RIVALS]
        listed = {canonical(each.value) for each in self._forms.of(other).items if each.kind == "value"}
        own = (each.value for each in self._forms.of(one).items if each.kind == "value")
        yield from islice((value for value in own if canonical(value) not in listed), _MAX_VALUES)
        seeds = [value for part in (*one, *other) for value in _mentioned(part)]
        yield from (value for value in seeds if self._undeclared or not isinstance(value, dict))
        if not one:
            yield from _ANYTHING
        for alternative in self._forms.of(one).items[: 4 * _MAX_RIVALS]:
            if self._judge.effort > self._end:
                return
            rivals = [each for each in theirs if each.kind == alternative.kind]
            if one or alternative.kind in {"number", "string"}:
                with suppress(LookupError):
                    yield from self._samples.of_alternative(alternative, depth)
                yield from self._varied(alternative, rivals, other, depth)
        if one and depth < _MAX_DEPTH:
            yield from self._logical(one, other, theirs, depth)

    def _logical(
        self, one: Conjunction, other: Conjunction, theirs: Sequence[Alternative], depth: int
    ) -> Iterator[Any]:
        """Yield values that satisfy what a ``not``, an ``if`` or two branches of a ``oneOf`` say."""
        parts = joined((*other, *(part for each in theirs for part in each.leaves)))
        for part in parts:
            schema = part.schema
            both: list[Conjunction] = [
                (part.inside(each), part.inside(more)) for each, more in combinations(schema.one_of[:8], 2)
            ]
            both += [(part.inside(schema.negated),)] if schema.negated is not None else []
            for conjunction in both:
                with suppress(LookupError):
                    yield from self._samples.of((*one, *conjunction), depth + 1)
            if schema.condition is not None:
                condition = part.inside(schema.condition)
                then, otherwise = schema.consequence, schema.alternative
                if then is not None:
                    yield from self._candidates((*one, condition), (part.inside(then),), depth + 1)
                if otherwise is not None:
                    yield from self._candidates(one, (part.inside(otherwise), condition), depth + 1)
            for name, needed in schema.dependent_schemas.items():
                present = Part(Schema(pointer=part.schema.pointer, required=(name,), keywords=_REQUIRED), part.document)
                with suppress(LookupError):
                    yield self._samples.object((*one, present), depth)
                yield from self._candidates(one, (part.inside(needed),), depth + 1)

    def _varied(self, one: Alternative, rivals: list[Alternative], other: Conjunction, depth: int) -> Iterator[Any]:
        leaves = tuple(part for rival in rivals for part in rival.leaves) + other
        match one.kind:
            case "number":
                yield from NumberRange.of(one.leaves, integer=one.integer).boundaries()
                for part in leaves:
                    yield from NumberRange().limited(part.schema).boundaries()
            case "string":
                yield from self._texts(one, leaves)
            case "array" if depth < _MAX_DEPTH:
                for rival in rivals or (None,):
                    yield from self._arrays(one, rival, depth)
            case "object" if depth < _MAX_DEPTH:
                for rival in rivals or (None,):
                    yield from self._objects(one, rival, depth)
            case _:
                return

    def _texts(self, one: Alternative, leaves: Conjunction) -> Iterator[str]:
        for pattern in dict.fromkeys(part.schema.pattern for part in leaves if part.schema.pattern is not None):
            yield from self._samples.texts(one.leaves, pattern)
        for part in leaves:
            yield from (part.schema.pattern or "")[:32]
        low, _ = lengths(leaves)
        bounds = [part.schema.max_length for part in leaves if part.schema.max_length is not None]
        for length in (0, 1, low - 1, low, *bounds, *(bound + 1 for bound in bounds)):
            if 0 <= length <= _LONGEST:
                yield "a" * length
                fixed = (
                    Part(Schema(pointer="", min_length=length, max_length=length), one.leaves[0].document)
                    if one.leaves
                    else None
                )
                if fixed is not None and length <= 64:
                    yield from self._samples.texts((*one.leaves, fixed))

    def _arrays(self, one: Alternative, rival: Alternative | None, depth: int) -> Iterator[Any]:
        view, other = ArrayView(one.leaves), ArrayView(() if rival is None else rival.leaves)
        try:
            items = self._samples.array(one.leaves, depth)
        except LookupError:
            return
        yield items
        for place in range(min(max(view.positions, other.positions, len(items)) + 1, 32)):
            try:
                filled = [
                    *items,
                    *(self._samples.smallest(view.item(index), depth + 1) for index in range(len(items), place)),
                ]
            except LookupError:
                break
            for value in self._inner(view.item(place), other.item(place), depth):
                yield [*filled[:place], value, *filled[place + 1 :]]
        for count in {other.at_least - 1, other.at_least, (other.at_most or 0) + 1, 1, 2}:
            if 0 <= count <= _LONGEST:
                try:
                    yield [self._samples.smallest(view.item(place), depth + 1) for place in range(count)]
                except LookupError:
                    continue

    def _objects(self, one: Alternative, rival: Alternative | None, depth: int) -> Iterator[Any]:
        view = ObjectView(one.leaves, self._judge.patterns)
        other = ObjectView(() if rival is None else rival.leaves, self._judge.patterns)
        try:
            smallest = self._samples.object(one.leaves, depth)
        except LookupError:
            return
        yield smallest
        base = {**smallest, **self._shared(view, other, smallest, depth)}
        yield base
        is_root = self._is_root and not depth
        names = [
            name for name in dict.fromkeys((*view.names, *other.names)) if self._sends(view, name, is_root=is_root)
        ]
        if self._undeclared or not view.leaves_out(None, is_root=is_root):
            names += self._further(view, other)
        for name in names:
            for value in self._inner(view.member(name), other.member(name), depth):
                yield {**base, name: value}
                for part in (*one.leaves, *other.leaves):
                    more = part.schema.dependent_required.get(name)
                    if more:
                        yield {**base, name: value, **self._shared(view, other, dict.fromkeys(more), depth)}
        yield from self._counted(view, other, base, names, depth)

    def _sends(self, view: ObjectView, name: str, *, is_root: bool) -> bool:
        return self._undeclared or not view.leaves_out(name, is_root=is_root)

    def _counted(
        self, view: ObjectView, other: ObjectView, base: dict[str, Any], names: Sequence[str], depth: int
    ) -> Iterator[Any]:
        full = dict(base)
        for name in names:
            try:
                full.setdefault(name, self._samples.smallest(view.member(name), depth + 1))
            except LookupError:
                continue
            if other.at_most is not None and len(full) > other.at_most:
                yield full
                return
            yield dict(full)

    def _shared(self, view: ObjectView, other: ObjectView, needed: Any, depth: int) -> dict[str, Any]:
        """Return members with values of both sides, where there are some."""
        found: dict[str, Any] = {}
        for name in needed:
            for schemas in ((*view.member(name), *other.member(name)), view.member(name)):
                try:
                    found[name] = self._samples.smallest(schemas, depth + 1)
                except LookupError:
                    continue
                break
        return found

    def _further(self, view: ObjectView, other: ObjectView) -> Iterator[str]:
        for pattern in (*view.name_patterns, *other.name_patterns):
            found = self._judge.patterns.search([pattern], None, 1)
            if found.text is not None:
                yield found.text
        if other.names_allowed:
            names = self._candidates(view.names_allowed, other.names_allowed, _MAX_DEPTH)
            yield from (name for name in islice(names, _MAX_NESTED) if isinstance(name, str) and name not in view.names)
        yield from (name for name in FRESH if name not in view.names)

    def _inner(self, one: Conjunction, other: Conjunction, depth: int) -> Iterator[Any]:
        """Yield values of ``one``: those that ``other`` refuses, otherwise a few."""
        if self._judge.effort > self._end:
            return
        if not other:
            with suppress(LookupError):
                yield self._samples.smallest(one, depth + 1)
            return
        values = self._samples.accepted(one, islice(self._candidates(one, other, depth + 1), _MAX_NESTED))
        refused = [each for each in values if not self._samples.is_accepted(other, each)]
        yield from (refused or values)[:_MAX_INNER]


_REQUIRED = frozenset({"required"})


def _mentioned(part: Part) -> Iterator[Any]:
    """Yield values that a schema lists, also where a list of a ``not`` or ``if`` says what they are."""
    for schema in (part.schema, part.schema.negated, part.schema.condition):
        if schema is not None:
            yield from (schema.values or ())[:64]
            yield from schema.examples[:4]


def _reductions(value: Any) -> Iterator[Any]:
    """Yield values that are smaller in one place."""
    if is_object(value):
        for name in value:
            yield {key: each for key, each in value.items() if key != name}
        for name, member in value.items():
            yield from ({**value, name: each} for each in _reductions(member))
    elif is_array(value):
        for place in range(len(value)):
            yield value[:place] + value[place + 1 :]
        for place, item in enumerate(value):
            yield from ([*value[:place], each, *value[place + 1 :]] for each in _reductions(item))
    elif isinstance(value, str) and value:
        yield from ("", "a", value[: len(value) // 2], value[:-1])
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from (each for each in (0, 1, int(value) // 2) if abs(each) < abs(value))
