"""Large and deep schemas: bounded time, and a located fault instead of a RecursionError."""

from __future__ import annotations

import time

import pytest
from mcp_bindgen.errors import SchemaError
from mcp_bindgen.ir.declarations import Alias, Declaration, Interface, Module, Property
from mcp_bindgen.ir.types import (
    ArrayType,
    Keyword,
    LiteralType,
    LookupType,
    Position,
    Reference,
    TypeExpression,
    UnionType,
)
from mcp_bindgen.resolve.protocol import resolve_protocol
from resolve.resolving import NONE

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


LARGE = {
    "declarations": lambda: many(10_000),
    "literals": lambda: [alias("U", union(*(literal(str(i)) for i in range(50_000))))],
    "members with a tag": lambda: [
        alias("U", union(*(ref(f"T{i}") for i in range(5_000)))),
        *(interface(f"T{i}", t=literal(str(i))) for i in range(5_000)),
    ],
    "recursive aliases": lambda: [alias(f"T{i}", ArrayType(ref(f"T{(i + 1) % 8_000}"), HERE)) for i in range(8_000)],
    "messages": lambda: [
        alias("ClientRequest", union(*(ref(f"T{i}Request") for i in range(2_000)))),
        interface("EmptyResult"),
        *(interface(f"T{i}Request", method=literal(f"m/{i}")) for i in range(2_000)),
    ],
    "conflicts": lambda: [
        interface("A", **{f"k{i}": STRING for i in range(200)}),
        interface("B", **{f"k{i}": literal("x") for i in range(200)}),
        *(interface(f"T{i}", ("A", "B")) for i in range(500)),
    ],
    "levels that are allowed": lambda: [
        *(interface(f"T{i}", (f"T{i + 1}",), **{f"k{i}": STRING}) for i in range(200)),
        interface("T200"),
        *(alias(f"A{i}", union(ref(f"A{i + 1}"), literal(str(i)))) for i in range(200)),
        alias("A200", STRING),
    ],
}


@pytest.mark.parametrize("case", LARGE)
def test_large_schemas_take_bounded_time(case):
    declarations = LARGE[case]()
    start = time.process_time()
    resolved(declarations)
    # A tenth of this is usual; anything quadratic takes minutes.
    assert time.process_time() - start < 20


DEPTH = 5_000
DEEP = {
    "bases": (
        lambda: [*(interface(f"T{i}", (f"T{i + 1}",)) for i in range(DEPTH)), interface(f"T{DEPTH}")],
        f"T{DEPTH - 201} has more than 200 levels of bases or aliases under it",
    ),
    "aliases": (
        lambda: [*(alias(f"T{i}", ref(f"T{i + 1}")) for i in range(DEPTH)), alias(f"T{DEPTH}", STRING)],
        f"T{DEPTH - 201} has more than 200 levels of bases or aliases under it",
    ),
    "aliases of unions": (
        lambda: [
            *(alias(f"T{i}", union(ref(f"T{i + 1}"), literal("x"))) for i in range(DEPTH)),
            alias(f"T{DEPTH}", STRING),
        ],
        f"T{DEPTH - 201} has more than 200 levels of bases or aliases under it",
    ),
    "look-ups": (
        lambda: [
            *(interface(f"T{i}", m=LookupType(ref(f"T{i + 1}"), "m", HERE)) for i in range(DEPTH)),
            interface(f"T{DEPTH}", m=STRING),
        ],
        "a chain of more than 50 look-ups",
    ),
    "objects that look alike without end": (
        lambda: [
            alias("U", union(ref("A"), ref("B"))),
            interface("A", **{f"k{i}": ref("A") for i in range(8)}),
            interface("B", **{f"k{i}": ref("B") for i in range(8)}),
        ],
        "U: A and B cannot be told apart on the wire; what would tell is a key with different literals, or a required key of "
        "one that the other does not declare",
    ),
    "a cycle": (
        lambda: [interface(f"T{i}", (f"T{(i + 1) % DEPTH}",)) for i in range(DEPTH)],
        "T0 is made of itself: T0 -> T1 -> T2 -> T3 -> T4 -> T5 -> (4994 more) -> T0",
    ),
}


@pytest.mark.parametrize("case", DEEP)
def test_chains_too_deep_are_located_faults(case):
    make, message = DEEP[case]
    with pytest.raises(SchemaError) as caught:
        resolved(make())
    assert str(caught.value).splitlines() == [f"acme.ts:1:1: {message}"]
