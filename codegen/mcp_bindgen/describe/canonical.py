"""Canonical TypeScript text of resolved types: two types with the same text accept the same values.

Interfaces stay names (``@Tool``); aliases and inline objects are written out; members of unions and keys are sorted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping

from attrs import evolve

from mcp_bindgen.errors import BindgenError
from mcp_bindgen.ir.protocol import (
    AliasOf,
    AliasType,
    Enum,
    Field,
    ListOf,
    ObjectOf,
    ObjectType,
    Protocol,
    Scalar,
    Type,
    Union,
)
from mcp_bindgen.ir.walk import parts
from mcp_bindgen.resolve.graphs import components

MAX_TEXT = 200_000
"""Maximum length of a type's text, which aliases of aliases can double with each step."""

_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")

_KEYWORDS = {
    "string": "string",
    "integer": "number",
    "float": "number",
    "boolean": "boolean",
    "null": "null",
    "object": "object",
}

_LITERALS: Mapping[str, Callable[[str], bool]] = {
    "boolean": lambda text: text in {"false", "true"},
    "number": lambda text: text[0] in "-0123456789",
    "string": lambda text: text[0] == '"',
}
"""Predicates by keyword: whether a text is a literal of that type."""


class Canonical:
    """Canonical texts of the types of one protocol."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._aliases: dict[str, frozenset[str]] = {}
        self._objects: dict[str, str] = {}
        # Referenced names are written first, so that a long chain of aliases causes no deep recursion.
        for group in components([*protocol.objects, *protocol.aliases], self._edges):
            for name in group:
                self._write(name)

    def text(self, kind: Type) -> str:
        """Return the canonical text of a type."""
        return _joined(self._members(kind))

    def known(self, kind: Type) -> list[str | int | float | bool]:
        """Return the known values of open enumerations in a type, which are not part of its text."""
        found: dict[str | int | float | bool, None] = {}
        for enum in self._open_enums(kind):
            found.update(dict.fromkeys(enum.values))
        return list(found)

    def properties(self, declared: ObjectType) -> tuple[Field, ...]:
        """Return the fields that a schema declares for an object, without those of an added envelope."""
        return tuple(member for member in declared.fields if not member.envelope)

    def _members(self, kind: Type) -> frozenset[str]:
        """Return the alternatives of a type, each as text."""
        match kind:
            case Scalar():
                return frozenset({_KEYWORDS.get(kind.kind, kind.written)})
            case Enum():
                return frozenset({"string"} if kind.open else map(literal, kind.values))
            case ListOf():
                return frozenset({f"Array<{self.text(kind.element)}>"})
            case Union():
                return frozenset[str]().union(*(self._members(member) for member in kind.written))
            case AliasOf():
                return self._alias(kind.name)
            case ObjectOf():
                return frozenset({self._object(kind.path)})

    def _write(self, name: str) -> None:
        size = len(self._object(name)) if name in self._protocol.objects else sum(map(len, self._alias(name)))
        if size > MAX_TEXT:
            message = f"{name} written out in full exceeds {MAX_TEXT:,} characters"
            raise BindgenError(message)

    def _alias(self, name: str) -> frozenset[str]:
        if name not in self._aliases:
            alias = self._protocol.aliases[name]
            self._aliases[name] = frozenset({f"@{name}"}) if alias.recursive else self._members(alias.type)
        return self._aliases[name]

    def _object(self, path: str) -> str:
        if path not in self._objects:
            declared = self._protocol.objects[path]
            named = declared.kind == "interface" or declared.recursive
            self._objects[path] = f"@{path}" if named else self._literal(declared)
        return self._objects[path]

    def _literal(self, declared: ObjectType) -> str:
        parts = [
            f"{key(member.name)}{'?' if member.optional else ''}: {self.text(schema_type(member))}"
            for member in sorted(self.properties(declared), key=lambda member: member.name)
        ]
        if declared.index is not None:
            parts.append(f"[string]: {self.text(declared.index)}")
        return f"{{{', '.join(parts)}}}"

    def _edges(self, name: str) -> Iterator[str]:
        """Yield the names that the text of a name writes out."""
        alias = self._protocol.aliases.get(name)
        if alias is not None:
            yield from () if alias.recursive else self._expanded(alias.type)
            return
        declared = self._protocol.objects[name]
        if declared.kind != "interface" and not declared.recursive:
            for member in declared.fields:
                yield from self._expanded(member.type)
            if declared.index is not None:
                yield from self._expanded(declared.index)

    def _expanded(self, kind: Type) -> Iterator[str]:
        for part in parts(kind):
            if isinstance(part, AliasOf):
                yield part.name
            elif isinstance(part, ObjectOf) and self._protocol.objects[part.path].kind != "interface":
                yield part.path

    def _open_enums(self, kind: Type) -> Iterator[Enum]:
        seen: set[str] = set()
        waiting = [kind]
        while waiting:
            part = waiting.pop()
            if isinstance(part, Enum) and part.open:
                yield part
            elif isinstance(part, ListOf):
                waiting.append(part.element)
            elif isinstance(part, Union):
                waiting.extend(part.written[::-1])
            elif isinstance(part, AliasOf) and part.name not in seen:
                seen.add(part.name)
                waiting.append(self._protocol.aliases[part.name].type)


def schema_type(member: Field) -> Type:
    """Return the type that the schema declares for a field, without a null that receivers tolerate."""
    kind = member.type
    if not member.null_tolerated or not isinstance(kind, Union):
        return kind
    left = tuple(part for part in kind.written if not (isinstance(part, Scalar) and part.kind == "null"))
    return left[0] if len(left) == 1 else evolve(kind, written=left)


def object_of(protocol: Protocol, alias: AliasType) -> ObjectType | None:
    """Return the object for which an alias is another name, directly or through other aliases."""
    kind = alias.type
    seen = {alias.name}
    while isinstance(kind, AliasOf) and kind.name not in seen:
        seen.add(kind.name)
        kind = protocol.aliases[kind.name].type
    return protocol.objects[kind.path] if isinstance(kind, ObjectOf) else None


def literal(value: str | int | float | bool) -> str:
    """Return a value as TypeScript and JSON write it."""
    return json.dumps(value, ensure_ascii=False)


def key(name: str) -> str:
    """Return a property's name, in quotes if it needs them."""
    return name if _IDENTIFIER.fullmatch(name) else literal(name)


def _joined(members: frozenset[str]) -> str:
    # `"a" | string` accepts the values of `string`; two spellings would not be canonical.
    if members >= {"false", "true"}:
        members |= {"boolean"}
    included = {keyword for keyword in _LITERALS if keyword in members}
    return " | ".join(sorted(each for each in members if not any(_LITERALS[keyword](each) for keyword in included)))
