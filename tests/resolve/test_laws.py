"""What holds for every schema: the order of declarations says nothing, and decisions lead to what fits."""

from __future__ import annotations

import random
from typing import Any

import attrs
import pytest
from checkout import REVISIONS
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from mcp_bindgen.errors import SchemaError
from mcp_bindgen.ir.decisions import ByFirst, ByKey, ByKind, ByNested, ByTag, Decision, Member
from mcp_bindgen.ir.declarations import Module
from mcp_bindgen.ir.protocol import AliasOf, Enum, ListOf, ObjectOf, Protocol, Scalar, Type, Union
from mcp_bindgen.resolve.protocol import resolve_protocol
from mcp_bindgen.syntax.declarations import read_schema
from resolve.resolving import NONE, SCHEMAS, bundled, resolve


@pytest.mark.parametrize("revision", REVISIONS)
@settings(max_examples=settings.default.max_examples * 3 // 20)
@given(seed=st.integers(0, 10**6))
def test_the_order_of_declarations_says_nothing(revision, seed):
    module = read_schema((SCHEMAS / revision / "schema.ts").read_bytes(), "schema.ts")
    declarations = list(module.declarations)
    random.Random(seed).shuffle(declarations)
    assert resolve_protocol(
        attrs.evolve(module, declarations=tuple(declarations)), revision=revision, base=revision
    ) == bundled(revision)


NAMES = ("A", "B", "C", "D")
LITERALS = st.sampled_from(["'p'", "'q'", "'r'", "1", "true"])
VALUES = st.one_of(
    LITERALS,
    st.lists(LITERALS, min_size=2, max_size=3, unique=True).map(" | ".join),
    st.sampled_from(
        ["string", "number", "null", "string[]", "'p' | string", "{ p: string }", "{ q: string; t?: 'p' }", "unknown"]
    ),
)
MEMBERS = st.dictionaries(st.sampled_from("tuvwx"), st.tuples(st.booleans(), VALUES), max_size=4)
BODIES = st.lists(MEMBERS, min_size=2, max_size=4)
OTHERS = st.lists(
    st.sampled_from(["string", "number", "null", "'p'", "string[]", "number[]", "A[]", "(A | B)[]"]),
    max_size=3,
    unique=True,
)


def body(members: dict[str, tuple[bool, str]]) -> str:
    return "; ".join(f"{name}{'?' if optional else ''}: {text}" for name, (optional, text) in members.items())


def interfaces(bodies: list[dict[str, tuple[bool, str]]]) -> str:
    return "\n".join(f"export interface {name} {{ {body(each)} }}" for name, each in zip(NAMES, bodies, strict=False))


def samples(protocol: Protocol, kind: Type) -> st.SearchStrategy[Any]:
    match kind:
        case Scalar():
            plain = {
                "string": st.sampled_from(["p", "z"]),
                "integer": st.sampled_from([1, 7]),
                "float": st.sampled_from([1, 1.5]),
                "boolean": st.booleans(),
                "null": st.none(),
                "json": st.sampled_from([None, 1, "p", [], {}]),
                "object": st.just({}),
            }
            return plain[kind.kind]
        case Enum():
            known = st.sampled_from(kind.values)
            return known | st.just("another") if kind.open else known
        case ListOf():
            return st.lists(samples(protocol, kind.element), min_size=1, max_size=2)
        case AliasOf():
            return samples(protocol, protocol.aliases[kind.name].type)
        case Union():
            return st.one_of([samples(protocol, member) for member in kind.members])
        case ObjectOf():
            fields = protocol.objects[kind.path].fields
            return st.fixed_dictionaries(
                {each.name: samples(protocol, each.type) for each in fields if not each.optional},
                optional={each.name: samples(protocol, each.type) for each in fields if each.optional},
            )


def fits(protocol: Protocol, kind: Type, value: Any) -> bool:
    match kind:
        case Scalar():
            number = isinstance(value, int) and not isinstance(value, bool)
            plain = {
                "string": isinstance(value, str),
                "integer": number,
                "float": number or isinstance(value, float),
                "boolean": isinstance(value, bool),
                "null": value is None,
                "json": True,
                "object": isinstance(value, dict),
            }
            return plain[kind.kind]
        case Enum():
            return (kind.open and isinstance(value, str)) or any(
                type(value) is type(each) and value == each for each in kind.values
            )
        case ListOf():
            return isinstance(value, list) and all(fits(protocol, kind.element, each) for each in value)
        case AliasOf():
            return fits(protocol, protocol.aliases[kind.name].type, value)
        case Union():
            return any(fits(protocol, member, value) for member in kind.members)
        case ObjectOf():
            return isinstance(value, dict) and all(
                fits(protocol, each.type, value[each.name]) if each.name in value else each.optional
                for each in protocol.objects[kind.path].fields
            )


def json_kind(value: Any) -> str:
    kinds = {str: "string", bool: "boolean", int: "number", float: "number", list: "array", dict: "object"}
    return "null" if value is None else kinds[type(value)]


def lead(decision: Decision | None, value: Any) -> int | None:
    """The member that a decision leads to; None where it refuses the value."""
    match decision:
        case Member():
            return decision.index
        case ByKind():
            return lead(dict(decision.branches).get(json_kind(value)), value)
        case ByTag():
            if decision.key not in value:
                return lead(decision.absent, value)
            tag = value[decision.key]
            return next(
                (lead(each, value) for known, each in decision.branches if type(known) is type(tag) and known == tag),
                None,
            )
        case ByKey():
            return lead(decision.present if decision.key in value else decision.absent, value)
        case ByNested():
            return lead(decision.inner, value[decision.key])
        case ByFirst():
            return lead(decision.inner, value[0]) if value else lead(decision.empty, value)
        case _:
            return None


def decided(text: str) -> tuple[Protocol, Union]:
    try:
        protocol = resolve(text)
    except SchemaError:
        assume(False)
        raise
    kind = protocol.aliases["U"].type
    assume(isinstance(kind, Union))
    return protocol, kind


@settings(max_examples=settings.default.max_examples * 2)
@given(bodies=BODIES, others=OTHERS, data=st.data())
def test_a_decision_leads_each_value_to_its_member_or_to_one_that_it_fits_as_well(bodies, others, data):
    members = [*NAMES[: len(bodies)], *others]
    protocol, kind = decided(f"{interfaces(bodies)}\nexport type U = {' | '.join(members)}")
    for index, member in enumerate(kind.members):
        value = data.draw(samples(protocol, member))
        found = lead(kind.decision, value)
        assert found == index or (found is not None and fits(protocol, kind.members[found], value)), (index, value)


@given(bodies=BODIES, data=st.data())
def test_every_member_is_led_to_by_some_value(bodies, data):
    protocol, kind = decided(f"{interfaces(bodies)}\nexport type U = {' | '.join(NAMES[: len(bodies)])}")
    for index, member in enumerate(kind.members):
        fields = protocol.objects[member.path].fields
        whole = st.fixed_dictionaries({each.name: samples(protocol, each.type) for each in fields})
        values = [data.draw(whole) for _ in range(4)]
        # Values with every key: not even overlapping literals keep them all from their member.
        assert index in {lead(kind.decision, value) for value in values} or any(
            fits(protocol, other, value) for value in values for other in kind.members if other != member
        )


@given(bodies=BODIES, order=st.permutations(range(4)))
def test_whether_members_can_be_told_apart_does_not_depend_on_their_order(bodies, order):
    names = NAMES[: len(bodies)]
    text = interfaces(bodies)

    def resolves(members: list[str]) -> bool:
        try:
            resolve(f"{text}\nexport type U = {' | '.join(members)}")
        except SchemaError:
            return False
        return True

    assert resolves(list(names)) == resolves([NAMES[place] for place in order if place < len(bodies)])


@given(bodies=st.lists(MEMBERS, min_size=2, max_size=3))
def test_extending_several_bases_is_intersecting_them(bodies):
    names = NAMES[: len(bodies)]
    made = []
    for text in (f"interface X extends {', '.join(names)} {{}}", f"type X = {' & '.join(names)}"):
        try:
            made.append(resolve(f"{interfaces(bodies)}\nexport {text}").objects["X"])
        except SchemaError as error:
            made.append([fault.message for fault in error.faults])
    one, other = made
    if isinstance(one, list):
        assert one == other
    else:
        assert (one.fields, one.index, one.bases) == (other.fields, other.index, other.bases)


@given(bodies=BODIES, seed=st.integers(0, 10**6))
@example(bodies=[{}, {"u": (False, "1 | 'p'")}, {"t": (False, "true | 'p'")}], seed=0)
def test_shuffled_declarations_have_the_same_meaning_or_the_same_faults(bodies, seed):
    names = NAMES[: len(bodies)]
    text = (
        f"{interfaces(bodies)}\nexport interface X extends {', '.join(names)} {{ x: {{ y: Y['t'] }} }}\nexport type Y = A & {{ t: Z }}\n"
        f"export type Z = {' | '.join(names)} | W[]\nexport type W = Z | null"
    )
    module = read_schema(text.encode(), "acme.ts")
    declarations = list(module.declarations)
    random.Random(seed).shuffle(declarations)

    def meaning(module: Module) -> object:
        try:
            return resolve_protocol(module, revision="acme", overrides=NONE)
        except SchemaError as error:
            return error.faults

    assert meaning(module) == meaning(attrs.evolve(module, declarations=tuple(declarations)))
