"""Our resolved model against the official ``schema.json``, which another program made from the official ``schema.ts``."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from checkout import REVISIONS
from differential.comparison import Comparison, Difference, Json, compare
from differential.json_rules import RULES, Rule
from mcp_bindgen.ir.protocol import Protocol
from support.official_schemas import definitions, official_json, ours

JSON_RPC_CODES = {
    "PARSE_ERROR": -32700,
    "INVALID_REQUEST": -32600,
    "METHOD_NOT_FOUND": -32601,
    "INVALID_PARAMS": -32602,
    "INTERNAL_ERROR": -32603,
}
"""JSON-RPC 2.0, section 5.1."""


def _judged(
    differences: Iterable[Difference], protocol: Protocol, rules: Iterable[Rule] = RULES
) -> tuple[list[str], list[str], Counter[str]]:
    """Differences that no rule explains, rules that explain nothing, and how much each explains."""
    rules = [rule for rule in rules if protocol.revision in rule.revisions]
    unexplained: list[str] = []
    used: Counter[str] = Counter({rule.name: 0 for rule in rules})
    for difference in differences:
        covering = [rule for rule in rules if rule.covers(difference, protocol)]
        used.update(rule.name for rule in covering)
        if not covering:
            unexplained.append(str(difference))
    return unexplained, [name for name, count in used.items() if not count], used


def _compared(upstream: Path, revision: str) -> Comparison:
    return compare(ours(revision), official_json(upstream, revision))


@pytest.mark.parametrize("revision", REVISIONS)
def test_schema_json_says_the_same_but_for_its_known_errors(
    upstream: Path, revision: str, record_property: pytest.RecordProperty
) -> None:
    comparison = _compared(upstream, revision)
    unexplained, unused, used = _judged(comparison.differences, ours(revision))
    counts = ", ".join(f"{count} {what}" for what, count in comparison.compared.items())
    print(f"{revision}: compared {counts}; explained {', '.join(f'{n} by {name!r}' for name, n in used.items())}")
    record_property("compared", dict(comparison.compared))
    record_property("explained", dict(used))
    assert unexplained == []
    assert unused == [], "these rules explain nothing any more"


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_type_and_property_was_compared(upstream: Path, revision: str) -> None:
    """The counts, once more and simply, so that the walk cannot skip anything."""
    types = definitions(official_json(upstream, revision))
    compared = _compared(upstream, revision).compared
    assert compared["types"] == len(types)
    # A property that refers to an object is one property here: named objects are compared once, as types.
    assert compared["properties"] >= sum(map(_properties, types.values()))


def _properties(schema: Any) -> int:
    if isinstance(schema, list):
        return sum(map(_properties, schema))
    if not isinstance(schema, dict):
        return 0
    own = schema.get("properties", {})
    rest = [value for key, value in schema.items() if key != "properties"]
    return len(own) + sum(map(_properties, own.values())) + sum(map(_properties, rest))


@pytest.mark.parametrize("revision", REVISIONS)
def test_codes_are_those_of_json_rpc(revision: str) -> None:
    constants = {name: each.value for name, each in ours(revision).constants.items()}
    assert JSON_RPC_CODES.items() <= constants.items()


# --- Each comparison can fail ------------------------------------------------------------------------------------

CHANGES: dict[str, Callable[[Json], object]] = {
    "ServerResult: type": lambda types: types.pop("ServerResult"),
    "Leaf: type": lambda types: types.update(Leaf={"type": "object"}),
    "Tool.name: property": lambda types: types["Tool"]["properties"].pop("name"),
    "Tool.colour: property": lambda types: types["Tool"]["properties"].update(colour={"type": "string"}),
    "Tool.inputSchema.type: property": lambda types: _inner(types, "Tool", "inputSchema")["properties"].pop("type"),
    "Tool.name: required": lambda types: types["Tool"]["required"].remove("name"),
    "Tool.title: required": lambda types: types["Tool"]["required"].append("title"),
    "Tool.title: kinds": lambda types: _inner(types, "Tool", "title").update(type=["string", "null"]),
    "Tool.annotations: names": lambda types: _inner(types, "Tool", "annotations").update({"$ref": "#/x/Annotations"}),
    "Role: literals": lambda types: types["Role"]["enum"].append("helper"),
    "TextContent.type: literals": lambda types: _inner(types, "TextContent", "type").update(const="txt"),
    "Resource.size: kinds": lambda types: _inner(types, "Resource", "size").update(type="number"),
    "Resource.uri: format": lambda types: _inner(types, "Resource", "uri").pop("format"),
    "Annotations.priority: kinds": lambda types: _inner(types, "Annotations", "priority").update(type="integer"),
    "Annotations.priority: maximum": lambda types: _inner(types, "Annotations", "priority").update(maximum=2),
    "Annotations.priority: minimum": lambda types: _inner(types, "Annotations", "priority").pop("minimum"),
    "ContentBlock: names": lambda types: types["ContentBlock"]["anyOf"].pop(),
    "ListToolsResult.tools: names": lambda types: _inner(types, "ListToolsResult", "tools").update(items={}),
    "ListToolsResult.tools: number of arrays": lambda types: _inner(types, "ListToolsResult", "tools").update(
        type="object"
    ),
    "ElicitRequest.params.requestedSchema.properties: open": lambda types: _inner(
        types, "ElicitRequest", "params", "requestedSchema", "properties"
    ).pop("additionalProperties"),
    "CompleteRequest.params.context.arguments[string]: kinds": lambda types: _inner(
        types, "CompleteRequest", "params", "context", "arguments"
    )["additionalProperties"].update(type="integer"),
    "JSONRPC_VERSION: constant": lambda types: types.update(json.loads(json.dumps(types).replace('"2.0"', '"3.0"'))),
}
"""What is done to the official JSON of 2025-06-18, by the difference that it makes."""


def _inner(types: Json, name: str, *properties: str) -> Json:
    found: Json = types[name]
    for each in properties:
        found = found["properties"][each]
    return found


@pytest.mark.parametrize("noticed", CHANGES)
def test_a_changed_schema_json_would_be_noticed(upstream: Path, noticed: str) -> None:
    document = copy.deepcopy(official_json(upstream, "2025-06-18"))
    CHANGES[noticed](definitions(document))
    protocol = ours("2025-06-18")
    unexplained, _, _ = _judged(compare(protocol, document).differences, protocol)
    assert any(each.startswith(f"2025-06-18 {noticed}: ") for each in unexplained), unexplained


@pytest.mark.parametrize("rule", RULES, ids=[rule.name for rule in RULES])
def test_without_a_rule_its_differences_are_unexplained(upstream: Path, rule: Rule) -> None:
    for revision in rule.revisions:
        others = [each for each in RULES if each is not rule]
        unexplained, _, _ = _judged(_compared(upstream, revision).differences, ours(revision), others)
        assert unexplained


def test_rules_that_explain_nothing_are_told() -> None:
    _, unused, _ = _judged([], ours("2026-07-28"))
    assert unused == [rule.name for rule in RULES if "2026-07-28" in rule.revisions]
