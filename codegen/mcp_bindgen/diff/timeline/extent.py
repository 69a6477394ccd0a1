"""What belongs to a target: the type or field itself, and the objects without a name inside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import frozen

from mcp_bindgen.diff.alternatives import alias_names, alternatives
from mcp_bindgen.diff.timeline.targets import Target, type_of
from mcp_bindgen.ir.protocol import AliasOf, ObjectOf, Protocol, Type
from mcp_bindgen.ir.walk import parts


@frozen
class Extent:
    """What belongs to a target in one revision."""

    types: frozenset[str]
    """Names of types and paths of objects, with all their fields."""
    field: tuple[str, str] | None
    """The path of an object, and one field of it."""
    named: frozenset[str]
    """The types that these refer to by name: what they have is told of them, and not of the target."""

    def has(self, path: str | None, field: str | None) -> bool:
        """Whether a type, or a field of it, belongs to the target."""
        return path is not None and (path in self.types or (field is not None and self.field == (path, field)))

    def meets(self, path: str | None, field: str | None) -> bool:
        """Whether it belongs to the target, stands in it by its name, or is nothing at all (None)."""
        return path is None or path in self.named or self.has(path, field)


def extent_of(protocol: Protocol, target: Target) -> Extent:
    """What belongs to a target that this revision has."""
    names: list[str] = []
    kinds: list[Type] = []
    match target.kind:
        case "method":
            names += _of_messages(protocol, target.name)
        case "type":
            names.append(target.name)
        case "field":
            kind = type_of(protocol, target)
            kinds += [] if kind is None else [kind]
        case "constant":
            pass
    kinds += [kind for name in names for kind in _inside(protocol, name)]
    inline, named = _within(protocol, kinds)
    field = None if target.field is None else (target.name, target.field)
    return Extent(frozenset({*names, *inline}), field, frozenset(named))


def holder_of(protocol: Protocol, path: str) -> Target | None:
    """The field that an object without a name stands in; None for what has a name, or stands in no field."""
    declared = protocol.objects.get(path)
    if declared is None or declared.kind != "inline":
        return None
    for owner, other in protocol.objects.items():
        for field in other.fields:
            if field.declared_in == owner and ObjectOf(path) in parts(field.type):
                return Target("field", owner, field=field.name)
    return None


def _of_messages(protocol: Protocol, name: str) -> Iterator[str]:
    """The types that the messages of a method are made of: the message itself, its params, its results."""
    method = protocol.methods[name]
    yield method.interface
    for kind in (method.params, method.result):
        if kind is not None:
            yield from alias_names(kind, protocol.aliases)
            yield from alternatives(kind, protocol.aliases).objects


def _inside(protocol: Protocol, name: str) -> Iterator[Type]:
    """The types that a type is made of."""
    declared = protocol.objects.get(name)
    if declared is None:
        alias = protocol.aliases[name]
        yield alias.written or alias.type
        return
    yield from (field.type for field in declared.fields)
    if declared.index is not None:
        yield declared.index


def _within(protocol: Protocol, kinds: Iterable[Type]) -> tuple[list[str], list[str]]:
    """The objects without a name that some types hold, on all levels; and the names that are met on the way."""
    inline: dict[str, None] = {}
    named: dict[str, None] = {}
    waiting = list(kinds)
    while waiting:
        for part in parts(waiting.pop()):
            if isinstance(part, AliasOf):
                named[part.name] = None
            elif isinstance(part, ObjectOf) and protocol.objects[part.path].kind != "inline":
                named[part.path] = None
            elif isinstance(part, ObjectOf) and part.path not in inline:
                inline[part.path] = None
                waiting.extend(_inside(protocol, part.path))
    return list(inline), list(named)
