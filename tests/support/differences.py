"""Differences between two protocols on the wire, found by a parallel walk over the messages of both.

Names of types are not on the wire. So two types are compared if messages of the two protocols have them in the same
place, whatever their names, and if both protocols have one of the same name. A new type counts as a difference only if
no message contains it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from attrs import evolve, frozen
from mcp_bindgen.ir.protocol import (
    AliasOf,
    Enum,
    Field,
    ListOf,
    Method,
    ObjectOf,
    ObjectType,
    Protocol,
    Scalar,
    Type,
    Union,
)
from support import error_texts
from support.message_oracle import MessageOracle
from support.oracle import Path

Alternatives: TypeAlias = dict[str, Type]
"""Alternatives for one place, by a readable name."""

JSON = Scalar("json", "unknown")
ANY_OBJECT = Scalar("object", "object")


@frozen
class Difference:
    """One difference.

    Its text is ``+ method tasks/get`` or ``- method ping``; ``+ Tool.icons``, with ``(required)`` for a required
    member; ``~ RequestParams._meta: required``; ``+ CallToolResult.content[]: AudioContent`` for a new alternative in a
    place, and ``+ type ParseError`` for a type that no message contains.
    """

    sign: str
    subject: str
    detail: str = ""
    old: str | None = None
    new: str | None = None
    """Paths of the object types that contain the place."""
    way: Path = ()
    """Path from the object type to the place."""
    kind: Type | None = None
    """Type of the place, in the protocol that has it."""

    def __str__(self) -> str:
        return f"{self.sign} {self.subject}{self.detail}"


def differences(old: Protocol, new: Protocol) -> list[Difference]:
    """Return every difference once: first those of methods, in the order of the newer protocol."""
    found: dict[str, Difference] = {}
    for each in _Walk(old, new).everything():
        found.setdefault(str(each), each)
    return list(found.values())


def place(owner: str, member: str) -> str:
    """Return the name of a member: ``Tool.name``, ``RequestMetaObject["io.modelcontextprotocol/clientInfo"]``."""
    return owner + error_texts.path_text((member,))[1:]


class _Walk:
    """A walk through two protocols; differences that lie on several ways are found on each."""

    def __init__(self, old: Protocol, new: Protocol) -> None:
        self._old, self._new = old, new
        self._compared: set[tuple[str, str]] = set()

    def everything(self) -> Iterator[Difference]:
        yield from self._methods()
        yield from self._envelopes()
        old, new = reached(self._old), reached(self._new)
        for path in self._new.objects:
            if path in old & new:
                yield from self._objects(path, path)
        yield from self._types_in_no_message(old, new)

    def _methods(self) -> Iterator[Difference]:
        for name in [*self._new.methods, *self._old.methods]:
            old, new = self._old.methods.get(name), self._new.methods.get(name)
            if new is None:
                yield Difference("-", f"method {name}")
            elif old is None:
                yield Difference("+", f"method {name}")
            else:
                yield from self._method(old, new)

    def _method(self, old: Method, new: Method) -> Iterator[Difference]:
        if old.sent_by != new.sent_by:
            yield Difference("~", f"method {new.name}", f": sent by {' and '.join(new.sent_by)}")
        if old.embedded != new.embedded:
            yield Difference("~", f"method {new.name}", ": embedded" if new.embedded else ": a message of its own")
        yield from self._objects(old.interface, new.interface, embedding=old.embedded != new.embedded)
        if old.result is not None and new.result is not None:
            yield from self._types(Difference("", f"result of {new.name}"), old.result, new.result)

    def _envelopes(self) -> Iterator[Difference]:
        old, new = MessageOracle(self._old), MessageOracle(self._new)
        if old.batches != new.batches:
            yield Difference("+" if new.batches else "-", "batches")
        for name in ("JSONRPCRequest", "JSONRPCNotification"):
            yield from self._objects(name, name)
        yield from self._objects(old.response, new.response)
        yield from self._objects(old.error, new.error)

    def _objects(self, old: str, new: str, *, embedding: bool = False) -> Iterator[Difference]:
        if (old, new) not in self._compared:
            self._compared.add((old, new))
            without = {"jsonrpc", "id"} if embedding else set[str]()
            yield from self._members(self._old.objects[old], self._new.objects[new], without)

    def _members(self, old: ObjectType, new: ObjectType, without: set[str]) -> Iterator[Difference]:
        olds = {field.name: field for field in old.fields if field.name not in without}
        news = {field.name: field for field in new.fields if field.name not in without}
        for name, field in {**news, **olds}.items():
            owner = new.path if name in news else old.path
            here = Difference("~", place(owner, name), "", old.path, new.path, (name,), field.type)
            if name not in olds:
                yield evolve(here, sign="+", detail=f" ({_presence(field)})" * (not field.optional))
            elif name not in news:
                yield evolve(here, sign="-")
            else:
                if _presence(olds[name]) != _presence(news[name]):
                    yield evolve(here, detail=f": {_presence(news[name])}")
                yield from self._types(here, olds[name].type, news[name].type)
        rest = Difference("~", f"{new.path}[*]", "", old.path, new.path, ("x-unknown",))
        yield from self._types(rest, old.index or JSON, new.index or JSON)

    def _types(self, here: Difference, old: Type, new: Type) -> Iterator[Difference]:
        """Yield the differences between the alternatives of one place."""
        olds, news = alternatives(self._old, old), alternatives(self._new, new)
        for label in [label for label in news if label in olds]:
            yield from self._same(here, olds.pop(label), news.pop(label))
        for label, kind in list(olds.items()):
            versions = {
                name: self._shared_members(kind, each) for name, each in news.items() if self._are_versions(kind, each)
            }
            if versions:
                newer = max(versions, key=versions.__getitem__)
                yield from self._same(here, olds.pop(label), news.pop(newer))
        if "any JSON" in {**olds, **news}:
            yield evolve(here, sign="~", detail=f": {' or '.join(news)}", kind=new)
            return
        yield from (evolve(here, sign="+", detail=f": {label}", kind=kind) for label, kind in news.items())
        yield from (evolve(here, sign="-", detail=f": {label}", kind=kind) for label, kind in olds.items())

    def _are_versions(self, old: Type, new: Type) -> bool:
        """Return whether two types are versions of each other: the newer can have every required member of the older."""
        match old, new:
            case ObjectOf(), ObjectOf():
                news = {field.name: field for field in self._new.objects[new.path].fields}
                return all(
                    field.name in news and _literals(field.type) in {None, _literals(news[field.name].type)}
                    for field in self._old.objects[old.path].fields
                    if not field.optional
                )
            case _:
                return (old == ANY_OBJECT and isinstance(new, ObjectOf)) or (
                    isinstance(old, ObjectOf) and new == ANY_OBJECT
                )

    def _shared_members(self, old: Type, new: Type) -> int:
        if not (isinstance(old, ObjectOf) and isinstance(new, ObjectOf)):
            return 0
        olds = {field.name for field in self._old.objects[old.path].fields}
        return sum(field.name in olds for field in self._new.objects[new.path].fields)

    def _same(self, here: Difference, old: Type, new: Type) -> Iterator[Difference]:
        """Yield the differences between two forms of the same alternative."""
        match old, new:
            case Enum(), Enum():
                for sign, values, others in (("+", new.values, old.values), ("-", old.values, new.values)):
                    for value in values:
                        if value not in others:
                            yield evolve(here, sign=sign, detail=f": {error_texts.found(value)}", kind=Enum((value,)))
            case ListOf(), ListOf():
                element = evolve(here, subject=f"{here.subject}[]", way=(*here.way, 0))
                yield from self._types(element, old.element, new.element)
            case ObjectOf(), ObjectOf():
                yield from self._objects(old.path, new.path)
            case Scalar(), ObjectOf():
                yield from self._members(ObjectType(new.path, "inline", (), None), self._new.objects[new.path], set())
            case ObjectOf(), Scalar():
                yield from self._members(self._old.objects[old.path], ObjectType(old.path, "inline", (), None), set())
            case _:
                pass

    def _types_in_no_message(self, old: frozenset[str], new: frozenset[str]) -> Iterator[Difference]:
        sides = (("+", self._new, new, self._old), ("-", self._old, old, self._new))
        for sign, protocol, seen, other in sides:
            bases = {name for declared in protocol.objects.values() for name in declared.bases}
            for name, declared in protocol.objects.items():
                if declared.kind != "inline" and name not in seen | bases and name not in other.objects:
                    yield Difference(sign, f"type {name}")


def _presence(field: Field) -> str:
    if field.optional:
        return "optional"
    return "required of senders" if field.absence_tolerated else "required"


def _literals(kind: Type) -> tuple[object, ...] | None:
    return kind.values if isinstance(kind, Enum) and not kind.open else None


def alternatives(protocol: Protocol, kind: Type) -> Alternatives:
    """Return the alternatives of a type by name."""
    match kind:
        case AliasOf():
            return alternatives(protocol, protocol.aliases[kind.name].type)
        case Union():
            return {name: each for member in kind.members for name, each in alternatives(protocol, member).items()}
        case Enum():
            return {"a literal": kind}
        case ListOf():
            return {"an array": kind}
        case ObjectOf():
            declared = protocol.objects[kind.path]
            opaque = declared.is_map and "any JSON" in alternatives(protocol, declared.index or JSON)
            return {"an object": ANY_OBJECT} if opaque else {kind.path: kind}
        case Scalar(kind="json"):
            return {"any JSON": JSON}
        case Scalar(kind="object"):
            return {"an object": ANY_OBJECT}
        case Scalar():
            return {error_texts.SCALARS[kind.kind]: kind}


def reached(protocol: Protocol) -> frozenset[str]:
    """Return the object types that messages consist of."""
    oracle = MessageOracle(protocol)
    envelopes = ("JSONRPCRequest", "JSONRPCNotification", oracle.response, oracle.error)
    kinds: list[Type] = [ObjectOf(name) for name in envelopes]
    for method in protocol.methods.values():
        kinds += [ObjectOf(method.interface), *method.results]
    return reached_from(protocol, *kinds)


def reached_from(protocol: Protocol, *kinds: Type) -> frozenset[str]:
    """Return the object types that the given types consist of."""
    waiting, seen = list(kinds), set[str]()
    while waiting:
        match waiting.pop():
            case AliasOf(name=name):
                waiting.append(protocol.aliases[name].type)
            case ListOf(element=element):
                waiting.append(element)
            case Union(members=members):
                waiting += members
            case ObjectOf(path=path) if path not in seen:
                seen.add(path)
                declared = protocol.objects[path]
                waiting += [field.type for field in declared.fields]
                waiting += [] if declared.index is None else [declared.index]
            case _:
                pass
    return frozenset(seen)
