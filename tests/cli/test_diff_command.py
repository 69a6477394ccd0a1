"""``mcp-codegen diff``: what is compared, what is printed where, and the status."""

from __future__ import annotations

import json
import os
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from checkout import REVISIONS
from jsonschema import Draft202012Validator
from mcp_bindgen import catalog

PAIR = ("2025-11-25", "2026-07-28")
OLD = """\
export interface JSONRPCRequest { jsonrpc: "2.0"; id: string; method: string }
export interface GetRequest extends JSONRPCRequest { method: "widgets/get"; params: { size: string } }
export interface GetResult { widget: string }
export type ClientRequest = GetRequest;
"""
NEW = OLD.replace("widget: string", "widget: string; color: string")
CHANGE = "field_added:GetResult.color"
"""It breaks a new client with an old server."""


@pytest.fixture
def schemas(elsewhere: Path) -> tuple[str, str]:
    """Two schema files, of which the second breaks a new client."""
    for name, text in (("old", OLD), ("new", NEW)):
        (elsewhere / f"{name}.ts").write_text(text)
    return "old.ts", "new.ts"


def approve(reason: str = "fine", change: str = CHANGE) -> None:
    Path("approved.toml").write_text(f"[approved]\n{json.dumps(change)} = {json.dumps(reason)}\n")


def test_two_revisions(cli) -> None:
    status, out, err = cli("diff", *PAIR)
    assert (status, err) == (1, "")
    summary = out.rpartition("\n\n")[2].splitlines()
    assert summary[0].startswith("2025-11-25 -> 2026-07-28: ")
    assert summary[-1].endswith(" changes fail with --fail-on breaking")


def test_two_files(cli, schemas) -> None:
    status, out, err = cli("diff", *schemas)
    assert (status, err) == (1, "")
    assert "\nold -> new: 1 change, 1 breaking, 0 risky, 0 compatible\n" in out


def test_a_file_and_a_revision(cli, elsewhere: Path) -> None:
    copy = elsewhere / "2025-06-18" / "schema.ts"
    copy.parent.mkdir()
    copy.write_bytes(catalog.schema_file("2025-06-18").read_bytes())
    status, out, _ = cli("diff", "2025-06-18", "2025-06-18/schema.ts")
    assert (status, out) == (0, "2025-06-18 -> 2025-06-18: no changes\n")


@pytest.mark.usefixtures("elsewhere")
def test_a_page_of_bundled_revisions_links_to_their_changelogs(cli) -> None:
    shown = cli("diff", "2025-06-18", "2026-07-28", "--format", "markdown", "--style", "page", "--level", "risky").out
    for revision in ("2025-11-25", "2026-07-28"):
        assert f"[{revision}](https://modelcontextprotocol.io/specification/{revision}/changelog)" in shown
    assert "\nFiltered: level breaking or risky. Other changes are left out.\n" in shown


def test_swapped_revisions_are_noticed(cli) -> None:
    found = cli("diff", "2025-11-25", "2025-06-18", "--kind", "method_added")
    assert found.err == "warning: OLD 2025-11-25 is newer than NEW 2025-06-18; the changes are those of going back\n"
    assert cli("diff", "2025-06-18", "2025-11-25", "--kind", "method_removed").err == ""


def test_a_page_for_a_blog(cli, schemas, elsewhere: Path) -> None:
    assert cli("diff", *schemas, "--style", "page", "-o", "post.md").status == 1
    assert Path("post.md").read_text().startswith("# MCP new: changes since old\n")
    found = cli("diff", *schemas, "--style", "page")
    assert (found.status, found.err) == (2, "error: --style page requires --format markdown, got text\n")


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ([], 1),
        (["--fail-on", "breaking"], 1),
        (["--fail-on", "any"], 1),
        (["--fail-on", "none"], 0),
        (["--perspective", "client"], 0),
        (["--perspective", "client", "--fail-on", "risky"], 0),
        (["--perspective", "client", "--fail-on", "any"], 1),
        (["--perspective", "server"], 1),
        (["--ignore", "field-added-required"], 0),
        (["--only", "field-added-optional"], 0),
        (["--kind", "field_removed", "--fail-on", "any"], 0),
        (["--kind", "field_removed", "--kind", "field_added"], 1),
        (["--method", "widgets/get"], 1),
        (["--level", "breaking"], 1),
        (["--perspective", "client", "--level", "risky", "--fail-on", "any"], 0),
    ],
)
@pytest.mark.parametrize("form", ["text", "json", "html", "markdown", "github", "junit"])
def test_the_status_is_the_same_in_every_form(cli, schemas, arguments: list[str], status: int, form: str) -> None:
    found, out, err = cli("diff", *schemas, *arguments, "--format", form)
    assert (found, err) == (status, "")
    assert out or form == "github"


@pytest.mark.parametrize(
    "arguments",
    [
        ["diff", "--fail-on", "none", "old.ts", "new.ts"],
        ["diff", "old.ts", "--fail-on=none", "new.ts"],
        ["--fail-on", "none", "diff", "old.ts", "new.ts"],
        ["diff", "--fail-on", "none", "--", "./old.ts", "./new.ts"],
    ],
)
def test_options_stand_in_any_order(cli, schemas, arguments: list[str]) -> None:
    status, out, _ = cli(*arguments)
    assert status == 0
    assert out.endswith("\n  no change fails with --fail-on none\n")


def test_json(cli, schemas) -> None:
    status, out, err = cli("diff", *schemas, "--format", "json")
    document = json.loads(out)
    assert (status, err) == (1, "")
    assert document["format"] == "mcp-diff/1"
    assert document["old"] == {"revision": "old", "source": "old.ts"}
    assert [change["id"] for change in document["changes"]] == [CHANGE]
    assert "approved" not in document["changes"][0]
    assert cli("diff", *schemas, "--format", "json").out == out


WITNESS = {
    "pairing": "new_client_old_server",
    "sender": "server",
    "message": {"jsonrpc": "2.0", "id": "a", "result": {"widget": "a"}},
    "outcome": "refused",
}


def test_witnesses(cli, schemas) -> None:
    (change,) = json.loads(cli("diff", *schemas, "--format", "json").out)["changes"]
    assert change["witness"] == WITNESS
    line = json.dumps(WITNESS["message"])
    assert line not in cli("diff", *schemas).out
    out = cli("diff", *schemas, "--witness").out
    told = "An old server may send this in response to widgets/get, and a new client refuses it:"
    assert told in " ".join(out.split())
    assert f"\n              {line}\n" in out
    assert line not in cli("diff", *schemas, "--witness", "--perspective", "client").out
    assert "An old server may send this" in cli("diff", *schemas, "--witness", "--format", "markdown").out
    assert line in ET.fromstring(cli("diff", *schemas, "--witness", "--format", "junit").out)[0][0][0].text


@pytest.mark.parametrize("sender", ["client", "server"])
def test_a_witness_is_about_the_pairing_of_the_perspective(cli, sender: str) -> None:
    words = ["diff", "2025-11-25", "2026-07-28", "--method", "ping", "--kind", "method_removed", "--witness"]
    out = " ".join(cli(*words, "--perspective", sender).out.split())
    assert f"An old {sender} may send this, and a new" in out


def test_a_page(cli, schemas) -> None:
    approve()
    status, out, err = cli("diff", *schemas, "--format", "html", "-o", "diff.html", "--approvals", "approved.toml")
    assert (status, out) == (0, "")
    assert err.endswith(" -> diff.html\n")
    assert Path("diff.html").read_text(encoding="utf-8").startswith("<!doctype html>\n")


def test_what_is_left_out_is_not_counted(cli, schemas) -> None:
    document = json.loads(cli("diff", *schemas, "--format", "json", "--ignore", "field-added-required").out)
    assert document["summary"] == {"changes": 0, "by_level": {"breaking": 0, "risky": 0, "compatible": 0}}
    assert document["changes"] == []


def test_names(cli, schemas) -> None:
    out = cli("diff", *schemas, "--old-name", "acme 1", "--new-name", "acme 2").out
    assert "\nacme 1 -> acme 2: 1 change, " in out


def test_a_name_by_the_folder(cli, elsewhere: Path) -> None:
    for folder, text in (("2001-01-01", OLD), ("draft", NEW)):
        (elsewhere / folder).mkdir()
        (elsewhere / folder / "schema.ts").write_text(text)
    assert "\n2001-01-01 -> draft: " in cli("diff", "2001-01-01/schema.ts", "draft/schema.ts").out


def test_imports_are_found_where_map_says(cli, elsewhere: Path) -> None:
    for name, field in (("a", "size: number"), ("b", "size?: number")):
        Path(f"{name}.ts").write_text(
            f'import {{ Tool }} from "core";\nexport interface Acme {{ tool: Tool; {field} }}\n'
        )
    status, out, _ = cli("diff", "a.ts", "b.ts", "--map", "core=2025-06-18", "--format", "json")
    assert status == 0
    assert [change["id"] for change in json.loads(out)["changes"]] == ["field_became_optional:Acme.size"]
    status, out, err = cli("diff", "a.ts", "b.ts")
    assert (status, out) == (2, "")
    assert "--map core=FILE" in err


def test_each_file_has_imports_of_its_own(cli, elsewhere: Path) -> None:
    for name, field in (("a", "size: number"), ("b", "size?: number")):
        Path(f"{name}.ts").write_text(
            f'import {{ Tool }} from "core";\nexport interface Acme {{ tool: Tool; {field} }}\n'
        )
    Path("c.ts").write_text("export interface Acme { size: number }\n")
    status, out, _ = cli(
        "diff", "a.ts", "b.ts", "--old-map", "core=2025-06-18", "--new-map", "core=2025-11-25", "--format", "json"
    )
    assert status == 0
    ids = {change["id"] for change in json.loads(out)["changes"]}
    assert {"field_became_optional:Acme.size", "field_added:Tool.execution"} <= ids
    # What is said of one file goes before what is said of both.
    both = cli("diff", "a.ts", "b.ts", "--map", "core=2025-06-18", "--new-map", "core=2025-11-25", "--format", "json")
    assert both.out == out
    assert cli("diff", "c.ts", "b.ts", "--new-map", "core=2025-11-25", "--fail-on", "none").status == 0
    assert (
        "--map core=… is not used: c.ts does not import 'core'"
        in cli("diff", "c.ts", "b.ts", "--map", "core=2025-11-25").err
    )


def test_a_report_in_a_file(cli, schemas) -> None:
    status, out, err = cli("diff", *schemas, "--format", "junit", "-o", "build/diff.xml")
    assert (status, out) == (1, "")
    assert (
        err == "1 change, 1 breaking, 0 risky, 0 compatible -> build/diff.xml; 1 change fails with --fail-on breaking\n"
    )
    assert ET.parse("build/diff.xml").getroot().tag == "testsuites"
    assert sorted(path.name for path in Path("build").iterdir()) == ["diff.xml"]
    passing = cli("diff", *schemas, "--fail-on", "none", "-o", "build/diff.xml")
    assert (passing.status, passing.err) == (0, "1 change, 1 breaking, 0 risky, 0 compatible -> build/diff.xml\n")


def test_a_file_is_replaced_and_a_link_followed(cli, schemas) -> None:
    Path("real.txt").write_text("before")
    Path("link.txt").symlink_to("real.txt")
    assert cli("diff", *schemas, "--output", "link.txt").status == 1
    assert Path("link.txt").is_symlink()
    assert Path("real.txt").read_text().endswith("fails with --fail-on breaking\n")


@pytest.mark.parametrize(("place", "message"), [(".", "it is a folder"), (os.devnull, "it is not a regular file")])
def test_a_file_that_cannot_be_written(cli, schemas, place: str, message: str) -> None:
    status, out, err = cli("diff", *schemas, "-o", place)
    assert (status, out) == (2, "")
    assert message in err
    status, out, err = cli("diff", *schemas, "-o", "old.ts/x")
    assert (status, out) == (2, "")
    assert "error: cannot write " in err


def test_nothing_is_written_where_nothing_could_be_compared(cli, schemas) -> None:
    Path("report.txt").write_text("before")
    assert cli("diff", "old.ts", "gone.ts", "-o", "report.txt").status == 2
    assert Path("report.txt").read_text() == "before"


def test_an_approved_change_does_not_count(cli, schemas) -> None:
    approve("nobody asks for it")
    status, out, err = cli("diff", *schemas, "--approvals", "approved.toml")
    assert (status, err) == (0, "")
    assert "Approved: nobody asks for it" in out
    (change,) = json.loads(cli("diff", *schemas, "--approvals", "approved.toml", "--format", "json").out)["changes"]
    assert change["approved"] is True


def test_a_stale_approval_is_told(cli, schemas) -> None:
    approve(change="field_added:GetResult.colour")
    status, _, err = cli("diff", *schemas, "--approvals", "approved.toml")
    assert status == 1
    assert err == (
        "warning: approved.toml: 'field_added:GetResult.colour' is not a change from old to new; "
        f"did you mean '{CHANGE}'?\n"
    )


def test_an_approval_of_what_is_left_out_is_not_stale(cli, schemas) -> None:
    approve()
    assert cli("diff", *schemas, "--approvals", "approved.toml", "--ignore", "field-added-required").err == ""


def test_approvals_to_fill_in(cli, schemas) -> None:
    status, out, err = cli("diff", *schemas, "--print-approvals", "-o", "approved.toml")
    assert (status, out, err) == (0, "", "approvals -> approved.toml\n")
    status, _, err = cli("diff", *schemas, "--approvals", "approved.toml")
    assert status == 2
    assert err == (
        f"error: approved.toml: '{CHANGE}' has no reason; write why the change is acceptable, or remove the entry\n"
    )
    path = Path("approved.toml")
    path.write_text(path.read_text().replace('""', '"fine"'))
    assert cli("diff", *schemas, "--approvals", "approved.toml").status == 0
    assert f'"{CHANGE}" = "fine"\n' in cli("diff", *schemas, "--approvals", "approved.toml", "--print-approvals").out


def test_rules(cli) -> None:
    status, out, err = cli("diff", "--list-rules")
    assert (status, err) == (0, "")
    assert "\nmethod-embedded " in out
    document = json.loads(cli("diff", "--list-rules", "--format", "json").out)
    assert document["rules"][0] == {
        "id": "field-added-required",
        "old_sender_new_receiver": "breaking",
        "new_sender_old_receiver": "compatible",
        "api": "breaking",
        "explanation": "An old sender does not send it, but a new receiver requires it.",
    }
    status, out, _ = cli("diff", "--explain", "field-added-required")
    assert status == 0
    assert "sent by the server: old client, new server compatible; new client, old server breaking\n" in out
    assert "The verdicts depend on the sides" in cli("diff", "--explain", "direction-changed").out
    assert cli("diff", "--explain", "field-added-requierd").status == 2
    assert cli("diff", "--list-rules", "--format", "junit").status == 2


def test_the_json_schema(cli, schemas) -> None:
    status, out, err = cli("diff", "--json-schema")
    assert (status, err) == (0, "")
    Draft202012Validator(json.loads(out)).validate(json.loads(cli("diff", *schemas, "--format", "json").out))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "OLD and NEW are missing; run: mcp-codegen diff OLD NEW, each a revision (2024-11-05, "),
        (["2025-06-18..2025-11-25"], "is not a revision; run: mcp-codegen diff 2025-06-18 2025-11-25"),
        (["2025-06"], "NEW is missing; '2025-06' is neither a bundled revision nor a file"),
        (["2025-06-18"], "NEW is missing; for example, run: mcp-codegen diff 2025-06-18 2025-11-25"),
        ([REVISIONS[-1]], f"for example, run: mcp-codegen diff {REVISIONS[-1]} path/to/schema.ts"),
        (
            ["2025-06-19", "2025-11-25"],
            "'2025-06-19' is neither a bundled revision nor a file; did you mean 2025-06-18?",
        ),
        (["draft", "2025-11-25"], "the draft is not bundled"),
        (["2025-11-25", "latest"], f"the newest bundled revision is {REVISIONS[-1]}"),
        (["-", "2025-11-25"], "cannot be read from standard input"),
        (["gone.ts", "2025-11-25"], "cannot read gone.ts: No such file or directory"),
        ([".", "2025-11-25"], "cannot read .: it is a folder"),
        ([*PAIR, "--old-name", "x"], "--old-name applies to schema files, and 2025-11-25 is a bundled revision"),
        (["old.ts", "new.ts", "--new-name", " "], "--new-name must not be empty"),
        ([*PAIR, "--map", "core=x.ts"], "OLD and NEW are bundled revisions; leave it out"),
        ([*PAIR, "--old-map", "core=x.ts"], "--old-map applies to schema files, and 2025-11-25 is a bundled revision"),
        (["old.ts", "2025-11-25", "--new-map", "core=x.ts"], "2025-11-25 is a bundled revision; leave it out"),
        (
            ["old.ts", "new.ts", "--new-map", "core=2025-06-18"],
            "--new-map core=… is not used: new.ts does not import 'core'",
        ),
        (
            ["old.ts", "new.ts", "--old-map", "core"],
            "--old-map must have the form NAME=FILE or NAME=REVISION, got 'core'",
        ),
        (
            [*PAIR, "--print-approvals", "--format", "json"],
            "--print-approvals always prints TOML; leave out --format json",
        ),
        (["old.ts", "new.ts", "--map", "core=2025-06-18"], "--map core=… is not used: old.ts does not import 'core'"),
        (
            [*PAIR, "--method", "tool/call"],
            "--method: unknown method 'tool/call'; did you mean tools/call?",
        ),
        ([*PAIR, "--kind", "field-added"], "did you mean field_added?"),
        ([*PAIR, "--kind", "removed"], "did you mean type_removed, field_removed or method_removed?"),
        (
            [*PAIR, "-o", "report.pdf"],
            "there is no format for report.pdf; pass --format with one of text, ",
        ),
        ([*PAIR, "--only", "x"], "--only: unknown rule 'x'; use --list-rules to list them"),
        ([*PAIR, "--ignore", "field-added"], "--ignore: unknown rule 'field-added'; did you mean field-added-"),
        ([*PAIR, "--approvals", "gone.toml"], "cannot read gone.toml: No such file or directory"),
        ([*PAIR, "--fail-on", "never"], "'never' is not one of"),
        ([*PAIR, "more"], "more"),
        (["broken.ts", "2025-11-25"], "broken.ts:1:"),
        (["empty.ts", "2025-11-25"], "empty.ts declares no types and no constants"),
    ],
)
def test_what_cannot_be_compared_is_said_with_what_to_type(cli, schemas, arguments: list[str], message: str) -> None:
    Path("broken.ts").write_text("export interface {")
    Path("empty.ts").write_text("")
    status, out, err = cli("diff", *arguments)
    assert (status, out) == (2, "")
    assert message in err


def test_the_option_version_hints_at_the_command(cli) -> None:
    status, out, err = cli("--version", "diff", "2025-06-18", "2025-11-25")
    assert (status, out) == (2, "")
    assert "'diff' is a command, not a revision; run: mcp-codegen diff 2025-06-18 2025-11-25\n" in err
    status, out, err = cli("--version", "diff")
    assert (status, out) == (2, "")
    assert "'diff' is a command, not a revision; run: mcp-codegen diff\n" in err


def test_colour_is_for_terminals(cli, schemas, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in cli("diff", *schemas).out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[31mbreaking  \x1b[0m" in cli("diff", *schemas).out
    assert "\x1b" not in cli("diff", *schemas, "--format", "markdown").out
    cli("diff", *schemas, "-o", "report.txt")
    assert "\x1b" not in Path("report.txt").read_text()


def test_it_starts_fast_and_loads_no_templates(spawn, schemas) -> None:
    status, out, err = spawn("diff", *schemas, PYTHONPROFILEIMPORTTIME="1")
    assert status == 1
    assert "jinja2" not in err
    assert "difflib" not in out


def test_a_bundled_extension_compares_like_a_revision(cli) -> None:
    assert cli("diff", "ext-tasks", "ext-tasks").out == "ext-tasks -> ext-tasks: no changes\n"
