"""How the members of unions are told apart."""

from __future__ import annotations

import pytest
from mcp_bindgen.ir.decisions import ByTag
from resolve.resolving import faults, kind_of, resolve, tree, union

KINDS = {
    "string | number | null": "{string: string, number: number, null: null}",
    "boolean | string[] | X": "{boolean: boolean, array: string[], object: X}",
    "'a' | 1 | true": '{string: "a", number: 1, boolean: true}',
    "object | string": "{object: object, string: string}",
    "X | X[]": "{object: X, array: X[]}",
    "string[] | number[]": "{array: first{string: string[], number: number[]} empty: string[]}",
    "X[] | string[] | null": "{array: first{object: X[], string: string[]} empty: X[], null: null}",
    "(A | B)[] | (C | D)[]": "{array: first{object: [a? (A | B)[] : [b? (A | B)[] : (C | D)[]]]} empty: (A | B)[]}",
    "string[][] | number[][]": "{array: first{array: first{string: string[][], number: number[][]} empty: string[][]} empty: string[][]}",
}


@pytest.mark.parametrize("text", KINDS)
def test_the_json_kind_is_looked_at_first(text):
    more = "\n".join(f"export interface {name} {{ {name.lower()}: string }}" for name in "XABCD")
    assert tree(kind_of(text, more)) == KINDS[text]


OBJECTS = {
    "a literal that all have": (
        "A | B | C",
        "A { t: 'a' }; B { t: 'b' | 'c' }; C { t: 'd'; x: string }",
        "t(a: A, b: B, c: B, d: C)",
    ),
    "through aliases and typeof": (
        "A | B",
        "A { t: 'a' | 'b'; z: 1 }; B { t: typeof V }; const V = 'v'",
        "t(a: A, b: A, v: B)",
    ),
    "numbers and booleans are literals too": ("A | B", "A { t: 1 }; B { t: 2 }", "t(1: A, 2: B)"),
    "one of them may leave it out": ("A | B", "A { t?: 'a' }; B { t: 'b' }", "t(a: A, b: B, absent: A)"),
    "two may not": ("A | B", "A { t?: 'a'; x: 1 }; B { t?: 'b'; y: 1 }", "[x? A : [y? B : refuse]]"),
    "a literal in all the same tells nothing": ("A | B", "A { v: '2'; x: 1 }; B { v: '2' }", "[x? A : B]"),
    "an open literal tells nothing": ("A | B", "A { v: 'a' | string; x: 1 }; B { v: 'b' }", "[x? A : B]"),
    "the key that makes the most groups": (
        "A | B | C",
        "A { s: 'x'; t: 'a' }; B { s: 'x'; t: 'b' }; C { s: 'y'; t: 'c' }",
        "t(a: A, b: B, c: C)",
    ),
    "the first of those that make as many": ("A | B", "A { s: 'x'; t: 'a' }; B { t: 'b'; s: 'y' }", "s(x: A, y: B)"),
    "groups of several are decided in turn": (
        "A | B | C",
        "A { s: 'x'; t: 'a' }; B { s: 'x'; t: 'b' }; C { s: 'y'; t: 'a' }",
        "s(x: t(a: A, b: B), y: C)",
    ),
    "literals that overlap": (
        "A | B | C",
        "A { t: 'a' | 'b'; x: string }; B { t: 'b' | 'c'; y: string }; C { t: 'd' }",
        "t(a: A, b: [x? A : [y? B : refuse]], c: B, d: C)",
    ),
    "a required key that the other does not declare": (
        "A | B",
        "A { a: string }; B { b: string }",
        "[a? A : [b? B : refuse]]",
    ),
    "the other needs none": ("A | B", "A { a: string }; B { b?: string }", "[a? A : B]"),
    "the first declared is taken where both keys are there": (
        "B | A",
        "A { a: string }; B { b: string }",
        "[b? B : [a? A : refuse]]",
    ),
    "unless it has none": ("A | B", "A { a?: string }; B { b: string }", "[b? B : A]"),
    "a key that splits off the first of the source": (
        "A | B | C | D",
        "A { odd: 1; ab: 1; a: 1 }; B { ab: 1 }; C { odd: 1; c: 1 }; D { d: 1 }",
        "[ab? [odd? A : B] : [odd? C : [d? D : refuse]]]",
    ),
    "a key without a literal rather than one with": (
        "A | B",
        "A { kind: 'k'; a: string }; B { b: string }",
        "[a? A : [b? B : refuse]]",
    ),
    "but one with is better than none": ("A | B", "A { kind: 'k' }; B { b?: string }", "[kind? A : B]"),
    "a key that is optional elsewhere does not tell": (
        "A | B",
        "A { a: string; c: string }; B { a?: string; d: string }",
        "[c? A : [d? B : refuse]]",
    ),
    "the same thing with an optional key more": (
        "A | B",
        "A { t: 't'; x: string[] }; B { t: 't'; x: string[]; y?: string }",
        "[y? B : A]",
    ),
    "in either order": (
        "B | A",
        "A { t: 't'; x: string }; B { t: 't'; x: string; y?: string; z?: string }",
        "[y? B : [z? B : A]]",
    ),
    "with several that are more and more": (
        "A | B | C",
        "A { t: 't' }; B { t: 't'; y?: string }; C { t: 't'; y?: string; z?: string }",
        "[z? C : [y? B : A]]",
    ),
    "an object that all require is looked into": (
        "A | B",
        "A { x: { a: string } }; B { x: { b: string } }",
        "x.[a? A : [b? B : refuse]]",
    ),
    "and what is in that": (
        "A | B",
        "A { x: { y: { t: 'a' } } }; B { x: { y: { t: 'b' } } }",
        "x.y.t(a: A, b: B)",
    ),
    "each member with alternatives there": (
        "A | B",
        "A { x: P | Q }; B { x: R }; P { t: 'p' }; Q { t: 'q' }; R { t: 'r' }",
        "x.t(p: A, q: A, r: B)",
    ),
    "interfaces that inherit what tells": (
        "A | B",
        "Base { t: string }; A extends Base { t: 'a' }; B extends Base { t: 'b' }",
        "t(a: A, b: B)",
    ),
    "an alias of a union among the members": (
        "AB | C",
        "A { t: 'a' }; B { t: 'b' }; C { t: 'c' }; type AB = A | B",
        "t(a: A, b: B, c: C)",
    ),
    "inline objects": ("{ t: 'a' } | { t: 'b' }", "", "t(a: U#2, b: U#3)"),
}


def declared(text: str) -> str:
    """``A { … }; type B = …`` as declarations."""
    parts = [part for part in text.replace("; ", ";\n").splitlines() if part]
    lines: list[str] = []
    for part in parts:
        # Semicolons inside braces end no declaration.
        if lines and lines[-1].count("{") > lines[-1].count("}"):
            lines[-1] += f" {part}"
        else:
            lines.append(part)
    keywords = ("type ", "const ")
    return "\n".join(f"export {line}" if line.startswith(keywords) else f"export interface {line}" for line in lines)


@pytest.mark.parametrize("row", OBJECTS)
def test_objects_are_told_apart_by(row):
    members, declarations, expected = OBJECTS[row]
    assert union(members, declared(declarations)) == f"{{object: {expected}}}"


TELL = "; add a key with a different literal in each, or a required key that only one of them declares"
SAME = {
    "the same properties": (
        "A | B",
        "A { x: string }; B { x: string }",
        f"A and B cannot be distinguished in JSON{TELL}",
    ),
    "no required key": (
        "A | B",
        "A { x?: string }; B { y?: string }",
        f"A and B cannot be distinguished in JSON{TELL}",
    ),
    "an optional key more, but no tag": (
        "A | B",
        "A { x: string }; B { x: string; y?: string }",
        f"A and B cannot be distinguished in JSON{TELL}",
    ),
    "an optional key more, but another type": (
        "A | B",
        "A { t: 't'; x: string }; B { t: 't'; x: number; y?: string }",
        f"A and B cannot be distinguished in JSON{TELL}",
    ),
    "an optional key more, but less is required": (
        "A | B",
        "A { t: 't'; x: string }; B { t: 't'; x?: string; y?: string }",
        f"A and B cannot be distinguished in JSON{TELL}",
    ),
    "two of three": (
        "A | B | C",
        "A { t: 'a' }; B { t: 'b'; x: string }; C { t: 'b'; x: string }",
        f"B and C cannot be distinguished in JSON{TELL}",
    ),
    "objects without end": ("A | B", "A { x: A }; B { x: B }", f"A and B cannot be distinguished in JSON{TELL}"),
    "any object and one": ("object | A", "A { x: string }", "object and A cannot be distinguished in JSON"),
    "a map, which may have the key": (
        "M | A",
        "type M = Record<string, string>; A { x: string }",
        f"M and A cannot be distinguished in JSON{TELL}",
    ),
    "arrays of the same": (
        "A[] | B[]",
        "A { x: string }; B { x: string }",
        "A[] and B[] cannot be distinguished in JSON",
    ),
    "arrays of anything": ("string[] | unknown[]", "", "string[] and unknown[] cannot be distinguished in JSON"),
    "arrays of literals": ("'a'[] | 'b'[]", "", '"a"[] and "b"[] cannot be distinguished in JSON'),
}


@pytest.mark.parametrize("row", SAME)
def test_members_that_nothing_tells_apart_are_a_fault_that_names_both(row):
    members, declarations, expected = SAME[row]
    assert faults(f"export type U = {members}\n{declared(declarations)}") == [f"acme.ts:1:17: U: {expected}"]


def test_a_union_in_a_property_is_called_by_its_path():
    text = "export interface X { p: { q: (A | B)[] } }\nexport interface A {}\nexport interface B {}"
    assert faults(text) == [f"acme.ts:1:31: X.p.q: A and B cannot be distinguished in JSON{TELL}"]


def test_an_inline_member_of_a_union_is_shown_by_its_properties():
    text = (
        "export interface H { y: { a?: 1; b: 2; c: 3; d: 4 } | One }\nexport interface One { a?: 1; b: 2; c: 3; d: 4 }"
    )
    expected = f"acme.ts:1:25: H.y: the object `{{ a?, b, c, … }}` and One cannot be distinguished in JSON{TELL}"
    assert faults(text) == [expected]


def test_a_union_that_is_inherited_is_faulted_once():
    text = (
        "export interface X { x: A | B }\nexport interface Y extends X {}\nexport interface A {}\nexport interface B {}"
    )
    assert len(faults(text)) == 1


def test_more_keys_than_anybody_would_look_for_are_a_fault():
    members = " | ".join(f"T{i}" for i in range(100))
    text = f"export type U = {members}\n" + "\n".join(f"export interface T{i} {{ k{i}: string }}" for i in range(100))
    assert faults(text) == [
        "acme.ts:1:17: U: telling the members apart needs more than 64 keys; add a key with a different literal in each member"
    ]


def test_literals_of_a_tag_are_kept_as_they_are():
    kind = (
        resolve("export type U = A | B\nexport interface A { t: 1 }\nexport interface B { t: true }").aliases["U"].type
    )
    ((_, decision),) = kind.decision.branches
    assert isinstance(decision, ByTag)
    assert [(value, type(value)) for value, _ in decision.branches] == [(1, int), (True, bool)]


def test_a_union_inside_a_union_is_decided_too():
    kind = kind_of(
        "(string | null)[] | { [key: string]: A | B }", "export interface A { a: 1 }\nexport interface B { b: 1 }"
    )
    assert tree(kind) == "{array: (string | null)[], object: Owner.it}"
    assert tree(kind.members[0].element) == "{string: string, null: null}"
    assert tree(kind.written[0].element) == "{string: string, null: null}"
