"""Proof that every value of one conjunction is a value of another one.

A proof looks at one alternative of the first, and at one schema of the second, at a time. Pairs that a proof meets again
inside itself are assumed: a smaller value decides them, so that recursive schemas are proven by induction. No answer but
True proves anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from mcp_bindgen.subsumption.alternatives import Alternative, Kind, NormalForms
from mcp_bindgen.subsumption.conjunction import Conjunction, Part, are_same, joined
from mcp_bindgen.subsumption.emptiness import Emptiness
from mcp_bindgen.subsumption.identity import Identity
from mcp_bindgen.subsumption.json_values import canonical
from mcp_bindgen.subsumption.judge import Judge, Undecidable
from mcp_bindgen.subsumption.members import ArrayView, ObjectView
from mcp_bindgen.subsumption.numbers import NumberRange
from mcp_bindgen.syntax.jsonschema.schema import Schema

MAX_PAIRS = 20_000
"""Maximum number of pairs of conjunctions that one proof looks at."""

_MAX_POSITIONS = 200
"""Maximum number of items of tuples that are compared one by one."""

_Key: TypeAlias = frozenset[tuple[int, int]]


class TooManyPairs(Exception):
    """A proof has become too long."""


class Inclusion:
    """Proves inclusions. Proven pairs are remembered.

    With ``undeclared=False``, members that the first side does not declare, in an object that is open only because it says
    nothing about them, are left out: its senders do not send them.
    """

    def __init__(self, forms: NormalForms, judge: Judge, *, undeclared: bool = True) -> None:
        self._forms = forms
        self._judge = judge
        self._undeclared = undeclared
        self._empty = Emptiness(forms, judge)
        self._identity = Identity()
        self._proven: dict[tuple[_Key, _Key], bool] = {}
        self._order: list[tuple[_Key, _Key]] = []
        self._pairs = 0
        self._checks: Mapping[Kind, Callable[[Alternative, Part], bool]] = {
            "number": self._numbers,
            "string": self._strings,
            "array": self._arrays,
            "object": self._objects,
        }
        self._root: frozenset[_Key] = frozenset()
        """The conjunction in question, and those of its alternatives' leaves."""

    def proves(self, one: Conjunction, other: Conjunction, *, is_root: bool = True) -> bool:
        """Return whether all values of ``one`` are proven to be values of ``other``.

        ``is_root``: these are whole arguments or results, which are records even if they declare no members.
        """
        self._pairs = 0
        self._identity.begin()
        alternatives = self._forms.of(one).items if is_root else ()
        root = frozenset(_key(each.leaves) for each in alternatives)
        if root != self._root and not self._undeclared:
            # What was proven depends on the root.
            self._proven.clear()
            self._order.clear()
        self._root = root
        try:
            return self._within(one, other)
        except (TooManyPairs, RecursionError, Undecidable):
            self._proven.clear()
            self._order.clear()
            return False

    def _within(self, one: Conjunction, other: Conjunction) -> bool:
        one, other = joined(one), joined(other)
        pair = (_key(one), _key(other))
        if pair[1] <= pair[0]:
            return True
        if pair in self._proven:
            return self._proven[pair]
        if are_same(one, other) or self._identity.holds(one, other):
            return True
        self._pairs += 1
        if self._pairs > MAX_PAIRS:
            raise TooManyPairs
        place = len(self._order)
        self._proven[pair] = True
        self._order.append(pair)
        found = self._is_covered(one, other)
        if not found:
            # What was proven by assuming this pair is not proven.
            for each in self._order[place:]:
                self._proven.pop(each, None)
            del self._order[place:]
            self._proven[pair] = False
        return found

    def _is_covered(self, one: Conjunction, other: Conjunction) -> bool:
        left, right = self._forms.of(one), self._forms.of(other)
        if not left.complete:
            return False
        listed = {canonical(each.value) for each in right.items if each.kind == "value"}
        for alternative in left.items:
            if alternative.kind == "value":
                if canonical(alternative.value) not in listed and not self._accepted(other, alternative.value):
                    return False
            elif not self._empty.of_alternative(alternative) and not self._fits_one(alternative, right.items):
                return False
        return True

    def _fits_one(self, one: Alternative, others: tuple[Alternative, ...]) -> bool:
        return any(self._fits(one, other) for other in others if other.kind == one.kind and not other.unresolved)

    def _accepted(self, other: Conjunction, value: Any) -> bool:
        return all(self._judge.accepts(part, value) for part in other)

    def _fits(self, one: Alternative, other: Alternative) -> bool:
        own = {_identity(part) for part in one.leaves}
        return all(_identity(part) in own or self._satisfies(one, part) for part in other.leaves) and (
            one.kind != "number" or not other.integer or _range(one).is_within(Schema(pointer=""), integer=True)
        )

    def _satisfies(self, one: Alternative, part: Part) -> bool:
        """Return whether all values of an alternative satisfy the own keywords of a schema."""
        return self._logic(one, part) and self._checks[one.kind](one, part)

    def _logic(self, one: Alternative, part: Part) -> bool:
        schema = part.schema
        if schema.one_of and not self._apart(one, part):
            return False
        if schema.negated is not None and not self._excludes(one, part.inside(schema.negated)):
            return False
        return schema.condition is None or self._conditional(one, part)

    def _apart(self, one: Alternative, part: Part) -> bool:
        """Return whether no two branches of a ``oneOf`` have a value of the alternative in common."""
        branches = [part.inside(each) for each in part.schema.one_of]
        live = [each for each in branches if not self._empty.of_conjunction((*one.leaves, each), one.kind)]
        return all(
            self._empty.of_conjunction((*one.leaves, first, second), one.kind)
            for place, first in enumerate(live)
            for second in live[place + 1 :]
        )

    def _excludes(self, one: Alternative, negated: Part) -> bool:
        if any(
            each.schema.negated is not None and _same(each.inside(each.schema.negated), negated) for each in one.leaves
        ):
            return True
        return self._empty.of_conjunction((*one.leaves, negated), one.kind)

    def _conditional(self, one: Alternative, part: Part) -> bool:
        schema = part.schema
        if any(_same_conditional(each, part) for each in one.leaves):
            return True
        assert schema.condition is not None
        condition = part.inside(schema.condition)
        never = self._empty.of_conjunction((*one.leaves, condition), one.kind)
        always = not never and self._holds(one, (condition,))
        then, otherwise = schema.consequence, schema.alternative
        if not never and then is not None and not self._holds(one, (part.inside(then),), condition):
            return False
        return always or otherwise is None or self._holds(one, (part.inside(otherwise),))

    def _holds(self, one: Alternative, other: Conjunction, also: Part | None = None) -> bool:
        """Return whether the values of an alternative's kind that satisfy its leaves satisfy ``other``."""
        leaves = one.leaves if also is None else (*one.leaves, also)
        return self._within(leaves, other) or (also is None and self._fits_one(one, self._forms.of(other).items))

    def _numbers(self, one: Alternative, part: Part) -> bool:
        integer = part.schema.types is not None and "number" not in part.schema.types
        return _range(one).is_within(part.schema, integer=integer)

    def _strings(self, one: Alternative, part: Part) -> bool:
        schema = part.schema
        low, high = lengths(one.leaves)
        if (schema.min_length or 0) > low and not self._is_long(one, schema.min_length or 0):
            return False
        if schema.max_length is not None and (high is None or high > schema.max_length):
            own = patterns(one.leaves)
            found = self._judge.patterns.search(own, None, max(low, schema.max_length + 1), high)
            if not own or found.text is not None or not found.exhaustive:
                return False
        if schema.pattern is None or schema.pattern in patterns(one.leaves):
            return True
        found = self._judge.patterns.search(patterns(one.leaves), schema.pattern, low, high)
        return found.text is None and found.exhaustive

    def _is_long(self, one: Alternative, shortest: int) -> bool:
        low, _ = lengths(one.leaves)
        found = self._judge.patterns.search(patterns(one.leaves), None, low, shortest - 1)
        return found.text is None and found.exhaustive

    def _arrays(self, one: Alternative, part: Part) -> bool:
        own, other, schema = ArrayView(one.leaves), ArrayView((part,)), part.schema
        if (schema.min_items or 0) > own.at_least:
            return False
        if schema.max_items is not None and (own.at_most is None or own.at_most > schema.max_items):
            return False
        if schema.unique_items and not own.is_unique and (own.at_most is None or own.at_most > 1):
            return False
        if not self._contained(one, part) or not _same_keyword(one, part, "unevaluated_items"):
            return False
        last = max(own.positions, other.positions)
        if last > _MAX_POSITIONS:
            return False
        places = range(last + 1 if own.at_most is None else min(last + 1, own.at_most))
        return all(self._within(own.item(place), other.item(place)) for place in places)

    def _contained(self, one: Alternative, part: Part) -> bool:
        schema = part.schema
        if schema.contains is None:
            return True
        needed = 1 if schema.min_contains is None else schema.min_contains
        if _same_keyword(one, part, "contains", "min_contains", "max_contains"):
            return True
        own = ArrayView(one.leaves)
        if schema.max_contains is not None and (own.at_most is None or own.at_most > schema.max_contains):
            return False
        if not needed:
            return True
        matching = sum(self._within(own.item(place), (part.inside(schema.contains),)) for place in range(own.at_least))
        return matching >= needed

    def _objects(self, one: Alternative, part: Part) -> bool:
        own, schema = ObjectView(one.leaves, self._judge.patterns), part.schema
        other = ObjectView((part,), self._judge.patterns)
        if not other.required <= own.required or (schema.min_properties or 0) > own.at_least:
            return False
        if schema.max_properties is not None and not self._is_few(own, schema.max_properties):
            return False
        if not _same_keyword(one, part, "unevaluated_properties") or not self._dependencies(one, own, part):
            return False
        if not self._names_fit(own, other):
            return False
        return all(self._within(first, second) for first, second in self._members(own, other))

    def _is_few(self, own: ObjectView, most: int) -> bool:
        if own.at_most is not None:
            return own.at_most <= most
        return self._leaves_out(own, None) and len(own.names) <= most

    def _leaves_out(self, own: ObjectView, name: str | None) -> bool:
        if self._undeclared:
            return False
        return own.leaves_out(name, is_root=_key(own.leaves) in self._root)

    def _names_fit(self, own: ObjectView, other: ObjectView) -> bool:
        if not other.names_allowed:
            return True
        names = (name for name in own.names if not self._empty.of_conjunction(own.member(name)))
        if not all(self._accepted(other.names_allowed, name) for name in names):
            return False
        bounded = own.is_closed or (self._leaves_out(own, None) and not own.name_patterns)
        return bounded or self._within(own.names_allowed, other.names_allowed)

    def _members(self, own: ObjectView, other: ObjectView) -> Iterator[tuple[Conjunction, Conjunction]]:
        """Yield the schemas of each member on both sides: by name, by pattern, and of all further names."""
        for name in dict.fromkeys((*own.names, *other.names)):
            if not self._leaves_out(own, name):
                yield own.member(name), other.member(name)
        ours = [(pattern, own.matched(pattern)) for pattern in own.name_patterns]
        theirs = [(pattern, other.matched(pattern)) for pattern in other.name_patterns]
        for pattern, first in ours:
            for same, second in theirs:
                if pattern == same or not self._disjoint(pattern, same):
                    yield first, second
            if pattern not in other.name_patterns:
                yield first, other.further()
        if self._leaves_out(own, None):
            return
        for pattern, second in theirs:
            if pattern not in own.name_patterns:
                yield own.further(), second
        yield own.further(), other.further()

    def _disjoint(self, one: str, other: str) -> bool:
        found = self._judge.patterns.search([one, other], None)
        return found.text is None and found.exhaustive

    def _dependencies(self, one: Alternative, own: ObjectView, part: Part) -> bool:
        same = {
            (name, each)
            for leaf in one.leaves
            for name, needed in leaf.schema.dependent_required.items()
            for each in needed
        }
        for name, needed in part.schema.dependent_required.items():
            missing = [each for each in needed if each not in own.required and (name, each) not in same]
            if missing and not self._empty.of_conjunction(own.member(name)):
                return False
        for name, schema in part.schema.dependent_schemas.items():
            target = part.inside(schema)
            theirs = [
                leaf.inside(leaf.schema.dependent_schemas[name])
                for leaf in one.leaves
                if name in leaf.schema.dependent_schemas
            ]
            if any(_same(each, target) for each in theirs) or self._empty.of_conjunction(own.member(name)):
                continue
            if not self._holds(one, (target,)):
                return False
        return True


def lengths(leaves: Conjunction) -> tuple[int, int | None]:
    """Return the minimum and maximum length of strings; None without a maximum."""
    low = max((part.schema.min_length or 0 for part in leaves), default=0)
    return low, min((part.schema.max_length for part in leaves if part.schema.max_length is not None), default=None)


def patterns(leaves: Conjunction) -> list[str]:
    """Return the patterns of strings."""
    return list(dict.fromkeys(part.schema.pattern for part in leaves if part.schema.pattern is not None))


def _range(alternative: Alternative) -> NumberRange:
    return NumberRange.of(alternative.leaves, integer=alternative.integer)


def _identity(part: Part) -> tuple[int, int]:
    return id(part.schema), id(part.document)


def _key(conjunction: Conjunction) -> _Key:
    return frozenset(map(_identity, conjunction))


def _same(one: Part, other: Part) -> bool:
    """Return whether two schemas have the same text and no references, whose targets may differ."""
    if one == other:
        return True
    first, second = one.written(), other.written()
    return "$ref" not in (text := canonical(first)) and "$dynamicRef" not in text and text == canonical(second)


def _same_conditional(one: Part, other: Part) -> bool:
    return _same_members(one, other, "condition", "consequence", "alternative")


def _same_keyword(one: Alternative, part: Part, *attributes: str) -> bool:
    """Return whether a schema lacks the first keyword, or a leaf has all of them with the same texts."""
    if getattr(part.schema, attributes[0]) is None:
        return True
    return any(_same_members(leaf, part, *attributes) for leaf in one.leaves)


def _same_members(one: Part, other: Part, *attributes: str) -> bool:
    for attribute in attributes:
        first, second = getattr(one.schema, attribute), getattr(other.schema, attribute)
        if isinstance(first, Schema) and isinstance(second, Schema):
            if not _same(one.inside(first), other.inside(second)):
                return False
        elif first != second:
            return False
    return True
