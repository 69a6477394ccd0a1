"""The shapes of target types that a step checks values against, with all that they refer to."""

from __future__ import annotations

from typing import Any

from mcp_bindgen.ir.protocol import AliasOf, ObjectOf, Protocol, Type
from mcp_bindgen.ir.type_shapes import Shape, TypeShapes
from mcp_bindgen.ir.walk import parts


class TargetShapes:
    """Shapes of one protocol, in the format of ``codec.type_tables``, by the names of the schema."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        names = {name: name for name in (*protocol.objects, *protocol.aliases)}
        self._shapes = TypeShapes(protocol, names)
        self.objects: dict[str, Any] = {}
        """Members and index signature of the classes in use, by name."""
        self._aliases: set[str] = set()

    @property
    def aliases(self) -> dict[str, Shape]:
        """Shapes of the aliases in use, by name."""
        return {name: shape for name, shape in self._shapes.aliases().items() if name in self._aliases}

    def use(self, kind: Type) -> Shape:
        """Return the shape of a type."""
        waiting = [kind]
        while waiting:
            for part in parts(waiting.pop()):
                if isinstance(part, AliasOf) and part.name not in self._aliases:
                    self._aliases.add(part.name)
                    waiting.append(self._protocol.aliases[part.name].type)
                elif isinstance(part, ObjectOf):
                    waiting.extend(self._use_object(part.path))
        return self._shapes.shape(kind)

    def _use_object(self, path: str) -> list[Type]:
        """Add an object type; return the types of its members if it is new."""
        declared = self._protocol.objects[path]
        if path in self.objects or path in self._aliases:
            return []
        inside = [] if declared.index is None else [declared.index]
        if declared.is_map:
            # A map is an alias, or written out where it stands.
            self._aliases.add(path)
            return inside
        self.objects[path] = (
            tuple(
                (
                    field.name,
                    None,
                    "optional" if field.optional else "tolerated" if field.absence_tolerated else "required",
                    self._shapes.shape(field.type),
                    None,
                )
                for field in declared.fields
            ),
            None if declared.index is None else self._shapes.shape(declared.index),
        )
        return [*inside, *(field.type for field in declared.fields)]
