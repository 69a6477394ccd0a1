"""Matches of alternatives of two protocols: the one of the target that a value of the source becomes."""

from __future__ import annotations

from mcp_bindgen.ir.protocol import AliasOf, Enum, ListOf, ObjectOf, ObjectType, Protocol, Scalar, Type, Union


def leaves(kind: Type, protocol: Protocol) -> tuple[Type, ...]:
    """Return the alternatives of a type, with aliases and unions expanded."""
    match kind:
        case AliasOf():
            return leaves(protocol.aliases[kind.name].type, protocol)
        case Union():
            return tuple(leaf for member in kind.members for leaf in leaves(member, protocol))
        case _:
            return (kind,)


def find_match(one: Type, targets: tuple[Type, ...], source: Protocol, target: Protocol) -> Type | None:
    """Return the alternative of the target that has all values of ``one``, its members apart; None if there is none."""
    match one:
        case ListOf():
            return next((each for each in targets if isinstance(each, ListOf)), None)
        case Enum():
            accepted = {value for each in targets if isinstance(each, Enum) for value in each.values}
            is_known = not one.open and accepted.issuperset(one.values)
            return one if is_known else _scalar(one.values[0], targets)
        case Scalar():
            return _same_scalar(one, targets)
        case ObjectOf():
            return _object(one, targets, source, target)
        case _:
            return None


def _scalar(value: object, targets: tuple[Type, ...]) -> Type | None:
    """Return the alternative that has every value of the kind of a literal."""
    for each in targets:
        if isinstance(value, str) and _is_any_string(each):
            return each
        if isinstance(value, bool) and isinstance(each, Scalar) and each.kind == "boolean":
            return each
        if isinstance(value, int) and isinstance(each, Scalar) and each.kind in {"integer", "float"}:
            return each
    return None


def _is_any_string(kind: Type) -> bool:
    return (isinstance(kind, Enum) and kind.open) or (isinstance(kind, Scalar) and kind.kind == "string")


def _same_scalar(one: Scalar, targets: tuple[Type, ...]) -> Type | None:
    for each in targets:
        if one.kind == "string" and _is_any_string(each):
            return each
        if isinstance(each, Scalar) and (each.kind == one.kind or (one.kind, each.kind) == ("integer", "float")):
            return each
    if one.kind == "object":
        return next((each for each in targets if isinstance(each, ObjectOf)), None)
    return None


def _object(one: ObjectOf, targets: tuple[Type, ...], source: Protocol, target: Protocol) -> Type | None:
    opaque = next((each for each in targets if isinstance(each, Scalar) and each.kind == "object"), None)
    if opaque is not None:
        return opaque
    declared = source.objects[one.path]
    candidates = [each for each in targets if isinstance(each, ObjectOf)]
    same = next((each for each in candidates if each.path == one.path), None)
    if same is not None:
        return same
    own = {each.name for each in declared.fields}
    versions = [each for each in candidates if _are_versions(declared, source, target.objects[each.path], target)]
    return max(
        versions,
        key=lambda each: sum(field.name in own for field in target.objects[each.path].fields),
        default=candidates[0] if len(targets) == len(candidates) == 1 and _is_unnamed(declared) else None,
    )


def _is_unnamed(declared: ObjectType) -> bool:
    """Return whether an object type is determined by its place and not by a name."""
    return declared.kind == "inline" or declared.is_map


def _are_versions(one: ObjectType, source: Protocol, other: ObjectType, target: Protocol) -> bool:
    """Return whether an object of the source can have every member that the target requires, with the same literals."""
    mine = {each.name: each for each in one.fields}
    for field in other.fields:
        own = mine.get(field.name)
        if own is None:
            if not field.optional:
                return False
            continue
        literals, others = _literals(own.type, source), _literals(field.type, target)
        if literals is not None and others is not None and not literals & others:
            return False
        if {type(each) for each in leaves(own.type, source)}.isdisjoint(
            type(each) for each in leaves(field.type, target)
        ):
            return False
    return True


def _literals(kind: Type, protocol: Protocol) -> frozenset[object] | None:
    found = leaves(kind, protocol)
    if not all(isinstance(each, Enum) and not each.open for each in found):
        return None
    return frozenset(value for each in found if isinstance(each, Enum) for value in each.values)
