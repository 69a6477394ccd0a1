"""JSON Schemas of arguments and form fields: short descriptions, and conversion of words to values."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from mcp_bindgen.errors import BindgenError, parser_message

Json: TypeAlias = Any

_DEEP = 8
"""Maximum number of nested references."""
_CHOICES = ("anyOf", "oneOf")


class InvalidValueError(BindgenError):
    """A word that the schema does not accept; the message describes the valid values."""


def as_object(value: Json) -> Mapping[str, Json]:
    """Return a JSON object, or an empty one: the schemas of servers may contain anything."""
    return value if value.__class__ is dict else {}


def as_list(value: Json) -> Sequence[Json]:
    """Return an array, or an empty one."""
    return value if value.__class__ is list else ()


def resolved(schema: Json, root: Json) -> Mapping[str, Json]:
    """Return the schema, or what it references within ``root``; {} for other references, which are not fetched."""
    for _ in range(_DEEP):
        reference = as_object(schema).get("$ref")
        if not isinstance(reference, str):
            return as_object(schema)
        if not reference.startswith("#"):
            return {}
        schema = root
        for step in filter(None, reference[1:].split("/")):
            schema = as_object(schema).get(step.replace("~1", "/").replace("~0", "~"))
    return {}


def types_of(schema: Json, root: Json, depth: int = _DEEP) -> list[str]:
    """Return the JSON types that a schema accepts, in its order; none if it does not restrict them.

    Subschemas are followed to a ``depth``, as they may refer to themselves.
    """
    schema = resolved(schema, root)
    named = schema.get("type")
    if isinstance(named, str):
        return [named]
    if named is not None:
        return [each for each in as_list(named) if isinstance(each, str)]
    members = _members(schema)
    if members and depth:
        found = [name for member in members for name in types_of(member, root, depth - 1)]
        return list(dict.fromkeys(found))
    return list(dict.fromkeys(_type_of(value) for value, _ in choices(schema, root)))


def choices(schema: Json, root: Json) -> list[tuple[Json, str]]:
    """Return the values to choose from with their titles; none if any value is valid."""
    schema = resolved(schema, root)
    if "const" in schema:
        return [(schema["const"], _title(schema, schema["const"]))]
    values = as_list(schema.get("enum"))
    if values:
        titles = as_list(schema.get("enumNames"))
        return [
            (value, _text(title))
            for value, title in zip(values, titles if len(titles) == len(values) else values, strict=True)
        ]
    members = [resolved(member, root) for member in _members(schema)]
    if members and all("const" in member for member in members):
        return [(member["const"], _title(member, member["const"])) for member in members]
    return []


def in_words(schema: Json, root: Json) -> str:
    """Return a short description of the valid values: ``integer``, ``string[]``, ``red|green``."""
    return _in_words(schema, root, _DEEP)


def _in_words(schema: Json, root: Json, depth: int) -> str:
    if not depth:
        return "any"
    values = choices(schema, root)
    if values:
        return "|".join(_text(value) for value, _ in values)
    schema = resolved(schema, root)
    members = _members(schema)
    if members and "type" not in schema:
        return "|".join(dict.fromkeys(_in_words(member, root, depth - 1) for member in members))
    words = [
        f"{_in_brackets(schema.get('items', {}), root, depth)}[]" if name == "array" else name
        for name in types_of(schema, root)
    ]
    return "|".join(words) or "any"


def _in_brackets(items: Json, root: Json, depth: int) -> str:
    text = _in_words(items, root, depth - 1)
    return "" if text == "any" else f"({text})" if "|" in text else text


def read(word: str, schema: Json, root: Json) -> Json:
    """Convert a word to a value of the schema; raise `InvalidValueError`.

    A string is the word itself; numbers, true, false, null, arrays and objects are parsed as JSON. If the schema accepts
    both, a string is the last choice. Without a type in the schema, the value is a string.
    """
    values = choices(schema, root)
    if values:
        return _choose(word, values)
    wanted = types_of(schema, root)
    for name in sorted(wanted, key=_ORDER.index if set(wanted) <= set(_ORDER) else str):
        reader = _READERS.get(name)
        if reader is None:
            continue
        value = reader(word, schema, root)
        if value is not _NOTHING:
            return value
    if not wanted:
        return word
    message = f"expected {in_words(schema, root)}, got {word!r}{_hint(wanted)}"
    raise InvalidValueError(message)


def check(value: Json, schema: Json, root: Json) -> None:
    """Raise `InvalidValueError` for a value outside of the bounds of its schema."""
    schema = resolved(schema, root)
    for keyword, beyond, words in _BOUNDS:
        bound = schema.get(keyword)
        if _is_number(bound) and beyond(value, bound):
            message = f"expected {words.format(bound=bound)}, got {value!r}"
            raise InvalidValueError(message)


def items_of(schema: Json, root: Json, depth: int = _DEEP) -> Json | None:
    """Return the schema of an array's items; None if the schema accepts no array."""
    schema = resolved(schema, root)
    if "array" not in types_of(schema, root):
        return None
    if "items" in schema or not depth:
        return schema.get("items", _ANYTHING)
    arrays = (items_of(member, root, depth - 1) for member in _members(schema))
    return next((each for each in arrays if each is not None), _ANYTHING)


def from_json(text: str) -> Json:
    """Parse JSON; raise `InvalidValueError`."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as problem:
        message = f"{_short(text)} is not valid JSON: {parser_message(problem)}"
        raise InvalidValueError(message) from problem


_NOTHING: Final = object()
_ANYTHING: Json = {}


def _choose(word: str, values: Sequence[tuple[Json, str]]) -> Json:
    for value, title in values:
        if word in {_text(value), title}:
            return value
    shown = ", ".join(_text(value) if _text(value) == title else f"{_text(value)} ({title})" for value, title in values)
    message = f"expected one of {shown}, got {word!r}"
    raise InvalidValueError(message)


def _whole(word: str, _schema: Json, _root: Json) -> Json:
    return int(word) if re.fullmatch(r"[-+]?\d{1,300}", word, re.ASCII) else _NOTHING


def _number(word: str, schema: Json, root: Json) -> Json:
    whole = _whole(word, schema, root)
    if whole is not _NOTHING:
        return whole
    found = re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,3})?", word, re.ASCII)
    value = float(word) if found else float("inf")
    return value if abs(value) != float("inf") else _NOTHING


def _constant(word: str, _schema: Json, _root: Json) -> Json:
    return {"true": True, "false": False}.get(word.lower(), _NOTHING)


def _null(word: str, _schema: Json, _root: Json) -> Json:
    return None if word == "null" else _NOTHING


def _object(word: str, _schema: Json, _root: Json) -> Json:
    return from_json(word) if word.lstrip().startswith("{") else _NOTHING


def _array(word: str, schema: Json, root: Json) -> Json:
    if word.lstrip().startswith("["):
        return from_json(word)
    return [read(word, items_of(schema, root), root)]


def _string(word: str, _schema: Json, _root: Json) -> Json:
    return word


_READERS: Mapping[str, Callable[[str, Json, Json], Json]] = {
    "null": _null,
    "boolean": _constant,
    "integer": _whole,
    "number": _number,
    "object": _object,
    "array": _array,
    "string": _string,
}
_ORDER = ("null", "boolean", "integer", "number", "object", "string", "array")
"""Order of conversions: strings late, as they match anything; an array of one item last."""

_BOUNDS: Sequence[tuple[str, Callable[[Json, Json], bool], str]] = (
    ("minimum", lambda value, bound: _is_number(value) and value < bound, "at least {bound}"),
    ("maximum", lambda value, bound: _is_number(value) and value > bound, "at most {bound}"),
    (
        "minLength",
        lambda value, bound: value.__class__ is str and len(value) < bound,
        "at least {bound} characters",
    ),
    ("maxLength", lambda value, bound: value.__class__ is str and len(value) > bound, "at most {bound} characters"),
    ("minItems", lambda value, bound: value.__class__ is list and len(value) < bound, "at least {bound} items"),
    ("maxItems", lambda value, bound: value.__class__ is list and len(value) > bound, "at most {bound} items"),
)


def _members(schema: Mapping[str, Json]) -> list[Json]:
    return [member for keyword in _CHOICES for member in as_list(schema.get(keyword))]


def _type_of(value: Json) -> str:
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return names.get(value.__class__, "null")


def _title(schema: Json, value: Json) -> str:
    title = schema.get("title")
    return title if isinstance(title, str) else _text(value)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _hint(wanted: Sequence[str]) -> str:
    if "boolean" in wanted:
        return "; write true or false"
    if "object" in wanted:
        return '; write it as JSON: {"name": …}'
    return ""


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:60]}…")


def _refuse(name: str) -> Json:
    message = f"{name} is not a JSON value"
    raise ValueError(message)
