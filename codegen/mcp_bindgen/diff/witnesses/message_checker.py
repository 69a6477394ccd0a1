"""Checks a JSON value by the type tables of one revision: violations, and members that are ignored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

from attrs import frozen
from mcp_bindings_runtime.codec.type_tables import Member, Path, Shape, TypeTables, Violation
from mcp_bindings_runtime.errors import Undecidable

from mcp_bindgen.describe.canonical import schema_type
from mcp_bindgen.ir.protocol import Field, ObjectType, Protocol, Type
from mcp_bindgen.ir.type_shapes import TypeShapes

Json: TypeAlias = Any


@frozen
class Observation:
    """One place of a value that is wrong, missing or ignored; ignored members are not violations."""

    path: Path
    what: Literal["wrong", "missing", "ignored"]
    field: Field | None = None
    """The missing field."""


class MessageChecker:
    """Checks values by one protocol; with ``sending``, by the stricter rules for senders."""

    def __init__(self, protocol: Protocol, *, sending: bool = False) -> None:
        self._sending = sending
        self._fields: dict[Member, Field] = {}
        self._shapes = TypeShapes(protocol, {name: name for name in (*protocol.objects, *protocol.aliases)})
        objects = {path: self._object(declared) for path, declared in protocol.objects.items()}
        self._tables = TypeTables(objects, self._shapes.aliases())

    def observations(self, kind: Type, value: Json) -> Iterator[Observation]:
        """Yield the observations about a value of a type, outer before inner."""
        return self._observations(self._shapes.shape(kind), value, ())

    def violations(self, kind: Type, value: Json) -> list[Observation]:
        """Return the violations of a value."""
        return [each for each in self.observations(kind, value) if each.what != "ignored"]

    def accepts(self, kind: Type, value: Json) -> bool:
        """Return whether a value has no violations."""
        return not self.violations(kind, value)

    def _object(self, declared: ObjectType) -> tuple[tuple[Member, ...], Shape]:
        members = [self._member(declared, field) for field in declared.fields]
        return tuple(members), None if declared.index is None else self._shapes.shape(declared.index)

    def _member(self, declared: ObjectType, field: Field) -> Member:
        is_required = not field.optional and (self._sending or not field.absence_tolerated)
        shape = self._shapes.shape(schema_type(field) if self._sending else field.type)
        # The path stands where attributes have their names, and tells equal members of two types apart.
        member = (field.name, declared.path, "required" if is_required else "optional", shape, None)
        self._fields[member] = field
        return member

    def _observations(self, shape: Shape, value: Json, path: Path) -> Iterator[Observation]:
        try:
            resolved = self._tables.resolve(value, shape, path)
        except Undecidable:
            # The receiver knows the member from the context.
            if not any(self._is_accepted(member, value) for member in self._tables.alternatives(shape)):
                yield Observation(path, "wrong")
            return
        if isinstance(resolved, Violation):
            yield Observation(resolved.path, "wrong")
            return
        for part in self._tables.parts(value, resolved, path):
            if part.kind == "missing":
                yield Observation(part.path, "missing", self._fields[part.member or ()])
            elif part.kind in {"undeclared", "further"}:
                yield Observation(part.path, "ignored")
            else:
                yield from self._observations(part.shape, part.value, part.path)

    def _is_accepted(self, shape: Shape, value: Json) -> bool:
        return all(each.what == "ignored" for each in self._observations(shape, value, ()))
