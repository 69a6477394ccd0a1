"""``list``, ``model`` and ``explain`` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from checkout import PACKAGES, REVISIONS
from jsonschema import Draft202012Validator
from mcp_bindgen import catalog, resources


def test_list_is_a_table_of_the_revisions(cli) -> None:
    status, out, err = cli("list")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].split() == [
        "revision",
        "types",
        "requests",
        "notifications",
        "compared",
        "with",
        "the",
        "official",
    ]
    assert [line.split()[0] for line in lines[1 : 1 + len(REVISIONS)]] == list(REVISIONS)
    assert lines[2].split() == ["2025-03-26", "83", "15", "9", "schema.ts", "bdc457208cb1"]
    assert "Packages are written to " in lines[-1]
    assert max(map(len, lines[: 1 + len(REVISIONS)])) <= 80


def test_list_for_programs(cli) -> None:
    document = json.loads(cli("list", "--format", "json").out)
    assert document["format"] == "mcp-list/1"
    assert document["target"] == str(resources.default_target())
    newest = document["revisions"][-1]
    assert newest["revision"] == REVISIONS[-1]
    assert newest["package"] == PACKAGES[-1]
    assert newest["official"]["sha256"] == catalog.official_files()[REVISIONS[-1]].sha256
    assert newest["sha256"] == catalog.load(REVISIONS[-1]).sha256


def test_list_outside_a_checkout_says_how_to_choose_a_place(cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "default_target", lambda: None)
    assert (
        f"Packages are written to the folder of --out, as {PACKAGES[0]} to {PACKAGES[-1]} and ext_tasks.\n"
        in cli("list").out
    )
    assert json.loads(cli("list", "--format", "json").out)["target"] is None


def test_model_prints_the_newest_revision_unless_told_otherwise(cli) -> None:
    status, out, err = cli("model")
    assert (status, err) == (0, "")
    assert json.loads(out)["revision"] == REVISIONS[-1]
    assert json.loads(cli("model", "--version", "2024-11-05").out)["revision"] == "2024-11-05"


def test_model_of_a_file_is_named_after_it_or_as_told(cli, schema: Path) -> None:
    document = json.loads(cli("model", "--schema", str(schema)).out)
    assert (document["revision"], document["source"]) == ("acme", "acme.ts")
    assert json.loads(cli("model", "--schema", str(schema), "--version", "x").out)["revision"] == "x"


def test_model_as_json_schema(cli, schema: Path) -> None:
    status, out, err = cli("model", "--schema", str(schema), "--format", "jsonschema")
    assert (status, err) == (0, "")
    document = json.loads(out)
    Draft202012Validator.check_schema(document)
    assert list(document["$defs"]) == ["Widget"]


@pytest.mark.parametrize("arguments", [["--version", "all"], ["--version", "2024-11-05", "--version", "2025-03-26"]])
def test_one_revision_is_shown_at_a_time(cli, arguments: list[str]) -> None:
    for command in (["model"], ["explain", "Tool"]):
        status, out, err = cli(*command, *arguments)
        assert (status, out) == (2, "")
        assert err == "error: this command shows one revision; pass --version once\n"


def test_explain_shows_the_newest_revision_that_has_the_name(cli) -> None:
    assert cli("explain", "Tool").out.startswith(f"Tool  interface in {REVISIONS[-1]}\n")
    assert cli("explain", "Task").out.startswith("Task  interface in 2025-11-25\n")
    assert cli("explain", "tools/call", "--version", "2025-06-18").out.startswith("tools/call  request in 2025-06-18\n")
    assert cli("--version", "2025-06-18", "explain", "tools/call").out.startswith("tools/call  request in 2025-06-18\n")


def test_an_error_code_needs_no_quoting(cli) -> None:
    assert cli("explain", "-32602").out.startswith(f"INVALID_PARAMS  constant in {REVISIONS[-1]}\n")
    assert cli("explain", "-32602", "--version", "2024-11-05").out.startswith(
        "INVALID_PARAMS  constant in 2024-11-05\n"
    )
    assert cli("explain", "--", "-32602").status == 0


def test_explain_for_programs(cli) -> None:
    document = json.loads(cli("explain", "tools/call", "--format", "json").out)
    assert (document["format"], document["name"]) == ("mcp-explain/1", "tools/call")


def test_explain_reads_a_schema_of_ones_own(cli, schema: Path) -> None:
    assert cli("explain", "Widget", "--schema", str(schema)).out.startswith("Widget  interface in acme\n")
    status, _, err = cli("explain", "Wigdet", "--schema", str(schema))
    assert (status, err) == (2, "error: 'Wigdet' not found in acme; did you mean Widget?\n")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Level", "error: 'Level' not found in the bundled revisions; did you mean LoggingLevel"),
        ("TextResource", "did you mean TextResourceContents"),
        ("logging/set_level", "did you mean logging/setLevel?\n"),
        ("$/progress", "did you mean notifications/progress"),
        ("tool.outputSchema", "did you mean Tool.outputSchema?\n"),
        ("Tol.outputSchema", "did you mean Tool.outputSchema?\n"),
        ("-32002", "the text of the specification uses it until 2025-11-25 for a resource that does not exist"),
        (
            "xyzzy",
            "error: 'xyzzy' not found in the bundled revisions; pass a type, field, method, constant or error code",
        ),
        ("2025-11-25", "to compare two revisions, run: mcp-codegen diff 2025-06-18 2025-11-25\n"),
        ("2024-11-05", "to compare two revisions, run: mcp-codegen diff 2024-11-05 2025-03-26\n"),
    ],
)
def test_an_unofficial_name_gets_the_official_one(cli, name: str, message: str) -> None:
    status, out, err = cli("explain", name)
    assert (status, out) == (2, "")
    assert message in err


def test_a_name_of_another_revision_says_where_it_is(cli) -> None:
    status, out, err = cli("explain", "Task", "--version", "2025-06-18")
    assert (status, out) == (2, "")
    assert err.startswith("error: 'Task' not found in 2025-06-18; 2025-11-25 has it")
    known = "2024-11-05, 2025-03-26, 2025-06-18 and 2025-11-25 have it"
    assert cli("explain", "ping", "--version", "2026-07-28").err == f"error: 'ping' not found in 2026-07-28; {known}\n"
    assert cli("explain", "Tool.execution", "--version", "2026-07-28").err.endswith("; 2025-11-25 has it\n")


ALL = f"all revisions ({REVISIONS[0]} to {REVISIONS[-1]})"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["CallToolRequestParams.name"],
            f"{ALL}; CallToolRequest.params.name until 2025-06-18",
        ),
        (["ResourceReference"], f"{ALL}; ResourceTemplateReference since 2025-06-18"),
        (["LegacyTitledEnumSchema.enumNames"], "2025-06-18 and later; EnumSchema.enumNames until 2025-06-18"),
        (["Tool.inputSchema.properties"], "2024-11-05 to 2025-11-25, no longer declared in 2026-07-28"),
        (["JSONRPCResponse", "--version", "2025-06-18"], ALL),
    ],
)
def test_explain_follows_renames_as_history_does(cli, arguments: list[str], words: str) -> None:
    assert json.loads(cli("explain", *arguments, "--json").out)["since"] == words


def test_explain_without_a_name_shows_an_example(cli) -> None:
    status, _, err = cli("explain")
    assert (status, err.splitlines()[0]) == (
        2,
        "error: NAME is missing; for example, run: mcp-codegen explain tools/call",
    )


def test_explain_says_what_holds_in_the_revision_only(cli) -> None:
    shown = " ".join(cli("explain", "InputRequiredResult").out.split())
    assert "(always 'input_required' here; from Result)" in shown
    assert "(default 'complete'; receivers accept its absence; from Result; since" in " ".join(
        cli("explain", "CallToolResult").out.split()
    )
    assert "No longer declared properties until 2025-11-25" in " ".join(cli("explain", "ToolInputSchema").out.split())
    listed = cli("explain", "notifications/tools/list_changed").out
    assert "sent by       server, only on streams of `subscriptions/listen`\n" in listed
