"""Object types from drafts: one text for each property, its documentation and constraints, and the overrides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, TypeVar, cast

from attrs import evolve

from mcp_bindgen.ir.protocol import AliasOf, Enum, Field, ListOf, ObjectOf, ObjectType, Scalar, Type, Union
from mcp_bindgen.ir.type_text import type_text
from mcp_bindgen.resolve import overrides
from mcp_bindgen.resolve.documentation import about, constraints
from mcp_bindgen.resolve.faults import Faults
from mcp_bindgen.resolve.inline import owner_of
from mcp_bindgen.resolve.narrowing import MAX_NESTED, Comparison
from mcp_bindgen.resolve.overrides import Applied
from mcp_bindgen.resolve.settle import Settler
from mcp_bindgen.resolve.shapes import Shape, Slot, Written, WrittenIndex, nearest_first
from mcp_bindgen.resolve.types import Draft, Types

Text = TypeVar("Text", Written, WrittenIndex)
Override = TypeVar("Override", bound=overrides.Entry)


class Objects:
    """The object types of one scope, each built at its first use."""

    def __init__(
        self, types: Types, settler: Settler, recursive: frozenset[str], applied: Applied, faults: Faults
    ) -> None:
        self._types = types
        self._settler = settler
        self._recursive = recursive
        self._applied = applied
        self._faults = faults
        self._comparison = Comparison(types.aliases, self._known)
        self._made: dict[str, ObjectType | None] = {}
        self._fields: dict[Written, Field] = {}
        self._chosen: dict[tuple[Written | WrittenIndex, ...], Written | WrittenIndex] = {}
        # What a recursive alias stands for is never spelled out where it is used.
        self._spelled_out = {
            name: Scalar("json", name) if name in recursive else kind for name, kind in types.aliases.items()
        }
        self._absences = {entry.field: entry for entry in applied.all(overrides.Absence)}
        self._raws = {entry.field: entry for entry in applied.all(overrides.Raw)}
        self._overridden = {field.rpartition(".")[2] for field in [*self._absences, *self._raws]}

    def all(self) -> dict[str, ObjectType]:
        """Return every object by its path, in the order of the source; each inline object follows its owner."""
        found = {path: made for path in self._types.drafts if (made := self._known(path)) is not None}
        # An X["key"] may have led to an inline object before its owner's turn.
        places = {name: place for place, name in enumerate(self._types.declared)}
        return dict(sorted(found.items(), key=lambda item: (places[owner_of(item[0])], item[0] not in places)))

    def _known(self, path: str) -> ObjectType | None:
        """Return the object; None while it is being built."""
        if path not in self._made:
            self._made[path] = None
            self._made[path] = self._make(self._types.drafts[path])
        return self._made[path]

    def _make(self, draft: Draft) -> ObjectType:
        shape = draft.shape
        bases = nearest_first(shape.bases)
        fields: list[Field] = []
        for name, slot in shape.slots.items():
            written = self._choose(slot, slot.candidates, self._type, name)
            made = self._field(written)
            if made.optional != slot.optional:
                made = evolve(made, optional=slot.optional)
            if name in self._overridden:
                made = self._override(made, draft.path, bases, written)
            fields.append(made)
        return ObjectType(
            path=draft.path,
            kind=draft.kind,
            fields=tuple(fields),
            index=self._index(shape),
            bases=bases,
            recursive=draft.path in self._recursive,
            about=about(draft.doc),
            position=draft.position,
        )

    def _index(self, shape: Shape) -> Type | None:
        if not shape.index:
            return None
        return self._index_type(self._choose(shape, shape.index, self._index_type, "[string]"))

    def _type(self, written: Written) -> Type:
        return self._field(written).type

    def _index_type(self, written: WrittenIndex) -> Type:
        return self._settler.settle(self._types.of_index(written))

    def _field(self, written: Written) -> Field:
        """Return the property as written; types that inherit it unchanged share the result."""
        if written not in self._fields:
            each = written.property
            kind = self._settler.settle(self._types.of(written))
            self._fields[written] = Field(
                name=each.name,
                type=kind,
                optional=each.optional,
                declared_in=written.owner,
                about=about(each.doc),
                constraints=constraints(each.doc, each.position, self._number(kind), self._faults),
                null_tolerated=self._applied.about(overrides.Nullable, written.path()) is not None,
                position=each.position,
            )
        return self._fields[written]

    def _number(self, kind: Type) -> Literal["integer", "float"] | None:
        """Return the kind of numbers among the values of a type, or of its elements."""
        if isinstance(kind, (ObjectOf, Enum)):
            return None
        numbers: set[str] = set()
        waiting: list[Type] = [kind]
        seen: set[str] = set()
        while waiting:
            part = waiting.pop()
            if isinstance(part, Scalar):
                numbers.add(part.kind)
            elif isinstance(part, ListOf):
                waiting.append(part.element)
            elif isinstance(part, Union):
                waiting.extend(part.written)
            elif isinstance(part, AliasOf) and part.name not in seen:
                seen.add(part.name)
                waiting.append(self._spelled_out[part.name])
        return "float" if "float" in numbers else "integer" if "integer" in numbers else None

    def _choose(
        self, place: Slot | Shape, candidates: tuple[Text, ...], kind_of: Callable[[Text], Type], name: str
    ) -> Text:
        """Return the text with the narrowest type; two that do not compare are a fault."""
        if len(candidates) == 1:
            return candidates[0]
        known = self._chosen.get(candidates)
        if known is not None:
            return cast("Text", known)
        best = candidates[0]
        for other in candidates[1:]:
            if self._comparison.within(kind_of(best), kind_of(other)):
                continue
            if not self._comparison.within(kind_of(other), kind_of(best)):
                reason = (
                    f"they are nested too deeply to compare; the limit is {MAX_NESTED} levels"
                    if self._comparison.too_deep
                    else "one of them must include the other"
                )
                self._faults.add(
                    place.position,
                    f"{name} is {type_text(kind_of(best))} in {best.owner} and {type_text(kind_of(other))} in "
                    f"{other.owner}; {reason}",
                )
            best = other
        self._chosen[candidates] = best
        return best

    def _override(self, made: Field, path: str, bases: tuple[str, ...], written: Written) -> Field:
        raw = self._nearest(self._raws, made.name, (path, *bases), written)
        absence = self._nearest(self._absences, made.name, (path, *bases), written)
        if raw is not None:
            made = evolve(made, raw=True)
        if absence is not None:
            made = evolve(
                made,
                absence_tolerated=absence.tolerated,
                absence_required_of=absence.tolerant,
                default=absence.default,
            )
        return made

    def _nearest(
        self, entries: Mapping[str, Override], name: str, owners: tuple[str, ...], written: Written
    ) -> Override | None:
        """Return the override of a property: that of its object, or of the nearest base with the same property text."""
        for owner in owners:
            entry = entries.get(f"{owner}.{name}")
            draft = self._types.drafts.get(owner)
            if entry and draft and name in draft.shape.slots and written in draft.shape.slots[name].candidates:
                self._applied.use(entry)
                return entry
        return None
