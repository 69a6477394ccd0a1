"""Intersections with unions among their parts are unions of intersections."""

from __future__ import annotations

import pytest
from mcp_bindgen.ir.type_text import type_text
from resolve.resolving import faults, resolve, union

PARTS = """
export interface A { a: string }
export interface B { b: string }
export interface C { c: string }
export interface D { d: string; [key: string]: unknown }
export type AB = A | B
export type CD = C | D
export type Again = AB
export type Joined = AB & C
export interface Red { tag: "red"; a: string }
export interface Blue { tag: "blue"; b: string }
export type Colour = Red | Blue
"""

ROWS = {
    "each alternative with the other parts": ("D & AB", {"U#A": "d a", "U#B": "d b"}),
    "a union in parentheses": ("(A | B) & C", {"U#A": "a c", "U#B": "b c"}),
    "an alias of an alias": ("Again & C", {"U#A": "a c", "U#B": "b c"}),
    "two unions, the first one slower": ("AB & CD", {"U#AC": "a c", "U#AD": "a d", "U#BC": "b c", "U#BD": "b d"}),
    "an intersection that has a union itself": ("Joined & D", {"U#A": "a c d", "U#B": "b c d"}),
    "alternatives without names": ("({ x: 1 } | { y: 2 }) & C", {"U#2": "x c", "U#3": "y c"}),
    "the same union twice counts once": ("AB & AB & C", {"U#A": "a c", "U#B": "b c"}),
    "an alternative that is a part already": ("AB & A", {"A": "a", "U#B": "b a"}),
    "alternatives that contradict another part are none": (
        'Colour & { tag: "blue"; x: 1 } | A',
        {"A": "a", "U#Blue": "tag b x"},
    ),
    "of two unions with the same tag, those that agree": (
        'Colour & ({ tag: "red"; x: 1 } | { tag: "blue"; y: 2 })',
        {"U#2": "tag a x", "U#3": "tag b y"},
    ),
    "never, which is none": ("Colour & ({ a: never } | { y: 2 })", {"U#2": "tag a y", "U#3": "tag b y"}),
}


@pytest.mark.parametrize("case", ROWS)
def test_an_intersection_of_unions_has_these_alternatives(case: str) -> None:
    text, expected = ROWS[case]
    protocol = resolve(f"{PARTS}export type U = {text}")
    written = type_text(protocol.aliases["U"].type).split(" | ")
    fields = {path: " ".join(each.name for each in protocol.objects[path].fields) for path in sorted(written)}
    assert fields == expected


def test_the_alternatives_are_told_apart_like_those_of_any_union() -> None:
    assert union("Colour & C", PARTS) == "{object: tag(red: U#Red, blue: U#Blue)}"


def test_a_property_may_be_an_intersection_of_unions() -> None:
    protocol = resolve(f"{PARTS}export interface Owner {{ p: AB & {{ inner: {{ x: 1 }} }} }}")
    assert [path for path in protocol.objects if path.startswith("Owner")] == [
        "Owner",
        "Owner.p#A",
        "Owner.p#A.inner",
        "Owner.p#B",
        "Owner.p#B.inner",
    ]
    assert protocol.objects["Owner.p#A"].bases == ("A",)


FAULTS = {
    "more alternatives than anybody would write": (
        "export type T = " + " & ".join(f"({{ a{i}: 1 }} | {{ b{i}: 1 }})" for i in range(7)),
        "acme.ts:1:17: the unions in this intersection combine to 128 alternatives; the limit is 100",
    ),
    "aliases that multiply": (
        "export type T0 = { z: 1 } | { y: 1 }\n"
        + "\n".join(f"export type T{i + 1} = (T{i} | {{ a{i}: 1 }}) & (T{i} | {{ b{i}: 1 }})" for i in range(26)),
        "acme.ts:4:18: the unions in this intersection combine to 961 alternatives; the limit is 100",
    ),
    "parts that contradict each other": (
        'export type T = ({ tag: "a" } | { tag: "b" }) & { tag: "c" }',
        "acme.ts:1:17: no value matches any of these alternatives",
    ),
    "an alias of itself": (
        "export type T = A & (T | { b: 1 })\nexport interface A { a: 1 }",
        "acme.ts:1:13: T contains itself: T -> T",
    ),
    "an interface that extends it": (
        "export interface X extends T {}\nexport type T = A & (A | { b: 1 })\nexport interface A { a: 1 }",
        "acme.ts:1:28: T is not an object type, so it cannot be extended or combined",
    ),
}


@pytest.mark.parametrize("case", FAULTS)
def test_what_cannot_be_distributed_is_a_located_fault(case: str) -> None:
    text, expected = FAULTS[case]
    assert faults(text)[0] == expected
