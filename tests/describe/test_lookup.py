"""A name is found however a person writes it, as long as it is right."""

from __future__ import annotations

import pytest
from mcp_bindgen import catalog
from mcp_bindgen.describe.lookup import (
    ConstantSubject,
    Lookup,
    MemberSubject,
    MethodSubject,
    Subject,
    TypeSubject,
)


def found(name: str, revision: str = "2025-06-18") -> Subject | None:
    return Lookup(catalog.load(revision)).find(name)


@pytest.mark.parametrize(
    ("name", "kind", "official"),
    [
        ("Tool", TypeSubject, "Tool"),
        ("types.Tool", TypeSubject, "Tool"),
        ("mcp.Tool", TypeSubject, "Tool"),
        ("ContentBlock", TypeSubject, "ContentBlock"),
        ("ToolInputSchema", TypeSubject, "Tool.inputSchema"),
        ("tools/call", MethodSubject, "tools/call"),
        ("CALL_TOOL", MethodSubject, "tools/call"),
        ("methods.CALL_TOOL", MethodSubject, "tools/call"),
        ("mcp.methods.CALL_TOOL", MethodSubject, "tools/call"),
        ("notifications/progress", MethodSubject, "notifications/progress"),
        ("PARSE_ERROR", ConstantSubject, "PARSE_ERROR"),
        ("-32700", ConstantSubject, "PARSE_ERROR"),
        ("Tool.name", MemberSubject, "Tool.name"),
        ("Tool.inputSchema", MemberSubject, "Tool.inputSchema"),
        ("Tool.input_schema", MemberSubject, "Tool.inputSchema"),
        ("Tool.inputSchema.properties", MemberSubject, "Tool.inputSchema.properties"),
        ("ToolInputSchema.properties", MemberSubject, "Tool.inputSchema.properties"),
        ("Tool._meta", MemberSubject, "Tool._meta"),
        ("Tool.meta", MemberSubject, "Tool._meta"),
        ("CallToolRequest.params.name", MemberSubject, "CallToolRequest.params.name"),
        ("tools/call.params.name", MemberSubject, "CallToolRequest.params.name"),
        ("CALL_TOOL.params.name", MemberSubject, "CallToolRequest.params.name"),
        ("CallToolResult.content.text", MemberSubject, "CallToolResult.content.text"),
        ("CallToolResult.content[].text", MemberSubject, "CallToolResult.content.text"),
        ("CallToolResult.content[].resource.blob", MemberSubject, "CallToolResult.content.resource.blob"),
        ("ContentBlock.mimeType", MemberSubject, "ContentBlock.mimeType"),
        ("ElicitRequest.params.requestedSchema.properties.enumNames", MemberSubject, None),
    ],
)
def test_every_way_to_write_a_name(name: str, kind: type, official: str | None) -> None:
    subject = found(name)
    assert isinstance(subject, kind)
    assert subject.name == (official or name)


def test_a_key_that_is_no_identifier_goes_in_brackets() -> None:
    path = 'RequestMetaObject["io.modelcontextprotocol/clientInfo"]'
    subject = found(f"{path}.version", "2026-07-28")
    assert isinstance(subject, MemberSubject)
    assert subject.name == f"{path}.version"
    assert subject.owner.path == "Implementation"
    assert found("RequestMetaObject.client_info", "2026-07-28") == found(path, "2026-07-28")


def test_the_way_to_a_member_goes_through_maps() -> None:
    assert found("InputRequests.method", "2026-07-28") is not None


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "Tool.",
        ".name",
        "tool",
        "Tool.nothing",
        "Tool.name.more",
        "tools",
        "tools/",
        "-1",
        "Tool[",
        "\0",
        "x" * 10000,
    ],
)
def test_what_is_wrong_is_not_found(name: str) -> None:
    assert found(name) is None


def test_a_subject_of_one_revision_can_be_looked_for_in_another() -> None:
    later, earlier = (Lookup(catalog.load(revision)) for revision in ("2025-06-18", "2024-11-05"))
    for name, there in [
        ("Tool", True),
        ("ContentBlock", False),
        ("tools/call", True),
        ("elicitation/create", False),
        ("PARSE_ERROR", True),
        ("Tool.inputSchema.properties", True),
        ("Tool.outputSchema", False),
    ]:
        subject = later.find(name)
        assert subject is not None
        assert earlier.has(subject) is there


def test_a_schema_without_python_names_can_still_be_looked_up(resolve) -> None:
    lookup = Lookup(resolve("export interface None { bC: string }\nexport interface None_ { a: string }\n"))
    assert lookup.python is None
    assert lookup.find("None.bC") is not None
    assert lookup.find("None") is not None
