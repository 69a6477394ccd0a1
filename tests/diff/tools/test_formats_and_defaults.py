"""A new format or default of an argument is one change, wherever in the arguments it stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from diff.tools.mutation_operators import Mutation, difference

PLACES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "a member": ("v", lambda schema: schema),
    "the items of an array": ("v.items", lambda schema: {"type": "array", "items": schema}),
    "items within items": (
        "v.items.items",
        lambda schema: {"type": "array", "items": {"type": "array", "items": schema}},
    ),
    "a member of an object": ("v.inner", lambda schema: {"type": "object", "properties": {"inner": schema}}),
    "a member of an object in an array": (
        "v.items.inner",
        lambda schema: {"type": "array", "items": {"type": "object", "properties": {"inner": schema}}},
    ),
    "an alternative": ("v.anyOf.0", lambda schema: {"anyOf": [schema, {"type": "null"}]}),
    "further members": ("v.additionalProperties", lambda schema: {"type": "object", "additionalProperties": schema}),
}

SAME = [("argument-equivalent", "t.arguments", "compatible")]
"""The change of a schema that accepts the same values as before."""


def changes(old: Any, new: Any) -> list[tuple[str, str, str]]:
    def tool(schema: Any) -> dict[str, Any]:
        return {"name": "t", "inputSchema": {"type": "object", "properties": {"v": schema}}}

    found = difference(Mutation("schema", "place", tool(old), tool(new), "risky"))
    return [(each.rule, each.subject, each.verdict) for each in found.changes]


@pytest.mark.parametrize("place", PLACES)
def test_a_new_format(place: str) -> None:
    path, around = PLACES[place]
    plain, dated = {"type": "string"}, {"type": "string", "format": "date"}
    assert changes(around(plain), around(dated)) == [("format-changed", f"t.arguments.{path}", "risky")]
    assert changes(around(dated), around(plain)) == SAME


@pytest.mark.parametrize("place", PLACES)
def test_another_default(place: str) -> None:
    path, around = PLACES[place]
    one, other = {"type": "string", "default": "a"}, {"type": "string", "default": "b"}
    ((rule, subject, _),) = changes(around(one), around(other))
    assert (rule, subject) == ("default-changed", f"t.arguments.{path}")
    assert changes(around({"type": "string"}), around(one)) == SAME


def test_a_new_format_beside_a_change_of_the_schema() -> None:
    old = {"type": "array", "items": {"type": "string"}}
    new = {"type": "array", "maxItems": 3, "items": {"type": "string", "format": "date"}}
    assert [rule for rule, _, _ in changes(old, new)] == ["argument-narrowed", "format-changed"]


def test_members_of_objects_are_compared_once() -> None:
    old = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
    new = {
        "type": "object",
        "properties": {"a": {"type": "string", "format": "date"}, "b": {"type": "string", "maxLength": 3}},
    }
    assert [(rule, subject) for rule, subject, _ in changes(old, new)] == [
        ("argument-narrowed", "t.arguments.v.b"),
        ("format-changed", "t.arguments.v.a"),
    ]


def changes_of_definition(place: str, old: Any, new: Any, steps: int = 1) -> list[tuple[str, str]]:
    """Return the changes of a definition to which the argument refers at a place."""
    reference = {"$ref": f"#/$defs/{'b' if steps == 2 else 'a'}"}

    def tool(definition: Any) -> dict[str, Any]:
        definitions = {"a": definition, "b": {"$ref": "#/$defs/a"}}
        arguments = {"type": "object", "properties": {"v": PLACES[place][1](reference)}, "$defs": definitions}
        return {"name": "t", "inputSchema": arguments}

    found = difference(Mutation("schema", "place", tool(old), tool(new), "risky"))
    return [(each.rule, each.subject) for each in found.changes]


@pytest.mark.parametrize("steps", [1, 2])
@pytest.mark.parametrize("place", PLACES)
def test_the_definition_of_an_argument(place: str, steps: int) -> None:
    plain, dated = {"type": "string", "default": "a"}, {"type": "string", "default": "b", "format": "date"}
    subject = f"t.arguments.{PLACES[place][0]}"
    assert sorted(changes_of_definition(place, plain, dated, steps)) == [
        ("default-changed", subject),
        ("format-changed", subject),
    ]


def test_a_definition_that_refers_to_itself() -> None:
    def tree(leaf: Any) -> Any:
        return {"type": "array", "items": {"anyOf": [leaf, {"$ref": "#/$defs/a"}]}}

    found = changes_of_definition("a member", tree({"type": "string"}), tree({"type": "string", "format": "date"}))
    assert found == [("format-changed", "t.arguments.v.items.anyOf.0")]
