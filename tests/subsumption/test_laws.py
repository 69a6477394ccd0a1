"""Laws of subsumption: a proof has no counterexample, and a witness is one, by ``jsonschema`` as it is installed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from mcp_bindgen.subsumption.conjunction import Document, root_of
from mcp_bindgen.subsumption.decision import Decision, Subsumption

SCALARS: tuple[Any, ...] = (None, True, False, 0, 1, -1, 2, 3, 0.5, 10, "", "a", "b", "ab", "abc", "1", "x1")
NAMES = ("a", "b", "x")


def values() -> Iterator[Any]:
    yield from SCALARS
    yield []
    yield from ([each] for each in SCALARS)
    yield from ([one, other] for one, other in product(SCALARS[:13], repeat=2))
    yield from ([0, 1, 2], ["a", "a", "a"], [["a"]], [{}], [{"a": 1}])
    yield {}
    yield from ({name: each} for name in NAMES for each in (*SCALARS, [], ["a"], [0], {}, {"a": 1}, {"a": "a"}))
    yield from ({"a": one, "b": other} for one, other in product(SCALARS, repeat=2))
    yield from ({"a": one, "x": other} for one, other in product(SCALARS[:9], SCALARS[:5]))
    yield from ({"a": one, "b": other, "x": 0} for one, other in product(SCALARS[3:9], SCALARS[9:14]))


def larger(count: int) -> Iterator[Any]:
    """Yield so many random values that are made of the small ones, always the same."""
    chance = Random(18)
    made = [*SCALARS]
    while count > 0:
        inner = [chance.choice(made) for _ in range(chance.randrange(4))]
        value: Any = inner if chance.random() < 0.4 else dict(zip((*NAMES, "long name"), inner, strict=False))
        made.append(value)
        if len(json.dumps(value)) < 300:
            count -= 1
            yield value


SMALL = tuple(values())
POOL = (*SMALL, *larger(int(os.environ.get("MCP_BINDINGS_INSTANCES", "0")) - len(SMALL)))
"""Small values: those that the schemas below can tell apart. ``nox -s subsumption`` adds larger ones."""

scalars = st.sampled_from(SCALARS)
leaves = st.one_of(
    st.sampled_from(["string", "integer", "number", "boolean", "null", "object", "array"]).map(
        lambda kind: {"type": kind}
    ),
    st.lists(st.sampled_from(["string", "integer", "number", "null"]), min_size=1, unique=True).map(
        lambda types: {"type": types}
    ),
    st.lists(scalars, min_size=1, max_size=4, unique_by=repr).map(lambda found: {"enum": found}),
    scalars.map(lambda value: {"const": value}),
    st.sampled_from(
        [
            True,
            False,
            {},
            {"type": "integer", "minimum": 1},
            {"type": "number", "exclusiveMaximum": 2},
            {"type": "number", "multipleOf": 0.5},
            {"type": "integer", "minimum": 0, "maximum": 2},
            {"minLength": 1},
            {"type": "string", "maxLength": 2},
            {"type": "string", "pattern": "^[a-b]+$"},
            {"type": "string", "pattern": "b"},
            {"type": "string", "pattern": "^(?=a)"},
            {"$ref": "#/$defs/d"},
        ]
    ),
)


def composed(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    members = st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    objects = st.builds(
        lambda properties, required, more: {"type": "object", "properties": properties, "required": required, **more},
        members,
        st.lists(st.sampled_from(NAMES), unique=True, max_size=2),
        st.one_of(
            st.just({}),
            inner.map(lambda each: {"additionalProperties": each}),
            inner.map(lambda each: {"patternProperties": {"^[ab]$": each}}),
            st.sampled_from(
                [
                    {"additionalProperties": False},
                    {"additionalProperties": True},
                    {"minProperties": 1},
                    {"maxProperties": 1},
                    {"dependentRequired": {"a": ["b"]}},
                    {"propertyNames": {"maxLength": 1}},
                    {"propertyNames": {"enum": ["a", "b"]}},
                ]
            ),
        ),
    )
    arrays = st.builds(
        lambda items, more: {"type": "array", "items": items, **more},
        inner,
        st.sampled_from(
            [{}, {"minItems": 1}, {"maxItems": 1}, {"uniqueItems": True}, {"contains": {"type": "string"}}]
        ),
    )
    tuples = st.lists(inner, min_size=1, max_size=2).map(lambda items: {"type": "array", "prefixItems": items})
    several = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        objects,
        arrays,
        tuples,
        several.map(lambda found: {"anyOf": found}),
        several.map(lambda found: {"oneOf": found}),
        several.map(lambda found: {"allOf": found}),
        inner.map(lambda each: {"not": each}),
        st.builds(lambda one, two, three: {"if": one, "then": two, "else": three}, inner, inner, inner),
    )


schemas = st.recursive(leaves, composed, max_leaves=6)


def rooted(schema: Any, definition: Any) -> Any:
    return {"$defs": {"d": definition}, "allOf": [schema]}


plain = st.one_of(
    st.sampled_from([{"type": "string"}, {"type": "integer"}, {"enum": ["a", 1]}]),
    st.just({"type": "object", "properties": {"a": {"$ref": "#/$defs/d"}, "b": {"type": "string"}}}),
)
"""Definitions, one of them recursive."""


def decide(one: Any, other: Any) -> Decision:
    return Subsumption().decide(root_of(Document.of(one, "one")), root_of(Document.of(other, "other")))


def check(one: Any, other: Any) -> None:
    found = decide(one, other)
    first, second = Draft202012Validator(one), Draft202012Validator(other)
    if found.answer == "included":
        counter = [value for value in POOL if first.is_valid(value) and not second.is_valid(value)]
        assert counter == [], (one, other)
    elif found.answer in {"refuted", "open"}:
        assert first.is_valid(found.witness), (found.witness, one)
        assert not second.is_valid(found.witness), (found.witness, other)


thoroughly = settings(max_examples=settings.default.max_examples * 3 // 5)


@thoroughly
@given(schemas, schemas, plain, plain)
def test_answers_about_two_schemas_hold(one: Any, other: Any, first: Any, second: Any) -> None:
    check(rooted(one, first), rooted(other, second))


@thoroughly
@given(schemas, schemas, plain)
def test_a_schema_includes_its_conjunction_with_another_one(one: Any, other: Any, definition: Any) -> None:
    narrower = {"$defs": {"d": definition}, "allOf": [one, other]}
    check(narrower, rooted(one, definition))
    check(rooted(one, definition), narrower)


@thoroughly
@given(schemas, schemas, plain)
def test_a_disjunction_includes_its_branches(one: Any, other: Any, definition: Any) -> None:
    wider = {"$defs": {"d": definition}, "anyOf": [one, other]}
    check(rooted(one, definition), wider)
    check(wider, rooted(one, definition))


@thoroughly
@given(schemas, plain)
def test_a_schema_includes_itself_in_another_document(schema: Any, definition: Any) -> None:
    found = decide(rooted(schema, definition), rooted(schema, definition))
    assert found.answer not in {"refuted", "open"}
