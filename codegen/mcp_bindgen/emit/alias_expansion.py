"""Expansion of aliases and maps: emitted code expands them in place, except for recursive ones, which it names.

Schemas whose expansion would be too long, or nested too deeply for Python, are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mcp_bindgen.errors import Fault, SchemaError
from mcp_bindgen.ir.protocol import AliasOf, AliasType, Enum, ListOf, ObjectOf, ObjectType, Protocol, Type, Union
from mcp_bindgen.ir.types import Position
from mcp_bindgen.ir.walk import parts

MAX_DEPTH = 50
"""Limit on arrays, maps, unions and aliases within each other; the planners and Python recurse into them."""

MAX_SIZE = 150_000
"""Limit on properties and alternatives of all types: hundreds of times the number in the protocol itself."""


def spelled(protocol: Protocol) -> dict[str, ObjectType | AliasType]:
    """Return the declarations that are not classes: aliases, and objects that are maps."""
    maps = {path: one for path, one in protocol.objects.items() if one.is_map and one.kind != "inline"}
    return {**maps, **protocol.aliases}


def content(declared: ObjectType | AliasType) -> Type | None:
    """Return the type of an alias, or of the values of a map."""
    return declared.type if isinstance(declared, AliasType) else declared.index


def named_in(protocol: Protocol, kind: Type | None, *, inside: bool = True) -> Iterator[str]:
    """Yield the names in a type; with ``inside`` also those in arrays and maps."""
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
    """Return the names on a cycle, and between two cycles; raise SchemaError if a type is too large or too deep."""
    _refuse_size(protocol)
    names = spelled(protocol)
    leads = {name: [each for each in named_in(protocol, content(one)) if each in names] for name, one in names.items()}
    recursive = frozenset(names).difference(_ending(leads), _ending(_turned(leads)))
    _refuse_depth(protocol, names, leads, recursive)
    return recursive


def _turned(leads: Mapping[str, list[str]]) -> dict[str, list[str]]:
    turned: dict[str, list[str]] = {name: [] for name in leads}
    for name, targets in leads.items():
        for target in targets:
            turned[target].append(name)
    return turned


def _ending(leads: Mapping[str, list[str]]) -> list[str]:
    """Return the names that lead to no cycle, each after those it refers to."""
    follows = _turned(leads)
    waiting = {name: len(targets) for name, targets in leads.items()}
    ready = [name for name, count in waiting.items() if not count]
    for name in ready:
        for other in follows[name]:
            waiting[other] -= 1
            if not waiting[other]:
                ready.append(other)
    return ready


def _refuse_depth(
    protocol: Protocol,
    names: Mapping[str, ObjectType | AliasType],
    leads: Mapping[str, list[str]],
    recursive: frozenset[str],
) -> None:
    depths = dict.fromkeys(recursive, 0)
    between = {name: [each for each in leads[name] if each not in recursive] for name in names if name not in recursive}
    faults: list[Fault] = []

    def check(kind: Type | None, path: str, position: Position | None) -> int:
        depth = _depth(protocol, kind, depths)
        if depth > MAX_DEPTH:
            message = f"{path[:60]!r} has {depth} levels when its aliases are expanded; the limit is {MAX_DEPTH}"
            faults.append(Fault(position or Position(protocol.source, 1, 1), message))
        # Reported once: types that refer to this one are not at fault.
        return 0 if depth > MAX_DEPTH else depth

    for name in _ending(between):
        depths[name] = 1 + check(content(names[name]), name, names[name].position)
    for name in recursive:
        check(content(names[name]), name, names[name].position)
    for declared in protocol.objects.values():
        for member in declared.fields:
            check(member.type, f"{declared.path}.{member.name}", member.position or declared.position)
        if declared.fields:
            check(declared.index, declared.path, declared.position)
    if faults:
        raise SchemaError(faults)


def _depth(protocol: Protocol, kind: Type | None, depths: Mapping[str, int]) -> int:
    match kind:
        case ListOf():
            return 1 + _depth(protocol, kind.element, depths)
        case AliasOf():
            return depths[kind.name]
        case ObjectOf():
            declared = protocol.objects[kind.path]
            if not declared.is_map:
                return 0
            return 1 + _depth(protocol, declared.index, depths) if declared.kind == "inline" else depths[kind.path]
        case Union():
            return 1 + max(_depth(protocol, member, depths) for member in kind.written)
        case _:
            return 0


def _refuse_size(protocol: Protocol) -> None:
    size = 0
    everything: list[ObjectType | AliasType] = [*protocol.objects.values(), *protocol.aliases.values()]
    for declared in everything:
        for part in (part for kind in _types_of(declared) for part in parts(kind)):
            size += len(part.values) if isinstance(part, Enum) else 1
            if size > MAX_SIZE:
                message = (
                    f"the schema is too large: the types up to here have more than {MAX_SIZE} properties and alternatives, "
                    "including inherited ones"
                )
                raise SchemaError([Fault(declared.position or Position(protocol.source, 1, 1), message)])


def _types_of(declared: ObjectType | AliasType) -> Iterator[Type]:
    if isinstance(declared, AliasType):
        yield declared.type
        return
    yield from (member.type for member in declared.fields)
    if declared.index is not None:
        yield declared.index
