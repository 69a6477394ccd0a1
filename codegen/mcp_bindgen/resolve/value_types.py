"""Decision of the unions among types that were read from JSON Schema.

In a schema of the protocol, members that cannot be distinguished are a fault; in the schema of a server, which its users
cannot change, the union is any JSON value, and the reason is documented.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import is_

from attrs import evolve, frozen

from mcp_bindgen.ir.protocol import AliasType, Field, ListOf, ObjectType, Scalar, Type, Union
from mcp_bindgen.ir.type_text import type_text
from mcp_bindgen.resolve.faults import Faults
from mcp_bindgen.resolve.object_unions import Candidate, UndecidedError
from mcp_bindgen.resolve.overrides import Applied, Overrides
from mcp_bindgen.resolve.settle import Settler
from mcp_bindgen.resolve.unions import Decider

_JSON = Scalar("json", "unknown")


@frozen
class ValueTypes:
    """Types with decided unions."""

    objects: Mapping[str, ObjectType]
    aliases: Mapping[str, AliasType]
    types: tuple[Type, ...]
    """The types that belong to no object, in the order in which they were passed."""
    notes: tuple[str, ...]
    """The unions that could not be decided, each with its place and the reason."""


def decide_values(
    objects: Mapping[str, ObjectType], aliases: Mapping[str, AliasType], types: Mapping[str, Type]
) -> ValueTypes:
    """Return the types with every union decided; ``types`` are further types by the place that messages name."""
    return _Values(objects, aliases).all(types)


class _Values:
    def __init__(self, objects: Mapping[str, ObjectType], aliases: Mapping[str, AliasType]) -> None:
        self._aliases = aliases
        settler = Settler({name: alias.type for name, alias in aliases.items()}, ())
        self._settle = settler.settle
        self._settled = {path: self._settled_object(each) for path, each in objects.items()}
        self._kinds = {name: settler.settle(alias.type) for name, alias in aliases.items()}
        applied = Applied(Overrides((), ""), "")
        self._decider = Decider(self._settled, self._kinds, applied, Faults())
        self._notes: list[str] = []

    def all(self, types: Mapping[str, Type]) -> ValueTypes:
        objects = {path: self._object(each) for path, each in self._settled.items()}
        aliases = {
            name: evolve(self._aliases[name], type=self._decided(kind, name)[0]) for name, kind in self._kinds.items()
        }
        others = tuple(self._decided(self._settle(kind), place)[0] for place, kind in types.items())
        return ValueTypes(objects, aliases, others, tuple(self._notes))

    def _settled_object(self, declared: ObjectType) -> ObjectType:
        types = [self._settle(each.type) for each in declared.fields]
        index = declared.index and self._settle(declared.index)
        if index is declared.index and all(map(is_, types, (each.type for each in declared.fields))):
            return declared
        fields = (evolve(each, type=kind) for each, kind in zip(declared.fields, types, strict=True))
        return evolve(declared, fields=tuple(fields), index=index)

    def _object(self, declared: ObjectType) -> ObjectType:
        index = declared.index and self._decided(declared.index, declared.path)[0]
        fields = tuple(map(self._field, declared.fields))
        if index is declared.index and all(map(is_, fields, declared.fields)):
            return declared
        return evolve(declared, fields=fields, index=index)

    def _field(self, field: Field) -> Field:
        kind, reasons = self._decided(field.type, f"{field.declared_in}.{field.name}")
        if not reasons:
            return field if kind is field.type else evolve(field, type=kind)
        parts = [field.about.doc] if field.about.doc else []
        doc = "\n\n".join([*parts, f"Not typed: {'; '.join(reasons)}."])
        return evolve(field, type=kind, about=evolve(field.about, doc=doc))

    def _decided(self, kind: Type, place: str) -> tuple[Type, list[str]]:
        """Return the type with decided unions, and the reasons why some are any JSON value."""
        if isinstance(kind, ListOf):
            element, reasons = self._decided(kind.element, place)
            return kind if element is kind.element else ListOf(element), reasons
        if not isinstance(kind, Union):
            return kind, []
        members = [self._decided(each, place) for each in kind.members]
        written = [self._decided(each, place) for each in kind.written]
        reasons = list(dict.fromkeys(reason for _, inner in (*members, *written) for reason in inner))
        decided = tuple(member for member, _ in members)
        try:
            candidates = [Candidate(index, member) for index, member in enumerate(decided)]
            decision = self._decider.by_kind(candidates)
        except UndecidedError as error:
            reason = f"{type_text(error.one)} and {type_text(error.other)} cannot be distinguished in JSON"
            self._notes.append(f"{place}: any JSON value: {reason}")
            return _JSON, [*reasons, reason]
        return Union(tuple(each for each, _ in written), decided, decision), reasons
