"""Older dialects of JSON Schema, and forms found in the wild, rewritten in the vocabulary of 2020-12.

Each keyword is rewritten by its form, not by what ``$schema`` declares: servers declare 2020-12 and write draft-04. Only the
meaning of a keyword beside ``$ref`` depends on the declaration, as in validators.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from mcp_bindgen.syntax.jsonschema.keywords import ANNOTATIONS
from mcp_bindgen.syntax.jsonschema.pointers import is_array, is_object

_REFERENCE_ALONE = re.compile(r"https?://json-schema\.org/draft-0[3467]/(hyper-)?schema#?")
"""Dialects in which ``$ref`` hides the keywords beside it (draft-07, Core: 8.3)."""


class Written(NamedTuple):
    """A keyword's value and the member names under which the document has it, relative to the schema."""

    value: Any
    tokens: tuple[str, ...]


def reference_stands_alone(declared: object) -> bool:
    """Return whether keywords beside ``$ref`` are ignored in the dialect that ``$schema`` declares."""
    return isinstance(declared, str) and _REFERENCE_ALONE.fullmatch(declared) is not None


def rewritten(schema: Mapping[str, Any], *, reference_alone: bool) -> dict[str, list[Written]]:
    """Return the keywords of a schema by their 2020-12 names; a name has several values if keywords were combined."""
    found: dict[str, list[Written]] = {}
    hidden = reference_alone and isinstance(schema.get("$ref"), str)
    for name, value in schema.items():
        if hidden and name != "$ref" and name not in ANNOTATIONS:
            continue
        rewrite = _OLDER.get(name)
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
    """Drop ``any`` (draft-03), the type of every value."""
    return [] if value == "any" or (is_array(value) and "any" in value) else [("type", Written(value, (name,)))]


def _identifier(_name: str, value: Any, _schema: Mapping[str, Any]) -> _Entries | None:
    """Rewrite ``id`` (draft-04) if it is a string; many objects have a member of that name."""
    return [("$id", Written(value, ("id",)))] if isinstance(value, str) else []


def _renamed(new: str) -> Callable[[str, Any, Mapping[str, Any]], _Entries | None]:
    return lambda name, value, _schema: [(new, Written(value, (name,)))]


def _nothing(_name: str, _value: Any, _schema: Mapping[str, Any]) -> _Entries | None:
    return []


_OLDER: Mapping[str, Callable[[str, Any, Mapping[str, Any]], _Entries | None]] = MappingProxyType(
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
