"""Variants of a request method: one for params of one class, several if a tag selects among classes of params."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from mcp_bindgen.emit.naming import is_constant, snake
from mcp_bindgen.emit.prerequisites import object_of
from mcp_bindgen.ir.decisions import ByKind, ByTag, Decision, Member
from mcp_bindgen.ir.protocol import AliasOf, Method, ObjectOf, ObjectType, Protocol, Type, Union


@frozen
class CallVariant:
    """One way to call a method."""

    suffix: str
    """Suffix of the name, from the value of the tag; empty for the variant without a tag."""
    declared: ObjectType | None
    """The class of the params; None for params that are passed as they are, and for a method without params."""
    tag: str | None = None
    """Wire name of the tag."""


def call_variants(protocol: Protocol, method: Method) -> list[CallVariant]:
    """Return the variants of a method, the one without a suffix first."""
    declared = object_of(protocol, method.params)
    if declared is not None:
        return [CallVariant("", declared)]
    union = _behind(protocol, method.params)
    if isinstance(union, Union):
        found = list(_tagged(protocol, union))
        if len(found) == len(union.members) == len({variant.suffix for variant in found}):
            return sorted(found, key=lambda variant: bool(variant.suffix))
    return [CallVariant("", None)]


def _behind(protocol: Protocol, kind: Type | None) -> Type | None:
    while isinstance(kind, AliasOf):
        kind = protocol.aliases[kind.name].type
    return kind


def _tagged(protocol: Protocol, union: Union) -> Iterator[CallVariant]:
    match union.decision:
        case ByKind(branches=(("object", ByTag(key=key, branches=branches, absent=absent)),)):
            for value, leaf in branches:
                declared = _leaf(protocol, union, leaf)
                suffix = "" if leaf == absent else f"_{snake(str(value))}"
                # Where a tag has to be there, the class has to write it by itself.
                if declared is not None and (not suffix or _is_written(declared, key)):
                    yield CallVariant(suffix, declared, key)
        case _:
            pass


def _is_written(declared: ObjectType, key: str) -> bool:
    return any(member.name == key and is_constant(member) for member in declared.fields)


def _leaf(protocol: Protocol, union: Union, decision: Decision) -> ObjectType | None:
    kind = union.members[decision.index] if isinstance(decision, Member) else None
    return object_of(protocol, kind) if isinstance(kind, ObjectOf) else None
