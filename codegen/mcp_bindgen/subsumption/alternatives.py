"""The alternatives of a conjunction: its disjunctive normal form, one type of value each.

``anyOf`` and ``oneOf`` multiply alternatives, ``allOf`` and references extend them. An alternative lists the schemas whose
own keywords hold together (its ``leaves``); nothing is merged, so no keyword is lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

from attrs import define, field, frozen

from mcp_bindgen.subsumption.conjunction import Conjunction, Part, joined
from mcp_bindgen.subsumption.json_values import canonical
from mcp_bindgen.subsumption.judge import Judge, Undecidable
from mcp_bindgen.syntax.jsonschema.document import Unresolved
from mcp_bindgen.syntax.jsonschema.schema import JsonType, type_of

MAX_ALTERNATIVES = 256
"""Maximum number of alternatives of one conjunction; exponential schemas have more, and stay incomplete."""

_MAX_LEAVES = 512
"""Maximum number of schemas that apply together."""

_MAX_VALUES = 2_000
"""Maximum number of values that are judged one by one."""

_MAX_STEPS = 4_000
"""Maximum number of choices that are tried for one conjunction."""

_Path: TypeAlias = frozenset[tuple[int, int]]

Kind: TypeAlias = Literal["value", "number", "string", "array", "object"]

_KINDS: tuple[tuple[JsonType, Kind], ...] = (
    ("number", "number"),
    ("integer", "number"),
    ("string", "string"),
    ("array", "array"),
    ("object", "object"),
)


@frozen
class Alternative:
    """Values of one kind that satisfy the own keywords of all leaves; references and ``anyOf`` of leaves are done."""

    kind: Kind
    leaves: Conjunction
    value: Any = None
    """The value itself, for the kind ``value``."""
    integer: bool = False
    """Whether numbers are integers."""
    unresolved: tuple[str, ...] = ()
    """References that lead nowhere, so that nothing is known of them."""


@frozen
class Alternatives:
    """All alternatives of a conjunction."""

    items: tuple[Alternative, ...]
    complete: bool
    """Whether these are all; if not, other values may satisfy the conjunction, too."""


@define
class _Expansion:
    leaves: dict[tuple[int, int], Part] = field(factory=dict[tuple[int, int], Part])
    choices: list[tuple[Conjunction, _Path]] = field(factory=list[tuple[Conjunction, "_Path"]])
    """Branches of which one holds, and the schemas that lead to them without looking into a value."""
    unresolved: tuple[str, ...] = ()
    nullable: bool = False

    def copy(self) -> _Expansion:
        return _Expansion(dict(self.leaves), list(self.choices), self.unresolved, self.nullable)


class NormalForms:
    """Computes alternatives, each conjunction once. ``judge`` decides which listed values satisfy a conjunction."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._known: dict[frozenset[tuple[int, int]], Alternatives] = {}

    def of(self, conjunction: Conjunction) -> Alternatives:
        """Return the alternatives of a conjunction."""
        conjunction = joined(conjunction)
        key = frozenset((id(part.schema), id(part.document)) for part in conjunction)
        if key not in self._known:
            self._known[key] = self._compute(conjunction)
        return self._known[key]

    def _compute(self, conjunction: Conjunction) -> Alternatives:
        start = _Expansion()
        found: list[Alternative] = []
        values: dict[str, Any] = {}
        complete = all(self._add(part, start) for part in conjunction)
        waiting, steps = [start], 0
        while waiting:
            expansion = waiting.pop()
            steps += 1
            if len(found) > MAX_ALTERNATIVES or steps > _MAX_STEPS:
                complete = False
                break
            if not _types(expansion):
                continue
            if not expansion.choices:
                self._finish(expansion, found, values)
                continue
            branches, path = expansion.choices[0]
            for branch in reversed(branches):
                copy = expansion.copy()
                del copy.choices[0]
                complete = self._add(branch, copy, path) and complete
                waiting.append(copy)
        accepted, judged = self._accepted(conjunction, [*values.values()])
        listed = (Alternative("value", conjunction, value) for value in accepted)
        return Alternatives((*listed, *found), complete and judged)

    def _add(self, part: Part, expansion: _Expansion, path: _Path = frozenset()) -> bool:
        """Add a schema with what its references and ``allOf`` lead to; return False if there are too many."""
        key = (id(part.schema), id(part.document))
        schema = part.schema
        if key in path:
            # A schema that consists of itself means nothing, and validators do not end.
            expansion.unresolved = (*expansion.unresolved, schema.ref or schema.pointer)
            return True
        if key in expansion.leaves:
            return True
        if len(expansion.leaves) >= _MAX_LEAVES:
            return False
        expansion.leaves[key] = part
        target = part.document.schemas.target(schema)
        if isinstance(target, Unresolved):
            expansion.unresolved = (*expansion.unresolved, target.reference)
            target = None
        inner = [*([] if target is None else [target]), *schema.all_of]
        complete = True
        for member in inner:
            complete = self._add(part.inside(member), expansion, path | {key}) and complete
        for members in (schema.any_of, schema.one_of):
            if members:
                expansion.choices.append((tuple(part.inside(member) for member in members), path | {key}))
        return complete

    def _finish(self, expansion: _Expansion, found: list[Alternative], values: dict[str, Any]) -> None:
        leaves = tuple(expansion.leaves.values())
        listed = [part.schema.values for part in leaves if part.schema.values is not None]
        types = _types(expansion)
        if listed:
            values.update((canonical(value), value) for value in min(listed, key=len))
            return
        finite = [value for kind, every in _FINITE.items() if kind in types for value in every]
        values.update((canonical(value), value) for value in finite)
        integer = "number" not in types
        kinds: dict[Kind, None] = {kind: None for each, kind in _KINDS if each in types}
        found.extend(
            Alternative(kind, leaves, integer=integer and kind == "number", unresolved=expansion.unresolved)
            for kind in kinds
        )

    def _accepted(self, conjunction: Conjunction, values: list[Any]) -> tuple[list[Any], bool]:
        """Return the values that satisfy a conjunction, and whether these are all of them."""
        if len(conjunction) == 1 and conjunction[0].schema.keywords <= _PLAIN:
            allowed = _allowed(conjunction[0])
            return [value for value in values if type_of(value) in allowed], True
        found: list[Any] = []
        complete = len(values) <= _MAX_VALUES
        for value in values[:_MAX_VALUES]:
            try:
                if all(self._judge.accepts(part, value) for part in conjunction):
                    found.append(value)
            except Undecidable:
                complete = False
        return found, complete


_PLAIN = frozenset({"enum", "const", "type", "title", "description", "default", "examples", "deprecated"})
"""Keywords of an enumeration that needs no judge."""

_FINITE: dict[JsonType, tuple[Any, ...]] = {"null": (None,), "boolean": (False, True)}


def _types(expansion: _Expansion) -> frozenset[JsonType]:
    """Return the types that all leaves allow; ``number`` includes ``integer``."""
    found: frozenset[JsonType] = frozenset({"null", "boolean", "number", "integer", "string", "array", "object"})
    for part in expansion.leaves.values():
        found &= _allowed(part)
    return found


def _allowed(part: Part) -> frozenset[JsonType]:
    schema = part.schema
    if schema.nothing:
        return frozenset()
    types = schema.types
    if schema.values is not None:
        listed = frozenset(_with_integer(map(type_of, schema.values)))
        types = listed if types is None else frozenset(_with_integer(types)) & listed
    if types is None:
        return _ALL
    found = frozenset(_with_integer(types))
    negated = schema.negated
    if negated is not None and negated.keywords == frozenset({"type"}) and negated.types is not None:
        found -= frozenset(_with_integer(negated.types))
    return found | _NULL if schema.nullable else found


_NULL: frozenset[JsonType] = frozenset({"null"})
_ALL: frozenset[JsonType] = frozenset({"null", "boolean", "number", "integer", "string", "array", "object"})


def _with_integer(types: Any) -> Iterator[JsonType]:
    for each in types:
        yield each
        if each == "number":
            yield "integer"
