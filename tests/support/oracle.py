"""Which JSON values a resolved protocol accepts: the model itself as a judge of the code that is emitted from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_bindgen.ir.decisions import ByFirst, ByKey, ByKind, ByNested, ByTag, Decision, Member, Undecidable
from mcp_bindgen.ir.protocol import AliasOf, Enum, ListOf, ObjectOf, Protocol, Scalar, Type, Union

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Json = Any


class Undecided(Exception):
    """The value does not say which member of a union it is."""


class Oracle:
    """Says whether a value is of a type, and no more: slow, plain, and read off the model's own documentation."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol

    def accepts(self, kind: Type, value: Json) -> bool:
        """Whether decoding has to take the value; raises Undecided."""
        match kind:
            case Scalar():
                return _SCALARS[kind.kind](value)
            case Enum(open=True):
                return type(value) is str
            case Enum():
                return any(_same(value, literal) for literal in kind.values)
            case ListOf():
                return type(value) is list and all(self.accepts(kind.element, each) for each in value)
            case AliasOf():
                return self.accepts(self._protocol.aliases[kind.name].type, value)
            case Union():
                index = self.member(kind, value)
                return index is not None and self.accepts(kind.members[index], value)
            case ObjectOf():
                return type(value) is dict and self._is_object(kind.path, value)

    def _is_object(self, path: str, value: Mapping[str, Json]) -> bool:
        declared = self._protocol.objects[path]
        for field in declared.fields:
            if field.name not in value:
                if not (field.optional or field.absence_tolerated):
                    return False
            elif not self.accepts(field.type, value[field.name]):
                return False
        if declared.index is None:
            return True
        known = {field.name for field in declared.fields}
        return all(self.accepts(declared.index, value[key]) for key in value if key not in known)

    def member(self, union: Union, value: Json) -> int | None:
        """The member that a value is to be read as; None where it is refused."""
        return self._decide(union.decision, value)

    def _decide(self, decision: Decision, look: Json) -> int | None:
        match decision:
            case Member():
                return decision.index
            case ByKind():
                branches = [branch for kind, branch in decision.branches if _KINDS[kind](look)]
                return self._decide(branches[0], look) if branches else None
            case ByTag():
                if decision.key not in look:
                    return None if decision.absent is None else self._decide(decision.absent, look)
                tag = look[decision.key]
                taken = [branch for literal, branch in decision.branches if _same(tag, literal)]
                return self._decide(taken[0], look) if taken else None
            case ByKey():
                if decision.key in look:
                    return self._decide(decision.present, look)
                return None if decision.absent is None else self._decide(decision.absent, look)
            case ByNested():
                inner = look.get(decision.key)
                return self._decide(decision.inner, inner) if type(inner) is dict else None
            case ByFirst():
                return self._decide(decision.inner, look[0]) if look else self._decide(decision.empty, look)
            case Undecidable():
                raise Undecided(decision.reason)


def _same(value: Json, literal: object) -> bool:
    return type(value) is type(literal) and value == literal


_SCALARS: Mapping[str, Callable[[Json], bool]] = {
    "string": lambda value: type(value) is str,
    "integer": lambda value: type(value) is int,
    "float": lambda value: type(value) in {int, float},
    "boolean": lambda value: type(value) is bool,
    "null": lambda value: value is None,
    "json": lambda value: True,
    "object": lambda value: type(value) is dict,
}

_KINDS: Mapping[str, Callable[[Json], bool]] = {
    "string": _SCALARS["string"],
    "number": _SCALARS["float"],
    "boolean": _SCALARS["boolean"],
    "null": _SCALARS["null"],
    "array": lambda value: type(value) is list,
    "object": _SCALARS["object"],
}
