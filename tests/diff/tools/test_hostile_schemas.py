"""Schemas that are made to exhaust whoever compares them: each gets its answer, and no proof is claimed without one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcp_bindgen.contracts.contract import Listing, contract_of
from mcp_bindgen.contracts.listing_file import read_listing
from mcp_bindgen.diff.tools.changes import ToolVerdict
from mcp_bindgen.diff.tools.comparison import compare_contracts
from mcp_bindgen.errors import BindgenError

TEXT: Any = {"type": "string"}


def chain(depth: int) -> Any:
    """Each definition refers to the next one twice, so that it stands for 2^depth schemas."""
    definitions: Any = {
        f"d{number}": {"allOf": [{"$ref": f"#/$defs/d{number + 1}"}, {"$ref": f"#/$defs/d{number + 1}"}]}
        for number in range(depth)
    }
    return {"$defs": {**definitions, f"d{depth}": TEXT}, "$ref": "#/$defs/d0"}


def choices(count: int) -> Any:
    return {
        "allOf": [
            {"anyOf": [{"properties": {f"p{number}": TEXT}}, {"properties": {f"q{number}": {"type": "integer"}}}]}
            for number in range(count)
        ]
    }


def verdicts(old: Any, new: Any) -> set[ToolVerdict]:
    sides = [
        contract_of(Listing(name, lists={"tools": [{"name": "t", "inputSchema": each}]}))
        for name, each in (("old", old), ("new", new))
    ]
    return {change.verdict for change in compare_contracts(*sides).changes}


def members(schema: Any) -> Any:
    definitions = schema.pop("$defs", {}) if isinstance(schema, dict) else {}
    return {"type": "object", "properties": {"v": schema}, "required": ["v"], "$defs": definitions}


def test_exponential_all_of() -> None:
    assert verdicts(members(chain(60)), members(TEXT)) <= {"compatible"}
    assert verdicts(members(chain(60)), members({"type": "integer"})) & {"breaking", "undecided"}


def test_exponential_choices() -> None:
    assert verdicts(choices(24), {"type": "object", "properties": {"p0": TEXT}}) <= {"risky", "undecided"}
    assert verdicts({"type": "object", "properties": {"p0": TEXT}}, choices(24)) <= {"risky", "undecided"}


@pytest.mark.parametrize(
    "cyclic",
    [
        {"$defs": {"c": {"$ref": "#/$defs/c"}}, "$ref": "#/$defs/c"},
        {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"allOf": [{"$ref": "#/$defs/a"}]}}, "$ref": "#/$defs/a"},
        {"$defs": {"c": {"anyOf": [{"$ref": "#/$defs/c"}]}}, "$ref": "#/$defs/c"},
    ],
)
def test_a_schema_that_consists_of_itself_proves_nothing(cyclic: Any) -> None:
    assert "undecided" in verdicts(members(dict(cyclic)), members({"type": "integer"}))
    assert "undecided" in verdicts(members(TEXT), members(dict(cyclic)))


WITHOUT_MEANING: list[Any] = [
    {"type": "object", "properties": {"v": {"$ref": "#/properties/v"}}},
    {"$defs": {"c": {"$ref": "#/$defs/c"}}, "properties": {"v": {"$ref": "#/$defs/c"}}},
    {
        "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"allOf": [{"$ref": "#/$defs/a"}]}},
        "properties": {"v": {"$ref": "#/$defs/a"}},
    },
    {
        "properties": {
            "v": {
                "$defs": {"c": {"anyOf": [{"$ref": "#/properties/v/$defs/c"}]}},
                "not": {"$ref": "#/properties/v/$defs/c"},
            }
        }
    },
    {"properties": {"v": {"$ref": "https://schemas.example/a.json"}}},
    {"properties": {"v": {"$ref": "#/$defs/missing"}}},
]


@pytest.mark.parametrize("schema", WITHOUT_MEANING)
def test_a_schema_without_meaning_is_equal_to_itself(schema: Any) -> None:
    reordered = dict(reversed(schema.items()))
    assert verdicts(schema, schema) == verdicts(schema, reordered) == set()
    # Another member changes, and this one does not.
    assert verdicts(schema, with_member(schema, TEXT)) == {"risky"}
    assert verdicts(with_member(schema, TEXT), with_member(schema, {"type": "integer"})) == {"breaking"}


def with_member(schema: Any, member: Any) -> Any:
    return {**schema, "properties": {**schema["properties"], "w": member}}


def test_equal_references_to_different_schemas_are_not_equal() -> None:
    old = {"$defs": {"c": {"$ref": "#/$defs/d"}, "d": TEXT}, "properties": {"v": {"$ref": "#/$defs/c"}}}
    new = {**old, "$defs": {**old["$defs"], "d": {"type": "integer"}}}
    assert verdicts(old, new) == {"breaking"}
    cyclic = {**old, "$defs": {**old["$defs"], "d": {"$ref": "#/$defs/c"}}}
    assert verdicts(old, cyclic) == {"undecided"}
    relative = {"$ref": "a.json"}
    one, other = ({"$id": f"https://{host}.example/", "properties": {"v": relative}} for host in "ab")
    assert verdicts(one, other) == {"undecided"}


def test_references_have_the_meaning_of_their_dialect() -> None:
    schema = {"properties": {"v": {"$ref": "#/definitions/c", "maximum": 1}}, "definitions": {"c": {"type": "integer"}}}
    older = {"$schema": "http://json-schema.org/draft-07/schema#", **schema}
    assert verdicts(older, schema) == {"breaking"}
    assert verdicts(schema, older) == {"compatible"}


def test_a_reference_to_another_document_is_not_fetched() -> None:
    assert "undecided" in verdicts(members(TEXT), members({"$ref": "https://schemas.example/a.json"}))


def test_a_catastrophic_pattern() -> None:
    one, other = {**TEXT, "pattern": "^(a+)+$"}, {**TEXT, "pattern": "^(a|a)*b$"}
    assert verdicts(members(one), members(other)) == {"breaking"}
    hidden = {**TEXT, "pattern": "^(?=a)(a+)+$", "minLength": 40}
    assert verdicts(members(hidden), members({**hidden, "pattern": "^(?=a)(a+)+b$"})) == {"undecided"}


def test_a_hundred_thousand_values() -> None:
    one = {"enum": [f"v{number}" for number in range(100_000)]}
    assert verdicts(members(one), members({"enum": one["enum"][:-1]})) == {"breaking"}


def test_counted_repetitions_of_a_pattern() -> None:
    assert verdicts(members(TEXT), members({**TEXT, "pattern": "^(a{1000}){1000}$"})) <= {"breaking", "undecided"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"tools": [' + '{"a":' * 100_000, "not JSON|nested too deeply"),
        ('{"tools": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
        ('{"tools": [{"name": "a", "name": "b", "inputSchema": {}}]}', "name"),
        ('{"tools": [{"name": "a", "inputSchema": {"minimum": NaN}}]}', "NaN"),
        ('{"tools": [{"inputSchema": {}}]}', r"tools\[0\] has no name"),
        ('{"tools": [{"name": 1, "inputSchema": {}}]}', r"tools\[0\] has no name"),
        (
            '{"tools": [{"name": "a", "inputSchema": {}}, {"name": "a", "inputSchema": {}}]}',
            "two tools have the name 'a'",
        ),
        ('{"tools": [{"name": "a", "inputSchema": []}]}', "inputSchema must be an object"),
        ('{"tools": [3]}', r"tools\[0\] must be an object"),
        ('{"a": 1}', "has no list of tools"),
        ("", "not JSON"),
    ],
)
def test_a_file_that_is_no_contract(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "tools.json"
    file.write_text(text, "utf-8")
    with pytest.raises(BindgenError, match=complaint):
        contract_of(read_listing(file))
