"""Older dialects of JSON Schema, and forms found in the wild, rewritten in the vocabulary of 2020-12.

Each keyword is rewritten by its form, not by what ``$schema`` declares: servers declare 2020-12 and write draft-04. Only
keywords beside ``$ref``, and two that draft-03 alone has, depend on the declaration, as in validators.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

from mcp_bindgen.syntax.jsonschema.keywords import ANNOTATIONS
from mcp_bindgen.syntax.jsonschema.pointers import is_array, is_object

Dialect: TypeAlias = Literal["draft-03", "draft-04 to draft-07", "later"]
"""Dialects that differ for this module."""

_DECLARATION = re.compile(r"https?://json-schema\.org/draft-0([3467])/(hyper-)?schema#?")
"""``$schema`` of the dialects in which ``$ref`` hides the keywords beside it (draft-07, Core: 8.3)."""


class Written(NamedTuple):
    """A keyword's value and the member names under which the document has it, relative to the schema."""

    value: Any
    tokens: tuple[str, ...]


def dialect_of(declared: object) -> Dialect:
    """Return the dialect that ``$schema`` declares."""
    found = _DECLARATION.fullmatch(declared) if isinstance(declared, str) else None
    if found is None:
        return "later"
    return "draft-03" if found[1] == "3" else "draft-04 to draft-07"


def rewritten(schema: Mapping[str, Any], dialect: Dialect) -> dict[str, list[Written]]:
    """Return the keywords of a schema by their 2020-12 names; a name has several values if keywords were combined."""
    found: dict[str, list[Written]] = {}
    hidden = dialect != "later" and isinstance(schema.get("$ref"), str)
    rewrites = {**_OLDER, **_DRAFT_03} if dialect == "draft-03" else _OLDER
    for name, value in schema.items():
        if hidden and name != "$ref" and name not in ANNOTATIONS:
            continue
        rewrite = rewrites.get(name)
        entries = None if rewrite is None else rewrite(name, value, schema)
        for new, written in entries if entries is not None else [(name, Written(value, (name,)))]:
            found.setdefault(new, []).append(written)
    return found


def required_members(properties: Mapping[str, Any]) -> list[str]:
    """Return the members that draft-03 requires: those whose schemas contain ``required: true``."""
    return [name for name, each in properties.items() if is_object(each) and each.get("required") is True]


_Entries = list[tuple[str, Written]]


def _items(name: str, value: Any, schema: Mapping[str, Any]) -> _Entries | None:
    """Rewrite a list (until 2019-09) as ``prefixItems``, and ``additionalItems`` as ``items``."""
    if not is_array(value):
        return None
    entries = [("prefixItems", Written(value, (name,)))] if value else []
    if "additionalItems" in schema:
        entries.append(("items", Written(schema["additionalItems"], ("additionalItems",))))
    return entries


def _bound(name: str, value: Any, schema: Mapping[str, Any]) -> _Entries | None:
    """Rewrite ``minimum`` with ``exclusiveMinimum: true`` (draft-04)."""
    exclusive = f"exclusive{name[0].upper()}{name[1:]}"
    return [(exclusive, Written(value, (name,)))] if schema.get(exclusive) is True else None


def _exclusive(_name: str, value: Any, _schema: Mapping[str, Any]) -> _Entries | None:
    return [] if isinstance(value, bool) else None


def _dependencies(name: str, value: Any, _schema: Mapping[str, Any]) -> _Entries | None:
    """Rewrite ``dependencies`` (until draft-07), whose members are names or schemas."""
    if not is_object(value):
        return [("dependentSchemas", Written(value, (name,)))]
    lists: dict[str, Any] = {key: [each] if isinstance(each, str) else each for key, each in value.items()}
    required = {key: each for key, each in lists.items() if is_array(each)}
    schemas = {key: each for key, each in lists.items() if not is_array(each)}
    entries = [("dependentRequired", Written(required, (name,)))] if required else []
    return [*entries, ("dependentSchemas", Written(schemas, (name,)))] if schemas else entries


def _required(_name: str, value: Any, _schema: Mapping[str, Any]) -> _Entries | None:
    """Drop ``required: true`` (draft-03), which belongs to the object around it."""
    return [] if isinstance(value, bool) else None


def _type(name: str, value: Any, _schema: Mapping[str, Any]) -> _Entries | None:
    """Drop ``any``, the type of every value, and rewrite a list with schemas in it as ``anyOf`` (both draft-03)."""
    if value == "any" or (is_array(value) and "any" in value):
        return []
    if is_array(value) and any(map(is_object, value)):
        kinds = [each if is_object(each) else {"type": each} for each in value]
        return [("allOf", Written([{"anyOf": kinds}], (name,)))]
    return [("type", Written(value, (name,)))]


def _disallow(name: str, value: Any, _schema: Mapping[str, Any]) -> _Entries | None:
    """Rewrite ``disallow`` (draft-03), whose value is one as of ``type``."""
    return [("allOf", Written([{"not": {"type": value}}], (name,)))] if isinstance(value, str | list) else None


def _extends(name: str, value: Any, _schema: Mapping[str, Any]) -> _Entries | None:
    """Rewrite ``extends`` (draft-03), one schema or a list."""
    schemas: Any = value if is_array(value) else [value]
    return [("allOf", Written(schemas, (name,)))] if all(map(is_object, schemas)) and schemas else None


def _identifier(_name: str, value: Any, _schema: Mapping[str, Any]) -> _Entries | None:
    """Rewrite ``id`` (draft-04) if it is a string; many objects have a member of that name."""
    return [("$id", Written(value, ("id",)))] if isinstance(value, str) else []


def _renamed(new: str) -> Callable[[str, Any, Mapping[str, Any]], _Entries | None]:
    return lambda name, value, _schema: [(new, Written(value, (name,)))]


def _nothing(_name: str, _value: Any, _schema: Mapping[str, Any]) -> _Entries | None:
    return []


_Rewrites: TypeAlias = Mapping[str, Callable[[str, Any, Mapping[str, Any]], _Entries | None]]

_OLDER: _Rewrites = MappingProxyType(
    {
        "items": _items,
        "additionalItems": _nothing,
        "minimum": _bound,
        "maximum": _bound,
        "exclusiveMinimum": _exclusive,
        "exclusiveMaximum": _exclusive,
        "divisibleBy": _renamed("multipleOf"),
        "definitions": _renamed("$defs"),
        "dependencies": _dependencies,
        "required": _required,
        "type": _type,
        "id": _identifier,
        "$recursiveRef": _renamed("$ref"),
        "$recursiveAnchor": _nothing,
    }
)
"""Keywords with a form that 2020-12 does not have, each with the function that rewrites that form."""

_DRAFT_03: _Rewrites = MappingProxyType({"disallow": _disallow, "extends": _extends})
"""Keywords that have a meaning in draft-03 alone."""
