"""``model --format jsonschema``: what schema.ts says, without the known errors of the official schema.json."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp_bindgen import catalog
from mcp_bindgen.describe.jsonschema import describe_jsonschema
from support.official_schemas import official_file


def schema_of(revision: str) -> dict[str, Any]:
    return describe_jsonschema(catalog.load(revision))


def accepts(schema: dict[str, Any], name: str, value: Any) -> bool:
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]}).is_valid(value)


@pytest.mark.parametrize("revision", catalog.revisions())
def test_it_is_a_schema_whose_references_all_lead_somewhere(revision: str) -> None:
    schema = schema_of(revision)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema)
    references: set[str] = set()

    def visit(value: Any) -> None:
        if isinstance(value, dict):
            references.update({value["$ref"]} if isinstance(value.get("$ref"), str) else ())
            for part in value.values():
                visit(part)
        elif isinstance(value, list):
            for part in value:
                visit(part)

    visit(schema)
    assert references <= {f"#/$defs/{name}" for name in schema["$defs"]}
    assert schema["$ref"] == "#/$defs/JSONRPCMessage"


@pytest.mark.parametrize("revision", catalog.revisions())
def test_every_declared_type_has_a_definition_of_its_own_name(revision: str) -> None:
    protocol = catalog.load(revision)
    assert {name for name in protocol.order if name not in protocol.constants} <= set(schema_of(revision)["$defs"])


@pytest.mark.parametrize("revision", catalog.revisions())
def test_every_object_is_open(revision: str) -> None:
    text = json.dumps(schema_of(revision))
    assert '"additionalProperties": false' not in text


def test_a_declared_index_signature_shows_even_where_it_is_inherited() -> None:
    schema = schema_of("2025-06-18")
    assert schema["$defs"]["CallToolResult"]["additionalProperties"] is True
    assert "additionalProperties" not in schema["$defs"]["Tool"]
    assert schema["$defs"]["ElicitResultContent"]["additionalProperties"] == {"type": ["string", "number", "boolean"]}


def test_integers_and_floats_are_told_apart() -> None:
    definitions = schema_of("2025-11-25")["$defs"]
    assert definitions["RequestId"]["type"] == ["string", "integer"]
    assert definitions["ProgressNotificationParams"]["properties"]["progress"]["type"] == "number"
    assert definitions["Annotations"]["properties"]["priority"]["maximum"] == 1
    assert definitions["Task"]["properties"]["ttl"]["type"] == ["integer", "null"]
    assert definitions["Error"]["properties"]["code"]["type"] == "integer"


@pytest.mark.parametrize(
    ("revision", "name", "value", "valid"),
    [
        # Where the official schema.json says integer.
        ("2025-06-18", "ElicitResult", {"action": "accept", "content": {"size": 1.5}}, True),
        ("2025-11-25", "ElicitResult", {"action": "accept", "content": {"list": ["a"]}}, True),
        ("2025-11-25", "ElicitResult", {"action": "accept", "content": {"x": None}}, False),
        # Where it knows no null and no float.
        ("2026-07-28", "JSONValue", None, True),
        ("2026-07-28", "JSONValue", 1.5, True),
        ("2026-07-28", "JSONObject", {"a": [None, 1.5, {"b": "c"}]}, True),
        ("2026-07-28", "JSONObject", [], False),
        ("2026-07-28", "JSONArray", [None], True),
        ("2026-07-28", "CallToolResult", {"resultType": "complete", "content": [], "structuredContent": None}, True),
        ("2026-07-28", "CallToolResult", {"resultType": "x/other", "content": []}, True),
        ("2025-11-25", "Tool", {"name": "t", "inputSchema": {"type": "object", "$defs": {}, "title": "T"}}, True),
        ("2025-11-25", "Tool", {"name": "t", "inputSchema": {"type": "string"}}, False),
        ("2025-11-25", "Tool", {"name": "t", "title": None, "inputSchema": {"type": "object"}}, False),
        ("2025-03-26", "CallToolRequest", {"method": "tools/call", "params": {"name": "x"}}, True),
        (
            "2025-03-26",
            "CallToolRequest",
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x"}},
            True,
        ),
        ("2025-03-26", "CallToolRequest", {"jsonrpc": "1.0", "method": "tools/call", "params": {"name": "x"}}, False),
        ("2025-03-26", "JSONRPCMessage", [{"jsonrpc": "2.0", "method": "ping", "id": 1}], True),
        ("2025-06-18", "JSONRPCMessage", [{"jsonrpc": "2.0", "method": "ping", "id": 1}], False),
        ("2025-06-18", "LoggingLevel", "info", True),
        ("2025-06-18", "LoggingLevel", "INFO", False),
    ],
)
def test_values_are_judged_as_the_text_says(revision: str, name: str, value: Any, valid: bool) -> None:
    assert accepts(schema_of(revision), name, value) is valid


def test_open_enumerations_are_strings_with_examples(widgets) -> None:
    schema = describe_jsonschema(widgets)
    assert schema["$defs"]["Mood"] == {"type": "string", "examples": ["good", "bad"]}
    assert schema["$defs"]["Widget"]["properties"]["size"] == {"type": "string", "enum": ["large", "small"]}
    assert schema["$defs"]["Big"]["properties"]["size"] == {"const": "large"}


def test_docs_deprecations_constraints_and_formats_become_keywords(widgets) -> None:
    widget = describe_jsonschema(widgets)["$defs"]["Widget"]
    assert widget["description"] == "A widget.\n\nDeprecated: Use a gadget."
    assert widget["deprecated"] is True
    assert widget["required"] == ["id"]
    properties = widget["properties"]
    assert properties["id"] == {"description": "Which one.", "$ref": "#/$defs/WidgetId"}
    assert properties["weight"] == {"type": "number", "minimum": 0, "maximum": 1}
    assert properties["links"] == {"type": "array", "items": {"type": "string"}, "maxItems": 3}
    assert properties["data"] == {"type": "string", "format": "byte", "contentEncoding": "base64"}
    assert properties["odd/key"] is True
    assert properties["note"] == {"type": ["string", "null"]}


def test_inline_objects_have_definitions_named_after_their_place(widgets) -> None:
    definitions = describe_jsonschema(widgets)["$defs"]
    assert definitions["Widget"]["properties"]["options"]["$ref"] == "#/$defs/WidgetOptions"
    assert definitions["WidgetOptions"]["properties"]["old"] == {
        "description": "Deprecated.",
        "deprecated": True,
        "type": "number",
    } | {"type": definitions["WidgetOptions"]["properties"]["old"]["type"]}
    names = list(definitions)
    assert names.index("WidgetOptions") == names.index("Widget") + 1


def test_names_of_inline_objects_that_would_clash_get_a_number(resolve) -> None:
    protocol = resolve(
        "export interface A { b?: { x: string }; 'b!'?: { y: string } }\nexport interface AB { z: string }\n"
        "export interface Ä { c?: { w: string } }\n"
    )
    schema = describe_jsonschema(protocol)
    assert set(schema["$defs"]) == {"A", "AB", "AB2", "AB3", "Ä", "ÄC"}
    assert accepts(schema, "A", {"b": {"x": "x"}, "b!": {"y": "y"}})
    assert not accepts(schema, "A", {"b": {"y": "y"}})
    assert schema["$defs"]["Ä"]["properties"]["c"]["$ref"] == "#/$defs/%C3%84C"
    assert accepts(schema, "Ä", {"c": {"w": "w"}})
    assert not accepts(schema, "Ä", {"c": {}})


def test_without_a_message_type_the_root_is_any_of_the_methods(resolve) -> None:
    protocol = resolve(
        'export interface PingRequest { jsonrpc: "2.0"; id: string; method: "ping" }\n'
        "export interface PingResult {}\nexport type ClientRequest = PingRequest;\n"
    )
    assert describe_jsonschema(protocol)["anyOf"] == [{"$ref": "#/$defs/PingRequest"}]
    assert "$ref" not in describe_jsonschema(resolve("export interface A { a: string }\n"))


@pytest.mark.parametrize("revision", catalog.revisions())
def test_the_official_definitions_have_the_same_required_properties(revision: str, upstream) -> None:
    official = json.loads(official_file(upstream, revision, "schema.json").read_text())
    definitions = official.get("definitions") or official["$defs"]
    ours = schema_of(revision)["$defs"]
    compared = 0
    for name, definition in definitions.items():
        if "properties" in definition and "$ref" not in ours[name]:
            assert set(definition.get("required", [])) == set(ours[name].get("required", [])), name
            compared += 1
    assert compared > 60
