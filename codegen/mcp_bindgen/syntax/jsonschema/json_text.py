"""Reading of untrusted JSON: bounded text to a value, in which every member name occurs once.

``json`` of the standard library accepts NaN, keeps the last of duplicate members, and recurses into nested values. The
first two are refused here with their place. Nesting is limited, so that whatever walks a value may recurse.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any, NoReturn, TypeAlias

from mcp_bindgen.errors import BindgenError, JsonFault, JsonSchemaError
from mcp_bindgen.syntax.jsonschema.pointers import below, is_array, is_object

Json: TypeAlias = Any
"""A JSON value as the standard library reads it."""

MAX_BYTES = 64 << 20
"""Maximum size of a text in bytes."""

MAX_DEPTH = 128
"""Maximum levels of arrays and objects within each other; schemas of real servers have fewer than forty."""


def read_json(data: bytes | str, source: str) -> Json:
    """Return the JSON value in a text (UTF-8 where it is bytes); ``source`` names it in errors.

    Raise ``BindgenError`` for a text that is too large or no JSON, and ``JsonSchemaError``, with JSON Pointers, for
    duplicate members, too many levels and strings that are no Unicode text.
    """
    if len(data) > MAX_BYTES:
        message = f"{source}: the text has {len(data)} bytes; the limit is {MAX_BYTES}"
        raise BindgenError(message)
    text = _decoded(data, source) if isinstance(data, bytes) else data
    decoder = json.JSONDecoder(object_pairs_hook=_object, parse_float=_finite, parse_constant=_refuse_constant)
    try:
        value = decoder.decode(text.removeprefix("\N{BYTE ORDER MARK}"))
    except json.JSONDecodeError as error:
        message = f"{source}:{error.lineno}:{error.colno}: not JSON: {error.msg}"
        raise BindgenError(message) from None
    except RecursionError:
        message = f"{source}: the JSON is nested too deeply; the limit is {MAX_DEPTH} levels"
        raise BindgenError(message) from None
    except ValueError as error:
        message = f"{source}: {_reason(error)}"
        raise BindgenError(message) from None
    check_json(value, source)
    return value


def check_json(value: Json, source: str) -> None:
    """Raise ``JsonSchemaError`` for what ``read_json`` refuses in a value that was parsed elsewhere."""
    faults: list[JsonFault] = []
    waiting: list[tuple[str, int, Json]] = [] if isinstance(value, str) and _is_text(value) else [("", 1, value)]
    # Only containers and faulty strings wait, since pointers take most of the time.
    while waiting:
        pointer, depth, each = waiting.pop()
        if isinstance(each, str):
            faults.append(JsonFault(source, pointer, "a string has an unpaired surrogate, which is no character"))
            continue
        if depth > MAX_DEPTH:
            raise JsonSchemaError([JsonFault(source, pointer, f"nested too deeply; the limit is {MAX_DEPTH} levels")])
        if isinstance(each, _Repeating):
            faults += [JsonFault(source, pointer, f"the member {name!r} occurs twice") for name in each.names]
        if is_object(each):
            if not all(map(_is_text, each)):
                faults.append(JsonFault(source, pointer, "a member name has an unpaired surrogate"))
                continue
            inner: Iterable[tuple[str | int, Json]] = each.items()
        else:
            inner = enumerate(each) if is_array(each) else ()
        waiting += [
            (below(pointer, key), depth + 1, item)
            for key, item in inner
            if item.__class__ in _CONTAINERS or (item.__class__ is str and not _is_text(item))
        ]
    if faults:
        raise JsonSchemaError(faults)


class _Repeating(dict[str, Json]):
    """An object with duplicate members."""

    names: tuple[str, ...]


def _object(members: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(members)
    if len(value) == len(members):
        return value
    marked = _Repeating(value)
    counts = Counter(name for name, _ in members)
    marked.names = tuple(name for name in value if counts[name] > 1)
    return marked


_CONTAINERS = frozenset({dict, list, _Repeating})
"""Classes of values that have others inside."""


class _Refused(ValueError):
    """A number that JSON does not have."""


def _refuse_constant(name: str) -> NoReturn:
    message = f"not JSON: {name} is not a JSON number"
    raise _Refused(message)


def _finite(digits: str) -> float:
    number = float(digits)
    if number - number != 0.0:
        message = f"the number {digits[:20]} is too large"
        raise _Refused(message)
    return number


def _reason(error: ValueError) -> str:
    # The standard library limits the digits of an integer.
    return str(error) if isinstance(error, _Refused) else "an integer has thousands of digits"


def _decoded(data: bytes, source: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"{source}:{line}: byte 0x{data[error.start]:02x} is not UTF-8"
        raise BindgenError(message) from None


def _is_text(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)
