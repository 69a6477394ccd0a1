"""Converters of strings, numbers, booleans, null, arrays and objects, by the keywords of their schemas."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count, repeat
from typing import Any, NamedTuple

from ..codec.error_wording import any_of, one_of
from .mismatch import Converter, Mismatch, MismatchError, collect


def scalar_converter(schema: Mapping[str, Any]) -> Converter:
    """Return the converter of a schema of type string, integer, number, boolean or null."""
    kind: str = schema["type"]
    if kind == "string":
        return _string(schema)
    return _number(schema) if kind in ("integer", "number") else {"boolean": _boolean, "null": _null}[kind]


def unchanged(value: Any) -> Any:
    """Return the value."""
    return value


def _boolean(value: Any) -> Any:
    if value.__class__ is not bool:
        raise MismatchError.of_json(value, "true or false")
    return value


def _null(value: Any) -> Any:
    if value is not None:
        raise MismatchError.of_json(value, "null")
    return value


def _any_string(value: Any) -> Any:
    if value.__class__ is not str:
        raise MismatchError.of_json(value, "a string")
    return value


def _string(schema: Mapping[str, Any]) -> Converter:
    least, most, pattern = schema.get("minLength", 0), schema.get("maxLength"), schema.get("pattern")
    if not least and most is None and pattern is None:
        return _any_string
    expected = f"a string{_bounds(least, most, 'characters')}"
    search = None
    if pattern is not None:
        expected = f"{expected} that matches {pattern}"
        search = re.compile(pattern).search

    def convert(value: Any) -> Any:
        if value.__class__ is not str or len(value) < least or (most is not None and len(value) > most):
            raise MismatchError.of_json(value, expected)
        if search is not None and not search(value):
            raise MismatchError.of_json(value, expected)
        return value

    return convert


def _integer(value: Any) -> Any:
    if value.__class__ is int:
        return value
    # 1.0 is an integer to JSON Schema (2020-12, Core, 4.2.3), and some languages write all numbers so.
    if value.__class__ is float and value.is_integer():
        return int(value)
    raise MismatchError.of_json(value, "an integer")


def _float(value: Any) -> Any:
    if value.__class__ is float:
        if value - value != 0.0:
            raise MismatchError.of_json(value, "a finite number")
        return value
    if value.__class__ is int:
        try:
            return float(value)
        except OverflowError:
            raise MismatchError.of_json(value, "a number that a float can hold") from None
    raise MismatchError.of_json(value, "a number")


def either_number(value: Any) -> Any:
    """Return an int or a float as it is."""
    if value.__class__ is not int and value.__class__ is not float:
        raise MismatchError.of_json(value, "a number")
    return value


def _number(schema: Mapping[str, Any]) -> Converter:
    convert_any = _integer if schema["type"] == "integer" else _float
    checks = [(limit.holds, schema[key]) for key, limit in _LIMITS.items() if key in schema]
    if not checks:
        return convert_any
    expected = expected_words(schema)

    def convert(value: Any) -> Any:
        try:
            number = convert_any(value)
        except MismatchError:
            raise MismatchError.of_json(value, expected) from None
        if not all(holds(number, limit) for holds, limit in checks):
            raise MismatchError.of_json(value, expected)
        return number

    return convert


class _Limit(NamedTuple):
    words: str
    holds: Callable[[Any, Any], bool]


def _divides(value: Any, limit: Any) -> bool:
    return bool((value / limit).is_integer())


_LIMITS: Mapping[str, _Limit] = {
    "minimum": _Limit("at least", operator.ge),
    "exclusiveMinimum": _Limit("more than", operator.gt),
    "maximum": _Limit("at most", operator.le),
    "exclusiveMaximum": _Limit("less than", operator.lt),
    "multipleOf": _Limit("a multiple of", _divides),
}


def array_converter(item: Converter, first: Sequence[Converter], keywords: Mapping[str, Any]) -> Converter:
    """Return the converter of arrays with such items; with ``first``, these are the converters of the items."""
    least, most = keywords.get("minItems", 0), keywords.get("maxItems")
    unique = keywords.get("uniqueItems", False)
    expected = f"an array{_bounds(least, most, 'items')}"

    def convert(value: Any) -> list[Any]:
        if value.__class__ is not list:
            raise MismatchError.of_json(value, expected)
        if len(value) < least or (most is not None and len(value) > most):
            raise _wrong_size(value, "items", expected)
        if unique and _repeats(value):
            raise MismatchError([Mismatch((), "found an item twice, expected each once")])
        try:
            return [each(one) for each, one in zip(first, value, strict=False)] if first else list(map(item, value))
        except MismatchError:
            # Once more for the places: most values are right the first time.
            raise MismatchError(collect(zip(count(), value, first or repeat(item), strict=False))) from None

    return convert


def members_converter(
    members: Mapping[str, Converter],
    required: Mapping[str, Callable[[], Mapping[str, Any]]],
    others: Converter | None,
    keywords: Mapping[str, Any] | None = None,
) -> Converter:
    """Return the converter of objects with these members, and with others if ``others`` converts them.

    ``required`` are functions that return the schemas of the required members, for messages.
    """
    least, most = (keywords or {}).get("minProperties", 0), (keywords or {}).get("maxProperties")
    names = list(required)
    rest = others or _refuse_member(members)
    expected = f"an object{_bounds(least, most, 'members')}"

    def convert(value: Any) -> dict[str, Any]:
        if value.__class__ is not dict:
            raise MismatchError.of_json(value, expected)
        if len(value) < least or (most is not None and len(value) > most):
            raise _wrong_size(value, "members", expected)
        try:
            for name in names:
                value[name]
            return {name: members.get(name, rest)(one) for name, one in value.items()}
        except (MismatchError, KeyError):
            # Once more for the places: most values are right the first time.
            pass
        missing = [
            Mismatch((name,), f"is missing, expected {expected_words(schema())}")
            for name, schema in required.items()
            if name not in value
        ]
        raise MismatchError(missing + collect((name, one, members.get(name, rest)) for name, one in value.items()))

    return convert


def _refuse_member(known: Iterable[str]) -> Converter:
    expected = f"only {', '.join(known)}" if known else "no members"

    def refuse(_: Any) -> Any:
        raise MismatchError([Mismatch((), f"is unknown, expected {expected}")])

    return refuse


def expected_words(schema: Mapping[str, Any]) -> str:
    """Return in words what a schema accepts."""
    if "enum" in schema:
        return one_of(schema["enum"])
    if "anyOf" in schema:
        return any_of(map(expected_words, schema["anyOf"]))
    limits = [f"{limit.words} {schema[key]}" for key, limit in _LIMITS.items() if key in schema]
    words = _WORDS.get(schema.get("type", "object" if "$ref" in schema else None), "a value")
    return f"{words}, {' and '.join(limits)}" if limits else words


_WORDS: Mapping[Any, str] = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
    "array": "an array",
    "object": "an object",
}


def _bounds(least: int, most: int | None, items: str) -> str:
    """Return the words for a range of sizes, which follow ``an array``; empty if any size is accepted."""
    if most is None:
        return f" of at least {_count(least, items)}" if least else ""
    return f" of {_count(most, items)}" if least == most else f" of {least} to {_count(most, items)}"


def _count(number: int, items: str) -> str:
    return f"{number} {items.removesuffix('s') if number == 1 else items}"


def _wrong_size(value: Any, items: str, expected: str) -> MismatchError:
    """Return the error for an array or object of the wrong size."""
    return MismatchError.of(_count(len(value), items), expected)


def _repeats(values: Sequence[Any]) -> bool:
    """Return whether two items of an array are equal."""
    keyed = [(value.__class__ is bool, value) for value in values]
    try:
        return len(set(keyed)) < len(values)
    except TypeError:
        return any(one in keyed[:place] for place, one in enumerate(keyed))
