"""On a narrow screen tables keep their headings, and names break after their separators only."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
from checkout import ROOT

LAYOUT = runpy.run_path(str(ROOT / "docs" / "table_layout.py"))


def table(headings: list[str], *rows: list[str]) -> str:
    """Return a table as MkDocs writes it."""
    head = "\n".join(f"<th>{each}</th>" for each in headings)
    body = "\n".join("<tr>\n" + "\n".join(f"<td>{cell}</td>" for cell in row) + "\n</tr>" for row in rows)
    return f"<table>\n<thead>\n<tr>\n{head}\n</tr>\n</thead>\n<tbody>\n{body}\n</tbody>\n</table>"


each_page = pytest.mark.parametrize(
    "page", sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")]), ids=lambda page: page.stem
)


def table_lines(text: str) -> list[list[str]]:
    """Return the lines of each table of a page in Markdown."""
    text = re.sub(r"^( *)```.*?^\1```", "", text, flags=re.DOTALL | re.MULTILINE)
    return [found[0].splitlines() for found in re.finditer(r"(?:^ *\|.*\n?)+", text, flags=re.MULTILINE)]


def uneven_rows(text: str) -> list[str]:
    """Return the rows that have more or fewer cells than the head of their table.

    A vertical bar ends a cell, also within code, unless a backslash stands before it.
    """
    tables = [[(len(re.findall(r"(?<!\\)\|", line)), line) for line in lines] for lines in table_lines(text)]
    return [line for lines in tables for bars, line in lines if bars != lines[0][0]]


@each_page
def test_each_row_of_a_table_is_one_line(page: Path) -> None:
    lines = [line for each in table_lines(page.read_text(encoding="utf-8")) for line in each]
    assert [line for line in lines if not line.endswith("|")] == []


@each_page
def test_each_row_of_a_table_has_as_many_cells_as_its_head(page: Path) -> None:
    assert uneven_rows(page.read_text(encoding="utf-8")) == []


def test_a_bar_in_code_ends_a_cell_unless_it_is_escaped() -> None:
    table = "| a | b |\n|---|---|\n| `A \\| B` | c |\n"
    assert uneven_rows(table) == []
    assert uneven_rows(f"{table}| `A | B` | c |\n\ntext\n") == ["| `A | B` | c |"]
    assert uneven_rows(f"1. list\n\n    ```sh\n    | not | a\n    | table |\n    ```\n\n{table}") == []


def test_each_cell_of_a_wide_table_names_its_column() -> None:
    name = "<code>ElicitRequestWithALongNameOfManyWordsParams</code>"
    page = LAYOUT["lay_out_tables"](table(["subject", "<code>type</code> &amp; note"], [name, "text"], [name, ""]))
    assert page.startswith("<table data-stacked>\n<thead>")
    assert re.findall(r'<td data-heading="([^"]*)">', page) == ["subject", "type &amp; note"] * 2


def test_a_wide_table_with_sentences_at_the_end_is_marked() -> None:
    name, sentence = (
        "<code>elicit_request_with_a_name</code>",
        "A sentence that has more words than a name or a figure has.",
    )
    page = LAYOUT["lay_out_tables"](
        table(["subject", "type", "note"], [name, name, ""], [name, name, f"{sentence} Yes."])
    )
    assert page.startswith("<table data-stacked data-prose>")
    page = LAYOUT["lay_out_tables"](table(["note", "subject", "type"], [f"{sentence} Yes.", name, name]))
    assert page.startswith("<table data-stacked>")


def test_a_table_that_fits_on_a_phone_stays_a_table() -> None:
    page = table(["a", "b"], ["1", "a text of several words that can break between them all"])
    assert LAYOUT["lay_out_tables"](page) == page


def test_a_column_without_a_heading_gets_no_label() -> None:
    page = LAYOUT["lay_out_tables"](table(["", "change"], ["x" * 30, "y" * 30]))
    assert f"<td>{'x' * 30}</td>" in page
    assert f'<td data-heading="change">{"y" * 30}</td>' in page


def test_a_head_without_headings_is_left_out() -> None:
    assert "<thead>" not in LAYOUT["lay_out_tables"](table(["", ""], ["a", "b"]))


def test_a_date_in_a_cell_stays_whole() -> None:
    page = LAYOUT["lay_out_tables"](table(["from", "to"], ["2025-11-25", "any"]))
    assert "<td><span data-whole>2025-11-25</span></td>" in page


def test_a_pipe_in_code_has_no_backslash() -> None:
    assert "<code>A | B</code>" in LAYOUT["lay_out_tables"](table(["a", "b"], [r"<code>A \| B</code>", "b"]))


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("CallToolResult.content", ["CallToolResult.", "content"]),
        ("notifications/progress", ["notifications/", "progress"]),
        ("client_metadata_url", ["client_metadata_url"]),
        ("http://127.0.0.1:8000/mcp", ["http://", "127.0.0.1:8000/", "mcp"]),
        ("PREVIOUS_REVISION.toml", ["PREVIOUS_REVISION.", "toml"]),
        ("a/test_it.py::test_name", ["a/", "test_it.", "py::", "test_name"]),
        (".mdx", [".mdx"]),
        ("(progress", ["(progress"]),
        ("@server.tool", ["@server.", "tool"]),
        ("tool(name)@host", ["tool(", "name)@", "host"]),
        ("session.$schema", ["session.$schema"]),
        ("ListToolsRequest", ["ListToolsRequest"]),
        ("JSONRPCResultResponseParams", ["JSONRPC", "Result", "Response", "Params"]),
        ("from mcp_bindings import v2026_07_28 as mcp", ["from mcp_bindings import v2026_07_28 as mcp"]),
        ("test_a_name_with_more_than_thirty_letters", "test_ a_ name_ with_ more_ than_ thirty_ letters".split()),
        ("call(&lt;T&gt;, …)", ["call(&lt;T&gt;, …)"]),
    ],
)
def test_a_name_in_a_cell_breaks_after_its_separators(name: str, parts: list[str]) -> None:
    page = LAYOUT["lay_out_tables"](table(["name"], [f"<code>{name}</code>"]))
    found = re.search(r"<code[^>]*>(.*)</code>", page)
    assert found is not None
    assert found[1].split("<wbr>") == parts


def test_a_short_name_in_a_text_does_not_break() -> None:
    page = "<p><code>pip install x</code> <code>mcp-codegen</code></p>"
    assert LAYOUT["keep_names"](page) == "<p><code>pip install x</code> <code data-whole>mcp-codegen</code></p>"


@pytest.mark.parametrize(
    ("code", "whole"),
    [
        ("mcp-codegen list --format json", ["mcp-codegen", "--format"]),
        ("X-Accel-Buffering: no", ["X-Accel-Buffering:"]),
        ("cd docs/requirements", ["docs/requirements"]),
        ("https://example.org/a-page-with-a-title/x", ["a-page-with-a-title/"]),
        ("nox -s tests", ["-s"]),
        ('revisions=["2026-07-28",\n"2025-11-25"]', ['revisions=["2026-07-28",', '"2025-11-25"]']),
    ],
)
def test_a_word_of_code_does_not_break_after_a_hyphen_or_slash(code: str, whole: list[str]) -> None:
    page = LAYOUT["keep_names"](f"<p><code>{code}</code></p>")
    assert re.findall(r"<span data-whole>([^<]*)</span>", page) == whole
    assert re.sub(r"<[^>]*>", "", page) == code


def test_a_word_of_code_in_a_table_does_not_break_after_a_hyphen() -> None:
    page = LAYOUT["lay_out_tables"](table(["header", "a"], ["<code>X-Accel-Buffering: no</code>", "b"]))
    assert "<code><span data-whole>X-Accel-Buffering:</span> no</code>" in page


def test_the_length_of_a_word_decides_and_not_that_of_the_command() -> None:
    page = "<p><code>from mcp_bindings import v2026_07_28 as mcp; list_recipes()</code></p>"
    assert LAYOUT["keep_names"](page) == page


def test_a_long_name_in_a_text_breaks_after_its_separators() -> None:
    page = "<p><code>mcp.Client.http(&quot;http://127.0.0.1:8000/mcp&quot;)</code></p>"
    found = LAYOUT["keep_names"](page)
    assert found.replace("<wbr>", "") == page
    assert found.split("<wbr>")[-1] == "mcp&quot;)</code></p>"


def test_a_long_name_of_one_word_breaks_before_capital_letters() -> None:
    page = "<p><code>SubscriptionsAcknowledgedNotificationParams</code></p>"
    assert "Subscriptions<wbr>Acknowledged<wbr>Notification<wbr>Params" in LAYOUT["keep_names"](page)


@pytest.mark.parametrize(
    ("name", "parts"),
    [("LIST_TOOLS", "LIST_ TOOLS"), ("ListToolsResult", "List Tools Result"), ("JSONRPCError", "JSONRPC Error")],
)
def test_the_name_of_an_object_breaks_after_underscores_and_before_capital_letters(name: str, parts: str) -> None:
    page = f'<h2><span class="doc doc-object-name doc-attribute-name">{name}</span></h2>'
    assert LAYOUT["keep_names"](page) == page.replace(name, parts.replace(" ", "<wbr>"))


def test_an_option_in_a_table_does_not_break() -> None:
    page = LAYOUT["lay_out_tables"](table(["option", "meaning"], ["<code>--list-rules</code>", "x"]))
    assert "<code data-whole>--list-rules</code>" in page


def test_blocks_of_code_stay_as_they_are() -> None:
    page = "<pre><span></span><code>short</code></pre>\n<table><tr><td><code>short</code></td></tr></table>"
    assert LAYOUT["keep_names"](page) == page


def test_code_outside_of_tables_is_left_alone() -> None:
    page = '<p><code>a.b</code></p>\n<table class="highlighttable"><tr><td><code>a.b</code></td></tr></table>'
    assert LAYOUT["lay_out_tables"](page) == page


def test_a_date_in_a_text_does_not_break() -> None:
    text = '<p>Since <a href="2024-11-05.html">2024-11-05</a>, not <code>2024-11-05</code>.</p>'
    kept = '<p>Since <a href="2024-11-05.html"><span data-whole>2024-11-05</span></a>, not <code data-whole>2024-11-05</code>.</p>'
    assert LAYOUT["keep_names"](text) == kept
    table = "<table><td>2024-11-05</td></table><pre>2024-11-05</pre>"
    assert LAYOUT["keep_names"](table) == table
