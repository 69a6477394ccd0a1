"""Names that people find in other texts lead to the official ones."""

from __future__ import annotations

import pytest
from mcp_bindgen import catalog
from mcp_bindgen.describe.nearest import nearest_names, plain
from mcp_bindgen.describe.revision_span import lookup
from mcp_bindgen.describe.suggest import official_names, unknown_anywhere, unknown_in


def names() -> list[str]:
    return [name for revision in catalog.revisions() for name in official_names(lookup(revision))]


@pytest.mark.parametrize(
    ("asked", "official"),
    [
        ("Level", "LoggingLevel"),
        ("TextResource", "TextResourceContents"),
        ("BlobResource", "BlobResourceContents"),
        ("logging/set_level", "logging/setLevel"),
        ("logging/setlevel", "logging/setLevel"),
        ("$/progress", "notifications/progress"),
        ("tool", "Tool"),
        ("TOOL", "Tool"),
        ("call_tool_request", "CallToolRequest"),
        ("call-tool-request", "CallToolRequest"),
        ("CallToolParams", "CallToolRequestParams"),
        ("tools/calls", "tools/call"),
        ("tool/call", "tools/call"),
        ("tools.call", "tools/call"),
        ("tools-list", "tools/list"),
        ("notifications/tools/listChanged", "notifications/tools/list_changed"),
        ("prompt/get", "prompts/get"),
        ("resources/subscripe", "resources/subscribe"),
        ("sampling/create", "sampling/createMessage"),
        ("ImageContents", "ImageContent"),
        ("JsonRpcRequest", "JSONRPCRequest"),
        ("InitialiseRequest", "InitializeRequest"),
    ],
)
def test_the_first_suggestion_is_the_one_meant(asked: str, official: str) -> None:
    assert nearest_names(asked, names())[0] == official


@pytest.mark.parametrize(
    ("asked", "several"),
    [
        ("set_level", {"logging/setLevel", "SetLevelRequest"}),
        ("CallTool", {"tools/call", "CallToolRequest"}),
        ("parse_error", {"PARSE_ERROR", "ParseError"}),
        ("JSONRPCResponse2", {"JSONRPCResponse"}),
    ],
)
def test_several_that_may_be_meant_are_all_suggested(asked: str, several: set[str]) -> None:
    assert several <= set(nearest_names(asked, names()))


@pytest.mark.parametrize("asked", ["", "xyzzy", "42", "-32099", "???", "Кириллица"])
def test_what_is_like_nothing_gets_no_suggestion(asked: str) -> None:
    assert nearest_names(asked, names()) == []


def test_suggestions_do_not_depend_on_the_order_of_the_names() -> None:
    for asked in ("Level", "Resource", "list", "Content"):
        assert nearest_names(asked, names()) == nearest_names(asked, reversed(names()))


def test_case_and_punctuation_do_not_tell_names_apart() -> None:
    assert plain("logging/set_level") == plain("Logging-SetLevel") == "loggingsetlevel"


def test_a_long_name_is_answered_shortly() -> None:
    for name in ("x" * 100_000, "." * 100_000, "Tool" + ".a" * 50_000):
        assert len(str(unknown_anywhere(name))) < 400


def test_a_path_that_goes_wrong_is_mended_where_it_does() -> None:
    assert str(unknown_anywhere("Tool.inptSchema")).endswith("did you mean Tool.inputSchema?")
    assert "Tool.inputSchema.properties" in str(unknown_in("Tool.inputSchema.propertys", lookup("2025-06-18"), []))
    assert "Tool.annotations.readOnlyHint" in str(unknown_anywhere("Tool.annotations.readOnly"))
    assert "tools/call.params" in str(unknown_anywhere("tools/call.parms"))


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("resultType", "Result.resultType"),
        (
            "io.modelcontextprotocol/clientCapabilities",
            'RequestMetaObject["io.modelcontextprotocol/clientCapabilities"]',
        ),
        ("progressToken", "RequestMetaObject.progressToken or ProgressNotificationParams.progressToken"),
    ],
)
def test_a_member_alone_is_suggested_with_the_types_that_declare_it(name: str, path: str) -> None:
    assert str(unknown_anywhere(name)).endswith(f"; did you mean {path}?")


def test_a_path_without_anything_like_it_lists_what_there_is() -> None:
    assert str(unknown_in("Role2.x", lookup("2025-06-18"), [])).startswith("'Role2.x' not found in 2025-06-18")
    assert str(unknown_in("PromptReference.zzz", lookup("2025-06-18"), [])).endswith(
        "did you mean PromptReference.name, PromptReference.title or PromptReference.type?"
    )


def test_a_name_of_other_revisions_says_which() -> None:
    assert "; 2025-11-25 has it" in str(unknown_in("Task", lookup("2025-06-18"), ["2025-11-25"]))
    message = str(unknown_in("ResourceReference", lookup("2025-06-18"), ["2024-11-05", "2025-03-26"]))
    assert message.startswith(
        "'ResourceReference' not found in 2025-06-18; 2024-11-05 and 2025-03-26 have it; did you mean "
    )
