"""Headings of a document, and the examples below those that name a type."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp_bindgen.validate import validate
from mcp_bindgen.validate.headings import Outline

NO_SCHEMA = "$.inputSchema: missing, expected an object"


@pytest.mark.parametrize(
    ("headings", "named"),
    [
        (["# Tool"], "Tool"),
        (["   ### `Tool` ###  "], "Tool"),
        (["## [`Tool`](#tool)"], "Tool"),
        (["## The **Tool** type"], "Tool"),
        (["## Tool {#tool}"], "Tool"),
        (["## Example: `Tool`"], "Tool"),
        (["## Tool", "### Example"], "Tool"),
        (["## Tool", "### Examples", "#### Example: the smallest"], "Tool"),
        (["# Tool", "## Prompt"], "Prompt"),
        (["## Prompt", "## Tool"], "Tool"),
        (["## Tool", "### Text content"], None),
        (["## Tool", "## Example"], None),
        (["## Tools and prompts"], None),
        (["## `tools/list`"], None),
        (["## tool"], None),
        (["#Tool"], None),
        (["    ## Tool"], None),
        ([f"## Tool {'x ' * 200}"], None),
        ([], None),
    ],
)
def test_a_heading_that_is_the_name_of_a_type_names_it(headings: list[str], named: str | None) -> None:
    outline = Outline()
    for line in headings:
        outline.read(line)
    assert outline.type == named


def found(folder: Path, text: str, version: str = "2025-06-18") -> list[str]:
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    report = validate(page, version=version)
    return [f"{each.place.line} {each.path}: {each.message}" for each in report if each.level == "error"]


def block(text: str) -> str:
    return f"\n```json\n{text}\n```\n"


def test_a_block_below_it_is_a_value_of_the_type(tmp_path: Path) -> None:
    assert found(tmp_path, "## Tool\n" + block('{"name": "x"}')) == [f"4 {NO_SCHEMA}"]
    # Without the heading, that may be any of the many types with a name.
    assert found(tmp_path, block('{"name": "x"}')) == []
    assert found(tmp_path, "## Something\n" + block('{"name": "x"}')) == []


def test_so_is_each_of_several_values(tmp_path: Path) -> None:
    right = '{"name": "x", "inputSchema": {"type": "object"}}'
    assert found(tmp_path, "## Tool\n" + block(f'{right}\n{{"name": 1}}')) == [
        "5 $.name: found 1, expected a string",
        f"5 {NO_SCHEMA}",
    ]
    assert found(tmp_path, "## Tool\n" + block(f'[{right}, {{"name": "y"}}]')) == [
        "4 $[1].inputSchema: missing, expected an object"
    ]


def test_constraints_hold_there_too(tmp_path: Path) -> None:
    assert found(tmp_path, "## Annotations\n" + block('{"priority": 2}')) == [
        "4 $.priority: found 2, expected at most 1"
    ]


def test_a_message_stays_a_message(tmp_path: Path) -> None:
    call = '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}}'
    missing = "4 $.params.name: missing, expected a string"
    assert found(tmp_path, "## Tool\n" + block(call)) == [missing]
    # Of a type for messages, the same fault is told once, and what the type alone asks for besides.
    assert found(tmp_path, "## CallToolRequest\n" + block(call)) == [missing]
    other = call.replace("tools/call", "tools/list")
    assert '4 $.method: "tools/list" is not "tools/call"' in found(tmp_path, "## CallToolRequest\n" + block(other))


def test_a_part_of_another_type_stays_that(tmp_path: Path) -> None:
    text = "## PromptMessage\n" + block('{"type": "text", "text": 1}') + block('{"role": "user"}')
    assert found(tmp_path, text) == ["4 $.text: found 1, expected a string", "8 $.content: missing, expected an object"]


def test_a_type_that_the_revision_does_not_have_says_nothing(tmp_path: Path) -> None:
    text = "## Task\n" + block('{"taskId": "x"}')
    assert found(tmp_path, text) == []
    assert found(tmp_path, text, "2025-11-25") != []
