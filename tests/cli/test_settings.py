"""``[tool.mcp-codegen]`` stands in for options, the command line wins, and mistakes in it are explained."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from checkout import REVISIONS
from mcp_bindgen.errors import BindgenError
from mcp_bindgen.settings import Settings, read_settings


def project(text: str, folder: Path = Path()) -> None:
    (folder / "pyproject.toml").write_text(text)


def labels(result) -> list[str]:
    assert result.status == 0, result.err
    return [line.split(":")[0] for line in result.out.splitlines() if not line.startswith("runtime")]


def test_versions_and_out_are_taken_from_the_nearest_pyproject(cli, elsewhere: Path, monkeypatch) -> None:
    project('[tool.mcp-codegen]\nversions = ["2025-03-26", "2025-06-18"]\nout = "src/mcp"\n')
    (elsewhere / "deep/er").mkdir(parents=True)
    monkeypatch.chdir(elsewhere / "deep/er")
    assert labels(cli("generate")) == ["2025-03-26", "2025-06-18"]
    # Paths start where the file lies, not where the command is run.
    assert (elsewhere / "src/mcp/v2025_06_18/types.py").is_file()
    assert cli("check").status == 0


def test_check_repairs_with_the_same_settings(cli, elsewhere: Path) -> None:
    project('[tool.mcp-codegen]\nversions = "2025-03-26"\nout = "mcp"\n')
    status, _, err = cli("check")
    assert status == 1
    assert err.endswith("to repair, run:\n    mcp-codegen generate\n")
    assert cli("generate").status == 0
    assert cli("check").status == 0


def test_the_command_line_wins(cli, elsewhere: Path, schema: Path) -> None:
    project('[tool.mcp-codegen]\nversions = ["2025-03-26"]\nout = "one"\nschema = "nowhere.ts"\n')
    assert labels(cli("--version", "2025-06-18", "--out", "two")) == ["2025-06-18"]
    assert labels(cli("--schema", str(schema), "--out", "two")) == ["acme"]
    assert not (elsewhere / "one").exists()


def test_a_schema_with_its_name_and_map(cli, elsewhere: Path) -> None:
    (elsewhere / "ext.ts").write_text(
        'import { Tool } from "mcp";\nexport interface Thing extends Tool { size: number }\n'
    )
    project('[tool.mcp-codegen]\nschema = "ext.ts"\nname = "acme"\nout = "out"\nmap = { mcp = "2025-06-18" }\n')
    assert labels(cli("generate")) == ["acme"]
    assert "class Thing(" in (elsewhere / "out/acme/types.py").read_text()


def test_revisions_and_a_schema_may_stand_together(cli, schema: Path) -> None:
    project('[tool.mcp-codegen]\nversions = ["2025-06-18"]\nschema = "acme.ts"\nout = "out"\n')
    assert labels(cli("generate")) == ["2025-06-18", "acme"]


def test_a_map_on_the_command_line_goes_with_the_schema_of_the_settings(cli, elsewhere: Path) -> None:
    (elsewhere / "ext.ts").write_text(
        'import { Tool } from "mcp";\nexport interface Thing extends Tool { size: number }\n'
    )
    project('[tool.mcp-codegen]\nschema = "ext.ts"\nout = "out"\n')
    assert cli("generate").status == 2
    assert labels(cli("generate", "--map", "mcp=2025-03-26")) == ["ext"]


def test_the_settings_do_not_reach_commands_that_only_show(cli) -> None:
    project('[tool.mcp-codegen]\nversions = ["2025-06-18"]\n')
    assert json.loads(cli("model").out)["revision"] == REVISIONS[-1]


@pytest.mark.parametrize(
    "arguments",
    [
        ["explain", "Thing", "--schema", "ext.ts"],
        ["explain", "Thing", "--version", "acme"],
        ["model", "--schema", "ext.ts"],
        ["model", "--version", "acme"],
        ["diff", "acme", "ext.ts"],
        ["history", "Thing", "--schema", "ext.ts"],
        ["validate", "thing.json", "--type", "Thing", "--version", "acme"],
        ["validate", "thing.json", "--type", "Thing", "--schema", "ext.ts"],
    ],
    ids=" ".join,
)
def test_commands_that_read_a_schema_use_the_table_of_imports_and_the_label(
    cli, elsewhere: Path, arguments: list[str]
) -> None:
    (elsewhere / "ext.ts").write_text('import { Tool } from "mcp";\nexport interface Thing { tool: Tool }\n')
    (elsewhere / "thing.json").write_text('{"tool": {"name": "x", "inputSchema": {"type": "object"}}}\n')
    project('[tool.mcp-codegen]\nschema = "ext.ts"\nname = "acme"\nmap = { mcp = "2025-06-18" }\n')
    assert cli(*arguments).status == 0


def test_the_table_of_imports_may_hold_more_than_a_file_on_the_command_line_imports(cli, schema: Path) -> None:
    project('[tool.mcp-codegen]\nversions = ["2025-06-18"]\nmap = { mcp = "2025-06-18", other = "2025-06-18" }\n')
    assert cli("model", "--schema", str(schema)).status == 0
    assert labels(cli("--schema", str(schema), "--out", "out")) == ["acme"]
    err = cli("model", "--schema", str(schema), "--map", "third=2025-06-18").err
    assert "--map third=… is not used: acme.ts does not import 'third'" in err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[tool.mcp-codegen]\nout = "out"\n',
            "pyproject.toml: [tool.mcp-codegen] names nothing to generate; add versions",
        ),
        (
            '[tool.mcp-codegen]\nout = "out"\nname = "acme"\n',
            "pyproject.toml: name is the label of a schema of your own",
        ),
        ("[tool.mcp_codegen]\n", "pyproject.toml: [tool.mcp_codegen] is not read; write [tool.mcp-codegen]"),
    ],
)
def test_settings_that_name_nothing_to_generate_are_an_error_that_names_what_is_missing(
    cli, text: str, message: str
) -> None:
    project(text)
    status, out, err = cli()
    assert (status, out) == (2, "")
    assert message in err


def test_the_nearest_pyproject_counts_even_without_the_table(elsewhere: Path) -> None:
    project('[tool.mcp-codegen]\nversions = ["2025-06-18"]\n')
    (elsewhere / "inner").mkdir()
    project("[project]\nname = 'x'\n", elsewhere / "inner")
    assert read_settings(elsewhere / "inner") == Settings()
    assert read_settings(elsewhere).versions == ("2025-06-18",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("version = ['2025-03-26']", "unknown key 'version' in [tool.mcp-codegen]; did you mean versions?"),
        ("output = 'x'", "unknown key 'output' in [tool.mcp-codegen]; did you mean out?"),
        ("zzz = 1", "unknown key 'zzz' in [tool.mcp-codegen]; use one of versions, out, schema, name, map"),
        ("versions = 2025-03-26", 'versions must be a list of strings such as ["2025-03-26"], got a date or time'),
        (
            "versions = [2025-03-26]",
            'versions must be a list of strings such as ["2025-03-26"], got other values in the list',
        ),
        ("versions = true", 'versions must be a list of strings such as ["2025-03-26"], got a boolean'),
        ("out = ''", 'out must not be empty; for the folder of pyproject.toml, write "."'),
        ("out = 3", "out must be a string, got a number"),
        ("out = ['x']", "out must be a string, got a list"),
        ('out = "a\\u0000b"', "out must not contain a NUL character"),
        ("schema = {}", "schema must be a string, got a table"),
        ("name = false", "name must be a string, got a boolean"),
        ("map = 'x'", "map must be a table such as "),
        ("map = { core = 1 }", "map.core must be a file or a revision, as a string, got a number"),
    ],
)
def test_a_mistake_is_named_with_its_file(cli, elsewhere: Path, text: str, message: str) -> None:
    project(f"[tool.mcp-codegen]\n{text}\n")
    status, out, err = cli("generate", "--version", "2025-03-26", "--out", "out")
    assert (status, out) == (2, "")
    assert err.startswith(f"error: {elsewhere / 'pyproject.toml'}: ")
    assert message in err


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"[tool.mcp-codegen\n", "is not valid TOML: "),
        (b"x = '\xff'\n", "is not valid TOML: "),
        (b"[tool]\nmcp-codegen = 3\n", "tool.mcp-codegen must be a table, got a number; write [tool.mcp-codegen]"),
    ],
)
def test_a_file_that_cannot_be_understood_is_an_error(elsewhere: Path, data: bytes, message: str) -> None:
    (elsewhere / "pyproject.toml").write_bytes(data)
    with pytest.raises(BindgenError) as caught:
        read_settings(elsewhere)
    assert message in str(caught.value)


def test_a_tool_that_is_no_table_is_for_others_to_complain_about(elsewhere: Path) -> None:
    (elsewhere / "pyproject.toml").write_text("tool = 3\n")
    assert read_settings(elsewhere) == Settings()


def test_an_unknown_revision_in_the_settings_is_an_error(cli) -> None:
    project('[tool.mcp-codegen]\nversions = ["2025-03-27"]\nout = "out"\n')
    message = "pyproject.toml: versions: '2025-03-27' is not a bundled revision; did you mean 2025-03-26?\n"
    assert cli("generate").err.endswith(message)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            "",
            'cannot locate the module \'@acme/core\'; add "@acme/core" = "FILE or REVISION" to [tool.mcp-codegen.map] of '
            "pyproject.toml\n",
        ),
        ('"@acme/cor" = "2025-06-18"', "to [tool.mcp-codegen.map] of pyproject.toml; it has @acme/cor\n"),
        (
            '"@acme/core" = "2025-06-18"\n"core" = "2025-06-18"',
            '[tool.mcp-codegen.map] of pyproject.toml: "core" is not used: ',
        ),
    ],
)
def test_imports_that_the_settings_map_wrongly_name_their_table(cli, elsewhere: Path, table: str, message: str) -> None:
    (elsewhere / "acme.ts").write_text('import type { Tool } from "@acme/core";\nexport interface Box { tool: Tool }\n')
    project(f'[tool.mcp-codegen]\nschema = "acme.ts"\nout = "out"\n\n[tool.mcp-codegen.map]\n{table}\n')
    status, _, err = cli("generate")
    assert status == 2
    assert message in err
