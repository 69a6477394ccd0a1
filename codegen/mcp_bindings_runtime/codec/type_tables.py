"""The types of a revision as data, and the way through a value by its type.

The emitted functions only detect that a value is wrong. ``TypeTables`` then finds, for one value at a time, its type
(``resolve`` decides between the members of a union) and its parts (``parts``). The error locator, the validation of
recordings and the search for witnesses of changes walk over values by these two. A shape is

    "string" "integer" "float" "boolean" "null" "json" "object"     a scalar, any JSON, any object
    ("enum", value, …)                                             one of the literals
    ("list", shape)   ("map", shape)                               an array, an object with values of one shape
    ("class", name)   ("alias", name)                              an entry of ``OBJECTS`` or ``ALIASES``
    ("raw", shape)                                                 checked, then kept as JSON
    ("union", decision, (shape, …))                                alternatives

and a decision leads to the index of one alternative:

    ("kind", ((JSON kind, decision), …))           ("tag", key, ((literal, decision), …), decision when absent)
    ("key", key, decision, decision when absent)   ("nested", key, decision)   ("first", decision, decision when empty)
    ("undecidable", reason)

A decision when absent is None if one of the keys is required. A member of a class is ``(wire name, attribute or None for a
class constant, presence, shape, value when absent, constraints)``, the last one optional; presence is ``required``,
``optional`` or ``tolerated`` (required of senders only).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from ..errors import Undecidable
from .error_wording import NOTHING, any_of, describe, one_of

Shape: TypeAlias = Any
Member: TypeAlias = tuple[Any, ...]
Objects: TypeAlias = Mapping[str, tuple[tuple[Member, ...], Shape]]
Aliases: TypeAlias = Mapping[str, Shape]
Path: TypeAlias = tuple[str | int, ...]
PartKind: TypeAlias = Literal["member", "element", "further", "undeclared", "missing", "wrong"]
"""``member``: a declared member of an object. ``element``: an item of an array or a value of a map. ``further``: an
undeclared member of a type that allows any. ``undeclared``: another undeclared member, not an error. ``missing`` and
``wrong`` are errors; a walk finds out what is ``wrong``."""


class Violation(NamedTuple):
    """A mistake in a value: its place (keys and indices from the top), the value found, the values accepted."""

    path: Path
    found: str
    expected: str


class UnknownTag(Violation):
    """A tag that no member of a union has; the whole object stays JSON."""

    __slots__ = ()


class Part(NamedTuple):
    """An element or a member of a value, or a member that it lacks."""

    path: Path
    kind: PartKind
    value: Any
    """None if it is missing."""
    shape: Shape
    member: Member | None = None
    """The declaration of a member."""

    @property
    def constraints(self) -> tuple[tuple[str, Any], ...]:
        """Constraints of a member, as ``(("minimum", 0), ("maximum", 1))``."""
        return self.member[5] if self.member is not None and len(self.member) > 5 else ()


class TypeTables:
    """The type tables of one revision, or of several joined."""

    def __init__(self, objects: Objects, aliases: Aliases) -> None:
        self.objects = objects
        """Members and index signature by class name."""
        self.aliases = aliases
        """Shape by alias name."""
        self._members: dict[str, dict[str, Member]] = {}

    def extended(self, other: TypeTables) -> TypeTables:
        """Return the tables of both; this one's win."""
        return TypeTables({**other.objects, **self.objects}, {**other.aliases, **self.aliases})

    def members(self, name: str) -> Mapping[str, Member]:
        """Return the members of a class by wire name, in the order of the schema."""
        found = self._members.get(name)
        if found is None:
            found = self._members[name] = {member[0]: member for member in self.objects[name][0]}
        return found

    def resolve(self, value: Any, shape: Shape, path: Path) -> Shape | Violation:
        """Return the shape of a value without aliases and unions, or what is wrong with the value itself, without its parts.

        Raise ``Undecidable`` for a union whose members no value distinguishes.
        """
        while shape.__class__ is tuple:
            kind = shape[0]
            if kind == "alias":
                shape = self.aliases[shape[1]]
            elif kind == "raw":
                shape = shape[1]
            elif kind == "union":
                chosen = self._choose(value, shape[1], shape[2], path)
                if chosen.__class__ is not int:
                    return chosen
                union, shape = shape, shape[2][chosen]
                if shape.__class__ is str:
                    # The decision only looked at the kind: 1.5 is a number, but not an integer.
                    return shape if is_scalar(value, shape) else Violation(path, describe(value), self.expected(union))
            elif kind == "enum":
                return shape if is_one_of(value, shape[1:]) else Violation(path, describe(value), one_of(shape[1:]))
            else:
                fits = value.__class__ is (list if kind == "list" else dict)
                return shape if fits else Violation(path, describe(value), self.expected(shape))
        return shape if is_scalar(value, shape) else Violation(path, describe(value), self.expected(shape))

    def _choose(
        self, value: Any, decision: Any, members: tuple[Shape, ...], path: Path, missed: tuple[str, ...] = ()
    ) -> int | Violation:
        """Return the index of the member that a value is read as, or why there is none.

        ``missed`` are the keys that were not found in this value so far, in the order of the search.
        """
        if decision.__class__ is int:
            index: int = decision
            return index
        kind, *parts = decision
        if kind == "kind":
            found = json_kind(value)
            for each, branch in parts[0]:
                if each == found:
                    return self._choose(value, branch, members, path)
            return Violation(path, describe(value), any_of([self.expected(member) for member in members]))
        if kind == "undecidable":
            raise Undecidable(parts[0])
        if kind == "first":
            if not value:
                return self._choose(value, parts[1], members, path)
            return self._choose(value[0], parts[0], members, (*path, 0))
        if value.__class__ is not dict:
            return Violation(path, describe(value), "an object")
        key = parts[0]
        if kind == "nested":
            if key not in value:
                return _missing(path, (*missed, key), "an object")
            return self._choose(value[key], parts[1], members, (*path, key))
        if key not in value:
            absent = parts[2]
            if absent is None:
                wanted = "this member" if kind == "key" else one_of([literal for literal, _ in parts[1]])
                return _missing(path, (*missed, key), wanted)
            return self._choose(value, absent, members, path, (*missed, key) if kind == "key" else missed)
        if kind == "key":
            return self._choose(value, parts[1], members, path)
        tag = value[key]
        for literal, branch in parts[1]:
            if is_one_of(tag, (literal,)):
                return self._choose(value, branch, members, path)
        refused = UnknownTag if tag.__class__ is str else Violation
        return refused((*path, key), describe(tag), one_of([literal for literal, _ in parts[1]]))

    def parts(self, value: Any, shape: Shape, path: Path, *, as_written: bool = False) -> Iterator[Part]:
        """Yield the parts of a value of a resolved shape.

        Members of an object come in the order of the schema, then those that it does not declare; with ``as_written`` all
        come in the order of the value, then those that are missing.
        """
        if shape.__class__ is str or shape[0] == "enum":
            return
        if shape[0] == "list":
            for place, item in enumerate(value):
                yield Part((*path, place), "element", item, shape[1])
            return
        if shape[0] == "map":
            for key, item in value.items():
                yield Part((*path, key), "element", item, shape[1])
            return
        members, index = self.members(shape[1]), self.objects[shape[1]][1]
        if as_written:
            keys = [*value, *(key for key in members if key not in value)]
        else:
            keys = [*members, *(key for key in value if key not in members)]
        for key in keys:
            member = members.get(key)
            if member is None:
                kind: PartKind = "undeclared" if index is None else "further" if index == "json" else "element"
                yield Part((*path, key), kind, value[key], "json" if index is None else index)
            elif key in value:
                yield Part((*path, key), "member", value[key], member[3], member)
            elif member[2] == "required":
                yield Part((*path, key), "missing", None, member[3], member)

    def alternatives(self, shape: Shape) -> tuple[Shape, ...]:
        """Return the members of a union, or of the one that an alias stands for."""
        while shape[0] != "union":
            shape = self.aliases[shape[1]] if shape[0] == "alias" else shape[1]
        members: tuple[Shape, ...] = shape[2]
        return members

    def expected(self, shape: Shape) -> str:
        """Return a description of the values that a shape accepts."""
        if isinstance(shape, str):
            return EXPECTED.get(shape, "a JSON value")
        kind = shape[0]
        if kind == "enum":
            return one_of(shape[1:])
        if kind == "alias":
            return self.expected(self.aliases[shape[1]])
        if kind == "raw":
            return self.expected(shape[1])
        if kind == "union":
            return any_of([self.expected(member) for member in shape[2]])
        return "an array" if kind == "list" else "an object"


EXPECTED: Mapping[str, str] = {
    "string": "a string",
    "integer": "an integer",
    "float": "a number",
    "boolean": "true or false",
    "null": "null",
    "object": "an object",
}
"""Descriptions of the values of scalar shapes."""


def json_kind(value: Any) -> str | None:
    """Return the kind of a JSON value, one of six; None for other values."""
    if value is None:
        return "null"
    return _JSON_KINDS.get(value.__class__)


_JSON_KINDS: Mapping[type, str] = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    list: "array",
    dict: "object",
}


def is_scalar(value: Any, shape: str) -> bool:
    """Return whether a value is of a scalar type; a bool is not a number."""
    match shape:
        case "json":
            return True
        case "float":
            return value.__class__ is int or value.__class__ is float
        case "null":
            return value is None
        case _:
            return value.__class__ is {"string": str, "integer": int, "boolean": bool, "object": dict}[shape]


def is_one_of(value: Any, literals: tuple[Any, ...]) -> bool:
    """Return whether a value is one of the literals; 1, 1.0 and true are three."""
    return any(value.__class__ is literal.__class__ and value == literal for literal in literals)


def _missing(path: Path, keys: tuple[str, ...], wanted: str) -> Violation:
    """Return the violation for missing keys, of which one is required; ``wanted`` describes a key without alternatives."""
    first, *others = keys
    return Violation((*path, first), NOTHING, f"this member, or {one_of(others)} instead" if others else wanted)
