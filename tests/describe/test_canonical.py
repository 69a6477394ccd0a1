"""Canonical text: the same for types that take the same values, whatever the source looks like."""

from __future__ import annotations

import pytest
from mcp_bindgen import catalog
from mcp_bindgen.describe.canonical import MAX_TEXT, Canonical, key, literal
from mcp_bindgen.errors import BindgenError


def text_of(resolve, written: str, declarations: str = "") -> str:
    protocol = resolve(f"{declarations}\nexport interface Holder {{ it: {written} }}\n")
    (member,) = protocol.objects["Holder"].fields
    return Canonical(protocol).text(member.type)


NAMES = """
export const VERSION = "2.0";
export const CODE = -32700;
export interface Node { next?: Node }
export interface Leaf { leaf: string }
export type Id = string | number;
export type Ids = Id[];
export type Open = "b" | "a" | string;
export type Yes = true;
export type No = false;
export type Minus = -1;
export type Point = { y: number; x?: string };
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type Tree = { left?: Tree; value: string };
"""


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("string", "string"),
        ("number", "number"),
        ("boolean", "boolean"),
        ("unknown", "unknown"),
        ("any", "any"),
        ("object", "object"),
        ('"text"', '"text"'),
        ('"say \\"hi\\""', '"say \\"hi\\""'),
        ("-5", "-5"),
        ("true", "true"),
        ("string[]", "Array<string>"),
        ("Array<string>", "Array<string>"),
        ("(string | number)[]", "Array<number | string>"),
        ("string | number", "number | string"),
        ("number | string | null", "null | number | string"),
        ('"b" | "a"', '"a" | "b"'),
        ('"b" | "a" | string', "string"),
        ('"b" | string | number', "number | string"),
        ("true | false", "boolean"),
        ("Yes | No", "boolean"),
        ("Yes | null", "null | true"),
        ("boolean | Yes", "boolean"),
        ("1 | number", "number"),
        ("Minus | number", "number"),
        ("(Minus | number | Yes | No)[]", "Array<boolean | number>"),
        ('"true" | Yes | "1" | 1', '"1" | "true" | 1 | true'),
        ("Node", "@Node"),
        ("Leaf | Node", "@Leaf | @Node"),
        ("Id", "number | string"),
        ("Id | boolean", "boolean | number | string"),
        ("Ids", "Array<number | string>"),
        ("Open", "string"),
        ("typeof VERSION", '"2.0"'),
        ("typeof CODE", "-32700"),
        ("{ b?: string; a: number }", "{a: number, b?: string}"),
        ("{}", "{}"),
        ("{ [key: string]: unknown }", "{[string]: unknown}"),
        ("{ a: Id; [key: string]: Node }", "{a: number | string, [string]: @Node}"),
        ('{ "odd/key": string; _meta?: string; $x: string }', '{"$x": string, _meta?: string, "odd/key": string}'),
        ("Record<string, Leaf>", "{[string]: @Leaf}"),
        ("Point", "{x?: string, y: number}"),
        ("Point[]", "Array<{x?: string, y: number}>"),
        ("{ inner: { deep: Point } }", "{inner: {deep: {x?: string, y: number}}}"),
        ("Json", "@Json"),
        ("Json[]", "Array<@Json>"),
        ("Tree | Leaf", "@Leaf | @Tree"),
    ],
)
def test_a_type_has_one_text(resolve, written: str, text: str) -> None:
    assert text_of(resolve, written, NAMES) == text.replace('"$x"', "$x")


def test_the_order_of_the_source_does_not_matter(resolve) -> None:
    one = text_of(resolve, '{ a?: "x" | "y"; b: (number | string)[] }')
    two = text_of(resolve, '{ b: Array<string | number>; a?: "y" | "x" }')
    assert one == two


def test_known_values_of_open_enumerations_are_kept_beside_the_text(resolve) -> None:
    protocol = resolve(
        'export type Mood = "good" | "bad" | string;\nexport interface A { m: Mood[]; n: string; o: "x" }\n'
    )
    canonical = Canonical(protocol)
    mood, plain, closed = protocol.objects["A"].fields
    assert canonical.known(mood.type) == ["good", "bad"]
    assert canonical.known(plain.type) == []
    assert canonical.known(closed.type) == []


def test_members_of_an_envelope_that_was_added_are_no_part_of_it() -> None:
    protocol = catalog.load("2025-03-26")
    declared = protocol.objects["PingRequest"]
    assert {member.name for member in declared.fields} >= {"jsonrpc", "id"}
    assert [member.name for member in Canonical(protocol).properties(declared)] == ["method", "params"]


def test_names_and_values_are_written_as_typescript_writes_them() -> None:
    assert [key(name) for name in ("a", "_meta", "$schema", "a-b", "1", "")] == [
        "a",
        "_meta",
        "$schema",
        '"a-b"',
        '"1"',
        '""',
    ]
    assert [literal(value) for value in ("é", 1, 1.5, True)] == ['"é"', "1", "1.5", "true"]


def test_aliases_that_double_at_each_step_are_refused_before_they_fill_the_memory(resolve) -> None:
    steps = "".join(f"export type A{n + 1} = {{ a: A{n}; b: A{n} }};\n" for n in range(40))
    with pytest.raises(BindgenError, match=f"exceeds {MAX_TEXT:,} characters"):
        Canonical(resolve(f"export type A0 = {{ x: string }};\n{steps}"))


def test_a_long_chain_of_aliases_is_no_deep_recursion(resolve) -> None:
    # The last first, so that nothing is known of what a type is made of when it is met.
    steps = "".join(f"export type A{n + 1} = {{ a: A{n}[] }};\n" for n in reversed(range(198)))
    protocol = resolve(f'{steps}export type A0 = "x" | string;\n')
    (member,) = protocol.objects["A198"].fields
    assert Canonical(protocol).text(member.type).count("Array<") == 198


@pytest.mark.parametrize("revision", catalog.revisions())
def test_every_type_of_every_revision_has_a_text(revision: str) -> None:
    protocol = catalog.load(revision)
    canonical = Canonical(protocol)
    texts = [canonical.text(member.type) for declared in protocol.objects.values() for member in declared.fields]
    assert all(texts)
    assert not any("None" in text for text in texts)
