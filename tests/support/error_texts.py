"""Expected error messages, derived from the model: the value found and the values accepted."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, assert_never

from mcp_bindgen.ir.protocol import AliasOf, Enum, ListOf, ObjectOf, Protocol, Scalar, Type, Union

Json = Any

SCALARS = {
    "string": "a string",
    "integer": "an integer",
    "float": "a number",
    "boolean": "true or false",
    "null": "null",
    "json": "a JSON value",
    "object": "an object",
}


def found(value: Json) -> str:
    """Return a value as an error shows it: short scalars as JSON, the kind of all others."""
    match value:
        case list():
            return "an array"
        case dict():
            return "an object"
        case int() if abs(value) >= 2**255:
            return "a huge integer"
        case str() if len(value) > 60:
            return json.dumps(value[:60], ensure_ascii=False) + "…"
        case _:
            return json.dumps(value, ensure_ascii=False)


def one_of(literals: Iterable[Json]) -> str:
    """Return the accepted literals as text."""
    shown = [found(each) for each in literals]
    return shown[0] if len(shown) == 1 else f"one of {', '.join(shown)}"


def expected(protocol: Protocol, kind: Type) -> str:
    """Return the values that a type accepts, as text."""
    match kind:
        case Scalar():
            return SCALARS[kind.kind]
        case Enum():
            return "a string" if kind.open else one_of(kind.values)
        case ListOf():
            return "an array"
        case ObjectOf():
            return "an object"
        case AliasOf():
            return expected(protocol, protocol.aliases[kind.name].type)
        case Union():
            *others, last = dict.fromkeys(expected(protocol, member) for member in kind.members)
            return f"{', '.join(others)} or {last}" if others else last
        case _:
            assert_never(kind)


def path_text(path: tuple[str | int, ...]) -> str:
    """Return a path as text: ``$.content[0].text``, with quotes around keys that are no names."""
    spelled = "$"
    for key in path:
        if isinstance(key, int):
            spelled += f"[{key}]"
        elif key.lstrip("$").isidentifier() and key.count("$") <= 1:
            spelled += f".{key}"
        else:
            plain = (char.isprintable() and char not in '"\\' for char in key)
            shown = (char if kept else json.dumps(char)[1:-1] for char, kept in zip(key, plain, strict=True))
            spelled += f'["{"".join(shown)}"]'
    return spelled


def pointed_at(value: Json, pointer: str) -> Json:
    """Return the value at a JSON Pointer (RFC 6901, section 4); raise LookupError if there is none."""
    for token in pointer.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value
