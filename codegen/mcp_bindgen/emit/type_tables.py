"""The tables of ``_type_tables.py``: the types as data, to find out where a value is wrong and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_bindgen.emit.annotations import absent_is_unset
from mcp_bindgen.emit.docstrings import literal
from mcp_bindgen.emit.envelopes import in_wire_order
from mcp_bindgen.emit.layout import Tree, inline, table, tuple_of
from mcp_bindgen.emit.naming import Names, is_constant
from mcp_bindgen.ir.protocol import Constraints, Field, ObjectType, Protocol
from mcp_bindgen.ir.type_shapes import Shape, TypeShapes


class TypeTables:
    """Planner of the tables of one protocol, in the format of ``codec.type_tables``."""

    def __init__(self, protocol: Protocol, names: Names) -> None:
        self._protocol = protocol
        self._names = names
        self._shapes = TypeShapes(protocol, names.types)

    def tables(self) -> dict[str, list[str]]:
        """Return the lines of ``OBJECTS``, ``ALIASES`` and ``RESULTS``."""
        objects = [
            f"{literal(self._names.types[declared.path])}: {inline(self._object(declared))}"
            for declared in self._protocol.objects.values()
            if not declared.is_map
        ]
        results = {
            method.name: self._shapes.shape(method.result)
            for method in self._protocol.methods.values()
            if method.result is not None
        }
        return {
            "objects": table("OBJECTS: Final[Objects] = ", objects),
            "results": table("RESULTS: Final[Aliases] = ", _entries(results)),
            "aliases": table("ALIASES: Final[Aliases] = ", _entries(self._shapes.aliases())),
        }

    def _object(self, declared: ObjectType) -> Tree:
        """Return the members and the index signature of a class."""
        members = [self._member(declared, member) for member in in_wire_order(declared)]
        index = None if declared.index is None else self._shapes.shape(declared.index)
        return tuple_of([tuple_of(members), _tree(index)])

    def _member(self, declared: ObjectType, member: Field) -> Tree:
        attribute = None if is_constant(member) else self._names.fields[declared.path][member.name]
        presence = "optional" if member.optional else "tolerated" if member.absence_tolerated else "required"
        absent = "UNSET" if absent_is_unset(self._protocol, member) else "None"
        shape = self._shapes.shape(member.type)
        parts = [*map(_tree, (member.name, attribute, presence, ("raw", shape) if member.raw else shape)), absent]
        constraints = _constraints(member.constraints)
        return tuple_of([*parts, *([_tree(constraints)] if constraints else [])])


def _entries(shapes: Mapping[str, Shape]) -> list[Tree]:
    return [f"{literal(name)}: {inline(_tree(shape))}" for name, shape in shapes.items()]


def _tree(value: Any) -> Tree:
    """Return nested tuples of literals as Python writes them."""
    return tuple_of([_tree(part) for part in value]) if value.__class__ is tuple else literal(value)


def _constraints(constraints: Constraints) -> tuple[tuple[str, Any], ...]:
    """Return pairs of name and value of the constraints, which decoding does not check."""
    named = {
        "minimum": constraints.minimum,
        "maximum": constraints.maximum,
        "maxItems": constraints.max_items,
        "format": constraints.format,
    }
    return tuple((name, value) for name, value in named.items() if value is not None)
