"""Decisions of unions: how the members are distinguished on the wire.

First by JSON kind; among arrays by the first element, where an empty array is the member declared first; among objects by
``object_unions``. Members that cannot be distinguished are a fault, unless an override names what decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import evolve

from mcp_bindgen.ir.decisions import ByFirst, ByKind, Decision, JsonKind, Member, Undecidable
from mcp_bindgen.ir.protocol import AliasType, Field, ListOf, ObjectOf, ObjectType, Scalar, Type, Union
from mcp_bindgen.ir.type_text import type_text
from mcp_bindgen.ir.types import Position
from mcp_bindgen.resolve import overrides
from mcp_bindgen.resolve.faults import Faults
from mcp_bindgen.resolve.narrowing import Comparison
from mcp_bindgen.resolve.object_unions import Candidate, ObjectUnions, UndecidedError, owners
from mcp_bindgen.resolve.overrides import Applied
from mcp_bindgen.resolve.settle import kind_of, leaves

MAX_ARRAYS = 10
"""Maximum nesting of arrays that are decided by their first elements."""

_SHOWN = 3
"""Maximum properties of an inline object that a message shows."""


class Decider:
    """Decisions of the unions of one protocol, from its objects and aliases with undecided unions."""

    def __init__(
        self,
        objects: Mapping[str, ObjectType],
        aliases: Mapping[str, Type],
        applied: Applied,
        faults: Faults,
    ) -> None:
        self._objects = objects
        self._aliases = aliases
        self._applied = applied
        self._faults = faults
        comparison = Comparison(aliases, objects.get)
        self._among_objects = ObjectUnions(objects, aliases, comparison, applied)
        self._decisions: dict[tuple[Type, ...], Decision | UndecidedError] = {}
        self._fields: dict[int, Field] = {}

    def alias(self, alias: AliasType) -> AliasType:
        """Return the alias with its unions decided."""
        kind = alias.type
        if isinstance(kind, Union):
            entry = self._applied.about(overrides.Undecided, alias.name)
            if entry is not None:
                return evolve(alias, type=self._inner(kind, alias.name, Undecidable(entry.look_at)))
        written = alias.written and self.decided(alias.written, alias.name)
        return evolve(alias, type=self.decided(kind, alias.name), written=written)

    def object(self, made: ObjectType) -> ObjectType:
        """Return the object with the unions in its fields decided."""
        fields = tuple(self._field(each) for each in made.fields)
        index = made.index and self.decided(made.index, made.path)
        if index is made.index and all(one is other for one, other in zip(fields, made.fields, strict=True)):
            return made
        return evolve(made, fields=fields, index=index)

    def decided(self, kind: Type, place: str) -> Type:
        """Return the type with every union in it decided; ``place`` names it in faults."""
        if isinstance(kind, ListOf):
            element = self.decided(kind.element, place)
            return kind if element is kind.element else ListOf(element)
        if isinstance(kind, Union):
            return self._inner(kind, place, self._decision(kind, place))
        return kind

    def _inner(self, kind: Union, place: str, decision: Decision) -> Union:
        written = tuple(self.decided(each, place) for each in kind.written)
        return Union(written, tuple(self.decided(each, place) for each in kind.members), decision, kind.position)

    def _field(self, field: Field) -> Field:
        # Types that inherit a property share the object, and the decision is made once for all.
        key = id(field)
        if key not in self._fields:
            kind = self.decided(field.type, f"{field.declared_in}.{field.name}")
            self._fields[key] = field if kind is field.type else evolve(field, type=kind)
        return self._fields[key]

    def _decision(self, kind: Union, place: str) -> Decision:
        if kind.members not in self._decisions:
            try:
                found = self.by_kind([Candidate(index, member) for index, member in enumerate(kind.members)])
                self._decisions[kind.members] = found
            except UndecidedError as error:
                self._decisions[kind.members] = error
        decision = self._decisions[kind.members]
        if not isinstance(decision, UndecidedError):
            return decision
        one, other = self._shown(decision.one), self._shown(decision.other)
        if decision.too_many:
            message = (
                f"telling the members apart needs more than {decision.too_many} keys; add a key with a different literal "
                "in each member"
            )
        else:
            message = f"{one} and {other} cannot be distinguished in JSON"
            if isinstance(decision.one, ObjectOf) and isinstance(decision.other, ObjectOf):
                message += (
                    "; add a key with a different literal in each, or a required key that only one of them declares"
                )
        self._faults.add(kind.position or Position("", 1, 1), f"{place}: {message}")
        return Undecidable(message)

    def _shown(self, kind: Type) -> str:
        """Return a member as its source writes it; an inline object by its properties."""
        made = self._objects[kind.path] if isinstance(kind, ObjectOf) else None
        if made is None or made.kind != "inline":
            return type_text(kind)
        names = [f"{each.name}{'?' if each.optional else ''}" for each in made.fields]
        listed = [*names[:_SHOWN], *(["…"] if len(names) > _SHOWN else [])]
        return f"the object `{{ {', '.join(listed)} }}`" if names else "the object `{}`"

    def by_kind(self, candidates: list[Candidate], arrays: int = 0) -> Decision:
        """Return the decision for values of unknown kind inside ``depth`` arrays; raise ``UndecidedError``."""
        kinds: dict[JsonKind, list[Candidate]] = {}
        for each in candidates:
            if isinstance(each.type, Scalar) and each.type.kind == "json":
                other = next((one for one in candidates if one.index != each.index), None)
                if other is not None:
                    raise UndecidedError(candidates[0].type, (other if each is candidates[0] else each).type)
            kinds.setdefault(kind_of(each.type), []).append(each)
        return ByKind(tuple((kind, self._of_kind(kind, group, arrays)) for kind, group in kinds.items()))

    def _of_kind(self, kind: JsonKind, group: list[Candidate], arrays: int) -> Decision:
        if len(owners(group)) == 1:
            return Member(group[0].index)
        if kind == "object":
            return self._among_objects.decide(group)
        if kind == "array" and arrays < MAX_ARRAYS:
            elements = [
                Candidate(each.index, leaf)
                for each in group
                if isinstance(each.type, ListOf)
                for leaf in leaves(each.type.element, self._aliases)
            ]
            try:
                return ByFirst(self.by_kind(_distinct(elements), arrays + 1), empty=Member(group[0].index))
            except UndecidedError:
                pass
        raise UndecidedError.among(group)


def _distinct(candidates: Iterable[Candidate]) -> list[Candidate]:
    return list(dict.fromkeys(candidates))
