"""Large and deep schemas: bounded work, and a located fault instead of a RecursionError."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from mcp_bindgen.errors import SchemaError
from mcp_bindgen.ir.declarations import Alias, Declaration, Interface, Module
from mcp_bindgen.ir.protocol import Protocol
from mcp_bindgen.ir.types import (
    ArrayType,
    Keyword,
    LiteralType,
    LookupType,
    Position,
    Property,
    Reference,
    TypeExpression,
    UnionType,
)
from mcp_bindgen.resolve.protocol import resolve_protocol
from resolve.resolving import NONE, faults, resolve
from support.steps import check_linear, count_steps

HERE = Position("acme.ts", 1, 1)
STRING = Keyword("string", HERE)


def ref(name: str) -> Reference:
    return Reference(name, (), HERE)


def interface(name: str, bases: tuple[str, ...] = (), /, **members: TypeExpression) -> Interface:
    properties = tuple(Property(each, kind, False, position=HERE) for each, kind in members.items())
    return Interface(name, tuple(ref(base) for base in bases), properties, None, position=HERE)


def alias(name: str, kind: TypeExpression) -> Alias:
    return Alias(name, kind, position=HERE)


def union(*members: TypeExpression) -> UnionType:
    return UnionType(members, HERE)


def resolved(declarations: list[Declaration]):
    return resolve_protocol(Module("acme.ts", "", tuple(declarations)), revision="acme", overrides=NONE)


def literal(value: str) -> LiteralType:
    return LiteralType(value, HERE)


def many(count: int) -> list[Declaration]:
    return [
        interface("Base", z=STRING),
        *(
            interface(f"T{i}", ("Base",), a=STRING, b=ref(f"T{i * 7 % count}"), c=union(STRING, Keyword("null", HERE)))
            for i in range(count)
        ),
    ]


LARGE: dict[str, tuple[int, Callable[[int], list[Declaration]]]] = {
    "declarations": (500, many),
    "literals": (5_000, lambda count: [alias("U", union(*(literal(str(i)) for i in range(count))))]),
    "members with a tag": (
        500,
        lambda count: [
            alias("U", union(*(ref(f"T{i}") for i in range(count)))),
            *(interface(f"T{i}", t=literal(str(i))) for i in range(count)),
        ],
    ),
    "recursive aliases": (
        2_000,
        lambda count: [alias(f"T{i}", ArrayType(ref(f"T{(i + 1) % count}"), HERE)) for i in range(count)],
    ),
    "messages": (
        250,
        lambda count: [
            alias("ClientRequest", union(*(ref(f"T{i}Request") for i in range(count)))),
            interface("EmptyResult"),
            *(interface(f"T{i}Request", method=literal(f"m/{i}")) for i in range(count)),
        ],
    ),
    "conflicts": (
        20,
        lambda count: [
            interface("A", **{f"k{i}": STRING for i in range(200)}),
            interface("B", **{f"k{i}": literal("x") for i in range(200)}),
            *(interface(f"T{i}", ("A", "B")) for i in range(count)),
        ],
    ),
}


@pytest.mark.parametrize("case", LARGE)
def test_the_work_is_proportional_to_the_size(case: str) -> None:
    size, make = LARGE[case]

    def work(count: int) -> Callable[[], object]:
        declarations = make(count)
        return lambda: resolved(declarations)

    check_linear(work, size)


def test_as_many_levels_as_are_allowed_are_resolved() -> None:
    declarations = [
        *(interface(f"T{i}", (f"T{i + 1}",), **{f"k{i}": STRING}) for i in range(200)),
        interface("T200"),
        *(alias(f"A{i}", union(ref(f"A{i + 1}"), literal(str(i)))) for i in range(200)),
        alias("A200", STRING),
    ]
    protocol: list[Protocol] = []
    count_steps(lambda: protocol.append(resolved(declarations)))
    assert (len(protocol[0].objects), len(protocol[0].aliases)) == (201, 201)


DEPTH = 5_000
DEEP = {
    "bases": (
        lambda: [*(interface(f"T{i}", (f"T{i + 1}",)) for i in range(DEPTH)), interface(f"T{DEPTH}")],
        f"T{DEPTH - 201} has more than 200 levels of bases or aliases, which is the limit",
    ),
    "aliases": (
        lambda: [*(alias(f"T{i}", ref(f"T{i + 1}")) for i in range(DEPTH)), alias(f"T{DEPTH}", STRING)],
        f"T{DEPTH - 201} has more than 200 levels of bases or aliases, which is the limit",
    ),
    "aliases of unions": (
        lambda: [
            *(alias(f"T{i}", union(ref(f"T{i + 1}"), literal("x"))) for i in range(DEPTH)),
            alias(f"T{DEPTH}", STRING),
        ],
        f"T{DEPTH - 201} has more than 200 levels of bases or aliases, which is the limit",
    ),
    "look-ups": (
        lambda: [
            *(interface(f"T{i}", m=LookupType(ref(f"T{i + 1}"), "m", HERE)) for i in range(DEPTH)),
            interface(f"T{DEPTH}", m=STRING),
        ],
        "this chain of look-ups is too long; the limit is 50",
    ),
    "objects that look alike without end": (
        lambda: [
            alias("U", union(ref("A"), ref("B"))),
            interface("A", **{f"k{i}": ref("A") for i in range(8)}),
            interface("B", **{f"k{i}": ref("B") for i in range(8)}),
        ],
        "U: A and B cannot be distinguished in JSON; add a key with a different literal in each, or a required key "
        "that only one of them declares",
    ),
    "a cycle": (
        lambda: [interface(f"T{i}", (f"T{(i + 1) % DEPTH}",)) for i in range(DEPTH)],
        "T0 contains itself: T0 -> T1 -> T2 -> T3 -> T4 -> T5 -> (4994 more) -> T0",
    ),
}


@pytest.mark.parametrize("case", DEEP)
def test_chains_too_deep_are_located_faults(case):
    make, message = DEEP[case]
    with pytest.raises(SchemaError) as caught:
        resolved(make())
    assert str(caught.value).splitlines() == [f"acme.ts:1:1: {message}"]


# --- Texts that would double with every line ---------------------------------------------------------------------

LINES = 26


def _chain(line: str, last: str) -> str:
    """One line for each number; ``@`` in it stands for the number, ``+`` for the next one."""
    each = [line.replace("@", str(number)).replace("+", str(number + 1)) for number in range(LINES)]
    return "\n".join([*each, last.replace("@", str(LINES))])


def _members(count: int, body: Callable[[int], str]) -> str:
    """A union of interfaces with such bodies."""
    declared = [f"export interface P{i} {{ {body(i)} }}" for i in range(count)]
    return "\n".join([f"export type U = {' | '.join(f'P{i}' for i in range(count))}", *declared])


_INNER = 'export interface R { r: "r" } export interface S { s: "s" }'

DOUBLING = {
    "unions of unions": _chain("export type A@ = A+ | A+;", "export type A@ = string;"),
    "two chains of unions of unions": _chain(
        "export type A@ = A+ | B+; export type B@ = A+ | B+;", "export type A@ = string; export type B@ = number;"
    ),
    "alternatives of a result": (_chain("export type A@ = A+ | A+;", f"export type A@ = R | S; {_INNER}") + """
            export interface PingRequest { method: "ping" }
            export interface PingResultResponse { result: A0 }
            export type ClientRequest = PingRequest;
        """),
    "keys of Omit": _chain(
        "export type K@ = K+ | K+;", 'export type K@ = "x"; export type O = Omit<{ x: string; y: string }, K0>;'
    ),
    "keys of Record": _chain("export type K@ = K+ | K+;", 'export type K@ = "x"; export type O = Record<K0, string>;'),
    "diamonds of bases": _chain(
        "export interface A@ extends B@, C@ {} export interface B@ extends A+ {} export interface C@ extends A+ {}",
        "export interface A@ { x: string }",
    ),
    "Omit of intersections": _chain(
        'export type A@ = Omit<A+ & A+, "y"> & Pick<A+, "x" | "y">;', "export interface A@ { x: string; y: string }"
    ),
    "intersections of properties": _chain(
        'export interface A@ { p: A+["p"] & A+["p"] }', "export interface A@ { p: { x: string } }"
    ),
    "unions of properties": _chain(
        'export interface A@ { p: A+["p"] | A+["p"] }', "export interface A@ { p: string | null }"
    ),
    "inherited properties that are compared": _chain(
        "export interface A@ { x: A+; y: A+ } export interface B@ { x: B+; y: B+ }",
        """
            export interface A@ { z: string } export interface B@ { z: string }
            export interface P { v: A0 } export interface Q { v: B0 } export interface C extends P, Q {}
        """,
    ),
}


@pytest.mark.parametrize("case", DOUBLING)
def test_texts_that_name_the_same_twice_in_each_line_take_bounded_work(case: str) -> None:
    count_steps(lambda: resolve(DOUBLING[case]))


MULTIPLYING = {
    "arrays of unions of arrays": (
        "export type T = " + "(" * 30 + "string" + " | null)[]" * 30,
        "unions in arrays are nested more than 5 levels deep; declare an inner one as a type",
    ),
    "arrays of unions of properties": (
        _chain('export interface A@ { p: A+["p"][] | A+["p"] }', "export interface A@ { p: string | null }"),
        "unions in arrays are nested more than 5 levels deep; declare an inner one as a type",
    ),
    "aliases of arrays": (
        _chain(
            "export type A@ = A+[] | A+[][];",
            "export type A@ = number; export interface T { /** @minimum 1 */ a: A0 }",
        ),
        "A0: A1[] and A1[][] cannot be distinguished in JSON",
    ),
    "arrays of themselves": (
        "export type S = S[]; export type T = T[]; export type U = S | T",
        "U: S[] and T[] cannot be distinguished in JSON",
    ),
    "arrays of arrays": (
        _chain("export type S@ = S+[]; export type T@ = T+[];", "export type S@ = 1; export type T@ = 'a';")
        + "\nexport type U = S0 | T0",
        "U: S1[] and T1[] cannot be distinguished in JSON",
    ),
    "a tag after the other": (
        _members(
            LINES,
            lambda i: " ".join(f"t{j}: true;" if i == j else f"t{j}: true | false;" for j in range(LINES))
            + f" k{i}: string",
        ),
        "U: telling the members apart needs more than 1000 keys; add a key with a different literal in each member",
    ),
    "objects in objects": (
        _members(2, lambda i: " ".join(f"k{j}: P{i};" for j in range(60))),
        "U: telling the members apart needs more than 1000 keys; add a key with a different literal in each member",
    ),
    "optional keys": (
        _members(150, lambda i: 'type: "x"; ' + " ".join(f"o{j}?: string;" for j in range(i))),
        "U: telling the members apart needs more than 64 keys; add a key with a different literal in each member",
    ),
    "required keys": (
        _members(1000, lambda i: f"k{i}: string" if i else ""),
        "U: telling the members apart needs more than 64 keys; add a key with a different literal in each member",
    ),
    "inherited objects in objects": (
        "\n".join(
            [
                *(
                    f"export interface A{i} {{ x: A{i + 1} }} export interface B{i} {{ x: B{i + 1} }}"
                    for i in range(999)
                ),
                "export interface A999 { z: string } export interface B999 { z: string }",
                "export interface P { v: A0 } export interface Q { v: B0 } export interface C extends P, Q {}",
            ]
        ),
        "v is A0 in P and B0 in Q; they are nested too deeply to compare; the limit is 40 levels",
    ),
}


@pytest.mark.parametrize("case", MULTIPLYING)
def test_texts_that_would_multiply_are_located_faults(case: str) -> None:
    text, message = MULTIPLYING[case]
    found: list[str] = []
    count_steps(lambda: found.extend(faults(text)))
    assert message in {re.sub(r"^acme\.ts:\d+:\d+: ", "", each) for each in found}
