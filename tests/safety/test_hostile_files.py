"""Hostile schema files of ordinary size through the whole command: inert code or a located error."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from mcp_bindgen.cli.app import run


def generate(folder: Path, data: bytes) -> int:
    """``mcp-codegen --schema`` over a file with this content; the exit status."""
    schema = folder / "hostile.ts"
    schema.write_bytes(data)
    return run(["--schema", str(schema), "--out", str(folder / "out")])


def emitted(folder: Path) -> dict[str, str]:
    """The files that were written, of which each has to be Python."""
    files = {path.name: path.read_text(encoding="utf-8") for path in (folder / "out" / "hostile").glob("*.py")}
    for text in files.values():
        ast.parse(text)
    return files


REFUSED = {
    "an endless string": (b'export type A = "' + b"a" * 2**20, "hostile.ts:1:"),
    "an endless comment": (b"/* " + b"a" * 2**20, "hostile.ts:1:1"),
    "NULs": (b"\x00" * 1000, "hostile.ts:1:1"),
    "no UTF-8": (b"export type A = '\xff';", "hostile.ts:1:18"),
    "UTF-16": ("export type A = string;".encode("utf-16"), "hostile.ts:1:1"),
    "an alias of itself": (b"export type A = B; export type B = A;", "hostile.ts:1:"),
    "a base of itself": (b"export interface A extends B {} export interface B extends A {}", "hostile.ts:1:"),
    "a name that is no identifier": (b"export interface A-b { a: string }", "hostile.ts:1:"),
    "a name that Python cannot have": (b"export interface $ { a: string }", "hostile.ts:1:18"),
    "a very long name": (b"export interface " + b"A" * 5000 + b" { a: string }", "hostile.ts:1:18"),
    "a member without letters": (b'export interface A { "/../": string }', "hostile.ts:1:22"),
    "code for a type": (b"export type A = typeof import('os');", "hostile.ts:1:"),
    "a function": (b"export function f() { while (true) {} }", "hostile.ts:1:"),
    "an escape sequence for a terminal": (b"export type \x1b[31m = string;", "hostile.ts:1:"),
}


@pytest.mark.parametrize(("data", "expected"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_generated_is_refused_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], data: bytes, expected: str
) -> None:
    assert generate(tmp_path, data) == 2
    out, err = capsys.readouterr()
    assert not out
    assert expected in err
    assert "internal error" not in err
    assert len(err) < 10_000
    assert all(char.isprintable() or char == "\n" for char in err)
    assert not (tmp_path / "out").exists()


NASTY = {
    "quotes": '"\'\'\'"""',
    "a break out of a docstring": '"""\nimport os; os.abort()\n"""',
    "backslashes": "\\\\\\N{BULLET}\\x41\\",
    "Jinja": "{{ 111 * 1001001001 }}{% for x in y %}{# c #}",
    "braces": "{}{0}%s%(x)s$x${x}",
    "bidirectional marks": "\u202eabc\u2066",
    "line ends": "a\u2028b\x0bc\x0cd\x85e",
    "the end of a comment": "* / //",
    "comments for tools": "# fmt: off # type: ignore # -*- coding: ascii -*-",
}


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_documentation_stays_documentation(tmp_path: Path, text: str) -> None:
    assert (
        generate(tmp_path, f"/** {text} */\nexport interface A {{\n  /** {text} */\n  a: string;\n}}\n".encode()) == 0
    )
    types = emitted(tmp_path)["types.py"]
    module = ast.parse(types)
    (cls,) = (node for node in module.body if isinstance(node, ast.ClassDef))
    assert [type(node).__name__ for node in cls.body] == [
        *("Expr", "Assign", "AnnAssign", "Expr", "AnnAssign", "Expr", "FunctionDef")
    ]
    assert all(char.isprintable() or char == "\n" for char in types)
    assert "111111111111" not in types
    said = ast.get_docstring(cls)
    assert said is not None
    assert said.split() == text.split()


def test_literals_keep_their_value(tmp_path: Path) -> None:
    texts = [*NASTY.values(), "nul\0", "\ud7ff\ue000\U0010ffff"]
    lines = [f"export const C{place} = {json.dumps(text)};" for place, text in enumerate(texts)]
    lines += [f"export interface A{place} {{ kind: {json.dumps(text)} }}" for place, text in enumerate(texts)]
    assert generate(tmp_path, "\n".join(lines).encode()) == 0
    program = """
import json, sys
sys.path.insert(0, sys.argv[1])
from out import hostile
for place, text in enumerate(json.loads(sys.argv[2])):
    made = hostile.converter.structure({"kind": text}, getattr(hostile, f"A{place}"))
    assert getattr(hostile, f"C{place}") == made.kind == text, place
    assert hostile.converter.unstructure(made) == {"kind": text}, place
"""
    subprocess.run([sys.executable, "-c", program, str(tmp_path), json.dumps(texts)], check=True, timeout=60)
