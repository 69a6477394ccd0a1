"""Labels and names of files come from outside as well: they name a package inside the folder, or are refused."""

from __future__ import annotations

import ast
import io
import shutil
import tokenize
from pathlib import Path

import pytest
from mcp_bindgen.cli.app import run

SCHEMA = "/** +AAo-import os +AAo- */ export type A = string;\n"
"""In UTF-7 the documentation would hold line ends."""

LABELS = [
    "plain",
    "2027-01-01",
    "1.0",
    "é-label",
    "名前",
    "class",
    "it's",
    'say "so"',
    '"""',
    "'''\nimport os",
    "two\nlines",
    "../outside",
    "../../outside",
    "/absolute",
    "a/b",
    "a\\b",
    "{{ 7 * 7 }}",
    "{% raw %}",
    "{#",
    "$(touch x)",
    "`x`",
    "# fmt: off",
    "coding: utf-7 x",
    "x -*- coding=utf-7 -*-",
    "\u202eright to left",
    "\ufeffmark",
    "tab\tbed",
    " blanks ",
    "trailing\\",
    "",
    " ",
    ".",
    "..",
    "-",
    "__init__",
    "runtime",
    "py.typed",
    "١٢",
    "⑴",
    "½",
    "😀",
    "x" * 64,
    "x" * 65,
    "x" * 5_000,
    "draft",
    "all",
    "model",
]


def check(folder: Path, capsys: pytest.CaptureFixture[str], schema: Path, *options: str) -> None:
    """Either a message and nothing written, or one package that is inert, and nothing outside its folder."""
    shutil.rmtree(folder / "in", ignore_errors=True)
    status = run(["generate", "--schema", str(schema), *options, "--out", str(folder / "in")])
    _, err = capsys.readouterr()
    assert {path.name for path in folder.iterdir()} <= {"in", "schemas"}
    if status:
        assert status == 2
        assert err.startswith("error: ")
        assert "internal error" not in err
        assert len(err) < 500
        assert not (folder / "in").exists()
        return
    (package,) = (path for path in (folder / "in").iterdir() if path.is_dir() and path.name != "runtime")
    assert package.name.isidentifier()
    for file in package.iterdir():
        data = file.read_bytes()
        assert tokenize.detect_encoding(io.BytesIO(data).readline)[0] == "utf-8"
        comments = [token for token in tokenize.tokenize(io.BytesIO(data).readline) if token.type == tokenize.COMMENT]
        assert [token.start[0] for token in comments][:2] == [1, 2]
        assert all(token.string == "# fmt: skip" for token in comments[2:])
        module = ast.parse(data)
        assert isinstance(module.body[0], ast.Expr)
        imported = {name.name for node in ast.walk(module) if isinstance(node, ast.Import) for name in node.names}
        assert not imported


@pytest.mark.parametrize("label", LABELS, ids=[ascii(label[:30]) for label in LABELS])
def test_a_label_names_a_package_or_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], label: str) -> None:
    schema = tmp_path / "schemas" / "schema.ts"
    schema.parent.mkdir()
    schema.write_text(SCHEMA)
    check(tmp_path, capsys, schema, "--version", label)


FILES = [
    "plain.ts",
    "it's.ts",
    '"""\n.ts',
    "coding=utf-7 x.ts",
    "{{ 7 }}.ts",
    "-x.ts",
    "trailing .ts",
    "no suffix",
    "é.d.ts",
]


@pytest.mark.parametrize("name", FILES, ids=ascii)
def test_the_name_of_the_file_is_as_inert_as_a_label(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    schema = tmp_path / "schemas" / name
    schema.parent.mkdir()
    schema.write_text(SCHEMA)
    check(tmp_path, capsys, schema)
    check(tmp_path, capsys, schema, "--version", "plain")
