"""The properties of an object as its text and its bases write them, before their types are resolved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import define, field, frozen

from mcp_bindgen.ir.types import IndexSignature, Keyword, Position, Property, TypeExpression, UnionType


@define(eq=False)
class Written:
    """A property as declared. Types that inherit it share this object, by which a diamond is recognised."""

    owner: str
    """Path of the object type that declares it."""
    property: Property

    def path(self) -> str:
        """Return the path of the inline objects of its type."""
        return f"{self.owner}.{self.property.name}"


@define(eq=False)
class WrittenIndex:
    """An index signature as declared."""

    owner: str
    signature: IndexSignature


@frozen(eq=False)
class Slot:
    """A property of a flattened object. Several bases or parts of an intersection may each contribute a text."""

    optional: bool
    candidates: tuple[Written, ...]
    position: Position
    """Position of the declaration that combines the candidates."""
    forbidden: bool = field(init=False)
    """Whether one of the texts is ``never``, so that no object has the property."""

    def __attrs_post_init__(self) -> None:
        # Computed once, as many objects may inherit the property.
        object.__setattr__(self, "forbidden", any(is_never(each.property.type) for each in self.candidates))


@frozen(eq=False)
class Shape:
    """A flattened object: its properties by name, in order; its index signatures; its bases with their distance."""

    slots: Mapping[str, Slot]
    index: tuple[WrittenIndex, ...]
    position: Position
    bases: Mapping[str, int]


def own_shape(path: str, properties: Iterable[Property], index: IndexSignature | None, position: Position) -> Shape:
    """Return the shape of one object literal."""
    slots = {
        each.name: Slot(each.optional or may_be_undefined(each), (Written(path, each),), each.position)
        for each in properties
    }
    return Shape(slots, (WrittenIndex(path, index),) if index else (), position, {})


def may_be_undefined(written: Property) -> bool:
    """Return whether ``undefined`` is among the alternatives of its type, which equals ``?``."""
    kind = written.type
    members = kind.members if isinstance(kind, UnionType) else (kind,)
    return any(isinstance(member, Keyword) and member.name == "undefined" for member in members)


def is_never(kind: TypeExpression) -> bool:
    """Return whether a type is ``never``, with or without ``undefined``."""
    members = kind.members if isinstance(kind, UnionType) else (kind,)
    names = {member.name if isinstance(member, Keyword) else None for member in members}
    return "never" in names and names <= {"never", "undefined"}


def without_never(shape: Shape) -> Shape:
    """Return the shape without the properties and index signatures of type ``never``."""
    slots = {name: slot for name, slot in shape.slots.items() if not slot.forbidden}
    index = () if any(is_never(each.signature.value) for each in shape.index) else shape.index
    return Shape(slots, index, shape.position, shape.bases)


def named(name: str, shape: Shape) -> Shape:
    """Return the shape as a base of others: with its name before its own bases."""
    bases = {name: 1} | {base: distance + 1 for base, distance in shape.bases.items()}
    return Shape(shape.slots, shape.index, shape.position, bases)


def combined(parts: list[Shape], position: Position) -> Shape:
    """Return the combination of all parts: a property is optional only if it is optional in all parts that have it."""
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
    """Return the properties of a base and of the type that extends it; overridden ones keep the place of the base's."""
    return Shape({**base.slots, **own.slots}, own.index or base.index, own.position, base.bases)


def nearest_first(bases: Mapping[str, int]) -> tuple[str, ...]:
    """Return the names of bases by distance, then in the order of the source."""
    return tuple(sorted(bases, key=lambda name: bases[name]))
