"""Parts of messages in documents: of which type they are taken to be, what is then checked, and what is left alone."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindgen.errors import BindgenError
from mcp_bindgen.validate import fragments, tables
from mcp_bindgen.validate.fragments import Match, is_message, match, match_result, may_answer
from mcp_bindgen.validate.tables import Tables, walk
from strategies.values import Values
from support.official_schemas import ours

Json = Any
LATEST = "2026-07-28"

TEXT = {"type": "text", "text": "x"}
TOOL = {"name": "add", "inputSchema": {"type": "object", "properties": {"a": {"type": "number"}}}}
ELICIT = {"message": "?", "requestedSchema": {"type": "object", "properties": {"a": {"type": "string"}}}}


def faults(found: Match, revision: str) -> list[tuple[object, ...]]:
    known = tables.load(revision)
    sites = (site for part in found.parts for site in walk(part.value, part.shape, known, part.path))
    return [(site.kind, *site.path) for site in sites if site.kind in {"missing", "wrong"}]


@pytest.mark.parametrize(
    ("value", "revision", "name"),
    [
        (TEXT, "2024-11-05", "TextContent"),
        ({"type": "image", "data": "", "mimeType": "image/png"}, "2024-11-05", "ImageContent"),
        ({"type": "resource", "resource": {"uri": "a:b", "text": ""}}, "2025-03-26", "EmbeddedResource"),
        ({"uri": "a:b", "text": "x"}, "2025-03-26", "TextResourceContents"),
        ({"uri": "a:b", "blob": ""}, "2025-03-26", "BlobResourceContents"),
        (TOOL, "2025-06-18", "Tool"),
        ({**TOOL, "inputSchema": {"type": "object", "additionalProperties": False}}, "2025-06-18", "Tool"),
        ({"uri": "a:b", "name": "x"}, "2025-06-18", "Root"),
        ({"uri": "a:b", "name": "x", "mimeType": "y"}, "2025-06-18", "Resource"),
        ({"uriTemplate": "a:{b}", "name": "x"}, "2025-06-18", "ResourceTemplate"),
        ({"name": "x", "version": "1"}, "2025-06-18", "Implementation"),
        ({"hints": [{"name": "x"}], "costPriority": 0.5}, "2025-11-25", "ModelPreferences"),
        ({"code": -32600, "message": "x"}, "2025-11-25", "Error"),
        ({"type": "string", "minLength": 1, "format": "email"}, "2025-11-25", "StringSchema"),
        ({"type": "string", "oneOf": [{"const": "a", "title": "A"}]}, "2025-11-25", "TitledSingleSelectEnumSchema"),
        ({"role": "user", "content": [TEXT]}, "2025-11-25", "SamplingMessage"),
        ({"tools": [TOOL], "nextCursor": "x"}, "2025-11-25", "ListToolsResult"),
        ({"content": [TEXT], "structuredContent": {}}, "2025-11-25", "CallToolResult"),
        ({"action": "accept", "content": {"name": "x"}}, LATEST, "ElicitResult"),
        ({"method": "elicitation/create", "params": ELICIT}, LATEST, "ElicitRequest"),
        (
            {"a": {"method": "roots/list"}, "b": {"method": "elicitation/create", "params": ELICIT}},
            LATEST,
            "InputRequests",
        ),
        ([{"uri": "a:b", "name": "x"}, {"uri": "c:d", "name": "y"}], LATEST, "Root[]"),
        ([TOOL], "2024-11-05", "Tool[]"),
    ],
)
def test_the_type_that_names_most_of_what_is_there(value: Json, revision: str, name: str) -> None:
    found = match(value, revision)
    assert found.names[0] == name
    assert [(part.path, part.value) for part in found.parts] == [((), value)]
    assert faults(found, revision) == []
    assert found.undeclared == ()


def test_types_that_are_as_good_are_all_named() -> None:
    assert match({"uri": "a:b", "name": "x"}, "2025-11-25").names == ("Root", "Resource")


@pytest.mark.parametrize(
    ("value", "revision", "name"),
    [
        ({"capabilities": {"tools": {"listChanged": True}}}, "2025-06-18", "InitializeResult.capabilities"),
        ({"capabilities": {"roots": {"listChanged": True}}}, "2025-06-18", "InitializeRequestParams.capabilities"),
        ({"capabilities": {"logging": {}}}, LATEST, "DiscoverResult.capabilities"),
        ({"tools": [TOOL, TOOL]}, "2025-06-18", "ListToolsResult"),
        ({"requestedSchema": ELICIT["requestedSchema"]}, "2025-06-18", "ElicitRequestParams.requestedSchema"),
        # All messages have params: those are meant that name most of what is in them, or else leave it open.
        ({"params": {"messages": [], "maxTokens": 1}}, "2025-06-18", "CreateMessageRequest.params"),
        ({"params": {"_meta": {"progressToken": 1, "acme/x": 2}}}, "2025-06-18", "Request.params"),
        ({"params": {"_meta": {"acme/x": 2}}}, "2025-06-18", "Notification.params"),
        ({"modelPreferences": {"hints": [{"name": "x"}]}}, "2025-06-18", "CreateMessageRequestParams.modelPreferences"),
        # A member that goes by another name, or stands in `_meta`.
        ({"capabilities": {"roots": {}}}, LATEST, "ClientCapabilities"),
        ({"io.modelcontextprotocol/related-task": {"taskId": "1"}}, "2025-11-25", "RelatedTaskMetadata"),
    ],
)
def test_a_member_on_its_own_is_of_the_type_that_its_owner_gives_it(value: Json, revision: str, name: str) -> None:
    found = match(value, revision)
    assert found.names[0] == name
    assert faults(found, revision) == []
    assert found.undeclared == ()


def test_some_members_of_a_type_are_checked_each() -> None:
    value = {"name": "add", "arguments": {"a": 1}}
    found = match(value, LATEST)
    assert found.names[0] == "CallToolRequestParams"
    assert [(part.path, part.value) for part in found.parts] == [(("name",), "add"), (("arguments",), {"a": 1})]
    assert faults(found, LATEST) == []


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-11-25"])
def test_a_message_may_leave_out_its_envelope(revision: str) -> None:
    params = {"messages": [{"role": "user", "content": TEXT}], "maxTokens": 1}
    found = match({"method": "sampling/createMessage", "params": params}, revision)
    assert found.names == ("CreateMessageRequest",)
    assert faults(found, revision) == []
    found = match({"method": "sampling/createMessage", "params": {**params, "maxTokens": "1"}}, revision)
    assert faults(found, revision) == [("wrong", "params", "maxTokens")]


@pytest.mark.parametrize(
    ("value", "revision", "wrong"),
    [
        # A literal says what it is.
        ({"type": "image", "data": ""}, "2025-06-18", [("missing", "mimeType")]),
        ({"type": "image", "data": "", "mimetype": ""}, "2025-06-18", [("missing", "mimeType")]),
        ({"type": "text", "text": 1}, "2025-06-18", [("wrong", "text")]),
        ([TEXT, {"type": "text", "text": None}], "2025-06-18", [("wrong", 1, "text")]),
        (
            {"method": "elicitation/create", "params": {"message": "?"}},
            LATEST,
            [("missing", "params", "requestedSchema")],
        ),
        # Its members do: no other type has them together.
        ({**TOOL, "inputSchema": {"type": "array"}}, "2025-06-18", [("wrong", "inputSchema", "type")]),
        ({**TOOL, "annotations": {"readOnlyHint": "no"}}, "2025-06-18", [("wrong", "annotations", "readOnlyHint")]),
        ({"tools": [TOOL, {"name": "x"}]}, "2025-06-18", [("missing", "tools", 1, "inputSchema")]),
        ({"uri": "a:b", "name": "x", "mimeType": "y", "size": "1"}, "2025-06-18", [("wrong", "size")]),
        # All types that are as likely find the same fault.
        ({"role": "user", "content": {"type": "text"}}, "2025-06-18", [("missing", "content", "text")]),
        # Another type would take it, but not look at what is wrong.
        (
            {"capabilities": {"tools": {"listChanged": 1}}},
            "2025-06-18",
            [("wrong", "capabilities", "tools", "listChanged")],
        ),
    ],
)
def test_a_mistake_in_what_is_plainly_of_a_type_is_found(value: Json, revision: str, wrong: list[object]) -> None:
    assert faults(match(value, revision), revision) == wrong


def test_a_mistake_that_types_do_not_agree_about_is_left_alone() -> None:
    def members(**kinds: str) -> tuple[tuple[Any, ...], None]:
        return tuple((name, name, "optional", kind, None) for name, kind in kinds.items()), None

    one = members(a="integer", b="string", c="string", d="string")
    other = members(a="string", b="integer", c="string", d="string")
    value = dict.fromkeys("abcd", "text")
    both = Tables(objects={"One": one, "Other": other}, aliases={}, results={})
    shapes = [("class", "One"), ("class", "Other")]
    assert fragments._match(value, both, shapes) == Match()
    assert fragments._match(value, both, shapes[:1]).names == ("One",)


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        [1],
        [TEXT, 1],
        None,
        "text",
        5,
        {"mcpServers": {"one": {"command": "run", "args": ["a"], "env": {}}}},
        {"compilerOptions": {"target": "ES2022", "strict": True}, "include": ["src"]},
        {"type": "module", "scripts": {"build": "tsc"}, "bin": {"a": "b"}},
        {"name": "pkg", "version": "1.0.0", "mcpName": "io.github.a/b"},
        {"$schema": "https://x/server.json", "name": "a/b", "title": "A", "version": "1", "packages": [{"name": "x"}]},
        {"client_id": "x", "redirect_uris": ["http://localhost"], "scope": "a"},
        {"resource": "https://a/mcp", "authorization_servers": ["https://b"]},
        {"access_token": "x", "token_type": "Bearer", "expires_in": 3600},
        {"error": {"code": "auth_required", "message": "no", "status": 401}},
        {"error": {"code": "auth_required", "message": "no"}},
        {"error": "invalid_request", "error_description": "x"},
        {"type": "image", "url": "https://a/b.png"},
        {"type": "text", "value": "x", "style": "bold"},
        {"type": "array", "items": {"$ref": "#/a"}},
        {"type": "string", "enum": [1, 2], "x": 1},
        {"version": 2, "name": "x"},
        {"city": "Paris", "temperature": 21.5},
    ],
)
def test_what_is_not_of_the_protocol_gives_no_fault(value: Json, revision: str) -> None:
    assert faults(match(value, revision), revision) == []


@pytest.mark.parametrize("value", [{}, {"mcpServers": {}}, {"client_id": "x"}, {"a": {"taskId": "1"}}, [{}], None])
def test_what_is_like_no_type_is_matched_to_none(value: Json) -> None:
    for revision in REVISIONS:
        assert match(value, revision) == Match()


def test_members_that_the_type_does_not_name_are_told() -> None:
    resource = {"uri": "a:b", "text": "x", "annotations": {"priority": 1}}
    assert match({"type": "resource", "resource": resource}, "2025-06-18").undeclared == (("resource", "annotations"),)
    pattern = {"type": "string", "title": "x", "description": "y", "minLength": 3, "pattern": "a+"}
    assert match(pattern, "2025-11-25").names == ("StringSchema",)
    assert match(pattern, "2025-11-25").undeclared == (("pattern",),)
    # Any JSON Schema may stand there, by the specification.
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    assert match({**TOOL, "inputSchema": schema}, "2025-06-18").undeclared == ()


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_whole_and_valid_value_is_never_called_wrong(revision: str) -> None:
    protocol, known = ours(revision), tables.load(revision)
    values, matched = Values(protocol), 0
    for name in known.objects:
        if name in protocol.objects:
            for case in islice(values.cases(name), 15):
                found = match(case.value, revision)
                if found.names:
                    matched += 1
                    assert faults(found, revision) == [], (name, case.value)
    assert matched > 300


def test_messages_are_told_from_fragments() -> None:
    message = {"jsonrpc": "2.0", "method": "ping", "id": 1}
    assert is_message(message)
    assert is_message([message, {}])
    assert not is_message({"method": "ping", "id": 1})
    assert not is_message([TOOL, 1])
    assert not is_message("jsonrpc")


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"content": [TEXT]}, "CallToolResult"),
        ({"resources": [], "nextCursor": "x"}, "ListResourcesResult"),
        ({"completion": {"values": ["a"]}}, "CompleteResult"),
    ],
)
def test_a_result_without_its_request_is_of_the_method_whose_result_it_is_like(value: Json, name: str) -> None:
    assert match_result(value, "2025-11-25").names == (name,)


def test_a_result_is_never_a_part_of_one() -> None:
    value = {"resultType": "complete", "supportedVersions": [LATEST], "ttlMs": 0, "cacheScope": "public"}
    found = match_result(value, LATEST)
    assert found.names == ("DiscoverResult",)
    assert faults(found, LATEST) == [("missing", "capabilities")]
    assert match_result({"_meta": {"a": 1}}, "2025-11-25") == Match()


def test_a_result_that_is_like_none_is_left_alone() -> None:
    assert match_result({}, "2025-11-25") == Match()
    assert match_result({"anything": 1}, "2025-11-25") == Match()
    assert match_result(1, "2025-11-25") == Match()


def test_a_result_is_not_of_a_method_when_it_is_plainly_of_another() -> None:
    listed = {"tools": [TOOL]}
    assert may_answer(listed, "tools/list", "2025-11-25")
    assert not may_answer(listed, "tools/call", "2025-11-25")
    # A mistake in a result does not make it one of another method.
    assert may_answer({"tools": [{"name": 1}]}, "tools/list", "2025-11-25")
    assert may_answer({"anything": 1}, "tools/call", "2025-11-25")
    assert may_answer(listed, "acme/unknown", "2025-11-25")


def test_only_bundled_revisions_have_types() -> None:
    with pytest.raises(BindgenError, match="not a bundled revision"):
        match({}, "2025-06-17")
