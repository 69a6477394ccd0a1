"""Test oracle for emitted code: the JSON values that a resolved protocol accepts, and the violations of others.

The oracle uses neither the emitted functions nor the emitted tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from attrs import frozen
from mcp_bindgen.ir.decisions import ByFirst, ByKey, ByKind, ByNested, ByTag, Decision, Member, Undecidable
from mcp_bindgen.ir.protocol import AliasOf, Enum, Field, ListOf, ObjectOf, ObjectType, Protocol, Scalar, Type, Union
from support import error_texts

Json: TypeAlias = Any
Path: TypeAlias = tuple[str | int, ...]


class Undecided(Exception):
    """The value does not determine the member of a union."""


@frozen
class Violation:
    """One violation: the place, the value found, the values accepted."""

    path: Path
    found: str
    expected: str
    raw: Path | None
    """Invalid part, which lenient decoding leaves as JSON; None if there is none."""


class Oracle:
    """Finds the violations in a value of a type: slow, plain, and derived from the model alone."""

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol

    def accepts(self, kind: Type, value: Json) -> bool:
        """Return whether decoding must accept the value; raise Undecided for an undecidable union."""
        return next(self.violations(kind, value), None) is None

    def violations(self, kind: Type, value: Json, path: Path = ()) -> Iterator[Violation]:
        """Yield all violations in the order in which they are reported; raise Undecided for an undecidable union."""
        match kind:
            case Scalar():
                if not SCALARS[kind.kind](value):
                    yield self._wrong(kind, value, path)
            case Enum():
                if not (type(value) is str if kind.open else any(_same(value, literal) for literal in kind.values)):
                    yield self._wrong(kind, value, path)
            case ListOf():
                if type(value) is not list:
                    yield self._wrong(kind, value, path)
                    return
                for place, each in enumerate(value):
                    yield from self.violations(kind.element, each, (*path, place))
            case AliasOf():
                yield from self.violations(self.protocol.aliases[kind.name].type, value, path)
            case Union():
                yield from self._alternative(kind, value, path)
            case ObjectOf():
                if type(value) is not dict:
                    yield self._wrong(kind, value, path)
                else:
                    yield from self._members(self.protocol.objects[kind.path], value, path)

    def _wrong(self, kind: Type, value: Json, path: Path) -> Violation:
        return Violation(path, error_texts.found(value), error_texts.expected(self.protocol, kind), path)

    def _members(self, declared: ObjectType, value: Mapping[str, Json], path: Path) -> Iterator[Violation]:
        for field in in_order(declared):
            place = (*path, field.name)
            if field.name in value:
                yield from self.violations(field.type, value[field.name], place)
            elif not (field.optional or field.absence_tolerated):
                yield Violation(place, "nothing", error_texts.expected(self.protocol, field.type), None)
        if declared.index is not None:
            known = {field.name for field in declared.fields}
            for key in value:
                if key not in known:
                    yield from self.violations(declared.index, value[key], (*path, key))

    def _alternative(self, union: Union, value: Json, path: Path) -> Iterator[Violation]:
        chosen = self._decide(union, union.decision, value, path)
        if not isinstance(chosen, int):
            where, found, expected = chosen
            yield Violation(where, found, expected, path)
        elif isinstance(union.members[chosen], Scalar) and not self.accepts(union.members[chosen], value):
            # A number led here, so that 1.5 is refused as what it is: none of the alternatives.
            yield self._wrong(union, value, path)
        else:
            yield from self.violations(union.members[chosen], value, path)

    def member(self, union: Union, value: Json) -> int | None:
        """Return the index of the member that matches a value; None if none does; raise Undecided if several may."""
        chosen = self._decide(union, union.decision, value, ())
        return chosen if isinstance(chosen, int) else None

    def _decide(
        self, union: Union, decision: Decision, look: Json, path: Path, missed: tuple[str, ...] = ()
    ) -> int | tuple[Path, str, str]:
        """Return the index of the member, or the place, found value and expected value of the fault.

        ``missed`` are keys that the value could have had instead of the key that is looked for now.
        """
        match decision:
            case Member():
                return decision.index
            case ByKind():
                branches = [branch for kind, branch in decision.branches if KINDS[kind](look)]
                if not branches:
                    return path, error_texts.found(look), error_texts.expected(self.protocol, union)
                return self._decide(union, branches[0], look, path)
            case ByTag():
                where = (*path, decision.key)
                if decision.key not in look:
                    if decision.absent is not None:
                        return self._decide(union, decision.absent, look, path, missed)
                    if missed:
                        return _none_of(path, *missed, decision.key)
                    return where, "nothing", error_texts.one_of(literal for literal, _ in decision.branches)
                tag = look[decision.key]
                taken = [branch for literal, branch in decision.branches if _same(tag, literal)]
                if not taken:
                    return (
                        where,
                        error_texts.found(tag),
                        error_texts.one_of(literal for literal, _ in decision.branches),
                    )
                return self._decide(union, taken[0], look, path)
            case ByKey():
                if decision.key in look:
                    return self._decide(union, decision.present, look, path)
                if decision.absent is None:
                    return _none_of(path, *missed, decision.key)
                return self._decide(union, decision.absent, look, path, (*missed, decision.key))
            case ByNested():
                where = (*path, decision.key)
                if decision.key not in look:
                    return _none_of(path, *missed, decision.key) if missed else (where, "nothing", "an object")
                if type(look[decision.key]) is not dict:
                    return where, error_texts.found(look[decision.key]), "an object"
                return self._decide(union, decision.inner, look[decision.key], where)
            case ByFirst():
                if not look:
                    return self._decide(union, decision.empty, look, path)
                return self._decide(union, decision.inner, look[0], (*path, 0))
            case Undecidable():
                raise Undecided(decision.reason)


def _none_of(path: Path, first: str, *others: str) -> tuple[Path, str, str]:
    """Return the fault that none of these keys is present: the first one is reported as missing."""
    expected = f"this member, or {error_texts.one_of(others)} instead" if others else "this member"
    return (*path, first), "nothing", expected


def undecidable(protocol: Protocol) -> frozenset[str]:
    """Return the unions whose values do not determine the member."""
    oracle, names = Oracle(protocol), set[str]()
    for name, alias in protocol.aliases.items():
        try:
            oracle.accepts(alias.type, {})
        except Undecided:
            names.add(name)
    return frozenset(names)


def type_names(protocol: Protocol) -> list[str]:
    """Return the declared types whose values can be distinguished, in the order of the source."""
    kept = undecidable(protocol)
    return [name for name in protocol.order if name not in protocol.constants and name not in kept]


def in_order(declared: ObjectType) -> list[Field]:
    """Return the members in order of declaration, with the envelope of a message first."""
    envelope = ["jsonrpc", "id"] if any(field.name == "jsonrpc" for field in declared.fields) else []
    first = [field for name in envelope for field in declared.fields if field.name == name]
    return first + [field for field in declared.fields if field.name not in envelope]


def _same(value: Json, literal: object) -> bool:
    return type(value) is type(literal) and value == literal


SCALARS: Mapping[str, Callable[[Json], bool]] = {
    "string": lambda value: type(value) is str,
    "integer": lambda value: type(value) is int,
    "float": lambda value: type(value) in {int, float},
    "boolean": lambda value: type(value) is bool,
    "null": lambda value: value is None,
    "json": lambda value: True,
    "object": lambda value: type(value) is dict,
}
"""Scalar type to the check of its JSON values."""

KINDS: Mapping[str, Callable[[Json], bool]] = {
    "string": SCALARS["string"],
    "number": SCALARS["float"],
    "boolean": SCALARS["boolean"],
    "null": SCALARS["null"],
    "array": lambda value: type(value) is list,
    "object": SCALARS["object"],
}
"""Kind of JSON to the check of its values."""
