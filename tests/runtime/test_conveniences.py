"""What types offer besides their members: bytes, names for people, failed tools as exceptions."""

from __future__ import annotations

import base64
import pickle

import pytest
from checkout import REVISIONS
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindings import v2025_11_25, v2026_07_28
from mcp_bindings_runtime.codec.record import field_names
from mcp_bindings_runtime.errors import ProtocolError, ToolFailed
from support.revisions import facts
from support.scripted_peers import package

each_revision = pytest.mark.parametrize("revision", REVISIONS)


@given(st.binary(max_size=50))
def test_bytes_are_what_base64_stands_for(data):
    text = base64.b64encode(data).decode()
    types = v2025_11_25.types
    assert types.ImageContent(data=text, mime_type="image/png").bytes == data
    assert types.AudioContent(data=text, mime_type="audio/wav").bytes == data
    assert types.BlobResourceContents(uri="x:", blob=text).bytes == data


@each_revision
@pytest.mark.parametrize("text", ["A", "*AAA", "AA==\n", "ä"])
def test_what_is_no_base64_is_told(revision, text):
    block = package(revision).types.ImageContent(data=text, mime_type="image/png")
    with pytest.raises(ProtocolError, match="not valid base64"):
        _ = block.bytes


@each_revision
def test_the_text_of_a_resource_is_that_of_its_text_contents(revision):
    types = package(revision).types
    blob = types.BlobResourceContents(uri="x:", blob="AA==")
    texts = [types.TextResourceContents(uri="x:", text=each) for each in ("a", "b")]
    extra = {"ttl_ms": 0, "cache_scope": "private"} if "ttl_ms" in field_names(types.ReadResourceResult) else {}
    for contents, text in (([texts[0], blob, texts[1]], "a\nb"), ([blob], ""), ([], "")):
        assert types.ReadResourceResult(contents=contents, **extra).text == text


@each_revision
def test_a_title_is_shown_before_a_hint_and_a_hint_before_a_name(revision):
    types = package(revision).types
    tool = types.Tool(name="n", input_schema=types.ToolInputSchema())
    if not hasattr(types, "ToolAnnotations"):
        assert not hasattr(tool, "display_name")
        return
    assert tool.display_name == "n"
    tool.annotations = types.ToolAnnotations()
    assert tool.display_name == "n"
    tool.annotations.title = "hint"
    assert tool.display_name == "hint"
    if "title" not in field_names(types.Tool):
        return
    tool.title = "title"
    assert tool.display_name == "title"
    assert types.Prompt(name="n").display_name == "n"
    assert types.Resource(name="n", uri="x:", title="").display_name == ""
    assert types.ResourceTemplate(name="n", uri_template="x:", title="t").display_name == "t"


@each_revision
def test_the_members_of_a_tools_schemas_are_attributes_in_every_revision(revision):
    mcp = package(revision)
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    listed = {"name": "n", "inputSchema": schema, "outputSchema": schema}
    tool = mcp.converter.structure(listed, mcp.Tool)
    read = [tool.input_schema]
    if facts(revision).output_schemas:
        read.append(tool.output_schema)
    for each in read:
        assert each.properties == {"a": {"type": "integer"}}
        # Until 2025-03-26 the name is undeclared in the schema of 2024-11-05 only if it says so.
        assert each.required == ["a"]
    assert mcp.converter.unstructure(tool) == listed
    bare = mcp.converter.structure({"name": "n", "inputSchema": {"type": "object"}}, mcp.Tool).input_schema
    assert (bare.properties, bare.required) == (None, None)


def test_members_of_an_opaque_schema_are_what_json_schema_wants():
    schema = v2026_07_28.ToolInputSchema(extra={"properties": [], "required": ["a", 1]})
    with pytest.raises(ProtocolError, match="`properties` must be an object, got an array"):
        _ = schema.properties
    with pytest.raises(ProtocolError, match="`required` must be an array of strings, got an array"):
        _ = schema.required


@each_revision
def test_a_failed_tool_becomes_an_exception_where_that_is_wanted(revision):
    types = package(revision).types
    blocks = [types.TextContent(text="one"), types.TextContent(text="two")]
    good = types.CallToolResult(content=blocks)
    assert good.raise_for_error() is good
    bad = types.CallToolResult(content=blocks, is_error=True)
    with pytest.raises(ToolFailed) as caught:
        bad.raise_for_error()
    assert (str(caught.value), caught.value.result) == ("one\ntwo", bad)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.result) == ("one\ntwo", bad)
    silent = types.CallToolResult(content=[], is_error=True)
    with pytest.raises(ToolFailed, match=r"^the tool reports a failure without a text$"):
        silent.raise_for_error()
    if hasattr(silent, "structured_content"):
        for data, shown in (({"error": "x"}, '{"error": "x"}'), ({"a": "b" * 2000}, '{"a": "' + "b" * 993 + "…")):
            blank = types.CallToolResult(content=[types.TextContent(text=" ")], structured_content=data, is_error=True)
            with pytest.raises(ToolFailed) as caught:
                blank.raise_for_error()
            assert caught.value.text == f"the tool reports a failure without a text; its structured content is {shown}"
