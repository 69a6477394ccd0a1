"""Hostile schema files through the whole command: inert code or a located error, within bounded time and memory."""

from __future__ import annotations

import ast
import resource
import subprocess
import sys
from pathlib import Path

import pytest

DEADLINE = 60
"""Seconds after which a run counts as hanging."""
MEMORY = 3 * 2**30
"""Bytes of address space that a run may use."""

FINE = "export interface A { a: string }\n"


def run(tmp_path: Path, data: bytes, *options: str) -> subprocess.CompletedProcess[str]:
    """``mcp-codegen --schema`` over a file with this content, in a process that is bounded from outside."""
    schema = tmp_path / "hostile.ts"
    schema.write_bytes(data)
    return subprocess.run(
        [sys.executable, "-m", "mcp_bindgen.cli", "--schema", str(schema), "--out", str(tmp_path / "out"), *options],
        check=False,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )


def emitted(tmp_path: Path) -> dict[str, str]:
    """The files that were written, of which each has to be Python."""
    files = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "out" / "hostile").glob("*.py")}
    for text in files.values():
        ast.parse(text)
    return files


REFUSED = {
    "brackets": (b"export type A = " + b"(" * 100_000, "hostile.ts:1:"),
    "braces": (b"export interface A " + b"{ a: " * 100_000, "hostile.ts:1:"),
    "angles": (b"export type A = " + b"Array<" * 100_000 + b"string" + b">" * 100_000, "hostile.ts:1:"),
    "array suffixes": (b"export type A = string" + b"[]" * 100_000 + b";", "hostile.ts:1:"),
    "closing brackets": (b"export type A = string;" + b"}" * 100_000, "hostile.ts:1:"),
    "50 MB": (b"export type A = string;\n" * (50 * 2**20 // 24), "bytes; at most"),
    "an endless string": (b'export type A = "' + b"a" * 2**20, "hostile.ts:1:"),
    "an endless comment": (b"/* " + b"a" * 2**20, "hostile.ts:1:1"),
    "NULs": (b"\x00" * 1000, "hostile.ts:1:1"),
    "no UTF-8": (b"export type A = '\xff';", "hostile.ts:1:18"),
    "an inheritance chain": (
        b"export interface A0 {}\n"
        + b"".join(b"export interface A%d extends A%d {}\n" % (n, n - 1) for n in range(1, 5000)),
        "hostile.ts:",
    ),
    "an alias of itself": (b"export type A = B; export type B = A;", "hostile.ts:1:"),
    "a base of itself": (b"export interface A extends B {} export interface B extends A {}", "hostile.ts:1:"),
    "a name that is no identifier": (b"export interface A-b { a: string }", "hostile.ts:1:"),
    "a name that Python cannot have": (b"export interface $ { a: string }", "hostile.ts:1:18"),
    "a very long name": (b"export interface " + b"A" * 5000 + b" { a: string }", "hostile.ts:1:18"),
    "a member without letters": (b'export interface A { "/../": string }', "hostile.ts:1:22"),
    "members of one name": (b'export interface A { "a-b": string; a_b: string }', "hostile.ts:1:"),
    "code for a type": (b"export type A = typeof import('os');", "hostile.ts:1:"),
    "a function": (b"export function f() { while (true) {} }", "hostile.ts:1:"),
    "nothing": (b"", "declares nothing"),
}


@pytest.mark.parametrize(("data", "expected"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_generated_is_refused_with_its_place(tmp_path: Path, data: bytes, expected: str) -> None:
    done = run(tmp_path, data)
    assert (done.returncode, done.stdout) == (2, "")
    assert expected in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr) < 100_000
    assert not (tmp_path / "out").exists()


def test_many_declarations_are_generated(tmp_path: Path) -> None:
    many = b"".join(b"export interface A%d { a: string; b?: A%d }\n" % (n, max(n - 1, 0)) for n in range(5000))
    done = run(tmp_path, many)
    assert (done.returncode, done.stderr) == (0, "")
    assert "class A4999(Record):" in emitted(tmp_path)["types.py"]


def test_many_members_and_alternatives_are_generated(tmp_path: Path) -> None:
    wide = b"export interface A { " + b"".join(b"m%d?: string; " % n for n in range(5000)) + b"}\n"
    wide += b"export type B = " + b" | ".join(b'"v%d"' % n for n in range(20_000)) + b";\n"
    done = run(tmp_path, wide)
    assert (done.returncode, done.stderr) == (0, "")
    assert '"v19999"' in emitted(tmp_path)["types.py"]


NASTY = {
    "quotes": '"\'\'\'"""',
    "a break out of a docstring": '"""\nimport os; os.abort()\n"""',
    "backslashes": "\\\\\\N{BULLET}\\x41\\",
    "Jinja": "{{ 7 * 7 }}{% for x in y %}{# c #}",
    "braces": "{}{0}%s%(x)s$x${x}",
    "bidirectional marks": "\u202eabc\u2066",
    "line ends": "a\u2028b\x0bc\x0cd\x85e",
    "the end of a comment": "* / //",
}


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_documentation_stays_documentation(tmp_path: Path, text: str) -> None:
    done = run(tmp_path, f"/** {text} */\nexport interface A {{\n  /** {text} */\n  a: string;\n}}\n".encode())
    assert (done.returncode, done.stderr) == (0, "")
    types = emitted(tmp_path)["types.py"]
    module = ast.parse(types)
    (cls,) = (node for node in module.body if isinstance(node, ast.ClassDef))
    assert [type(node).__name__ for node in cls.body] == [
        *("Expr", "Assign", "AnnAssign", "Expr", "AnnAssign", "Expr", "FunctionDef")
    ]
    assert all(char.isprintable() or char == "\n" for char in types)
    assert "49" not in types


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_literals_keep_their_value(tmp_path: Path, text: str) -> None:
    import json

    written = json.dumps(text)
    done = run(tmp_path, f"export const C = {written};\nexport interface A {{ kind: {written} }}\n".encode())
    assert (done.returncode, done.stderr) == (0, "")
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\nfrom out import hostile\nimport json\n"
        "made = hostile.converter.structure({'kind': json.loads(sys.argv[2])}, hostile.A)\n"
        "assert hostile.C == made.kind == json.loads(sys.argv[2])\n"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path), written], check=True, timeout=DEADLINE)


LABELS = ["../evil", "a/b", "a\nb", 'a"b', "", ".", "import", "a" * 200, "\u202eabc"]


@pytest.mark.parametrize("label", LABELS, ids=ascii)
def test_a_label_that_is_no_name_is_refused_or_made_one(tmp_path: Path, label: str) -> None:
    done = run(tmp_path, FINE.encode(), "--version", label)
    assert "Traceback" not in done.stderr
    written = sorted(path.name for path in tmp_path.iterdir())
    assert done.returncode in (0, 2)
    assert written == (["hostile.ts", "out"] if done.returncode == 0 else ["hostile.ts"])
    if done.returncode == 0:
        packages = [path.name for path in (tmp_path / "out").iterdir() if path.is_dir() and path.name != "runtime"]
        assert all(name.isidentifier() for name in packages)
        for path in (tmp_path / "out").rglob("*.py"):
            ast.parse(path.read_text(encoding="utf-8"))
