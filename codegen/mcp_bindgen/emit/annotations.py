"""Type annotations for resolved types."""

from __future__ import annotations

from collections.abc import Collection

from mcp_bindgen.emit.alias_expansion import named_in
from mcp_bindgen.emit.docstrings import literal
from mcp_bindgen.emit.layout import MAX_BARS
from mcp_bindgen.emit.naming import Names
from mcp_bindgen.ir.protocol import AliasOf, Enum, Field, ListOf, ObjectOf, Protocol, Scalar, Type, Union

_SCALARS = {
    "string": "str",
    "integer": "int",
    "float": "float",
    "boolean": "bool",
    "null": "None",
    "json": "Any",
    "object": "dict[str, Any]",
}


class Annotations:
    """Writer of annotations.

    ``prefix`` precedes names of the schema (``types.``). Names in ``quoted`` are written as strings inside of arrays and
    maps, for declarations that are evaluated before them.
    """

    def __init__(self, protocol: Protocol, names: Names, prefix: str = "", quoted: Collection[str] = ()) -> None:
        self._protocol = protocol
        self._names = names
        self._prefix = prefix
        self._quoted = quoted

    def alternatives(self, kind: Type) -> list[str]:
        """Return the parts of ``a | b | c``, or a single ``Union[…]`` if there are too many."""
        parts = self.each(kind)
        return parts if len(parts) <= MAX_BARS else [f"Union[{', '.join(parts)}]"]

    def each(self, kind: Type) -> list[str]:
        """Return the annotations of the alternatives, ``None`` last; a single ``Any`` if one of them is any value."""
        members = kind.written if isinstance(kind, Union) else (kind,)
        parts = dict.fromkeys(part for member in members for part in self._parts(member))
        if "Any" in parts:
            return ["Any"]
        return sorted(parts, key=lambda part: part == "None")

    def of(self, kind: Type) -> str:
        """Return the annotation on one line."""
        return " | ".join(self.alternatives(kind))

    def _parts(self, kind: Type) -> list[str]:
        match kind:
            case Scalar():
                return [_SCALARS[kind.kind]]
            case Enum():
                return self._literals(kind)
            case ListOf():
                return [f"list[{self._inside(kind.element)}]"]
            case AliasOf():
                return [f"{self._prefix}{self._names.types[kind.name]}"]
            case ObjectOf():
                return [self._object(kind.path)]
            case Union():
                return [part for member in kind.written for part in self._parts(member)]

    def _literals(self, kind: Enum) -> list[str]:
        # Python has no literal types for fractions, and whole numbers go with the others.
        if any(isinstance(value, float) for value in kind.values):
            return ["float"]
        values = f"Literal[{', '.join(literal(value) for value in kind.values)}]"
        return [values, "str"] if kind.open else [values]

    def _object(self, path: str) -> str:
        declared = self._protocol.objects[path]
        if declared.is_map and declared.kind == "inline":
            return self.map_of(declared.index)
        return f"{self._prefix}{self._names.types[path]}"

    def map_of(self, index: Type | None) -> str:
        """Return the annotation of a mapping with these values (None: any JSON)."""
        return f"dict[str, {'Any' if index is None else self._inside(index)}]"

    def _inside(self, kind: Type) -> str:
        quoted = {
            self._names.types[name] for name in named_in(self._protocol, kind, inside=False) if name in self._quoted
        }
        if not quoted:
            return self.of(kind)
        parts = [literal(part) if part in quoted else part for part in self.each(kind)]
        # A string has no `|`.
        return parts[0] if len(parts) == 1 else f"Union[{', '.join(parts)}]"


def may_be_null(protocol: Protocol, kind: Type) -> bool:
    """Return whether JSON null is a value of the type, so that ``None`` cannot mean absence."""
    match kind:
        case Scalar():
            return kind.kind in {"null", "json"}
        case AliasOf():
            return may_be_null(protocol, protocol.aliases[kind.name].type)
        case Union():
            return any(may_be_null(protocol, member) for member in kind.members)
        case _:
            return False


def absent_is_unset(protocol: Protocol, member: Field) -> bool:
    """Return whether ``UNSET``, not ``None``, represents an absent member."""
    return (member.optional or member.absence_tolerated) and may_be_null(protocol, member.type)


def with_absence(protocol: Protocol, member: Field, parts: list[str]) -> tuple[str, ...]:
    """Return the annotation of a member: the parts of its type, and ``None`` or ``Unset`` if it may be absent."""
    if member.raw:
        return ("Any",)
    if parts == ["Any"] or not (member.optional or member.absence_tolerated):
        return tuple(parts)
    return (*parts, "Unset" if absent_is_unset(protocol, member) else "None")


def default_of(protocol: Protocol, member: Field) -> str:
    """Return `` = …`` for an optional member; an empty text for a required one."""
    if member.default is not None:
        return f" = {literal(member.default)}"
    if member.optional:
        return f" = {'UNSET' if absent_is_unset(protocol, member) else 'None'}"
    return ""
