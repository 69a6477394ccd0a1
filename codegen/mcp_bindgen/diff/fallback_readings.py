"""Fallback readings: a union member that the other revision lacks may be read as another member of its union."""

from __future__ import annotations

from collections.abc import Callable

from attrs import frozen

from mcp_bindgen.diff.acceptance import Acceptance
from mcp_bindgen.diff.changes import Verdict
from mcp_bindgen.diff.findings import TypePair
from mcp_bindgen.diff.rules import Weights
from mcp_bindgen.ir.decisions import ByKey, ByKind, ByTag, Decision, Member
from mcp_bindgen.ir.protocol import AliasOf, Enum, Field, ObjectOf, ObjectType, Protocol, Type, Union


@frozen
class FallbackReading:
    """The effect of reading all values of an object as another type."""

    weights: Weights
    reason: str


class FallbackReadings:
    """Fallback readings between two revisions. ``compare_deeply`` returns the effect of one object in place of another."""

    def __init__(
        self, old: Protocol, new: Protocol, acceptance: Acceptance, compare_deeply: Callable[[TypePair], Weights]
    ) -> None:
        self._old, self._new = old, new
        self._acceptance = acceptance
        self._compare_deeply = compare_deeply

    def read_by_new(self, path: str, new: Type) -> FallbackReading | None:
        """Return how a new receiver reads an old sender's object; None if it refuses values or ignores a required member."""
        other = _read_as(self._new, new, self._old.objects[path])
        if other is None or not self._acceptance.new_accepts_old(ObjectOf(path), ObjectOf(other)):
            return None
        if not _has_all(self._old.objects[path], self._new.objects[other]):
            return None
        verdict = self._compare_deeply(TypePair(path, other)).old_to_new
        return FallbackReading(Weights(verdict, "compatible"), _why("A new", other, verdict))

    def read_by_old(self, path: str, old: Type) -> FallbackReading | None:
        """Return how an old receiver reads a new sender's object; None if it refuses values or ignores required members."""
        other = _read_as(self._old, old, self._new.objects[path])
        if other is None or not self._acceptance.old_accepts_new(ObjectOf(other), ObjectOf(path)):
            return None
        if not _has_all(self._new.objects[path], self._old.objects[other]):
            return None
        verdict = self._compare_deeply(TypePair(other, path)).new_to_old
        return FallbackReading(Weights("compatible", verdict), _why("An old", other, verdict))


def _why(receiver: str, other: str, verdict: Verdict) -> str:
    what = "which has all its required members" if verdict == "compatible" else "and may ignore a part of it"
    return f"{receiver} {{r}} reads it as `{other}`, {what}."


def _has_all(sent: ObjectType, read: ObjectType) -> bool:
    """Return whether a receiver reads every member that all values have."""
    return {each.name for each in sent.fields if not each.optional} <= {each.name for each in read.fields}


def _read_as(protocol: Protocol, kind: Type, sent: ObjectType) -> str | None:
    """Return the object as which all values are read where a type is expected; None if there is no such object."""
    while isinstance(kind, AliasOf):
        kind = protocol.aliases[kind.name].type
    if isinstance(kind, Union):
        index = _decided(kind.decision, sent)
        if index is None:
            return None
        kind = kind.members[index]
    return kind.path if isinstance(kind, ObjectOf) else None


def _decided(decision: Decision | None, sent: ObjectType) -> int | None:
    """Return the index of the member that a receiver chooses for all values; None if that depends on the value."""
    match decision:
        case Member():
            return decision.index
        case ByKind():
            return _decided(dict(decision.branches).get("object"), sent)
        case ByKey() | ByTag():
            field = next((each for each in sent.fields if each.name == decision.key), None)
            if field is None:
                return _decided(decision.absent, sent)
            if field.optional:
                return None
            if isinstance(decision, ByKey):
                return _decided(decision.present, sent)
            return _decided(_branch(decision, field), sent)
        case _:
            return None


def _branch(decision: ByTag, field: Field) -> Decision | None:
    """Return the branch for a field with one possible value."""
    if not isinstance(field.type, Enum) or field.type.open or len(field.type.values) != 1:
        return None
    (value,) = field.type.values
    return next((branch for tag, branch in decision.branches if type(tag) is type(value) and tag == value), None)
