"""Generated values cover every part of every type; otherwise the oracles would compare too little."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from checkout import REVISIONS
from mcp_bindgen.ir.decisions import Undecidable
from mcp_bindgen.ir.protocol import AliasOf, Enum, ListOf, ObjectOf, Protocol, Type, Union
from mcp_bindgen.ir.walk import parts
from strategies.faults import OTHERS, Change, Faults
from strategies.values import Case, Values
from support.official_schemas import ours
from support.oracle import Oracle, type_names

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = Any


def _shown(protocol: Protocol, kind: Type, value: Json) -> Iterator[object]:
    """Yield the parts that a value covers: present and absent members, unknown keys, literals, members of unions."""
    oracle = Oracle(protocol)
    waiting = [(kind, value)]
    while waiting:
        kind, value = waiting.pop()
        match kind:
            case AliasOf():
                waiting.append((protocol.aliases[kind.name].type, value))
            case ListOf():
                yield kind, bool(value)
                waiting += [(kind.element, each) for each in value]
            case Union():
                index = oracle.member(kind, value)
                assert index is not None
                yield kind.members, index
                waiting.append((kind.members[index], value))
            case Enum():
                yield kind, value
            case ObjectOf():
                declared = protocol.objects[kind.path]
                names = {field.name for field in declared.fields}
                yield from ((kind.path, name, name in value) for name in names)
                yield kind.path, "an unknown key", bool(value.keys() - names)
                waiting += [(field.type, value[field.name]) for field in declared.fields if field.name in value]
                if declared.index is not None:
                    waiting += [(declared.index, value[key]) for key in value.keys() - names]


def _to_be_shown(protocol: Protocol) -> Iterator[object]:
    kinds = [alias.type for alias in protocol.aliases.values()]
    for path, declared in protocol.objects.items():
        yield path, "an unknown key", True
        yield path, "an unknown key", False
        for field in declared.fields:
            yield path, field.name, True
            if field.optional or field.absence_tolerated:
                yield path, field.name, False
        kinds += [field.type for field in declared.fields]
    for part in (part for kind in kinds for part in parts(kind)):
        if isinstance(part, Enum) and not part.open:
            yield from ((part, value) for value in part.values)
        elif isinstance(part, ListOf):
            yield part, True
            yield part, False
        elif isinstance(part, Union) and not isinstance(part.decision, Undecidable):
            yield from ((part.members, index) for index in range(len(part.members)))


@pytest.mark.parametrize("revision", REVISIONS)
def test_cases_show_every_member_literal_and_alternative(revision: str) -> None:
    protocol = ours(revision)
    made = Values(protocol)
    shown = {
        seen
        for name in type_names(protocol)
        for case in made.cases(name)
        for seen in _shown(protocol, made.type(name), case.value)
    }
    assert [each for each in _to_be_shown(protocol) if each not in shown] == []


@pytest.mark.parametrize("revision", REVISIONS)
def test_cases_are_valid(revision: str) -> None:
    protocol = ours(revision)
    made, oracle = Values(protocol), Oracle(protocol)
    for name in type_names(protocol):
        assert all(oracle.accepts(made.type(name), case.value) for case in made.cases(name))


def test_the_first_case_has_the_required_members_only() -> None:
    made = Values(ours("2025-06-18"))
    assert next(made.cases("Tool")).value == {"name": "text", "inputSchema": {"type": "object"}}


def test_random_values_are_the_same_for_the_same_seed() -> None:
    made = Values(ours("2026-07-28"))
    kind = made.type("CallToolResult")
    one, other = (made.drawn(kind, Random(seed)) for seed in (1, 1))
    assert one == other
    assert any(made.drawn(kind, Random(seed)) != one for seed in range(10))


def test_a_fault_is_one_change_and_leaves_the_value_alone() -> None:
    value = {"name": "text", "inputSchema": {"type": "object"}}
    changes = list(Faults(ours("2025-06-18")).of(Case(value), Random(0)))
    assert Change(("name",), drop=True) in changes
    assert Change(("inputSchema", "type"), drop=True) in changes
    assert {repr(change.put) for change in changes if change.path == ("name",)} >= set(map(repr, OTHERS)) - {"'other'"}
    changed = [change.applied(value) for change in changes]
    assert value not in changed
    assert value == {"name": "text", "inputSchema": {"type": "object"}}
    assert Change(("inputSchema", "type"), put=7).applied(value) == {"name": "text", "inputSchema": {"type": 7}}


def test_marks_are_added_to_what_may_be_another_member() -> None:
    faults = Faults(ours("2025-06-18"))
    added = [change.path for change in faults.marks(Case({"uri": "file:///a", "text": "a"}), Random(0))]
    assert set(added) == {("blob",)}
