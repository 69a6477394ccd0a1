"""Mutations of tools get the verdict that is known of them; breaking ones of schemas have a witness."""

from __future__ import annotations

from typing import Any

import pytest
from diff.tools.mutation_operators import Mutation, difference, schema_mutations, tool_mutations, worst
from jsonschema import Draft202012Validator

CONTEXTS = {"required", "recursion"}
"""Two of the places; ``mutation_operators.py`` is a program that tries all."""

SCHEMAS = [each for each in schema_mutations() if each.context in CONTEXTS]
OPERATORS = sorted({each.operator for each in SCHEMAS})


def test_there_are_more_than_forty_operators() -> None:
    assert len(OPERATORS) > 40


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_mutation_of_a_schema(operator: str) -> None:
    for mutation in SCHEMAS:
        if mutation.operator == operator:
            check(mutation)


@pytest.mark.parametrize("mutation", [*tool_mutations()], ids=lambda each: each.operator)
def test_a_mutation_of_a_tool(mutation: Mutation) -> None:
    check(mutation)


def check(mutation: Mutation) -> None:
    """Check the verdict; every breaking change of a schema has a witness that an independent validator confirms."""
    found = difference(mutation)
    assert worst(found) == mutation.expected, mutation
    for change in found.changes:
        if change.area not in {"arguments", "result"} or change.rule == "result-schema-removed":
            continue
        assert change.witness is not None or change.verdict != "breaking", change
        if change.witness is None:
            continue
        if change.area == "arguments":
            key, value = "inputSchema", change.witness.message["arguments"]
            sides = mutation.old, mutation.new
        else:
            key, value = "outputSchema", change.witness.message["structuredContent"]
            sides = mutation.new, mutation.old
        assert accepts(sides[0][key], value)
        assert not accepts(sides[1][key], value)


def accepts(schema: Any, value: Any) -> bool:
    return bool(Draft202012Validator(schema).is_valid(value))


def test_the_witness_is_as_small_as_it_can_be() -> None:
    rows = {
        "add a pattern": {"v": ""},
        "raise minLength": {"v": "a"},
        "remove null from anyOf": {"v": None},
        "add not": {"v": "admin"},
        "add maxItems": {"v": ["", "", "", ""]},
        "remove an enum value": {"v": "c"},
    }
    for mutation in SCHEMAS:
        if mutation.context == "required" and mutation.operator in rows:
            (change,) = difference(mutation).changes
            assert change.witness is not None
            assert change.witness.message == {"name": "t", "arguments": rows[mutation.operator]}
