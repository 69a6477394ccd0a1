"""Faults of each kind that the model guarantees to be faults, so each must be rejected at its place.

A member that decides a union is only removed if this makes the value one of another member.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import assert_never

from attrs import evolve, frozen
from mcp_bindgen.ir.decisions import ByFirst, ByKey, ByKind, ByNested, ByTag, Decision
from mcp_bindgen.ir.protocol import AliasOf, Enum, ListOf, ObjectOf, Protocol, Scalar, Type, Union
from strategies.faults import Change
from strategies.messages import Message
from support.message_oracle import MessageOracle
from support.oracle import Json, Oracle, Path

SAMPLES: Mapping[str, Json] = {
    "null": None,
    "boolean": True,
    "integer": 7,
    "float": 7.0,
    "string": "other",
    "array": [],
    "object": {},
}
"""A value of each kind of JSON that decoding distinguishes."""

ANY = frozenset(SAMPLES)
_SCALARS = {"float": frozenset({"integer", "float"}), "json": ANY}
_LITERALS: Mapping[type, str] = {str: "string", bool: "boolean", int: "integer", float: "float"}

NO_SUCH_LITERAL = "no such literal"


@frozen
class Fault:
    """A fault, and the member or element that has it."""

    name: str
    change: Change
    subject: str
    """``Tool.name``, wherever the tool is; ``Tool.inputSchema.required[]`` for an element."""


@frozen
class _Place:
    """A part of a value, with its facts."""

    path: Path
    kind: Type
    value: Json
    subject: str
    required: bool = False
    deciding: frozenset[Path] = frozenset()
    """Places of members whose absence makes the value one of another type."""


class AimedFaults:
    """Faults in the values of one protocol."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._oracle = Oracle(protocol)

    def of(self, kind: Type, value: Json, path: Path = (), subject: str = "") -> Iterator[Fault]:
        """Yield every possible fault of a valid value, one at a time."""
        for place in self._places(_Place(path, kind, value, subject)):
            if place.required and place.path not in place.deciding:
                yield Fault("a required member is missing", Change(place.path, drop=True), place.subject)
            for name, put in self._wrong(place.kind, place.value):
                yield Fault(name, Change(place.path, put=put), place.subject)

    def of_what_decides(self, kind: Type, value: Json, subject: str = "") -> Iterator[Fault]:
        """Yield faults of another kind: a required member that decides a union is missing."""
        for place in self._places(_Place((), kind, value, subject)):
            if place.required and place.path in place.deciding:
                yield Fault("what decides is missing", Change(place.path, drop=True), place.subject)

    def of_message(self, oracle: MessageOracle, message: Message) -> Iterator[Fault]:
        """Yield the faults of a message or a batch, including the result of a known request."""
        for reading in oracle.read(message.value, message.sender, message.results):
            assert reading.kind is not None, f"{message.value!r} is no message"
            value = message.value[reading.path[0]] if reading.path else message.value
            found = list(self.of(ObjectOf(reading.kind), value, reading.path, reading.kind))
            if reading.result is not None:
                found += self.of(reading.result, value["result"], (*reading.path, "result"), "result")
            top = len(reading.path)
            yield from (fault for fault in found if not self._makes_another(oracle, reading.kind, fault, top))

    def _makes_another(self, oracle: MessageOracle, kind: str, fault: Fault, top: int) -> bool:
        """Return whether the fault only turns the message into another kind of message."""
        change, names = fault.change, fault.change.path[top:]
        match names:
            case ():
                # In a list of its own it is a batch.
                return oracle.batches and top == 0 and type(change.put) is list
            case ("method",):
                # What is no method of the revision is a method all the same.
                return change.drop or type(change.put) is str
            case ("result",) | ("error",):
                return change.drop
            case ("id",):
                return change.drop and kind == "JSONRPCRequest"
            case _:
                return False

    def names(self, path: str) -> Iterator[tuple[str, str]]:
        """Yield the faults that the members of an object type can have, whatever its values are."""
        for field in self._protocol.objects[path].fields:
            subject = f"{path}.{field.name}"
            yield from ((subject, name) for name, _ in self._wrong(field.type, None))
            if not field.optional and not field.absence_tolerated:
                yield subject, "a required member is missing"

    def _wrong(self, kind: Type, value: Json) -> Iterator[tuple[str, Json]]:
        """Yield wrong values for the place of a value of the type."""
        kinds = self.kinds(kind)
        for name in SAMPLES:
            if name not in kinds:
                yield _fault_name(name, kinds), [value] if name == "array" and value is not None else SAMPLES[name]
        if self._is_literal(kind):
            yield "there is no such literal", NO_SUCH_LITERAL

    def kinds(self, kind: Type) -> frozenset[str]:
        """Return the kinds of JSON of the type's values."""
        match kind:
            case Scalar():
                return _SCALARS.get(kind.kind, frozenset({kind.kind}))
            case Enum():
                return frozenset(_LITERALS[type(value)] for value in kind.values)
            case ListOf():
                return frozenset({"array"})
            case ObjectOf():
                return frozenset({"object"})
            case AliasOf():
                return self.kinds(self._protocol.aliases[kind.name].type)
            case Union():
                return frozenset[str]().union(*map(self.kinds, kind.members))
            case _:
                assert_never(kind)

    def _is_literal(self, kind: Type) -> bool:
        """Return whether only certain strings are values of the type."""
        match kind:
            case Enum():
                return not kind.open and str in map(type, kind.values)
            case AliasOf():
                return self._is_literal(self._protocol.aliases[kind.name].type)
            case Union():
                texts = [member for member in kind.members if "string" in self.kinds(member)]
                return bool(texts) and all(map(self._is_literal, texts))
            case _:
                return False

    def _places(self, place: _Place) -> Iterator[_Place]:
        """Yield the place and all places below it."""
        yield place
        yield from self._below(place)

    def _below(self, place: _Place) -> Iterator[_Place]:
        kind, value, path = place.kind, place.value, place.path
        match kind:
            case AliasOf():
                yield from self._below(evolve(place, kind=self._protocol.aliases[kind.name].type))
            case Union():
                member = self._oracle.member(kind, value)
                assert member is not None, f"{value!r} is none of {kind.written}"
                deciding = place.deciding.union(_deciding(kind.decision, path))
                yield from self._below(evolve(place, kind=kind.members[member], deciding=deciding))
            case ListOf():
                for index, item in enumerate(value):
                    below = _Place((*path, index), kind.element, item, f"{place.subject}[]", deciding=place.deciding)
                    yield from self._places(below)
            case ObjectOf():
                yield from self._members(kind.path, place)
            case _:
                pass

    def _members(self, owner: str, place: _Place) -> Iterator[_Place]:
        declared = self._protocol.objects[owner]
        known = {field.name for field in declared.fields}
        for field in declared.fields:
            if field.name in place.value:
                required = not field.optional and not field.absence_tolerated
                yield from self._places(
                    _Place(
                        (*place.path, field.name),
                        field.type,
                        place.value[field.name],
                        f"{owner}.{field.name}",
                        required,
                        place.deciding,
                    )
                )
        if declared.index is not None:
            for key, item in place.value.items():
                if key not in known:
                    yield from self._places(_Place((*place.path, key), declared.index, item, f"{owner}[]"))


def _deciding(decision: Decision | None, path: Path) -> Iterator[Path]:
    """Yield the members whose absence leads to another alternative, or to another error than a missing member."""
    match decision:
        case ByKind():
            for _, branch in decision.branches:
                yield from _deciding(branch, path)
        case ByTag():
            if decision.absent is not None:
                yield (*path, decision.key)
            yield from _deciding(decision.absent, path)
            for _, branch in decision.branches:
                yield from _deciding(branch, path)
        case ByKey():
            yield (*path, decision.key)
            yield from _deciding(decision.present, path)
            yield from _deciding(decision.absent, path)
        case ByNested():
            yield from _deciding(decision.inner, (*path, decision.key))
        case ByFirst():
            yield from _deciding(decision.inner, (*path, 0))
            yield from _deciding(decision.empty, path)
        case _:
            pass


def _fault_name(put: str, kinds: frozenset[str]) -> str:
    if put == "null":
        return "null where it is not legal"
    if put == "boolean" and "integer" in kinds:
        return "a bool for a number"
    if put == "float" and "integer" in kinds:
        return "a float for an integer"
    if put == "array" and "object" in kinds:
        return "a list for an object"
    return "the wrong kind of JSON"
