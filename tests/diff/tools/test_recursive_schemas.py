"""A change of a definition that refers to itself is reported once, at the member by which it is reached first."""

from __future__ import annotations

from typing import Any

import pytest
from mcp_bindgen.contracts.contract import Listing, contract_of
from mcp_bindgen.diff.tools.comparison import compare_contracts

NODE = {"$ref": "#/$defs/Node"}
LINKS: dict[str, Any] = {
    "member": NODE,
    "described member": {**NODE, "description": "The next one.", "default": None},
    "array": {"type": "array", "items": NODE},
    "array of arrays": {"type": "array", "items": {"type": "array", "items": NODE}},
    "map": {"type": "object", "additionalProperties": NODE},
    "nullable": {"anyOf": [NODE, {"type": "null"}]},
    "through another": {"$ref": "#/$defs/Link"},
}


def schema(link: Any, value: Any, *, required: tuple[str, ...] = ("value",), extra: Any = None) -> dict[str, Any]:
    members: Any = {"value": value, "link": link}
    members.update(extra or {})
    node = {"type": "object", "properties": members, "required": [*required]}
    other = {"type": "object", "properties": {"node": NODE}}
    return {
        "type": "object",
        "properties": {"top": NODE, "name": {"type": "string"}},
        "$defs": {"Node": node, "Link": other},
    }


def changes(old: Any, new: Any, side: str = "inputSchema") -> list[tuple[str, str, str]]:
    tools: list[Any] = [{"name": "t", "inputSchema": {"type": "object"}, side: each} for each in (old, new)]
    contracts = [contract_of(Listing("server", lists={"tools": [tool]})) for tool in tools]
    return [(each.subject, each.rule, each.verdict) for each in compare_contracts(*contracts).changes]


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize(
    ("value", "rule", "verdict"),
    [("integer", "argument-narrowed", "breaking"), (["string", "null"], "argument-widened", "compatible")],
)
def test_a_change_of_a_member_is_reported_once(link: str, value: Any, rule: str, verdict: str) -> None:
    old, new = schema(LINKS[link], {"type": "string"}), schema(LINKS[link], {"type": value})
    assert changes(old, new) == [("t.arguments.top.value", rule, verdict)]


@pytest.mark.parametrize("link", LINKS)
def test_a_change_of_a_result_is_reported_once(link: str) -> None:
    old, new = schema(LINKS[link], {"type": "string"}), schema(LINKS[link], {"type": "integer"})
    assert changes(old, new, "outputSchema") == [("t.result.top.value", "result-widened", "breaking")]


def test_the_members_by_which_it_is_reached_are_each_reported() -> None:
    old, new = schema(NODE, {"type": "string"}), schema(NODE, {"type": "integer"})
    for each in (old, new):
        each["properties"]["second"] = NODE
    assert [subject for subject, _, _ in changes(old, new)] == ["t.arguments.second.value", "t.arguments.top.value"]


def test_a_link_that_becomes_required_is_reported_once() -> None:
    value = {"type": "string"}
    old, new = schema(NODE, value), schema(NODE, value, required=("value", "link"))
    assert changes(old, new) == [("t.arguments.top.link", "argument-became-required", "breaking")]


def test_a_link_that_changes_itself_is_reported() -> None:
    value = {"type": "string"}
    old, new = schema(LINKS["array"], value), schema({**LINKS["array"], "maxItems": 3}, value)
    assert changes(old, new) == [("t.arguments.top.link", "argument-narrowed", "breaking")]


def test_a_change_beside_the_definition_is_reported_where_it_is() -> None:
    links = {"$ref": "#/$defs/First"}, {"$ref": "#/$defs/Second"}
    old, new = (schema({"type": "array", "items": {"anyOf": [NODE, *links]}}, {"type": "string"}) for _ in range(2))
    for each, kind in ((old, "string"), (new, "integer")):
        each["$defs"]["First"] = {"$ref": "#/$defs/Link"}
        each["$defs"]["Second"] = {"$ref": "#/$defs/Third"}
        each["$defs"]["Third"] = {"type": kind}
    assert changes(old, new) == [("t.arguments.top.link", "argument-narrowed", "breaking")]


def test_a_definition_that_replaces_another_is_compared() -> None:
    old = schema(NODE, {"type": "string"}, extra={"again": NODE})
    new = schema(NODE, {"type": "string"}, extra={"again": {"$ref": "#/$defs/Link"}})
    found = changes(old, new)
    assert found
    assert all(subject.startswith("t.arguments.top.again") for subject, _, _ in found)
