"""``mcp-codegen history``: what is asked for, what is printed where, and the status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from checkout import REVISIONS
from mcp_bindgen import catalog

OWN = 'export interface Widget { size: "large" }\nexport interface Tool { name: string }\n'


def test_a_field(cli) -> None:
    status, out, err = cli("history", "Tool.outputSchema")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "Tool.outputSchema  field"
    assert lines[1] == "2025-06-18 and later; changed in 2025-11-25, 2026-07-28"
    assert lines[3:5] == ["2024-11-05  absent", "2025-03-26  absent"]
    assert "            compatible  Tool.outputSchema.$schema  new field: string" in lines
    assert cli("history", "Tool.outputSchema").out == out


def test_a_method_tells_how_to_see_the_rest(cli) -> None:
    out = cli("history", "tools/call").out
    assert "\n              mcp-codegen diff 2025-11-25 2026-07-28 --method tools/call\n" in out


@pytest.mark.parametrize("subject", ["-32042", "URL_ELICITATION_REQUIRED"])
def test_a_constant(cli, subject: str) -> None:
    status, out, _ = cli("history", subject)
    assert status == 0
    assert out.startswith("URL_ELICITATION_REQUIRED  constant\n2025-11-25 only, removed in 2026-07-28\n")


def test_json(cli) -> None:
    status, out, err = cli("history", "tools/call:CreateTaskResult", "--format", "json")
    document = json.loads(out)
    assert (status, err) == (0, "")
    assert (document["format"], document["subject"]) == ("mcp-history/1", "tools/call:CreateTaskResult")
    assert [each["state"] for each in document["revisions"]] == ["absent"] * 3 + ["appeared", "went"] + ["absent"] * (
        len(REVISIONS) - 5
    )
    assert [each["source"] for each in document["revisions"]] == [catalog.schema_name(r) for r in REVISIONS]


def test_markdown(cli) -> None:
    out = cli("history", "Tool.title", "--format", "markdown").out
    assert out.startswith("### <code>Tool.title</code>: 2025-06-18 and later\n\n| revision | change |\n")


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_a_file(cli, form: str) -> None:
    printed = cli("history", "Tool.title", "--format", form).out
    status, out, err = cli("history", "Tool.title", "--format", form, "-o", "told")
    assert (status, out, err) == (0, "", f"Tool.title, {len(REVISIONS)} revisions -> told\n")
    assert Path("told").read_text(encoding="utf-8") == printed


@pytest.mark.parametrize(
    "arguments",
    [
        ["history", "Tool", "--from", "2025-06-18"],
        ["history", "--from=2025-06-18", "Tool"],
        ["--from", "2025-06-18", "history", "Tool"],
    ],
)
def test_some_revisions(cli, arguments: list[str]) -> None:
    document = json.loads(cli(*arguments, "--to", "2025-11-25", "--format", "json").out)
    assert [(each["revision"], each["state"]) for each in document["revisions"]] == [
        ("2025-06-18", "first"),
        ("2025-11-25", "changed"),
    ]


def test_a_schema_of_ones_own_is_the_newest(cli) -> None:
    Path("acme.ts").write_text(OWN)
    document = json.loads(cli("history", "Widget", "--schema", "acme.ts", "--format", "json").out)
    assert [each["state"] for each in document["revisions"]] == ["absent"] * len(REVISIONS) + ["appeared"]
    assert (document["revisions"][-1]["revision"], document["revisions"][-1]["source"]) == ("acme", "acme.ts")
    named = cli("history", "Tool.description", "--schema", "acme.ts", "--name", "next", "--from", REVISIONS[-1])
    assert named.out.splitlines()[:2] == ["Tool.description  field", f"{REVISIONS[-1]} only, removed in next"]


def test_the_rest_of_a_file_is_shown_by_its_path(cli, elsewhere: Path) -> None:
    copy = elsewhere / "draft" / "schema.ts"
    copy.parent.mkdir()
    text = catalog.schema_file(REVISIONS[-1]).read_text(encoding="utf-8")
    copy.write_text(text.replace("export interface TextContent {", "export interface TextContent {\n  more?: string;"))
    out = cli("history", "tools/call", "--schema", "draft/schema.ts", "--from", REVISIONS[-1]).out
    assert out.splitlines()[-2:] == [
        "            1 change in the types of its messages; run:",
        f"              mcp-codegen diff {REVISIONS[-1]} draft/schema.ts --method tools/call",
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "SUBJECT is missing; pass a type"),
        (
            ["Tool.outputSchma"],
            f"'Tool.outputSchma' not found in {REVISIONS[0]} to {REVISIONS[-1]}; did you mean Tool.outputSchema?",
        ),
        (["Level"], "did you mean LoggingLevel"),
        (["LoggingLevel:emergancy"], "LoggingLevel has no alternative 'emergancy'; did you mean \"emergency\"?"),
        (["Annotations", "--to", "2024-11-05"], "'Annotations' not found in 2024-11-05"),
        (["Tool", "--from", "2025-06-19"], "'2025-06-19' is not a bundled revision; did you mean"),
        (["Tool", "--to", "all"], "'all' is not a bundled revision; use one of"),
        (
            ["Tool", "--from", "2026-07-28", "--to", "2025-06-18"],
            "--from 2026-07-28 is newer than --to 2025-06-18; swap them",
        ),
        (["Tool", "--name", "x"], "--name requires --schema FILE"),
        (["Tool", "--map", "x=y"], "--map requires --schema FILE"),
        (["Tool", "--schema", "acme.ts", "--name", " "], "--name must not be empty"),
        (["Tool", "--schema", "acme.ts", "--name", "2025-06-18"], "the name of acme.ts would be 2025-06-18"),
        (["Tool", "--schema", "none.ts"], "none.ts"),
        (["Tool", "--schema", "wrong.ts"], "fault"),
        (["Tool", "--format", "html"], "'html' is not one of"),
    ],
)
def test_what_cannot_be_told_has_status_2(cli, arguments: list[str], said: str) -> None:
    Path("acme.ts").write_text(OWN)
    Path("wrong.ts").write_text("export interface {")
    status, out, err = cli("history", *arguments)
    assert (status, out) == (2, "")
    assert said in err


def test_colour_is_for_terminals(cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert "\x1b" not in cli("history", "Tool.execution").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[33mrisky" in cli("history", "Tool.execution").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in cli("history", "Tool.execution").out


@pytest.mark.parametrize("columns", ["60", "80", "500"])
def test_the_width_is_that_of_the_terminal(cli, monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    lines = cli("history", "Tool").out.splitlines()
    assert min(int(columns), 100) - 25 < max(map(len, lines)) <= min(int(columns), 100)


def test_the_schema_of_the_document(cli) -> None:
    assert json.loads(cli("history", "--json-schema").out)["title"].endswith("mcp-history/1")


def test_what_only_an_extension_has_is_found_there(cli) -> None:
    status, out, err = cli("history", "DetailedTask")
    assert status == 0
    assert "ext-tasks" in out
    assert err == "DetailedTask is not part of any revision; this is the history of the extension ext-tasks\n"
