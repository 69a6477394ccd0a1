"""``mcp-codegen check`` notices every difference, writes nothing, and names the command that repairs."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from mcp_bindgen import __version__


def test_a_fresh_output_is_clean(cli) -> None:
    cli("--version", "2025-03-26", "--out", "out")
    status, out, err = cli("check", "--version", "2025-03-26", "--out", "out")
    assert (status, err) == (0, "")
    assert out == "out is up to date: 2025-03-26\n"


def test_one_changed_byte_is_shown_and_the_command_repairs_it(cli, elsewhere: Path) -> None:
    cli("--version", "2025-03-26", "--out", "my out")
    place = elsewhere / "my out/v2025_03_26/types.py"
    text = place.read_text()
    place.write_text(text.replace("Widget", "").replace("class Tool(", "class Toll(", 1))
    before = place.read_bytes()
    status, out, err = cli("check", "--version", "2025-03-26", "--out", "my out")
    assert status == 1
    assert "--- my out/v2025_03_26/types.py\ton disk\n+++ my out/v2025_03_26/types.py\tas generated\n" in out
    assert "-class Toll(" in out
    assert "+class Tool(" in out
    assert place.read_bytes() == before
    first, command = err.splitlines()
    assert first == "1 changed in my out; to repair, run:"
    assert command.strip() == "mcp-codegen --version 2025-03-26 --out 'my out'"
    assert cli(*shlex.split(command)[1:]).status == 0
    assert place.read_text() == text
    assert cli("check", "--version", "2025-03-26", "--out", "my out").status == 0


def test_github_shows_an_annotation_at_each_file(cli, elsewhere: Path) -> None:
    cli("--version", "2025-03-26", "--out", "out")
    assert cli("check", "--version", "2025-03-26", "--out", "out", "--format", "github") == (0, "", "")
    place = elsewhere / "out/v2025_03_26"
    (place / "server.py").unlink()
    (place / "types.py").write_text((place / "types.py").read_text() + "x = 1\n")
    status, out, _ = cli("check", "--version", "2025-03-26", "--out", "out", "--format", "github")
    assert status == 1
    repair = "to repair, run: mcp-codegen --version 2025-03-26 --out out"
    assert out.splitlines() == [
        f"::error file=out/v2025_03_26/server.py,title=missing generated file::{repair}",
        f"::error file=out/v2025_03_26/types.py,title=changed generated file::{repair}",
    ]


@pytest.mark.parametrize("marker", [".git", "GITHUB_WORKSPACE"])
def test_annotations_name_files_relative_to_the_repository(cli, elsewhere: Path, monkeypatch, marker: str) -> None:
    if marker == ".git":
        monkeypatch.delenv("GITHUB_WORKSPACE")
        (elsewhere / marker).mkdir()
    (elsewhere / "src").mkdir()
    monkeypatch.chdir(elsewhere / "src")
    options = ("--version", "2025-03-26", "--out", "out")
    cli(*options)
    (elsewhere / "src/out/v2025_03_26/server.py").unlink()
    expected = "::error file=src/out/v2025_03_26/server.py,title=missing generated file::"
    assert cli("check", *options, "--format", "github").out.startswith(expected)
    status, out, _ = cli("generate", "--check", *options, "--format", "github")
    assert status == 1
    assert out.startswith(expected)


def test_annotations_name_the_files_of_typed_clients(cli, elsewhere: Path) -> None:
    (elsewhere / "tools.json").write_text('{"tools": [{"name": "add", "inputSchema": {"type": "object"}}]}')
    (elsewhere / "pyproject.toml").write_text('[[tool.mcp-codegen.clients]]\nfrom = "tools.json"\nout = "src/adder"\n')
    assert cli("generate").status == 0
    (elsewhere / "src/adder/client.py").unlink()
    status, out, _ = cli("check", "--format", "github")
    assert status == 1
    assert out.startswith("::error file=src/adder/client.py,title=missing generated file::")


def test_annotations_without_a_check_are_refused(cli) -> None:
    status, _, err = cli("generate", "--version", "2025-03-26", "--out", "out", "--format", "github")
    assert status == 2
    assert "error: --format github requires --check" in err


def test_files_whose_line_ends_git_has_converted_are_a_line_each_with_the_remedy(cli, elsewhere: Path) -> None:
    cli("--version", "2025-03-26", "--out", "out")
    for file in (elsewhere / "out").rglob("*.py"):
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    status, out, err = cli("check", "--version", "2025-03-26", "--out", "out")
    assert status == 1
    assert "line ends (CRLF): out/v2025_03_26/types.py\n" in out
    assert "@@" not in out
    assert "add this line to .gitattributes:\n    out/** text eol=lf\n" in err
    assert cli("--version", "2025-03-26", "--out", "out").status == 0
    assert cli("check", "--version", "2025-03-26", "--out", "out").err == ""


def test_files_of_another_version_of_the_generator_say_which(cli, elsewhere: Path) -> None:
    arguments = ("check", "--version", "2025-03-26", "--out", "out")
    cli("--version", "2025-03-26", "--out", "out")
    for file in (elsewhere / "out").rglob("*.py"):
        file.write_text(file.read_text().replace(f"mcp-codegen {__version__}", "mcp-codegen 0.0.9", 1))
    other = (
        f"out was generated by mcp-codegen 0.0.9, and this is {__version__}; generate it again, or install the version that "
        'generated it: pip install "mcp-bindings[codegen]==0.0.9"'
    )
    status, out, err = cli(*arguments)
    assert (status, err.splitlines()[0]) == (1, other)
    assert f"+# Generated by mcp-codegen {__version__} from the schema of 2025-03-26.\n" in out
    # One annotation in place of hundreds, of which GitHub shows ten.
    annotations = cli(*arguments, "--format", "github").out.splitlines()
    assert len(annotations) == 1
    assert annotations[0].endswith(f"{other}; to generate it, run: mcp-codegen --version 2025-03-26 --out out")


def test_missing_and_stale_files_are_differences_too(cli, elsewhere: Path) -> None:
    cli("--version", "2025-03-26", "--out", "out")
    (elsewhere / "out/v2025_03_26/types.py").rename(elsewhere / "out/v2025_03_26/kinds.py")
    status, out, err = cli("check", "--version", "2025-03-26", "--out", "out", "--format", "json")
    assert status == 1
    document = json.loads(out)
    assert document["files"] == [
        {"path": "v2025_03_26/kinds.py", "state": "stale"},
        {"path": "v2025_03_26/types.py", "state": "missing"},
    ]
    assert document["repair"] == "mcp-codegen --version 2025-03-26 --out out"
    assert err.startswith("1 missing, 1 stale in out; ")


def test_without_a_version_it_means_all_revisions(cli, elsewhere: Path) -> None:
    cli("--version", "2025-03-26", "--out", "out")
    status, out, err = cli("check", "--out", "out")
    assert status == 1
    assert "missing: out/v2026_07_28/types.py\n" in out
    # Diffs of whole packages would bury the others.
    assert "class Tool(" not in out
    assert "+++ out/__init__.py" in out
    assert "mcp-codegen --version all --out out" in err
    cli("--version", "all", "--out", "out")
    assert cli("check", "--out", "out").status == 0


def test_a_file_of_somebody_else_in_the_way_is_a_difference(cli, elsewhere: Path, schema: Path) -> None:
    cli("--schema", str(schema), "--out", "out")
    (elsewhere / "out/acme/types.py").write_text("mine\n")
    status, out, err = cli("check", "--schema", str(schema), "--out", "out")
    assert status == 1
    assert "-mine\n" in out
    assert "mcp-codegen generate --schema acme.ts --out out" in err


@pytest.mark.parametrize("arguments", [["--version", "nope"], ["--schema", "nope.ts"]])
def test_what_cannot_be_compared_is_no_difference_but_an_error(cli, arguments: list[str]) -> None:
    status, out, err = cli("check", *arguments, "--out", "out")
    assert (status, out) == (2, "")
    assert "nope" in err


def test_colour_does_not_change_the_diff(cli, elsewhere: Path, monkeypatch: pytest.MonkeyPatch, schema: Path) -> None:
    import click

    cli("--schema", str(schema), "--out", "out")
    (elsewhere / "out/acme/types.py").write_text("mine\n")
    plain = cli("check", "--schema", str(schema), "--out", "out").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = cli("check", "--schema", str(schema), "--out", "out").out
    assert "\x1b[" in coloured
    assert click.unstyle(coloured) == plain


def test_an_extension_shares_the_types_of_the_revision_that_lies_beside_it(cli, elsewhere: Path) -> None:
    cli("--version", "2026-07-28", "--version", "ext-tasks", "--out", "out")
    types = elsewhere / "out/ext_tasks/types.py"
    text = types.read_text()
    assert "v2026_07_28" in text
    assert cli("check", "--version", "ext-tasks", "--out", "out").status == 0
    assert cli("--version", "ext-tasks", "--out", "out").status == 0
    assert types.read_text() == text
    assert cli("check", "--version", "2026-07-28", "--out", "out").status == 0


def test_the_repair_of_an_extension_takes_up_the_revision_that_came_later(cli, elsewhere: Path) -> None:
    cli("--version", "ext-tasks", "--out", "out")
    assert cli("check", "--version", "ext-tasks", "--out", "out").status == 0
    cli("--version", "2026-07-28", "--out", "out")
    status, _, err = cli("check", "--version", "ext-tasks", "--out", "out")
    assert status == 1
    assert cli(*shlex.split(err.splitlines()[1])[1:]).status == 0
    assert "v2026_07_28" in (elsewhere / "out/ext_tasks/types.py").read_text()
    assert cli("check", "--version", "ext-tasks", "--out", "out").status == 0


def test_before_the_first_generation_each_file_is_a_line(cli) -> None:
    status, out, err = cli("check", "--version", "2025-03-26", "--out", "out")
    assert status == 1
    assert "missing: out/v2025_03_26/types.py\n" in out
    assert {line.partition(":")[0] for line in out.splitlines()} == {"missing"}
    assert err.endswith("to repair, run:\n    mcp-codegen --version 2025-03-26 --out out\n")


def test_a_package_that_is_not_configured_any_more_is_reported(cli, elsewhere: Path) -> None:
    settings = elsewhere / "pyproject.toml"
    settings.write_text('[tool.mcp-codegen]\nversions = ["2025-03-26", "2025-06-18"]\nout = "out"\n')
    cli("generate")
    assert cli("check").status == 0
    settings.write_text('[tool.mcp-codegen]\nversions = ["2025-06-18"]\nout = "out"\n')
    status, out, err = cli("check")
    assert (status, out) == (1, "")
    assert "out/v2025_03_26 was generated, but pyproject.toml does not list it; delete the folder" in err
    assert json.loads(cli("check", "--format", "json").out)["unconfigured"] == ["v2025_03_26"]
    status, out, err = cli("check", "--format", "github")
    assert status == 1
    assert out.startswith(
        "::error file=out/v2025_03_26/__init__.py,title=generated package that is not listed::out/v2025_03_26 was "
    )
    assert "does not list it" in err
    # A command line that names a revision is about that one alone.
    assert cli("check", "--version", "2025-06-18", "--out", "out").status == 0
