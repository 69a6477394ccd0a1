"""Schemas that apply together, and the alternatives among them.

``$ref`` and ``allOf`` are followed into one set of schemas, each of which counts once, so neither cycles nor repeated parts
make it grow. ``anyOf`` and ``oneOf`` multiply such sets into cases; the number of cases is limited.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import evolve, field, frozen

from mcp_bindgen.syntax.jsonschema.document import SchemaDocument, Unresolved
from mcp_bindgen.syntax.jsonschema.keywords import ANNOTATIONS
from mcp_bindgen.syntax.jsonschema.schema import Schema

MAX_CASES = 64
"""Maximum number of cases of one schema."""

MAX_PARTS = 2000
"""Maximum number of schemas that apply together."""

_NEUTRAL = ANNOTATIONS | {
    "$ref",
    "$dynamicRef",
    "$id",
    "$anchor",
    "$dynamicAnchor",
    "$schema",
    "$comment",
    "$defs",
    "allOf",
}
"""Keywords without which a schema has the same type, once its references and parts are followed."""

_NULL = frozenset({"null"})

_TYPING = frozenset(
    {"$ref", "$dynamicRef", "type", "enum", "const", "allOf", "anyOf", "oneOf"}
    | {"properties", "patternProperties", "additionalProperties", "items", "prefixItems"}
)
"""Keywords that decide about the type of a value; the others limit it further, or describe it."""


@frozen
class Conjunction:
    """Schemas that all apply to one value, with those that they refer to."""

    schemas: tuple[Schema, ...]
    unresolved: tuple[Unresolved, ...] = ()
    """References without a target; they are not part of the type."""
    is_case: bool = False
    """Whether one of the alternatives in it was chosen, which is then among the schemas."""
    too_many: bool = False
    """Whether schemas are missing because there are more than ``MAX_PARTS``."""
    essence: tuple[Schema, ...] = field(init=False, eq=False)
    """The schemas that do more than refer to others and describe; all of them if there are none."""
    key: frozenset[str] = field(init=False, eq=False)
    """Pointers of these; conjunctions of one document with equal keys have the same type."""

    def __attrs_post_init__(self) -> None:
        neutral = _NEUTRAL | {"anyOf", "oneOf", "nullable"} if self.is_case else _NEUTRAL
        essence = tuple(each for each in self.schemas if each.nothing or each.keywords - neutral) or self.schemas
        object.__setattr__(self, "essence", essence)
        object.__setattr__(self, "key", frozenset(schema.pointer for schema in essence))

    def without(self, other: Conjunction) -> list[Schema]:
        """Return the schemas that another conjunction does not contain."""
        known = {schema.pointer for schema in other.schemas}
        return [schema for schema in self.schemas if schema.pointer not in known]


def conjunction(document: SchemaDocument, schemas: Iterable[Schema]) -> Conjunction:
    """Return the schemas with the targets of their references and the parts of their ``allOf``."""
    found: dict[str, Schema] = {}
    unresolved: list[Unresolved] = []
    waiting = list(schemas)[::-1]
    while waiting:
        schema = waiting.pop()
        if schema.pointer in found:
            continue
        if len(found) >= MAX_PARTS:
            return Conjunction(tuple(found.values()), tuple(unresolved), too_many=True)
        found[schema.pointer] = schema
        waiting += schema.all_of[::-1]
        target = document.target(schema)
        if isinstance(target, Unresolved):
            unresolved.append(target)
        elif target is not None:
            waiting.append(target)
    return Conjunction(tuple(found.values()), tuple(unresolved))


def cases(document: SchemaDocument, whole: Conjunction) -> list[Conjunction] | None:
    """Return the conjunctions for each choice among the alternatives; None if there are more than ``MAX_CASES``.

    Alternatives that only limit a value, such as two lists of required members, are no cases.
    """
    found: dict[frozenset[str], Conjunction] = {}
    waiting = [(whole, tuple(_groups(whole.schemas)))]
    steps = 0
    while waiting:
        steps += 1
        if steps > 4 * MAX_CASES or len(found) > MAX_CASES:
            return None
        chosen, groups = waiting.pop()
        if not groups:
            case = evolve(chosen, is_case=True)
            found.setdefault(case.key, case)
            continue
        for alternative in groups[0][::-1]:
            joined = conjunction(document, [*chosen.schemas, alternative])
            waiting.append((joined, (*groups[1:], *_groups(joined.without(chosen)))))
    return list(found.values()) if len(found) <= MAX_CASES else None


def besides_null(document: SchemaDocument, whole: Conjunction) -> Conjunction:
    """Return the only case whose values are not null; the whole if there are several, or none."""
    others = [case for case in cases(document, whole) or () if not any(part.types == _NULL for part in case.schemas)]
    return others[0] if len(others) == 1 else whole


def _groups(schemas: Iterable[Schema]) -> Iterator[tuple[Schema, ...]]:
    for schema in schemas:
        for group in (schema.any_of, schema.one_of):
            if any(alternative.keywords & _TYPING or alternative.nothing for alternative in group):
                yield group
