"""Equality of JSON after decoding and encoding: no member lost or added, numbers unchanged."""

from __future__ import annotations

import json

from mcp_bindgen.ir.protocol import AliasOf, ListOf, ObjectOf, Scalar, Type, Union
from support.message_oracle import MessageOracle, Results, Side
from support.oracle import Json, Oracle


def same(one: Json, other: Json) -> bool:
    """Return whether two values are equal as JSON texts: ``1`` is not ``1.0`` and not ``true``, and key order counts."""
    return json.dumps(one) == json.dumps(other)


def same_as(oracle: Oracle, kind: Type, one: Json, other: Json) -> bool:
    """Return whether two values of a type are equal; only declared members may be in another order."""
    match kind:
        case ListOf():
            items = type(other) is list and len(one) == len(other)
            return items and all(same_as(oracle, kind.element, *pair) for pair in zip(one, other, strict=True))
        case AliasOf():
            return same_as(oracle, oracle.protocol.aliases[kind.name].type, one, other)
        case Union():
            place = oracle.member(kind, one)
            assert place is not None, f"{one!r} is none of {kind.written}"
            return oracle.member(kind, other) == place and same_as(oracle, kind.members[place], one, other)
        case ObjectOf():
            return type(other) is dict and _same_members(oracle, kind.path, one, other)
        case _:
            return same(one, other)


def _same_members(oracle: Oracle, path: str, one: dict[str, Json], other: dict[str, Json]) -> bool:
    declared = oracle.protocol.objects[path]
    kinds = {field.name: field.type for field in declared.fields}
    if one.keys() != other.keys() or [key for key in one if key not in kinds] != [
        key for key in other if key not in kinds
    ]:
        return False
    rest = Scalar("json", "unknown") if declared.index is None else declared.index
    return all(same_as(oracle, kinds.get(key, rest), one[key], other[key]) for key in one)


def same_message(
    oracle: MessageOracle, one: Json, other: Json, sender: Side | None = None, results: Results | None = None
) -> bool:
    """Return whether two messages or batches are equal."""
    if type(one) is not type(other):
        return False
    ones, others = (oracle.read(each, sender, results) for each in (one, other))
    if [each.kind for each in ones] != [each.kind for each in others]:
        return False
    for reading in ones:
        left, right = (each[reading.path[0]] if reading.path else each for each in (one, other))
        assert reading.kind is not None
        if reading.result is not None:
            if not same_as(oracle.oracle, reading.result, left["result"], right["result"]):
                return False
            left, right = ({**each, "result": {}} for each in (left, right))
        if not same_as(oracle.oracle, ObjectOf(reading.kind), left, right):
            return False
    return True
