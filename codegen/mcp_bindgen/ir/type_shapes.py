"""The types of a protocol as shapes of the runtime's ``codec.type_tables``: nested tuples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from mcp_bindgen.ir.decisions import ByFirst, ByKey, ByKind, ByNested, ByTag, Decision, Member, Undecidable
from mcp_bindgen.ir.protocol import AliasOf, Enum, ListOf, ObjectOf, ObjectType, Protocol, Scalar, Type, Union

Shape: TypeAlias = str | tuple[Any, ...]


class TypeShapes:
    """Shapes of the types of one protocol; ``names`` are the names in the tables, by path."""

    def __init__(self, protocol: Protocol, names: Mapping[str, str]) -> None:
        self._protocol = protocol
        self._names = names
        self._open: list[str] = []
        self._looped: dict[str, None] = {}
        """Recursive inline maps, which need a name in the tables."""

    def aliases(self) -> dict[str, Shape]:
        """Return the shape of each alias, by name; ask last, when all inline maps that need a name are known."""
        objects = self._protocol.objects
        found = {self._names[name]: self.shape(alias.type) for name, alias in self._protocol.aliases.items()}
        found |= {
            self._names[path]: self._map(declared)
            for path, declared in objects.items()
            if declared.is_map and declared.kind != "inline"
        }
        # Nothing that is found on the way is new: these are written out wherever they stand.
        return found | {path: self._inline_map(objects[path]) for path in self._looped}

    def shape(self, kind: Type) -> Shape:
        """Return the shape of a type."""
        match kind:
            case Scalar():
                return kind.kind
            case Enum(open=True):
                return "string"
            case Enum():
                return ("enum", *kind.values)
            case ListOf():
                return ("list", self.shape(kind.element))
            case ObjectOf():
                declared = self._protocol.objects[kind.path]
                if not declared.is_map:
                    return ("class", self._names[kind.path])
                return self._inline_map(declared) if declared.kind == "inline" else ("alias", self._names[kind.path])
            case AliasOf():
                return ("alias", self._names[kind.name])
            case Union():
                return ("union", decision_shape(kind.decision), tuple(self.shape(member) for member in kind.members))

    def _inline_map(self, declared: ObjectType) -> Shape:
        if declared.path in self._open:
            self._looped[declared.path] = None
            return ("alias", declared.path)
        self._open.append(declared.path)
        shape = self._map(declared)
        self._open.pop()
        return shape

    def _map(self, declared: ObjectType) -> Shape:
        value = "json" if declared.index is None else self.shape(declared.index)
        return "object" if value == "json" else ("map", value)


def decision_shape(decision: Decision | None) -> int | tuple[Any, ...] | None:
    """Return a decision as the runtime reads it."""
    match decision:
        case None:
            return None
        case Member():
            return decision.index
        case ByKind():
            return ("kind", tuple((kind, decision_shape(branch)) for kind, branch in decision.branches))
        case ByTag():
            tags = tuple((value, decision_shape(branch)) for value, branch in decision.branches)
            return ("tag", decision.key, tags, decision_shape(decision.absent))
        case ByKey():
            return ("key", decision.key, decision_shape(decision.present), decision_shape(decision.absent))
        case ByNested():
            return ("nested", decision.key, decision_shape(decision.inner))
        case ByFirst():
            return ("first", decision_shape(decision.inner), decision_shape(decision.empty))
        case Undecidable():
            return ("undecidable", decision.reason)
