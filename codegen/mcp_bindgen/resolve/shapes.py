"""The properties of an object as its text and its bases write them, before their types are resolved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import define, frozen

from mcp_bindgen.ir.declarations import IndexSignature, Property
from mcp_bindgen.ir.types import Keyword, Position, TypeExpression, UnionType


@define(eq=False)
class Written:
    """A property where the text declares it. Whoever inherits it has this same object: so a diamond is known."""

    owner: str
    """Path of the object type whose text this is."""
    property: Property

    def path(self) -> str:
        """Where the inline objects of its type go."""
        return f"{self.owner}.{self.property.name}"


@define(eq=False)
class WrittenIndex:
    """An index signature where the text declares it."""

    owner: str
    signature: IndexSignature


@frozen(eq=False)
class Slot:
    """A property of a flattened object. Several bases or parts of an intersection may each bring a text for it."""

    optional: bool
    candidates: tuple[Written, ...]
    position: Position
    """Where the candidates were brought together."""

    @property
    def forbidden(self) -> bool:
        """Whether one of the texts says ``never``, so that no object has the property."""
        return any(is_never(each.property.type) for each in self.candidates)


@frozen(eq=False)
class Shape:
    """A flattened object: its slots by name, in order; its index signatures; its bases with their distance."""

    slots: Mapping[str, Slot]
    index: tuple[WrittenIndex, ...]
    position: Position
    bases: Mapping[str, int]


def own_shape(path: str, properties: Iterable[Property], index: IndexSignature | None, position: Position) -> Shape:
    """The shape that one pair of braces writes."""
    slots = {
        each.name: Slot(each.optional or may_be_undefined(each), (Written(path, each),), each.position)
        for each in properties
    }
    return Shape(slots, (WrittenIndex(path, index),) if index else (), position, {})


def may_be_undefined(written: Property) -> bool:
    """Whether ``undefined`` is among the alternatives of its type, which says the same as ``?``."""
    kind = written.type
    members = kind.members if isinstance(kind, UnionType) else (kind,)
    return any(isinstance(member, Keyword) and member.name == "undefined" for member in members)


def is_never(kind: TypeExpression) -> bool:
    """Whether a type is ``never``, perhaps beside ``undefined``."""
    members = kind.members if isinstance(kind, UnionType) else (kind,)
    names = {member.name if isinstance(member, Keyword) else None for member in members}
    return "never" in names and names <= {"never", "undefined"}


def without_never(shape: Shape) -> Shape:
    """The shape without the properties and index signatures that say ``never``: nothing else is left of them."""
    slots = {name: slot for name, slot in shape.slots.items() if not slot.forbidden}
    index = () if any(is_never(each.signature.value) for each in shape.index) else shape.index
    return Shape(slots, index, shape.position, shape.bases)


def named(name: str, shape: Shape) -> Shape:
    """The shape as a base of others: with its name before its own bases."""
    bases = {name: 1} | {base: distance + 1 for base, distance in shape.bases.items()}
    return Shape(shape.slots, shape.index, shape.position, bases)


def combined(parts: list[Shape], position: Position) -> Shape:
    """What has every part: a property is optional only if it is in all parts that have it."""
    if len(parts) == 1:
        return parts[0]
    slots: dict[str, Slot] = {}
    index: dict[WrittenIndex, None] = {}
    bases: dict[str, int] = {}
    for part in parts:
        for name, slot in part.slots.items():
            slots[name] = _joined(slots[name], slot, position) if name in slots else slot
        index |= dict.fromkeys(part.index)
        for base, distance in part.bases.items():
            bases[base] = min(distance, bases.get(base, distance))
    return Shape(slots, tuple(index), position, bases)


def _joined(one: Slot, other: Slot, position: Position) -> Slot:
    if one.candidates == other.candidates and one.optional == other.optional:
        return one
    candidates = tuple(dict.fromkeys([*one.candidates, *other.candidates]))
    position = one.position if len(candidates) == len(one.candidates) else position
    return Slot(one.optional and other.optional, candidates, position)


def overridden(base: Shape, own: Shape) -> Shape:
    """A base under the text that extends it: own properties replace, in the base's place."""
    return Shape({**base.slots, **own.slots}, own.index or base.index, own.position, base.bases)


def nearest_first(bases: Mapping[str, int]) -> tuple[str, ...]:
    """The names of bases, those at the same distance in the order of the source."""
    return tuple(sorted(bases, key=lambda name: bases[name]))
