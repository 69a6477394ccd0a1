"""Checks a JSON value against the resolved model of one revision: violations, and members that are ignored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

from attrs import frozen

from mcp_bindgen.describe.canonical import schema_type
from mcp_bindgen.ir.decisions import ByFirst, ByKey, ByKind, ByNested, ByTag, Decision, Member, Undecidable
from mcp_bindgen.ir.protocol import AliasOf, Enum, Field, ListOf, ObjectOf, ObjectType, Protocol, Scalar, Type, Union

Json: TypeAlias = Any
Path: TypeAlias = tuple[str | int, ...]


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
        self._protocol = protocol
        self._sending = sending

    def observations(self, kind: Type, value: Json, path: Path = ()) -> Iterator[Observation]:
        """Yield the observations about a value of a type, outer before inner."""
        match kind:
            case Scalar():
                if not _is_scalar(kind.kind, value):
                    yield Observation(path, "wrong")
            case Enum():
                if not (type(value) is str if kind.open else any(_same(value, one) for one in kind.values)):
                    yield Observation(path, "wrong")
            case ListOf():
                if value.__class__ is not list:
                    yield Observation(path, "wrong")
                    return
                for place, item in enumerate(value):
                    yield from self.observations(kind.element, item, (*path, place))
            case AliasOf():
                yield from self.observations(self._protocol.aliases[kind.name].type, value, path)
            case Union():
                yield from self._alternative(kind, value, path)
            case ObjectOf():
                if value.__class__ is not dict:
                    yield Observation(path, "wrong")
                else:
                    yield from self._members(self._protocol.objects[kind.path], value, path)

    def violations(self, kind: Type, value: Json) -> list[Observation]:
        """Return the violations of a value."""
        return [each for each in self.observations(kind, value) if each.what != "ignored"]

    def accepts(self, kind: Type, value: Json) -> bool:
        """Return whether a value has no violations."""
        return not self.violations(kind, value)

    def _members(self, declared: ObjectType, value: dict[str, Json], path: Path) -> Iterator[Observation]:
        known = {field.name: field for field in declared.fields}
        for name, field in known.items():
            if name in value:
                kind = schema_type(field) if self._sending else field.type
                yield from self.observations(kind, value[name], (*path, name))
            elif not field.optional and (self._sending or not field.absence_tolerated):
                yield Observation((*path, name), "missing", field)
        for name, item in value.items():
            if name in known:
                continue
            # An open type with fields of its own ignores further members; a map is meant to have them.
            is_further = bool(declared.fields) and _is_anything(declared.index)
            if declared.index is None or is_further:
                yield Observation((*path, name), "ignored")
            else:
                yield from self.observations(declared.index, item, (*path, name))

    def _alternative(self, union: Union, value: Json, path: Path) -> Iterator[Observation]:
        chosen = self._decide(union.decision, value, path)
        if isinstance(chosen, Undecidable):
            # The receiver knows the member from the context.
            if not any(self.accepts(each, value) for each in union.members):
                yield Observation(path, "wrong")
        elif isinstance(chosen, Observation):
            yield chosen
        else:
            yield from self.observations(union.members[chosen], value, path)

    def _decide(self, decision: Decision, value: Json, path: Path) -> int | Observation | Undecidable:
        """Return the member as which a value is read, or an observation of the missing discriminator."""
        match decision:
            case Member():
                return decision.index
            case Undecidable():
                return decision
            case ByKind():
                branch = next((each for kind, each in decision.branches if kind == _json_kind(value)), None)
                return Observation(path, "wrong") if branch is None else self._decide(branch, value, path)
            case ByFirst():
                if not value:
                    return self._decide(decision.empty, value, path)
                return self._decide(decision.inner, value[0], (*path, 0))
            case ByTag() | ByKey() | ByNested():
                if value.__class__ is not dict:
                    return Observation(path, "wrong")
                return self._by_member(decision, value, path)

    def _by_member(
        self, decision: ByTag | ByKey | ByNested, value: dict[str, Json], path: Path, missed: Path | None = None
    ) -> int | Observation | Undecidable:
        """Decide by a member. ``missed`` is the first key that was looked for in vain; it is reported as missing."""
        where = (*path, decision.key)
        there = decision.key in value
        branch: Decision | None
        match decision:
            case ByNested():
                if not there:
                    return Observation(missed or where, "wrong")
                return self._decide(decision.inner, value[decision.key], where)
            case ByKey():
                branch = decision.present if there else decision.absent
                missed = None if there else missed or where
            case ByTag():
                branch = decision.absent
                if there:
                    missed = None
                    tag = value[decision.key]
                    branch = next((each for literal, each in decision.branches if _same(tag, literal)), None)
        if branch is None:
            return Observation(missed or where, "wrong")
        if isinstance(branch, (ByTag, ByKey, ByNested)):
            return self._by_member(branch, value, path, missed)
        return self._decide(branch, value, path)


def _is_anything(kind: Type | None) -> bool:
    return isinstance(kind, Scalar) and kind.kind == "json"


def _same(value: Json, literal: object) -> bool:
    return type(value) is type(literal) and value == literal


_CLASSES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "float": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "object": (dict,),
}


def _is_scalar(keyword: str, value: Json) -> bool:
    return keyword == "json" or type(value) in _CLASSES[keyword]


_KINDS: dict[type, str] = {
    type(None): "null",
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    list: "array",
    dict: "object",
}


def _json_kind(value: Json) -> str:
    return _KINDS[type(value)]
