"""Generation of values: the smallest of a type, and the few that show each of its alternatives."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from attrs import frozen

from mcp_bindgen.describe.canonical import literal, schema_type
from mcp_bindgen.diff.typescript import TypeScript
from mcp_bindgen.diff.witnesses.message_checker import Json, MessageChecker
from mcp_bindgen.ir.decisions import Undecidable
from mcp_bindgen.ir.protocol import (
    AliasOf,
    Constraints,
    Enum,
    Field,
    ListOf,
    ObjectOf,
    Protocol,
    Scalar,
    Type,
    Union,
)

MAX_DEPTH = 30
"""Maximum nesting of types in a value."""
MAX_PARTS = 10_000
"""Maximum number of objects and scalars in a value."""

FREE = Constraints()

_TEXTS: Mapping[str, str] = {
    "uri": "file:///a",
    "uri-template": "file:///a",
    "byte": "",
    "date-time": "2000-01-01T00:00:00Z",
}
_SCALARS: Mapping[str, tuple[Json, ...]] = {
    "string": ("a",),
    "integer": (0,),
    "float": (0, 0.5),
    "boolean": (True, False),
    "null": (None,),
    "json": ({}, [], "a", 0, 0.5, True, None),
    "object": ({},),
}


class NoValueError(Exception):
    """Raised if a type has no small value."""


@frozen
class Form:
    """A value of a type, and the names of its alternatives."""

    value: Json
    members: frozenset[str] = frozenset()


class ValueGenerator:
    """Generates values of the types of one protocol; ``revision`` is the revision that messages state."""

    def __init__(self, protocol: Protocol, revision: str) -> None:
        self._protocol = protocol
        self._revision = revision
        self._text = TypeScript(protocol)
        self._checker = MessageChecker(protocol, sending=True)
        self._left = 0

    def smallest(self, kind: Type, constraints: Constraints = FREE) -> Json:
        """Return the smallest value; raise NoValueError if there is none."""
        self._left = MAX_PARTS
        return self._smallest(kind, constraints, MAX_DEPTH)

    def member(self, field: Field) -> Json:
        """Return the smallest value of a field; raise NoValueError if there is none."""
        self._left = MAX_PARTS
        return self._member(field, MAX_DEPTH)

    def _smallest(self, kind: Type, constraints: Constraints, depth: int) -> Json:
        self._left -= 1
        if not depth or self._left < 0:
            raise NoValueError
        match kind:
            case Scalar():
                return _scalar(kind.kind, constraints)
            case Enum():
                return min(kind.values, key=lambda value: len(literal(value)))
            case ListOf():
                return []
            case AliasOf():
                return self._smallest(self._protocol.aliases[kind.name].type, constraints, depth - 1)
            case Union():
                found = [one for each in kind.members for one in self._alternative(kind, each, constraints, depth)]
                if not found:
                    raise NoValueError
                return min(found, key=lambda value: len(json.dumps(value)))
            case ObjectOf():
                declared = self._protocol.objects[kind.path]
                return {each.name: self._member(each, depth) for each in declared.fields if not each.optional}

    def _member(self, field: Field, depth: int) -> Json:
        """Return the smallest value of a field; without a default an ``id`` is 1 and a ``protocolVersion`` the sender's."""
        kind = schema_type(field)
        if field.default is not None:
            return field.default
        if field.name == "id" and self._checker.accepts(kind, 1):
            return 1
        if field.name.rpartition("/")[2] == "protocolVersion" and self._checker.accepts(kind, self._revision):
            return self._revision
        return self._smallest(kind, field.constraints, depth - 1)

    def _alternative(self, union: Union, member: Type, constraints: Constraints, depth: int) -> list[Json]:
        """Return the smallest value of a member, unless it would be read as another member."""
        try:
            value = self._smallest(member, constraints, depth - 1)
        except NoValueError:
            return []
        return [value] if self._checker.accepts(union, value) else []

    def forms(self, kind: Type, constraints: Constraints = FREE, depth: int = 8) -> Iterator[Form]:
        """Yield small values that show each alternative of unions, enumerations, arrays and maps."""
        if not depth:
            return
        match kind:
            case Scalar():
                for value in dict.fromkeys(map(_Keyed, [_scalar(kind.kind, constraints), *_SCALARS[kind.kind]])):
                    yield Form(value.value, frozenset({self._text.type(kind)}))
            case Enum():
                yield from (Form(value, frozenset({literal(value)})) for value in kind.values)
                if kind.open:
                    yield Form("a", frozenset({"string"}))
            case ListOf():
                name = frozenset({self._text.list_of(kind.element)})
                for each in self.forms(kind.element, FREE, depth - 1):
                    yield Form([each.value], each.members | name)
                yield Form([], name)
            case AliasOf():
                name = frozenset({kind.name})
                for each in self.forms(self._protocol.aliases[kind.name].type, constraints, depth - 1):
                    yield Form(each.value, each.members | name)
            case Union():
                for part in kind.written:
                    for each in self.forms(part, constraints, depth - 1):
                        if isinstance(kind.decision, Undecidable) or self._checker.accepts(kind, each.value):
                            yield each
            case ObjectOf():
                yield from self._objects(kind, depth)

    def _objects(self, kind: ObjectOf, depth: int) -> Iterator[Form]:
        """Yield the smallest value, and one with each alternative of a map's values."""
        name = frozenset({self._text.object(kind.path)})
        smallest = self.smallest_values(kind)
        yield from (Form(value, name) for value in smallest)
        index = self._protocol.objects[kind.path].index
        if index is not None and self._protocol.objects[kind.path].is_map:
            for each in self.forms(index, FREE, depth - 1):
                yield Form({"a": each.value}, each.members | name)

    def with_each_member(self, path: str) -> Iterator[Form]:
        """Yield an object with one further member, in each of that member's forms."""
        declared = self._protocol.objects[path]
        name = frozenset({self._text.object(path)})
        for smallest in self.smallest_values(ObjectOf(path)):
            for field in declared.fields:
                for each in self.forms(schema_type(field), field.constraints):
                    yield Form({**smallest, field.name: each.value}, name)
            if declared.index is not None:
                for each in self.forms(declared.index):
                    yield Form({**smallest, "a": each.value}, each.members | name)

    def smallest_values(self, kind: Type) -> list[Json]:
        """Return the smallest value in a list, empty if there is none."""
        try:
            return [self.smallest(kind)]
        except NoValueError:
            return []


@frozen
class _Keyed:
    """A value as a key, which separates 0 from 0.5 and true from 1 and hashes lists and objects."""

    value: Json

    def __hash__(self) -> int:
        return hash(literal(self.value))


def _scalar(keyword: str, constraints: Constraints) -> Json:
    if keyword == "string":
        return _TEXTS.get(constraints.format or "", "a")
    if keyword in {"integer", "float"}:
        low, high = constraints.minimum, constraints.maximum
        return low if low is not None and low > 0 else high if high is not None and high < 0 else 0
    return _SCALARS[keyword][0]
