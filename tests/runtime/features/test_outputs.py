"""Structured results of tools, held by clients against what the tools promise."""

from __future__ import annotations

import json
import logging
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_bindings import connect
from mcp_bindings_runtime.client import output_check as outputs
from mcp_bindings_runtime.client.output_check import Outputs
from mcp_bindings_runtime.errors import OutputMismatch, ProtocolError, UsageError
from support.connected_clients import asking, serving
from support.revisions import STATELESS, those_with
from support.scripted_peers import PATIENCE, eventually, package

jsonschema = pytest.importorskip("jsonschema", reason="the extra `schema` is not installed")

WITH = those_with(lambda each: each.output_schemas)
WITHOUT = those_with(lambda each: not each.output_schemas)
each_revision = pytest.mark.parametrize("revision", WITH)
WEATHER = {"type": "object", "properties": {"sky": {"type": "string"}, "at": {"type": "number"}}, "required": ["sky"]}


def promising(revision, schema=None, **options):
    """A server whose tool gives what it is told to, whatever it promises."""
    mcp = package(revision)
    server = serving(revision, **options)
    types = mcp.types
    schema = {"schema": WEATHER if schema is None else schema}
    stale = {"ttl_ms": 0, "cache_scope": "private"} if revision in STATELESS else {}

    @server.handler(mcp.methods.LIST_TOOLS)
    def tools(params, context):
        told = {"name": "weather", "inputSchema": {"type": "object"}}
        if schema["schema"] is not None:
            told["outputSchema"] = schema["schema"]
        plain = {"name": "plain", "inputSchema": {"type": "object"}}
        codec = server.binding.codec
        return types.ListToolsResult(tools=[codec.structure(each, types.Tool) for each in (told, plain)], **stale)

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params, context):
        return types.CallToolResult(content=[types.TextContent(text="t")], **(params.arguments or {}))

    server.promise = schema
    return server


def give(client, name="weather", **result):
    return client.call_tool(name, result)


@each_revision
def test_what_does_not_fit_is_an_error_that_keeps_the_result(revision):
    with asking(promising(revision)) as client:
        # Nothing is known yet, and nothing is asked for in order to know.
        assert give(client, structured_content={"sky": 5}).structured_content == {"sky": 5}
        list(client.list_tools())
        assert give(client, structured_content={"sky": "clear"}).structured_content == {"sky": "clear"}
        with pytest.raises(OutputMismatch) as caught:
            give(client, structured_content={"sky": 5, "at": "noon"})
        assert caught.value.tool == "weather"
        assert caught.value.faults == ("$.sky: 5 is not of type 'string'", "$.at: 'noon' is not of type 'number'")
        assert caught.value.result.structured_content == {"sky": 5, "at": "noon"}
        assert str(caught.value).startswith(
            "the structuredContent of weather does not match the tool's outputSchema: $.sky: 5 is not of type 'string'; "
        )
        with pytest.raises(OutputMismatch, match="is missing, and the tool has an outputSchema"):
            give(client)
        # A tool that has failed promises nothing, and neither does one without a schema.
        assert give(client, is_error=True).is_error
        assert give(client, "plain", structured_content={"sky": 5}).structured_content == {"sky": 5}


@each_revision
def test_it_can_be_turned_off(revision):
    with asking(promising(revision), check_output=False) as client:
        list(client.list_tools())
        assert give(client, structured_content={}).structured_content == {}
        assert client.outputs is None


@each_revision
def test_the_latest_list_counts(revision):
    server = promising(revision)
    with asking(server) as client:
        list(client.list_tools())
        server.promise["schema"] = {"type": "object", "required": ["at"]}
        list(client.list_tools())
        assert give(client, structured_content={"at": 1})
        server.promise["schema"] = None
        list(client.list_tools())
        assert give(client, structured_content={"sky": 5})


@each_revision
def test_tools_that_have_changed_promise_nothing_until_they_are_listed(revision):
    mcp = package(revision)
    declared = {"tools": {"listChanged": True}}
    capabilities = mcp.Client.binding.codec.structure(declared, mcp.types.ServerCapabilities)
    server = promising(revision, capabilities=capabilities)
    with asking(server, on_tools_changed=lambda: None) as client:
        list(client.list_tools())
        with pytest.raises(OutputMismatch):
            give(client, structured_content={})
        server.announce(mcp.methods.TOOL_LIST_CHANGED.name)
        eventually(lambda: not client.outputs._known)
        assert give(client, structured_content={})


def test_a_task_promises_the_same():
    for mcp in (package(each) for each in WITH if hasattr(package(each), "MemoryTasks")):
        revision = mcp.revision.REVISION
        server = serving(revision, tasks=mcp.MemoryTasks(tools={"wrong": "optional"}, poll=0.01))

        @server.tool(output_schema=WEATHER, check=False)
        def wrong():
            return {"sky": 5}

        options = {"tasks": True} if revision in STATELESS else {}
        with asking(server, **options) as client:
            list(client.list_tools())
            with pytest.raises(OutputMismatch):
                client.call_tool("wrong")
            with pytest.raises(OutputMismatch):
                client.call_tool_as_task("wrong").result(PATIENCE)


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"type": "object", "$ref": "https://a.example/schema"}, "refers to 'https://a.example/schema'"),
        ({"type": "object", "properties": {"a": {"type": "text"}}}, "is not a valid JSON Schema"),
        (
            {"type": "object", "patternProperties": {"(a+)+$": {}}},
            "has patternProperties, which can take unbounded time",
        ),
        ({"type": "object", "$schema": "https://a.example/dialect"}, "has the unknown dialect"),
        ({"type": "object", "$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}, "too many levels"),
    ],
)
def test_a_schema_that_nothing_can_be_held_against_is_noted_or_refused(schema, why, caplog):
    server = promising("2025-11-25", schema)
    with asking(server) as client, caplog.at_level(logging.WARNING, "mcp_bindings"):
        list(client.list_tools())
        assert give(client, structured_content={}).structured_content == {}
        assert why in caplog.text
        assert "the result of weather is not validated against its outputSchema: " in caplog.text
    with asking(server, check_output=True) as client:
        list(client.list_tools())
        for _ in range(2):
            with pytest.raises(ProtocolError, match="is not validated against its outputSchema"):
                give(client, structured_content={})


def test_a_schema_may_not_take_for_ever(monkeypatch):
    monkeypatch.setattr(outputs, "LONGEST", 0.05)
    doubling = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)}
    schema = {"type": "object", "$defs": {**doubling, "d40": {}}, "$ref": "#/$defs/d0"}
    with asking(promising("2025-11-25", schema), check_output=True) as client:
        list(client.list_tools())
        with pytest.raises(ProtocolError, match="takes longer than"):
            give(client, structured_content={})


def test_patterns_are_left_out():
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": "(a+)+$", "maxLength": 60}}}
    with asking(promising("2025-11-25", schema), check_output=True) as client:
        list(client.list_tools())
        assert give(client, structured_content={"a": "a" * 50 + "!"})
        with pytest.raises(OutputMismatch):
            give(client, structured_content={"a": "a" * 100})


values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
schemas = st.recursive(
    st.sampled_from(
        [{"type": each} for each in ("string", "integer", "null", "array", "object")] + [{}, {"minimum": 1}]
    ),
    lambda inner: st.one_of(
        st.builds(lambda each: {"items": each, "uniqueItems": True}, inner),
        st.builds(lambda each: {"properties": {"a": each}, "additionalProperties": False}, inner),
        st.builds(lambda one, two: {"anyOf": [one, two]}, inner, inner),
        st.builds(lambda each: {"not": each}, inner),
    ),
    max_leaves=4,
)


@given(schemas, values)
def test_it_judges_as_the_library_does(schema, value):
    assert bool(outputs.bounded_checker(schema)(value)) is not jsonschema.Draft202012Validator(schema).is_valid(value)


@settings(max_examples=settings.default.max_examples * 3 // 5)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4000)), max_size=60))
def test_what_is_remembered_is_bounded(told):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outputs, "MOST", 4)
        patch.setattr(outputs, "SIZE", 5000)
        known = Outputs(strict=False)
        for number, size in told:
            known.learn(f"t{number}", {"title": "x" * size} if size % 7 else None)
            assert len(known._known) == len(known._sizes) <= 4
            assert known._held == sum(known._sizes.values()) <= 5000
            assert known._held == sum(len(each) for each in known._known.values())
        known.forget()
        assert known._held == 0


def test_without_the_extra_nothing_is_checked_unless_it_has_to_be(monkeypatch):
    for module in (outputs, sys.modules["mcp_bindings_runtime.features.callbacks"]):
        monkeypatch.setattr(module, "find_spec", lambda name: None)
    server = promising("2025-11-25")
    with asking(server) as client:
        list(client.list_tools())
        assert give(client, structured_content={}).structured_content == {}
        assert not client.followed
    with pytest.raises(UsageError, match=r"pip install 'mcp-bindings\[schema\]'"):
        package("2025-11-25").Client.in_memory(server, check_output=True)
    with pytest.raises(UsageError, match="check_output must be True, False"):
        package("2025-11-25").Client.in_memory(server, check_output="yes")


@pytest.mark.parametrize("revision", WITHOUT)
def test_revisions_without_schemas_have_no_such_option(revision):
    mcp = package(revision)
    with pytest.raises(UsageError, match="no option 'check_output'"):
        mcp.Client.in_memory(mcp.Server("s", "1"), check_output=True)
    server = mcp.Server("s", "1", revisions=[revision])
    with connect.in_memory(server, timeout=PATIENCE, check_output=True) as client:
        assert client.binding.revision == revision


def test_the_error_can_be_sent_to_another_process():
    error = OutputMismatch("t", ["$: is missing"], json.loads('{"a": 1}'))
    import pickle

    again = pickle.loads(pickle.dumps(error))
    assert (again.tool, again.faults, again.result, str(again)) == ("t", ("$: is missing",), {"a": 1}, str(error))
