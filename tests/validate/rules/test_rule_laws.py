"""No message makes a rule raise, however odd it is; and the details of single rules."""

from __future__ import annotations

import itertools
from random import Random
from typing import Any

import pytest
from checkout import REVISIONS
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindgen import catalog
from mcp_bindgen.validate.findings import Place
from mcp_bindgen.validate.message import Message
from mcp_bindgen.validate.rules import Conversation
from mcp_bindgen.validate.rules.contents import is_moment
from mcp_bindgen.validate.rules.methods import all_methods
from strategies.faults import Faults
from strategies.values import Values
from support.content_cases import TOOL, USE, header, meta, sampling, tools
from support.conversation_builder import LAST, META, Talk, kind_of
from support.session_cases import again, need

WORDS = """
    _meta progressToken progress capabilities tools listChanged task taskId status requestId id params result error code
    data inputRequests inputResponses requestState resultType method content type tool_use tool_result toolUseId messages
    notifications elicitations elicitationId mode url requestedSchema required completion values roots uri icons src
    annotations lastModified extensions name inputSchema properties x-mcp-header structuredContent cacheScope nextCursor
    cursor supportedVersions supported requested traceparent initialize input_required working completed
""".split()
METHODS = [*all_methods()]
words = st.sampled_from([*WORDS, *METHODS, f"{META}subscriptionId", f"{META}clientCapabilities", f"{META}logLevel"])
leaves = st.none() | st.booleans() | st.integers(-2, 2) | st.integers() | st.floats() | words | st.text(max_size=5)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words | st.text(max_size=5), inner, max_size=5),
    max_leaves=20,
)
objects = st.dictionaries(words, values, max_size=6)


@st.composite
def exchanges(draw: st.DrawFn) -> Message:
    kind: Any = draw(st.sampled_from(["request", "notification", "result", "error"]))
    value = draw(objects)
    if draw(st.booleans()):
        value |= {
            "id": draw(st.sampled_from([1, "1", 2, None])),
            draw(st.sampled_from(["params", "result"])): draw(objects),
        }
    request = draw(st.none() | objects)
    method = draw(st.none() | st.sampled_from(METHODS) | st.text(max_size=3))
    path = draw(st.sampled_from(["$", "$[0]"]))
    sender = draw(st.sampled_from(["client", "server", None]))
    return Message(Place("x", 1), draw(st.sampled_from(REVISIONS)), kind, value, path, sender, method, request)


@given(st.lists(exchanges(), max_size=12), st.sampled_from(REVISIONS), st.booleans())
def test_no_conversation_makes_a_rule_raise(said: list[Message], revision: str, complete: bool) -> None:
    conversation = Conversation(revision, complete=complete)
    for exchange in said:
        for finding in conversation.check(exchange):
            assert str(finding)
    list(conversation.end())


@pytest.mark.parametrize("revision", REVISIONS)
def test_random_messages_of_the_schema_and_near_ones_make_no_rule_raise(revision: str) -> None:
    protocol, random = catalog.load(revision), Random(revision)
    made, faults = Values(protocol), Faults(protocol)
    talk = Talk(revision)
    for method, _ in itertools.product(protocol.methods.values(), range(6)):
        message = made.drawn(made.type(method.interface), random)
        result = made.drawn(method.result, random) if method.result else {}
        message |= {"jsonrpc": "2.0", "method": method.name}
        if method.kind == "request":
            message["id"] = random.choice([1, 2, "1"])
        near = faults.one(message, random).applied(message)
        for each in (message, near):
            if isinstance(each, dict) and kind_of(each) in {"request", "notification"}:
                talk.say(each, random.choice([*method.sent_by, None]))
        if method.kind == "request":
            talk.say({"jsonrpc": "2.0", "id": message["id"], "result": result}, None)
    assert len(talk.exchanges) > 100
    for finding in talk.findings():
        assert str(finding)


@pytest.mark.parametrize("revision", REVISIONS)
def test_values_of_any_depth_are_looked_through(revision: str) -> None:
    deep: Any = {"_meta": {"a/b/c": 1}}
    for _ in range(5000):
        deep = {"x": [deep]}
    talk = Talk(revision).ask("acme/x", {"deep": deep}, number=1)
    assert talk.codes() == (["meta-key"] if revision >= "2025-06-18" else [])


RESERVED = {
    "2025-06-18": "modelcontextprotocol.io/ mcp.dev/ api.modelcontextprotocol.org/ tools.mcp.com/",
    "2025-11-25": "dev.mcp/ org.modelcontextprotocol.api/ com.mcp.tools/",
    "2026-07-28": "dev.mcp/ org.modelcontextprotocol.api/ com.mcp.tools/",
}
FREE = {
    "2025-06-18": "mcp/ io.modelcontextprotocol/ com.example/ example.com.mcp/",
    "2025-11-25": "mcp/ com.example.mcp/ modelcontextprotocol.io/ io.modelcontextprotocol/",
    "2026-07-28": "mcp/ com.example.mcp/ modelcontextprotocol.io/ io.modelcontextprotocol/",
}


@pytest.mark.parametrize("revision", RESERVED)
def test_which_prefixes_are_reserved_depends_on_the_revision(revision: str) -> None:
    for prefix in RESERVED[revision].split():
        assert meta(Talk(revision), prefix + "x").codes() == ["meta-key-reserved"]
    for prefix in FREE[revision].split():
        assert meta(Talk(revision), prefix + "x").codes() == []


@pytest.mark.parametrize("key", ["", "a", "a_b.c-d", "9", "a/", "a.b/", "a.b-9.c/x", "progressToken"])
def test_keys_of_meta_that_are_right(key: str) -> None:
    assert meta(Talk(LAST), key, "x").codes() == []


@pytest.mark.parametrize(
    "key", ["/", "/a", "a..b/c", "9a/b", "a-/b", "-a/b", "a/b/c", "_a", "a_", "a b", "é", "a_b/c", "a\n"]
)
def test_keys_of_meta_that_are_wrong(key: str) -> None:
    assert meta(Talk(LAST), key).codes() == ["meta-key"]


def test_keys_are_looked_at_wherever_the_protocol_has_them() -> None:
    tool = {**TOOL, "_meta": {"a/b/c": 1}, "inputSchema": {"type": "object", "properties": {"_meta": {"a/b/c": 1}}}}
    (found,) = tools(Talk("2025-06-18"), tool).findings()
    assert found.path == '$.result.tools[0]._meta["a/b/c"]'
    arguments = {"name": "x", "arguments": {"_meta": {"a/b/c": 1}, "icons": [{"src": "file:x"}]}}
    assert Talk(LAST).ask("tools/call", arguments, number=1).codes() == []


@pytest.mark.parametrize(
    "moment", ["2025-01-12T15:00:58Z", "2025-01-12t15:00:58.1234567z", "2016-12-31T23:59:60+00:00"]
)
def test_moments_of_iso_8601(moment: str) -> None:
    assert is_moment(moment)


@pytest.mark.parametrize("moment", ["", "now", "12/01/2025", "1736694058", "2025-13-01T00:00:00Z", "٢٠٢٥-01-12"])
def test_texts_that_are_no_moments(moment: str) -> None:
    assert not is_moment(moment)


def test_each_use_of_a_tool_needs_its_result_in_the_next_message() -> None:
    def of(*ids: str) -> dict[str, Any]:
        return {"role": "user", "content": [{"type": "tool_result", "toolUseId": name, "content": []} for name in ids]}

    uses = {"role": "assistant", "content": [USE, {**USE, "id": "v"}]}
    talk = Talk("2025-11-25")
    assert sampling(talk, uses, of("v", "u"), {"role": "assistant", "content": []}, uses, of("u", "v")).codes() == []
    assert sampling(Talk("2025-11-25"), uses, of("u")).codes() == ["tool-use-unanswered"]
    assert sampling(Talk("2025-11-25"), uses).codes() == ["tool-use-unanswered"]


@pytest.mark.parametrize(
    "properties",
    [
        {"a": {"type": "string", "x-mcp-header": ""}},
        {"a": {"type": "string", "x-mcp-header": "a b"}},
        {"a": {"type": "string", "x-mcp-header": "a\n"}},
        {"a": {"type": "string", "x-mcp-header": 1}},
        {"a": {"type": "object", "x-mcp-header": "A"}},
        {"a": {"type": "string", "x-mcp-header": "A"}, "b": {"type": "string", "x-mcp-header": "a"}},
        {"a": {"type": "array", "items": {"type": "string", "x-mcp-header": "A"}}},
        {"a": {"anyOf": [{"type": "string", "x-mcp-header": "A"}]}},
    ],
)
def test_headers_that_mirror_arguments_wrongly(properties: dict[str, Any]) -> None:
    assert header(Talk(LAST), **properties).codes() == ["tool-header"]


def test_a_property_may_have_the_name_of_the_annotation() -> None:
    named = {"x-mcp-header": {"type": "string", "default": {"x-mcp-header": "A"}}}
    assert header(Talk(LAST), **named).codes() == []


def test_definitions_are_forgotten_when_the_list_has_changed() -> None:
    talk = tools(Talk("2025-06-18"), {**TOOL, "outputSchema": {}}, server={"tools": {"listChanged": True}})
    talk.tell("notifications/tools/list_changed").ask("tools/call", {"name": "x"}).answer({"content": []})
    assert talk.codes() == []


def test_a_tool_that_demands_a_task_is_not_called_directly() -> None:
    server = {"tasks": {"requests": {"tools": {"call": {}}}}}
    talk = tools(Talk("2025-11-25"), {**TOOL, "execution": {"taskSupport": "required"}}, server=server)
    assert talk.ask("tools/call", {"name": "x"}).codes() == ["tool-task-support"]


@pytest.mark.parametrize(
    ("params", "codes"),
    [
        ({"requestState": "s", "inputResponses": {"a": {"roots": []}}}, []),
        ({"inputResponses": {"a": {"roots": []}}}, ["request-state"]),
        ({"requestState": "s"}, ["input-missing"]),
        ({"requestState": "s", "inputResponses": {}}, ["input-missing"]),
        ({}, []),
    ],
)
def test_what_a_request_that_is_made_again_has_to_bring(params: dict[str, Any], codes: list[str]) -> None:
    talk = need(Talk(LAST), {"a": {"method": "roots/list"}}, caps={"roots": {}}, requestState="s")
    assert again(talk, **params).codes() == codes


def test_a_state_is_of_one_request_only() -> None:
    talk = need(Talk(LAST), None, requestState="s").ask("prompts/get", {"name": "x", "requestState": "s"})
    assert talk.codes() == ["request-state"]


def test_which_of_several_equal_requests_is_made_again_is_left_open() -> None:
    talk = need(Talk(LAST), {"a": {"method": "roots/list"}}, caps={"roots": {}})
    talk.ask("tools/call", {"name": "x"}, caps={"roots": {}}).answer(
        {"resultType": "input_required", "requestState": "t"}
    )
    talk.ask("tools/call", {"name": "x", "inputResponses": {"a": {"roots": []}}})
    assert talk.ask("tools/call", {"name": "x", "requestState": "t"}).codes() == []
