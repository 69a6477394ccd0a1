"""What is emitted is exactly what black, left to its defaults, would make of it."""

from __future__ import annotations

import difflib
import re
from functools import cache
from pathlib import Path

import black
import pytest
from checkout import REVISIONS, ROOT
from hypothesis import assume, example, given, settings
from mcp_bindgen.emit.render import root_files
from mcp_bindgen.errors import SchemaError
from strategies.emitted_packages import emit
from strategies.schema_texts import many_members, schema_texts


@cache
def difference(code: str) -> str:
    """What black would change. Many files are the same from one schema to the next, and much of the others.

    A statement at the top is formatted as if it were alone, with two empty lines at most before it. So a file is as black
    makes it if that is true of its parts between two empty lines. These end before a class or a function only: between
    other statements black may want fewer.
    """
    return "\n".join(
        filter(None, map(difference_of_a_part, re.split(r"\n\n\n(?=class |def |@)", code.removesuffix("\n"))))
    )


@cache
def difference_of_a_part(part: str) -> str:
    code = f"{part}\n"
    return "\n".join(
        difflib.unified_diff(
            code.splitlines(), black.format_str(code, mode=black.Mode()).splitlines(), "emitted", "black"
        )
    )


def check(text: str, revision: str) -> None:
    for path, code in emit(text, revision=revision).files.items():
        assert not difference(code), f"{path}:\n{difference(code)}"


@pytest.mark.parametrize("revision", REVISIONS)
def test_bundled_revisions(revision: str) -> None:
    check((ROOT / "schema" / revision / "schema.ts").read_text(encoding="utf-8"), revision)


def test_files_that_belong_to_no_revision() -> None:
    for path, code in root_files().items():
        assert not difference(code), path


def long(size: int, unit: str = "long") -> str:
    return (unit * size)[:size]


@pytest.mark.parametrize("size", [*range(40, 110, 7), *range(60, 84, 2)])
def test_names_and_texts_of_every_length(size: int) -> None:
    name, word, text = long(size, "Long"), long(size, "word"), long(size, "lo ng ")
    one, two = f"A{name[:60]}", f"B{name[:70]}"
    check(
        f"""
        export const {name} = "{text}";
        /** {text}{text} */
        export interface {one} {{
            {word}: string;
            "{text}"?: "{text}" | "other" | number;
            tag: "{text}";
            list: {one}[][];
            map?: {{ [key: string]: {one}Union }};
            some: "{text[:30]}" | "{text[:20]}" | "{text[:40]}";
            [key: string]: unknown;
        }}
        export interface {two} {{ tag: "b"; [key: string]: {one} | {two} | string | null }}
        export type {one}Union = {one} | {two};
        export type C{name} = "{text}" | "{text}." | "a" | string[];
        """,
        "2001-01-01",
    )


CONVERSATION = (Path(__file__).parent / "golden" / "conversation" / "schema.ts").read_text(encoding="utf-8")
"""What a schema needs in order to have a client and a server."""


@pytest.mark.parametrize("size", range(14, 112, 7))
def test_methods_of_names_of_every_length(size: int) -> None:
    name, word, said = long(min(size, 84), "Long"), long(size, "word"), long(size, "lo ng ")
    base, _, _ = CONVERSATION.partition("export type ClientRequest")
    text = f"""
        {base}
        /** {said} */
        export interface A{name}Request extends Request {{ method: "{said}"; params: A{name}Params }}
        export interface A{name}Params {{
            {word}: string; /** {said}{said} */ b?: A{name}Result | string | null; c?: "{said}" | "{said[:9]}x" | number;
        }}
        export interface A{name}Result extends Result {{ things: (A{name}Result | string)[]; {word}: string }}
        export interface B{name[:60]}Request extends Request {{ method: "b"; params?: {{ cursor?: string; {word}?: number[] }} }}
        export interface B{name[:60]}Result extends Result {{ {word}: (A{name}Result | string)[]; nextCursor?: string }}
    """
    made = emit(text, revision="2001-01-01").files
    for path in ("client.py", "server.py"):
        assert not difference(made[path]), difference(made[path])


@pytest.mark.parametrize("size", range(70, 95))
@pytest.mark.parametrize("end", ["", '"', "\\", '"""', "é"])
def test_documentation_of_every_length(size: int, end: str) -> None:
    words = "word " * 40
    check(
        f"""
        /** {words[: size - 6]}{end} */
        export interface A {{
            /** {words[: size - 2]}{end} */ a: string;
            /** {long(size, "unbroken")}{end} */ b: string;
        }}
        /** {words}
         *
         * {words[:size]}{end} */
        export type B = string;
        """,
        "2001-01-01",
    )


def test_unions_of_very_many_members() -> None:
    check(many_members(205), "2001-01-01")


@settings(max_examples=settings.default.max_examples * 3 // 10)
@given(schema_texts(max_size=3))
@example("")
def test_random_schemas(text: str) -> None:
    try:
        check(text, "2001-01-01")
    except SchemaError:
        assume(False)
