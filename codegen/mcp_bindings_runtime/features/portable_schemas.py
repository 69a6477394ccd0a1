"""Input schemas that every known host accepts, made from those that annotations lead to.

The rules are those of ``mcp-codegen tools lint``, which names the hosts that refuse the other forms: every schema has one
type or is an ``anyOf`` of schemas that do, nothing refers to a definition, arrays have ``items``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ..errors import UsageError
from .schema_writer import Schema

_MAX_SCHEMAS: Final = 10_000
"""Limit on the subschemas in the input schema of a tool with `schemas='portable'`. Such an input schema repeats a
definition wherever the definition is used.
"""
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PREFIX: Final = "#/$defs/"

_PLAIN: Final = ("string", "number", "boolean", "object", "null")
_ANY_ITEM: Final[Schema] = {"anyOf": [{"type": name} for name in _PLAIN]}
_ANY: Final[Schema] = {"anyOf": [*_ANY_ITEM["anyOf"], {"type": "array", "items": _ANY_ITEM}]}
"""Any value. An array in an array has no type there: a schema of all values would contain itself."""


def require_portable(what: str, name: str, description: object) -> None:
    """Raise `UsageError` for a name that some hosts refuse, and for a tool without a description."""
    if not _NAME.fullmatch(name):
        text = (
            f"{what}: schemas='portable' needs a name of 1 to 64 letters (A-Z, a-z), digits, _ and -, got {name!r}; "
            "pass name="
        )
        raise UsageError(text)
    if not isinstance(description, str) or not description.strip():
        text = f"{what}: schemas='portable' needs a description; add a docstring, or pass description="
        raise UsageError(text)


def portable_schema(schema: Mapping[str, Any], what: str) -> Schema:
    """Return the schema of a tool's arguments in its portable form; ``what`` names the tool in errors.

    Values of the result are values of ``schema``. Raise `UsageError` for a class that contains itself, whose schema needs a
    reference, and for more than 10,000 schemas.
    """
    written = _Writer(schema.get("$defs", {}), what).written(schema, ())
    return {**written, "properties": written.get("properties", {})}


class _Writer:
    def __init__(self, definitions: Mapping[str, Any], what: str) -> None:
        self._definitions = definitions
        self._what = what
        self._count = 0

    def written(self, schema: Mapping[str, Any], inside: tuple[str, ...]) -> Schema:
        """Return a schema in its portable form; ``inside`` are the definitions around it."""
        self._count += 1
        if self._count > _MAX_SCHEMAS:
            text = f"{self._what}: its portable schema has more than {_MAX_SCHEMAS} schemas; use smaller classes"
            raise UsageError(text)
        reference = schema.get("$ref")
        if reference is not None:
            name = reference.removeprefix(_PREFIX)
            if name in inside:
                text = (
                    f"{self._what}: {name} contains itself, which needs $ref, and hosts refuse that; "
                    "leave out schemas='portable', or pass its depth as separate classes"
                )
                raise UsageError(text)
            beside = {key: value for key, value in schema.items() if key not in ("$ref", "$defs")}
            return self.written({**self._definitions[name], **beside}, (*inside, name))
        found = {key: self._keyword(key, value, inside) for key, value in schema.items() if key != "$defs"}
        return self._typed(found)

    def _keyword(self, key: str, value: Any, inside: tuple[str, ...]) -> Any:
        if key == "properties":
            return {name: self.written(each, inside) for name, each in value.items()}
        if key in ("anyOf", "prefixItems"):
            return [self.written(each, inside) for each in value]
        if key in ("items", "additionalProperties") and value.__class__ is dict:
            return self.written(value, inside)
        return value

    def _typed(self, schema: Schema) -> Schema:
        """Return a schema with its type; ``enum`` of several types becomes one schema for each."""
        kind = schema.get("type")
        if kind == "array" and "items" not in schema and "prefixItems" not in schema:
            return {**schema, "items": _ANY_ITEM}
        if kind is not None or "anyOf" in schema:
            return schema
        if "enum" not in schema:
            return {**schema, **_ANY}
        values: dict[str, list[Any]] = {}
        for each in schema["enum"]:
            values.setdefault(_TYPES[each.__class__], []).append(each)
        branches = [{"type": name, "enum": listed} for name, listed in values.items()]
        others = {key: value for key, value in schema.items() if key != "enum"}
        return {**others, **(branches[0] if len(branches) == 1 else {"anyOf": branches})}


_TYPES: Final[Mapping[type, str]] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    type(None): "null",
}
