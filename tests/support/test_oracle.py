"""The model as a judge says what a reader of the schema would say: small examples, worked out by hand."""

from __future__ import annotations

import pytest
from mcp_bindgen.ir.protocol import AliasOf, ObjectOf
from strategies.values import Json
from support import error_texts
from support.message_oracle import MessageOracle
from support.official_schemas import ours
from support.oracle import Oracle, Path, Violation, type_names, undecidable

R2024, R2503, R2506, R2511, R26 = "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"

TOOL = {"name": "add", "inputSchema": {"type": "object"}}
CONTENT = 'one of "text", "image", "audio", "resource_link", "resource"'


def wrong(path: Path, found: str, expected: str, raw: Path | None) -> Violation:
    return Violation(path, found, expected, raw)


@pytest.mark.parametrize(
    ("revision", "name", "value", "expected"),
    [
        (R2506, "Tool", TOOL, []),
        (R2506, "Tool", {**TOOL, "x": None}, []),
        (R2506, "Tool", [], [wrong((), "an array", "an object", ())]),
        (R2506, "Tool", {"inputSchema": TOOL["inputSchema"]}, [wrong(("name",), "nothing", "a string", None)]),
        (R2506, "Tool", {**TOOL, "title": None}, [wrong(("title",), "null", "a string", ("title",))]),
        (R2506, "Resource", {"name": "", "uri": "", "size": 1.0}, [wrong(("size",), "1.0", "an integer", ("size",))]),
        (R2506, "Resource", {"name": "", "uri": "", "size": True}, [wrong(("size",), "true", "an integer", ("size",))]),
        (R2506, "Annotations", {"priority": 1}, []),
        (R2506, "Annotations", {"audience": ["user", "me"]}, [wrong(("audience", 1), '"me"', 'one of "user", "assistant"', ("audience", 1))]),
        (R2506, "Tool", {**TOOL, "inputSchema": {"type": "array"}}, [wrong(("inputSchema", "type"), '"array"', '"object"', ("inputSchema", "type"))]),
        # A tag decides; where it does not, the object stays JSON as a whole.
        (R2506, "ContentBlock", {"type": "text", "data": "x"}, [wrong(("text",), "nothing", "a string", None)]),
        (R2506, "ContentBlock", {"type": "txt"}, [wrong(("type",), '"txt"', CONTENT, ())]),
        (R2506, "ContentBlock", {}, [wrong(("type",), "nothing", CONTENT, ())]),
        (R2506, "ElicitResult", {"action": "cancel", "content": {"a": 1.5, "b": {}}}, [wrong(("content", "b"), "an object", "a string, a number or true or false", ("content", "b"))]),
        (R2506, "RequestId", 1.5, [wrong((), "1.5", "a string or an integer", ())]),
        # Where nothing decides, what is missed is what is asked for first.
        (R2506, "EmbeddedResource", {"type": "resource", "resource": {"uri": ""}}, [wrong(("resource", "text"), "nothing", 'this member, or "blob" instead', ("resource",))]),
        (R26, "InputResponse", {}, [wrong(("model",), "nothing", 'this member, or one of "roots", "action" instead', ())]),
        (R2511, "EnumSchema", {"type": "array"}, [wrong(("items",), "nothing", "an object", ())]),
        (R2511, "EnumSchema", {"type": "array", "items": {}}, [wrong(("items", "enum"), "nothing", 'this member, or "anyOf" instead', ())]),
        (R2511, "EnumSchema", {"type": "text"}, [wrong(("type",), '"text"', 'one of "string", "array"', ())]),
        (R2511, "ElicitRequestParams", {"mode": "url"}, None),
        (R26, "JSONValue", [None, {"a": 1.5}], []),
    ],
)  # fmt: skip
def test_values(revision: str, name: str, value: Json, expected: list[Violation] | None) -> None:
    protocol = ours(revision)
    kind = ObjectOf(name) if name in protocol.objects else AliasOf(name)
    found = list(Oracle(protocol).violations(kind, value))
    assert Oracle(protocol).accepts(kind, value) is (not found)
    if expected is None:
        assert {each.path for each in found} == {("url",), ("message",), ("elicitationId",)}
    else:
        assert found == expected


PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.mark.parametrize(
    ("revision", "value", "kind", "places"),
    [
        (R2506, PING, "PingRequest", []),
        (R26, PING, "JSONRPCRequest", []),
        (R2506, {**PING, "jsonrpc": 2}, "PingRequest", [("jsonrpc",)]),
        (R2506, {"jsonrpc": "2.0", "method": "ping"}, None, [("id",)]),
        (R2506, {**PING, "method": "notifications/initialized"}, None, [("id",)]),
        (R2506, {**PING, "method": 5}, None, [("method",)]),
        (R2506, {"jsonrpc": "2.0", "id": 1, "result": {}}, "JSONRPCResponse", []),
        (R2511, {"jsonrpc": "2.0", "id": 1, "result": {}}, "JSONRPCResultResponse", []),
        (R2511, {"jsonrpc": "2.0", "id": None, "result": 5}, "JSONRPCResultResponse", [("id",), ("result",)]),
        (R2506, {"jsonrpc": "2.0", "error": {"code": 1.0, "message": "no"}}, "JSONRPCError", [("error", "code")]),
        (R2506, {"jsonrpc": "2.0", "id": 1, "result": {}, "error": {}}, None, [()]),
        (R2506, {"jsonrpc": "2.0", "id": 1}, None, [()]),
        (R2506, [PING], None, [()]),
    ],
)
def test_messages(revision: str, value: Json, kind: str | None, places: list[Path]) -> None:
    oracle = MessageOracle(ours(revision))
    (reading,) = oracle.read(value)
    assert reading.kind == kind
    assert [each.path for each in reading.violations] == places


def test_a_batch_is_read_message_by_message() -> None:
    oracle = MessageOracle(ours(R2503))
    assert oracle.batches
    assert [reading.path for reading in oracle.read([PING, PING])] == [(0,), (1,)]
    assert [each.path for each in oracle.violations([PING, {**PING, "id": None}, 5])] == [(1, "id"), (2,)]
    assert oracle.violations([]) == [wrong((), "an empty array", "at least one message", ())]


def test_a_result_is_judged_as_that_of_the_request_with_its_id() -> None:
    oracle = MessageOracle(ours(R2506))
    response = {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{}], "_meta": 5}}
    assert [each.path for each in oracle.violations(response)] == [("result", "_meta")]
    assert [each.path for each in oracle.violations(response, None, {1: "tools/list"})] == [
        ("result", "_meta"),
        ("result", "tools", 0, "name"),
        ("result", "tools", 0, "inputSchema"),
    ]
    assert len(oracle.violations(response, None, {"1": "tools/list"})) == 1


def test_a_method_is_only_that_of_who_may_send_it() -> None:
    oracle = MessageOracle(ours(R2506))
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    assert oracle.read(call, "client")[0].kind == "CallToolRequest"
    assert oracle.read(call, "server")[0].kind == "JSONRPCRequest"


def test_types_whose_values_say_nothing_are_left_out() -> None:
    assert undecidable(ours(R2506)) == {"ClientResult", "ServerResult"}
    assert "ServerResult" not in type_names(ours(R2506))
    assert "Tool" in type_names(ours(R2506))


def test_places_are_spelled_for_people_and_for_programs() -> None:
    assert (
        error_texts.path_text(("a", 0, "$schema", "x/y", 'q"', "é", "\u202e", "\U000e0001"))
        == '$.a[0].$schema["x/y"]["q\\""].é["\\u202e"]["\\udb40\\udc01"]'
    )
    assert error_texts.pointed_at({"a/b": [{"~": 5}]}, "/a~1b/0/~0") == 5
    assert error_texts.pointed_at(7, "") == 7
