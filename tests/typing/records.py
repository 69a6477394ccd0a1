"""Making and changing objects, and telling the members of a union apart."""

from typing import Literal, assert_type

import attrs
from mcp_bindings import v2025_06_18 as mcp

tool = mcp.Tool(name="add", input_schema=mcp.ToolInputSchema(properties={"a": {"type": "integer"}}))
assert_type(tool.title, str | None)
assert_type(tool.input_schema.type, Literal["object"])

titled = attrs.evolve(tool, title="Add two numbers")
assert_type(titled, mcp.Tool)
assert titled.title == "Add two numbers"
assert tool.title is None


def length(block: mcp.ContentBlock) -> int:
    """By the tag, as a reader of the specification thinks of it."""
    if block.type == "text":
        assert_type(block, mcp.TextContent)
        return len(block.text)
    if block.type == "resource":
        assert_type(block, mcp.EmbeddedResource)
        return len(block.resource.uri)
    if block.type == "resource_link":
        assert_type(block, mcp.ResourceLink)
        return block.size or 0
    assert_type(block, mcp.ImageContent | mcp.AudioContent)
    return len(block.data)


def kind(block: mcp.ContentBlock) -> str:
    """By the class; a member that is forgotten is an error at the last line."""
    match block:
        case mcp.TextContent(text=text):
            assert_type(text, str)
            return "text"
        case mcp.ImageContent() | mcp.AudioContent():
            return block.mime_type
        case mcp.ResourceLink() | mcp.EmbeddedResource():
            assert_type(block, mcp.ResourceLink | mcp.EmbeddedResource)
            return block.type


assert length(mcp.TextContent(text="three")) == 5
assert kind(mcp.ImageContent(data="", mime_type="image/png")) == "image/png"
