"""A protocol as JSON Schema 2020-12, derived from schema.ts.

The official schema.json differs from schema.ts: some numbers are integers, null is not a JSON value, and objects that only
inherit an index signature are not open.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from mcp_bindgen.describe.canonical import schema_type
from mcp_bindgen.ir.protocol import (
    About,
    AliasOf,
    Constraints,
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

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Json = dict[str, Any]

_ROOT = "JSONRPCMessage"

_TYPES = {
    "string": "string",
    "integer": "integer",
    "float": "number",
    "boolean": "boolean",
    "null": "null",
    "object": "object",
}


def describe_jsonschema(protocol: Protocol) -> Json:
    """Return the document: one definition for each type, and the messages at the root."""
    return _Schema(protocol).document()


class _Schema:
    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._names = _definition_names(protocol)

    def document(self) -> Json:
        protocol = self._protocol
        paths = [*protocol.objects, *protocol.aliases]
        return {
            "$schema": DIALECT,
            "title": f"Model Context Protocol, {protocol.revision}",
            "$comment": f"Made by mcp-codegen from {protocol.source}, sha256 {protocol.sha256}",
            **self._root(),
            "$defs": {self._names[path]: self._definition(path) for path in _in_order(protocol, paths)},
        }

    def _root(self) -> Json:
        if _ROOT in self._names:
            return self._reference(_ROOT)
        messages = dict.fromkeys(method.interface for method in self._protocol.methods.values() if not method.embedded)
        return {"anyOf": [self._reference(name) for name in messages]} if messages else {}

    def _definition(self, path: str) -> Json | bool:
        alias = self._protocol.aliases.get(path)
        if alias is None:
            return self._object(self._protocol.objects[path])
        return {**_about(alias.about), **self._type(alias.type)} or True

    def _object(self, declared: ObjectType) -> Json:
        properties = {member.name: self._property(member) for member in declared.fields}
        # The envelope of the early revisions is on the wire, but their schema does not require it here.
        required = [member.name for member in declared.fields if not member.optional and not member.envelope]
        schema: Json = {**_about(declared.about), "type": "object"}
        if properties:
            schema["properties"] = properties
        if required:
            schema["required"] = required
        if declared.index is not None:
            schema["additionalProperties"] = self._type(declared.index) or True
        return schema

    def _property(self, member: Field) -> Json | bool:
        schema = {**_about(member.about), **self._type(schema_type(member)), **_keywords(member.constraints)}
        if member.default is not None:
            schema["default"] = member.default
        return schema or True

    def _type(self, kind: Type) -> Json:
        match kind:
            case Scalar():
                return {} if kind.kind == "json" else {"type": _TYPES[kind.kind]}
            case Enum():
                return _enum(kind)
            case ListOf():
                return {"type": "array", "items": self._type(kind.element) or True}
            case ObjectOf():
                return self._reference(kind.path)
            case AliasOf():
                return self._reference(kind.name)
            case Union():
                return _any_of([self._type(member) for member in kind.written])

    def _reference(self, path: str) -> Json:
        return {"$ref": f"#/$defs/{quote(self._names[path])}"}


def _about(about: About) -> Json:
    texts = [about.doc] if about.doc else []
    found: Json = {}
    if about.deprecated is not None:
        found["deprecated"] = True
        texts.append(f"Deprecated: {about.deprecated}" if about.deprecated else "Deprecated.")
    return {**({"description": "\n\n".join(texts)} if texts else {}), **found}


def _keywords(constraints: Constraints) -> Json:
    found = {
        "minimum": constraints.minimum,
        "maximum": constraints.maximum,
        "maxItems": constraints.max_items,
        "format": constraints.format,
        # `byte` is OpenAPI's name of the format; this is JSON Schema's keyword.
        "contentEncoding": "base64" if constraints.format == "byte" else None,
    }
    return {name: value for name, value in found.items() if value is not None}


def _enum(enum: Enum) -> Json:
    if enum.open:
        return {"type": "string", "examples": list(enum.values)}
    if len(enum.values) == 1:
        return {"const": enum.values[0]}
    texts = all(isinstance(value, str) for value in enum.values)
    return {**({"type": "string"} if texts else {}), "enum": list(enum.values)}


def _any_of(members: Iterable[Json]) -> Json:
    found: list[Json] = []
    for member in members:
        for one in member["anyOf"] if list(member) == ["anyOf"] else [member]:
            if one not in found:
                found.append(one)
    if {} in found:
        return {}
    if len(found) == 1:
        return found[0]
    if all(list(member) == ["type"] for member in found):
        return {"type": [member["type"] for member in found]}
    return {"anyOf": found}


def _definition_names(protocol: Protocol) -> dict[str, str]:
    """Map each path to the name of its definition: ``Tool.inputSchema`` to ``ToolInputSchema``, safe in a reference."""
    names: dict[str, str] = {}
    used = {path for path in [*protocol.objects, *protocol.aliases] if path.isidentifier()}
    for path in [*protocol.objects, *protocol.aliases]:
        if path.isidentifier():
            names[path] = path
            continue
        words = "".join(char if char.isalnum() else " " for char in path).split()
        plain = name = "".join(word[0].upper() + word[1:] for word in words)
        number = 1
        while name in used:
            number += 1
            name = f"{plain}{number}"
        used.add(name)
        names[path] = name
    return names


def _in_order(protocol: Protocol, paths: Iterable[str]) -> list[str]:
    """Return declared types in source order, each followed by its inline objects."""
    place = {name: number for number, name in enumerate(protocol.order)}
    # Sorting is stable, and inline objects come after their owner already.
    return sorted(paths, key=lambda path: place.get(path.partition(".")[0].partition("#")[0], len(place)))
