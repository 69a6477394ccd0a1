"""Hostile schema files through the command line, within bounded time and memory: code that is inert, or a clear error."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

MEMORY = 3 * 2**29
SECONDS = 20
"""Of the processor; each of these takes a few at most, and what is not linear takes minutes."""
PATIENCE = 300.0
MANY = 100_000

# Set by the process itself, since code between fork and exec must not be Python's.
LIMITED = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))
resource.setrlimit(resource.RLIMIT_CPU, ({SECONDS}, {SECONDS}))
from mcp_bindgen.cli import main
main(sys.argv[1:])
"""


def generate(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """Run the command line on a file, with limits; whatever happens it ends in one of two ways."""
    pytest.importorskip("resource", reason="needs the resource limits of POSIX")
    schema = folder / "hostile.ts"
    schema.write_text(text, encoding="utf-8")
    command = [
        sys.executable,
        "-c",
        LIMITED,
        "--schema",
        str(schema),
        "--version",
        "hostile",
        "--out",
        str(folder / "out"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert "Traceback" not in done.stderr, done.stderr[-2000:]
    assert done.returncode in {0, 2}, done.stderr[-2000:]
    assert (folder / "out").exists() is (done.returncode == 0)
    return done


def types_of(folder: Path) -> str:
    """The emitted types. All files are Python; what is too large for a test to parse is like what is smaller."""
    files = sorted((folder / "out" / "hostile").glob("*.py"))
    assert len(files) == 9
    for file in files:
        if file.stat().st_size < 2**20:
            ast.parse(file.read_bytes())
    return (folder / "out" / "hostile" / "types.py").read_text(encoding="utf-8")


def closed(opening: str, inner: str, closing: str) -> str:
    return f"export type A = {opening * MANY}{inner}{closing * MANY};"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(text, id=name)
        for name, text in {
            "parentheses": closed("(", "string", ")"),
            "parentheses that stay open": closed("(", "", ""),
            "parentheses that were never open": closed("", "string", ")"),
            "arrays": closed("", "string", "[]"),
            "look-ups": closed("", "A", '["a"]'),
            "braces": closed("{a:", "string", "}"),
            "braces that stay open": closed("{a:", "", ""),
            "generics": closed("Array<", "string", ">"),
            "unions in parentheses": closed("(string|", "number", ")"),
            "templates": closed("`${", "", ""),
            "index signatures": closed("{[key:string]:", "string", "}"),
            "signs": closed("-", "1", ""),
            "quotes": closed('"', "", ""),
            "comments": closed("/*", "", ""),
            "conditional types": closed("A extends ", "", ""),
        }.items()
    ],
)
def test_brackets_nested_a_hundred_thousand_deep_are_refused_at_their_place(tmp_path: Path, text: str) -> None:
    done = generate(tmp_path, text)
    assert done.returncode == 2
    assert "hostile.ts:1:" in done.stderr
    # All that is wrong is told, but not a hundred thousand times.
    assert len(done.stderr) < 20_000


@pytest.mark.parametrize(
    "line", ["export interface A { a: string }\n", "/** " + "x" * 99 + " */\n", "\n", "(", "\u00e9"]
)
def test_a_file_of_50_megabytes_is_refused(tmp_path: Path, line: str) -> None:
    done = generate(tmp_path, line * (50 * 2**20 // len(line.encode())))
    assert done.returncode == 2
    assert "hostile.ts:1:1: the file has" in done.stderr


def interfaces(count: int, member: str) -> str:
    return "".join(f"export interface I{place} {{ {member.replace('@', str(place))} }}\n" for place in range(count))


def union_of_interfaces(count: int) -> str:
    return f"export type U = {' | '.join(f'I{place}' for place in range(count))};\nexport interface X {{ u?: U; v: U[] }}\n"


def chain(count: int, first: str, following: str) -> str:
    lines = (following.replace("@", str(place)).replace("%", str(place - 1)) for place in range(1, count))
    return "\n".join([first, *lines])


def literals(count: int) -> str:
    return " | ".join(f'"literal {place}"' for place in range(count))


LARGE: dict[str, Callable[[], str]] = {
    "20,000 declarations": lambda: interfaces(1_000, "a?: I@")
    + "".join(f"export type T{place} = string;\n" for place in range(4_000))
    + "".join(f"export const C{place} = {place};\n" for place in range(15_000)),
    "10,000 literals": lambda: f"export type A = {literals(10_000)}; export interface B {{ a: A; b?: A | null }}",
    "5,000 members with a tag": lambda: interfaces(5_000, 'tag: "@"') + union_of_interfaces(5_000),
    "2,000 fields": lambda: f"export interface A {{ {' '.join(f'a{place}?: number;' for place in range(2_000))} }}",
    "2,000 inline objects": lambda: f"export interface A {{ {' '.join(f'a{place}: {{ b: 1 }};' for place in range(2_000))} }}",
    "interfaces in a circle": lambda: interfaces(2_000, "a: I@; b?: I0[]"),
    "aliases in a circle": lambda: chain(1_000, "export type T0 = T999[];", "export type T@ = string | T%[];"),
    "maps in a circle": lambda: chain(
        1_000, "export interface T0 { [key: string]: T999 }", "export interface T@ { [key: string]: T% | string }"
    ),
    "diamonds": lambda: chain(
        90,
        "export interface A0 { a: 1 } export interface B0 { b: 1 }",
        "export interface A@ extends A%, B% {} export interface B@ extends B%, A% {}",
    ),
}


@pytest.mark.parametrize("name", LARGE)
def test_what_is_large_but_sound_becomes_code(tmp_path: Path, name: str) -> None:
    done = generate(tmp_path, LARGE[name]())
    assert done.returncode == 0, done.stderr
    assert "class " in types_of(tmp_path) or "TypeAlias" in types_of(tmp_path)


TOO_MUCH: dict[str, tuple[Callable[[], str], str]] = {
    "5,000 levels of inheritance": (
        lambda: chain(5_000, "export interface I0 { a: string }", "export interface I@ extends I% { a@: string }"),
        "hostile.ts:202:18: I201 has more than 200 levels of bases or aliases, which is the limit",
    ),
    "5,000 aliases of arrays": (
        lambda: chain(5_000, "export type T0 = string;", "export type T@ = T%[];"),
        "levels when its aliases are expanded",
    ),
    "5,000 aliases of maps": (
        lambda: chain(5_000, "export type T0 = string;", "export type T@ = { [key: string]: T% };"),
        "levels when its aliases are expanded",
    ),
    "aliases that double": (
        lambda: chain(60, "export type T0 = string;", "export type T@ = { [key: string]: T% | T%[] };"),
        "levels when its aliases are expanded",
    ),
    "interfaces that extend each other": (
        lambda: chain(5_000, "export interface I0 extends I4999 {}", "export interface I@ extends I% {}"),
        "hostile.ts:1:18: I0 contains itself: I0 -> I4999 -> ",
    ),
    "aliases of each other": (
        lambda: chain(5_000, "export type T0 = T4999;", "export type T@ = T% | string;"),
        "hostile.ts:1:13: T0 contains itself: T0 -> T4999 -> ",
    ),
    "5,000 members that are told apart by their keys": (
        lambda: interfaces(5_000, "k@: string") + union_of_interfaces(5_000),
        "telling the members apart needs more than 64 keys",
    ),
    "2,000,000 inherited properties": (
        lambda: f"export interface Big {{ {' '.join(f'a{place}?: number;' for place in range(1_500))} }}\n"
        + "".join(f"export interface I{place} extends Big {{}}\n" for place in range(1_500)),
        "types up to here have more than",
    ),
    "50,000 names that clash": (lambda: "export type A = string;\n" * 50_000, "`A` is already declared"),
    "a name of a million characters": (lambda: f"export type {'A' * 1_000_000} = string;", "has 1000000 characters"),
}


@pytest.mark.parametrize("name", TOO_MUCH)
def test_what_would_be_too_much_is_a_located_fault(tmp_path: Path, name: str) -> None:
    text, message = TOO_MUCH[name]
    done = generate(tmp_path, text())
    assert done.returncode == 2
    assert message in done.stderr
    assert "hostile.ts:" in done.stderr


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(text, id=name)
        for name, text in {
            "words": "word " * 100_000,
            "one word": "w" * 500_000,
            "backslashes": "\\" * 500_000,
            "quotes": '"' * 500_000,
            "links": "{@link " * 100_000,
            "tags": "\n @a" * 100_000,
            "items": "\n - x" * 100_000,
            "fences": "\n```" * 100_000,
            "blanks": f"a{' ' * 500_000}b",
        }.items()
    ],
)
def test_documentation_may_be_of_any_length(tmp_path: Path, text: str) -> None:
    done = generate(tmp_path, f"/** {text} */ export type A = string;")
    assert done.returncode == 0, done.stderr
    assert "A: TypeAlias = str\n" in types_of(tmp_path)
