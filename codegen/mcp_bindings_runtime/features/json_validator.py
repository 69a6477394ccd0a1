"""JSON values held against the schemas that ``type_schema`` makes: the places of all that is wrong, in words.

A schema becomes a function once, which then reads many values: it gives the value, with a whole number as an int where
integers are wanted and as a float where numbers are, or raises Misfit. No text is a number, and no bool.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from ..codec.wording import any_of, describe, one_of
from ..errors import json_path

Json: TypeAlias = Any
Fit: TypeAlias = Callable[[Json], Any]
Schema: TypeAlias = Mapping[str, Any]
Keys: TypeAlias = tuple[str | int, ...]

MOST = 20
"""Faults that are told of one value."""


class Fault(NamedTuple):
    """One thing that is wrong: where, and what."""

    keys: Keys
    text: str

    def __str__(self) -> str:
        return f"{json_path(self.keys)}: {self.text}"


class Misfit(Exception):
    """A value is not what is wanted; ``faults`` are all that is wrong with it, up to a limit."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__(faults)
        self.faults = tuple(faults[:MOST])

    @classmethod
    def of(cls, value: Json, expected: str) -> Misfit:
        """The value itself is wrong."""
        return cls([Fault((), f"found {describe(value)}, expected {expected}")])

    def below(self, key: str | int) -> list[Fault]:
        """The faults as those of a value that has this one as a member."""
        return [Fault((key, *fault.keys), fault.text) for fault in self.faults]

    def __str__(self) -> str:
        return "; ".join(map(str, self.faults))


def fit(schema: Schema) -> Fit:
    """The function that reads values of a schema."""
    return _Fits(schema.get("$defs", {})).of(schema)


class _Fits:
    def __init__(self, definitions: Mapping[str, Schema]) -> None:
        self._definitions = definitions
        self._made: dict[str, Fit] = {}

    def of(self, schema: Schema) -> Fit:
        reference = schema.get("$ref")
        if reference is not None:
            return self._referred(reference.removeprefix("#/$defs/"))
        if "anyOf" in schema:
            return self._any_of(schema["anyOf"])
        if "enum" in schema:
            return _enumerated(schema["enum"])
        kind = schema.get("type")
        if kind == "array":
            return self._array(schema)
        if kind == "object":
            return self._object(schema)
        if kind == "string":
            return _string(schema)
        if kind in ("integer", "number"):
            return _number(schema)
        return _ATOMS[kind]

    def _referred(self, name: str) -> Fit:
        if name not in self._made:
            # Known before it is made, as it may contain itself.
            self._made[name] = partial(self._later, name)
            self._made[name] = self.of(self._definitions[name])
        return self._made[name]

    def _later(self, name: str, value: Json) -> Any:
        return self._made[name](value)

    def _any_of(self, schemas: Sequence[Schema]) -> Fit:
        kinds = [schema.get("type") for schema in schemas]
        # An integer and a number: each as it comes.
        both = "integer" in kinds and "number" in kinds
        fits = [
            _either if both and len(schema) == 1 and kind == "number" else self.of(schema)
            for schema, kind in zip(schemas, kinds, strict=True)
            if not (both and len(schema) == 1 and kind == "integer")
        ]

        def read(value: Json) -> Any:
            misfits: list[Misfit] = []
            for each in fits:
                try:
                    return each(value)
                except Misfit as misfit:
                    misfits.append(misfit)
            raise _closest(value, misfits)

        return read

    def _array(self, schema: Schema) -> Fit:
        item = self.of(schema["items"]) if "items" in schema else _anything
        first = [self.of(each) for each in schema.get("prefixItems", ())]
        least, most = schema.get("minItems", 0), schema.get("maxItems")
        unique = schema.get("uniqueItems", False)
        expected = f"an array{_bounds(least, most, 'items')}"

        def read(value: Json) -> Any:
            if value.__class__ is not list or len(value) < least or (most is not None and len(value) > most):
                raise Misfit.of(value, expected) if value.__class__ is not list else _counted(value, "items", expected)
            if unique and _repeats(value):
                raise Misfit([Fault((), "found an item twice, expected each once")])
            try:
                if not first:
                    return list(map(item, value))
                return [each(one) for each, one in zip(first, value, strict=False)]
            except Misfit:
                fits: Any = first or [item] * len(value)
                raise Misfit(_faults(enumerate(value), fits.__getitem__)) from None

        return read

    def _object(self, schema: Schema) -> Fit:
        members = {name: self.of(each) for name, each in schema.get("properties", {}).items()}
        required: list[str] = list(schema.get("required", ()))
        more = schema.get("additionalProperties", True)
        others = self.of(more) if more.__class__ is dict else (_anything if more else None)
        least, most = schema.get("minProperties", 0), schema.get("maxProperties")
        expected = f"an object{_bounds(least, most, 'members')}"

        def read(value: Json) -> Any:
            if value.__class__ is not dict:
                raise Misfit.of(value, expected)
            if len(value) < least or (most is not None and len(value) > most):
                raise _counted(value, "members", expected)
            try:
                for name in required:
                    value[name]
                return {name: (members.get(name) or others)(one) for name, one in value.items()}  # type: ignore[misc]  # None is refused below
            except (Misfit, KeyError, TypeError):
                faults = [
                    Fault((name,), f"is missing, expected {_expected(schema['properties'][name])}")
                    for name in required
                    if name not in value
                ]
                faults += _faults(value.items(), lambda name: members.get(name) or others or _Unknown(list(members)))
            raise Misfit(faults)

        return read


class _Unknown:
    """Refuses a member that is not declared."""

    def __init__(self, known: list[str]) -> None:
        self._expected = f"only {', '.join(known)}" if known else "no members"

    def __call__(self, value: Json) -> Any:
        raise Misfit([Fault((), f"is unknown, expected {self._expected}")])


def _faults(items: Any, fit_of: Callable[[Any], Fit]) -> list[Fault]:
    faults: list[Fault] = []
    for key, value in items:
        try:
            fit_of(key)(value)
        except Misfit as misfit:
            faults += misfit.below(key)
        if len(faults) >= MOST:
            break
    return faults


def _closest(value: Json, misfits: Sequence[Misfit]) -> Misfit:
    """What to say of a value that is none of several things: what is wrong inside of the one that it is the most."""
    inside = [misfit for misfit in misfits if any(fault.keys for fault in misfit.faults)]
    if len(inside) == 1:
        return inside[0]
    wanted = [fault.text.rpartition("expected ")[2] for misfit in misfits for fault in misfit.faults if not fault.keys]
    wanted += ["an object or array of another form"] if inside else []
    return Misfit.of(value, any_of(wanted))


# Values without members.


def _anything(value: Json) -> Any:
    return value


def _boolean(value: Json) -> Any:
    if value.__class__ is not bool:
        raise Misfit.of(value, "true or false")
    return value


def _null(value: Json) -> Any:
    if value is not None:
        raise Misfit.of(value, "null")
    return value


def _either(value: Json) -> Any:
    if value.__class__ is not int and value.__class__ is not float:
        raise Misfit.of(value, "a number")
    return value


_ATOMS: Mapping[Any, Fit] = {None: _anything, "boolean": _boolean, "null": _null}


def _plain_string(value: Json) -> Any:
    if value.__class__ is not str:
        raise Misfit.of(value, "a string")
    return value


def _string(schema: Schema) -> Fit:
    least, most, pattern = schema.get("minLength", 0), schema.get("maxLength"), schema.get("pattern")
    if not least and most is None and pattern is None:
        return _plain_string
    expected = f"a string{_bounds(least, most, 'characters')}"
    search = None
    if pattern is not None:
        expected = f"{expected} that matches {pattern}"
        search = re.compile(pattern).search

    def read(value: Json) -> Any:
        if value.__class__ is not str or len(value) < least or (most is not None and len(value) > most):
            raise Misfit.of(value, expected)
        if search is not None and not search(value):
            raise Misfit.of(value, expected)
        return value

    return read


def _whole(value: Json) -> Any:
    if value.__class__ is int:
        return value
    # 1.0 is an integer to JSON Schema (2020-12, Core, 4.2.3), and there are languages that write all numbers so.
    if value.__class__ is float and value.is_integer():
        return int(value)
    raise Misfit.of(value, "an integer")


def _real(value: Json) -> Any:
    if value.__class__ is float:
        if value - value != 0.0:
            raise Misfit.of(value, "a finite number")
        return value
    if value.__class__ is int:
        try:
            return float(value)
        except OverflowError:
            raise Misfit.of(value, "a number that a float can hold") from None
    raise Misfit.of(value, "a number")


def _number(schema: Schema) -> Fit:
    basic = _whole if schema["type"] == "integer" else _real
    tests = [(key, schema[key]) for key in _LIMITS if key in schema]
    if not tests:
        return basic
    expected = _expected(schema)
    checks = [(_LIMITS[key].holds, limit) for key, limit in tests]

    def read(value: Json) -> Any:
        try:
            number = basic(value)
        except Misfit:
            raise Misfit.of(value, expected) from None
        if not all(holds(number, limit) for holds, limit in checks):
            raise Misfit.of(value, expected)
        return number

    return read


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


def _enumerated(values: Sequence[Any]) -> Fit:
    # 1, 1.0 and true are equal in Python, and only the first two in JSON.
    known = [(value.__class__ is bool, value) for value in values]
    expected = one_of(values)

    def read(value: Json) -> Any:
        key = (value.__class__ is bool, value)
        if key not in known:
            raise Misfit.of(value, expected)
        return values[known.index(key)]

    return read


def _expected(schema: Schema) -> str:
    """What a schema wants, in words."""
    if "enum" in schema:
        return one_of(schema["enum"])
    if "anyOf" in schema:
        return any_of(_expected(each) for each in schema["anyOf"])
    limits = [f"{_LIMITS[key].words} {schema[key]}" for key in _LIMITS if key in schema]
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


def _bounds(least: int, most: int | None, of: str) -> str:
    if most is None:
        return f" of {least} {of} or more" if least else ""
    if least == most:
        return f" of {most} {of}"
    return f" of {least} to {most} {of}"


def _counted(value: Any, of: str, expected: str) -> Misfit:
    return Misfit([Fault((), f"found {len(value)} {of}, expected {expected}")])


def _repeats(values: Sequence[Json]) -> bool:
    try:
        return len(set(map(_keyed, values))) < len(values)
    except TypeError:
        keyed = list(map(_keyed, values))
        return any(one in keyed[:place] for place, one in enumerate(keyed))


def _keyed(value: Json) -> Any:
    return (value.__class__ is bool, value)
