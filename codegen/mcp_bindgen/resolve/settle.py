"""Members of unions: aliases of unions are expanded, literals of one kind merged, duplicates dropped.

A union that is left with one member is that member. ``T | unknown`` is ``unknown``, as in TypeScript.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from mcp_bindgen.ir.decisions import JsonKind
from mcp_bindgen.ir.protocol import AliasOf, Enum, ListOf, Scalar, Type, Union
from mcp_bindgen.resolve.types import PENDING


class Settler:
    """Works out the members of unions, from the types of aliases and the aliases that accept any JSON value."""

    def __init__(self, aliases: Mapping[str, Type], opaque: Collection[str]) -> None:
        self._aliases = aliases
        self._opaque = opaque

    def settle(self, kind: Type) -> Type:
        """Return the type with the ``members`` of its unions worked out; aliases are expanded only there."""
        if isinstance(kind, ListOf):
            element = self.settle(kind.element)
            return kind if element is kind.element else ListOf(element)
        if not isinstance(kind, Union):
            return kind
        anything = self._anything(kind)
        if anything is not None:
            return anything
        members = merged(self.settle(leaf) for leaf in leaves(kind, self._aliases))
        if len(members) == 1:
            return members[0]
        return Union(tuple(self.settle(each) for each in kind.written), members, PENDING, kind.position)

    def _anything(self, kind: Union) -> Type | None:
        """Return the alternative that accepts any JSON value and so makes the others redundant, or None."""
        for each in expanded(kind, self._aliases):
            opaque = isinstance(each, AliasOf) and each.name in self._opaque
            if opaque or (isinstance(each, Scalar) and each.kind == "json"):
                return each
        return None


def expanded(kind: Type, aliases: Mapping[str, Type]) -> Iterator[Type]:
    """Return a type and its expansion: aliases, and the alternatives of unions, in the order of the source.

    An alias is expanded once, however often it occurs, since aliases of unions of aliases would double with every level.
    """
    waiting = [kind]
    seen: set[str] = set()
    while waiting:
        each = waiting.pop()
        if isinstance(each, AliasOf):
            if each.name in seen:
                continue
            seen.add(each.name)
            waiting.append(aliases[each.name])
        yield each
        if isinstance(each, Union):
            waiting.extend(each.written[::-1])


def leaves(kind: Type, aliases: Mapping[str, Type]) -> Iterator[Type]:
    """Return the alternatives that are neither aliases nor unions."""
    return (each for each in expanded(kind, aliases) if not isinstance(each, (AliasOf, Union)))


def kind_of(leaf: Type) -> JsonKind:
    """Return the JSON kind of a type that is neither an alias, nor a union, nor any JSON."""
    match leaf:
        case ListOf():
            return "array"
        case Enum():
            return _kind_of_value(leaf.values[0])
        case Scalar(kind="string" | "boolean" | "null" | "object" as kind):
            return kind
        case Scalar(kind="integer" | "float"):
            return "number"
        case _:
            return "object"


def merged(alternatives: Iterator[Type]) -> tuple[Type, ...]:
    """Return the alternatives without those that others include: one for each kind of scalar, the others once."""
    found: dict[object, list[Type]] = {}
    for each in alternatives:
        kind = kind_of(each)
        found.setdefault(each if kind in {"array", "object"} else kind, []).append(each)
    return tuple(group[0] if len(group) == 1 else _joined(group) for group in found.values())


def _joined(group: list[Type]) -> Type:
    """Return the one type for alternatives of the same kind."""
    enums = [each for each in group if isinstance(each, Enum)]
    scalars = [each for each in group if isinstance(each, Scalar)]
    values = tuple(dict.fromkeys(value for each in enums for value in each.values))
    if values and kind_of(group[0]) == "string":
        return Enum(values, open=bool(scalars))
    if values and not scalars:
        return Enum(values)
    # A float takes integers too; and duplicates of an object or an array are in the same group.
    return next((each for each in scalars if each.kind == "float"), scalars[0] if scalars else group[0])


def _kind_of_value(value: str | float | bool) -> JsonKind:
    if isinstance(value, str):
        return "string"
    return "boolean" if isinstance(value, bool) else "number"
