"""``mcp-codegen model``: the document that model-format.md describes."""

from __future__ import annotations

import json

import pytest
from mcp_bindgen import catalog
from mcp_bindgen.describe.model import describe_model


def test_the_whole_document_of_a_small_schema(widgets) -> None:
    document = describe_model(widgets)
    assert list(document) == ["format", "revision", "source", "sha256", "constants", "types", "inline", "methods"]
    assert document["format"] == "mcp-model/1"
    assert (document["revision"], document["source"]) == ("2001-01-01", "schema.ts")
    assert document["sha256"] == widgets.sha256
    assert document["constants"] == {"MAX_WIDGETS": -5}
    assert list(document["types"]) == [
        "JSONRPCMessage",
        "Widget",
        "Big",
        "WidgetId",
        "Mood",
        "Same",
        "Pair",
        "Ids",
        "ListWidgetsRequest",
        "ListWidgetsResult",
        "WidgetsChangedNotification",
        "ClientRequest",
        "ServerNotification",
    ]


def test_an_interface_has_its_properties_in_the_order_of_the_source(widgets) -> None:
    widget = describe_model(widgets)["types"]["Widget"]
    properties = widget.pop("properties")
    assert widget == {"kind": "interface", "open": False, "line": 11, "doc": "A widget.", "deprecated": "Use a gadget."}
    assert list(properties) == [
        *("id", "size", "options", "parts", "mood", "weight", "links", "data", "odd/key", "note"),
    ]
    assert properties["id"] == {
        "optional": False,
        "type": "number | string",
        "declared_in": "Widget",
        "doc": "Which one.",
        "deprecated": None,
        "constraints": {"number": "integer"},
    }
    assert properties["size"]["type"] == '"large" | "small"'
    assert properties["options"]["type"] == "{color: string, old?: number}"
    assert properties["parts"]["type"] == "Array<@Widget>"
    assert (properties["mood"]["type"], properties["mood"]["known"]) == ("string", ["good", "bad"])
    assert properties["weight"]["constraints"] == {"minimum": 0, "maximum": 1, "number": "float"}
    assert properties["links"]["constraints"] == {"maxItems": 3}
    assert properties["data"]["constraints"] == {"format": "byte"}
    assert properties["odd/key"]["type"] == "unknown"
    assert properties["note"]["type"] == "null | string"


def test_inherited_properties_are_there_and_say_where_they_come_from(widgets) -> None:
    big = describe_model(widgets)["types"]["Big"]
    assert big["open"] is True
    assert big["properties"]["id"]["declared_in"] == "Widget"
    assert big["properties"]["size"]["declared_in"] == "Big"
    assert big["properties"]["size"]["type"] == '"large"'
    assert big["properties"]["size"]["optional"] is False


def test_aliases_of_objects_have_properties_and_others_a_type(widgets) -> None:
    types = describe_model(widgets)["types"]
    assert types["Same"]["kind"] == "alias"
    assert types["Same"]["properties"] == types["Big"]["properties"]
    assert types["Same"]["open"] is True
    assert types["Pair"]["kind"] == "alias"
    assert list(types["Pair"]["properties"])[-1] == "second"
    assert types["WidgetId"] == {
        "kind": "alias",
        "line": 43,
        "doc": None,
        "deprecated": None,
        "type": "number | string",
    }
    assert types["Ids"]["type"] == "Array<number | string>"
    assert (types["Mood"]["type"], types["Mood"]["known"]) == ("string", ["good", "bad"])
    assert "properties" not in types["JSONRPCMessage"]
    assert types["JSONRPCMessage"]["type"] == "@ListWidgetsRequest | @WidgetsChangedNotification"


def test_inline_objects_keep_their_docs_deprecations_and_constraints(widgets) -> None:
    inline = describe_model(widgets)["inline"]
    options = inline["Widget.options"]
    assert (options["open"], options["line"]) == (False, 16)
    assert options["properties"]["color"] == {
        "optional": False,
        "type": "string",
        "declared_in": "Widget.options",
        "doc": "Its hue.",
        "deprecated": None,
        "constraints": {},
    }
    assert options["properties"]["old"]["deprecated"] == ""
    assert "ListWidgetsRequest.params" in inline


def test_methods_say_who_sends_them_and_what_they_carry(widgets) -> None:
    methods = describe_model(widgets)["methods"]
    assert methods["widgets/list"] == {
        "kind": "request",
        "sent_by": ["client"],
        "interface": "ListWidgetsRequest",
        "params": "{cursor?: string}",
        "params_required": False,
        "results": ["ListWidgetsResult"],
        "capability": None,
    }
    assert methods["notifications/widgets/changed"] == {
        "kind": "notification",
        "sent_by": ["server"],
        "interface": "WidgetsChangedNotification",
        "params": None,
        "params_required": False,
    }


def test_an_added_envelope_is_listed_at_the_method_and_not_among_the_properties() -> None:
    document = describe_model(catalog.load("2025-03-26"))
    assert document["methods"]["ping"]["envelope"] == ["jsonrpc", "id"]
    assert document["methods"]["notifications/initialized"]["envelope"] == ["jsonrpc"]
    assert list(document["types"]["PingRequest"]["properties"]) == ["method", "params"]
    later = describe_model(catalog.load("2025-11-25"))
    assert "envelope" not in later["methods"]["ping"]
    assert {"jsonrpc", "id"} <= set(later["types"]["PingRequest"]["properties"])


def test_an_embedded_request_is_marked() -> None:
    methods = describe_model(catalog.load("2026-07-28"))["methods"]
    assert methods["elicitation/create"]["embedded"] is True
    assert methods["elicitation/create"]["sent_by"] == ["server"]
    assert "embedded" not in methods["tools/call"]
    assert methods["tools/call"]["results"] == ["CallToolResult", "InputRequiredResult"]


def test_a_recursive_alias_is_a_name_where_it_is_used_and_a_text_where_it_is_declared() -> None:
    types = describe_model(catalog.load("2026-07-28"))["types"]
    assert types["JSONValue"]["type"] == "@JSONArray | @JSONObject | boolean | null | number | string"
    assert types["JSONArray"]["type"] == "Array<@JSONValue>"
    assert types["JSONObject"] == {
        "kind": "alias",
        "open": True,
        "line": types["JSONObject"]["line"],
        "doc": types["JSONObject"]["doc"],
        "deprecated": None,
        "properties": {},
    }


def test_null_is_only_where_the_text_says_it() -> None:
    for revision in catalog.revisions():
        document = describe_model(catalog.load(revision))
        nullable = {
            f"{name}.{member}"
            for name, declared in document["types"].items()
            for member, entry in declared.get("properties", {}).items()
            if "null" in entry["type"].split(" | ")
        }
        expected = {"Task.ttl", "GetTaskResult.ttl", "CancelTaskResult.ttl", "TaskStatusNotificationParams.ttl"}
        assert nullable == (expected if revision == "2025-11-25" else set())


@pytest.mark.parametrize("revision", catalog.revisions())
def test_every_revision_has_a_document_that_is_json_and_the_same_every_time(revision: str) -> None:
    protocol = catalog.load(revision)
    first = json.dumps(describe_model(protocol))
    assert json.dumps(describe_model(protocol)) == first
    document = json.loads(first)
    assert document["revision"] == revision
    assert not set(document["types"]) & set(document["constants"])
    assert all(path.partition(".")[0] in document["types"] for path in document["inline"])
    for method in document["methods"].values():
        assert method["interface"] in document["types"]
        assert set(method.get("results", [])) <= set(document["types"])
