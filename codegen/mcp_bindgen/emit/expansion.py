"""What a type comes to where it is written out: a class is called by its name, aliases and maps may be spelled out."""

from __future__ import annotations

from collections.abc import Iterator

from mcp_bindgen.errors import Fault, SchemaError
from mcp_bindgen.ir.protocol import AliasOf, AliasType, ListOf, ObjectOf, ObjectType, Protocol, Type, Union
from mcp_bindgen.ir.types import Position

MAX_DEPTH = 100
"""Aliases in aliases, arrays and unions between them not counted. The planners follow them by recursion."""


def spelled(protocol: Protocol) -> dict[str, ObjectType | AliasType]:
    """What has a name and is no class: aliases, and objects that are plain maps."""
    maps = {path: one for path, one in protocol.objects.items() if one.is_map and one.kind != "inline"}
    return {**maps, **protocol.aliases}


def content(declared: ObjectType | AliasType) -> Type | None:
    """What such a name stands for; for a map, its values."""
    return declared.type if isinstance(declared, AliasType) else declared.index


def named_in(protocol: Protocol, kind: Type | None, *, inside: bool = True) -> Iterator[str]:
    """The names in a type; those ``inside`` arrays and maps only if asked for."""
    match kind:
        case ListOf() if inside:
            yield from named_in(protocol, kind.element)
        case ObjectOf():
            declared = protocol.objects[kind.path]
            if not declared.is_map or declared.kind != "inline":
                yield kind.path
            elif inside:
                yield from named_in(protocol, declared.index)
        case AliasOf():
            yield kind.name
        case Union():
            for member in kind.written:
                yield from named_in(protocol, member, inside=inside)
        case _:
            return


def recursive_names(protocol: Protocol) -> frozenset[str]:
    """The names that lead back to themselves (or lie between two that do); raises SchemaError for too long a way."""
    names = spelled(protocol)
    leads = {name: [each for each in named_in(protocol, content(one)) if each in names] for name, one in names.items()}
    follows: dict[str, list[str]] = {name: [] for name in names}
    for name, targets in leads.items():
        for target in targets:
            follows[target].append(name)
    depths = _depths(leads, follows)
    deep = [name for name, depth in depths.items() if depth == MAX_DEPTH + 1]
    if deep:
        message = "is written by way of more than {} other aliases; name an interface on the way"
        places = [(names[name].position or Position(protocol.source, 1, 1), name) for name in deep]
        raise SchemaError([Fault(place, f"{name!r} {message.format(MAX_DEPTH)}") for place, name in places])
    return frozenset(names) - depths.keys() - _depths(follows, leads).keys()


def _depths(leads: dict[str, list[str]], follows: dict[str, list[str]]) -> dict[str, int]:
    """How many steps the longest way from each name takes; without those whose ways have no end."""
    waiting = {name: len(targets) for name, targets in leads.items()}
    depths = {name: 0 for name, count in waiting.items() if not count}
    ready = list(depths)
    for name in ready:
        for other in follows[name]:
            waiting[other] -= 1
            if not waiting[other]:
                depths[other] = 1 + max(depths[target] for target in leads[other])
                ready.append(other)
    return depths
