"""Checks that emitted code shares: small functions that give back a JSON value, or refuse it.

They say only *that* a value is wrong. Where and why is found out afterwards, by ``type_tables``, so that the good path pays
nothing for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeVar

Json: TypeAlias = Any
"""A JSON value as the standard library reads it."""


NoneType = type(None)


class Invalid(Exception):
    """The value is not of the type."""


FAULTS = (Invalid, KeyError, TypeError, AttributeError, IndexError, RecursionError)
"""What emitted code raises over a wrong value: a missing key and a value of another kind show themselves."""


def string(v: Json) -> str:
    """A JSON string."""
    if v.__class__ is not str:
        raise Invalid
    checked: str = v
    return checked


def integer(v: Json) -> int:
    """A JSON number without fraction; a bool is none."""
    if v.__class__ is not int:
        raise Invalid
    checked: int = v
    return checked


def number(v: Json) -> float:
    """A JSON number; a bool is none."""
    if v.__class__ is not float and v.__class__ is not int:
        raise Invalid
    checked: float = v
    return checked


def boolean(v: Json) -> bool:
    """A JSON true or false."""
    if v.__class__ is not bool:
        raise Invalid
    checked: bool = v
    return checked


def null(v: Json) -> None:
    """A JSON null."""
    if v is not None:
        raise Invalid


def mapping(v: Json) -> dict[str, Any]:
    """A JSON object whose members are not looked at."""
    if v.__class__ is not dict:
        raise Invalid
    checked: dict[str, Any] = v
    return checked


def is_string(v: object) -> bool:
    """Whether a value that is no plain ``str`` can be written as one: a member of a string enumeration, say."""
    return isinstance(v, str)


def is_integer(v: object) -> bool:
    """Whether a value that is no plain ``int`` can be written as one; a bool cannot."""
    return isinstance(v, int) and not isinstance(v, bool)


def is_number(v: object) -> bool:
    """Whether a value can be written as a JSON number: finite, and no bool."""
    if isinstance(v, float):
        return v - v == 0.0
    return is_integer(v)


def is_array(v: object) -> bool:
    """Whether a value can be written as a JSON array."""
    return isinstance(v, _ARRAYS)


def is_object(v: object) -> bool:
    """Whether a value can be written as a JSON object."""
    return isinstance(v, dict)


_ARRAYS = (list, tuple)
ATOMS = frozenset({str, int, bool, NoneType})
"""Classes of which every value is JSON."""


def opaque(v: Any) -> None:
    """Refuse what has no JSON form, however deep: printers turn a key that is no string into one without a word."""
    cls = v.__class__
    if cls is dict:
        for key, item in v.items():
            if key.__class__ is not str and not is_string(key):
                raise Invalid
            if item.__class__ not in ATOMS:
                opaque(item)
    elif cls is list:
        for item in v:
            if item.__class__ not in ATOMS:
                opaque(item)
    elif cls is float:
        if v - v != 0.0:
            raise Invalid
    elif cls not in ATOMS:
        _uncommon(v)


def _uncommon(v: Any) -> None:
    """Tuples, and values of classes that derive from what is read from JSON."""
    if is_object(v):
        keys(v)
        for item in v.values():
            opaque(item)
    elif is_array(v):
        for item in v:
            opaque(item)
    elif not is_string(v) and not is_number(v):
        raise Invalid


def keys(v: Any) -> None:
    """Refuse a mapping of which a key is no string."""
    for key in v:
        if key.__class__ is not str and not is_string(key):
            raise Invalid


def expect(v: object, cls: type) -> None:
    """Refuse a value that is not of the class, or of one that derives from it."""
    if not isinstance(v, cls):
        raise Invalid


def fits(v: object, *tests: Callable[[object], bool]) -> None:
    """Refuse a value that none of the tests takes."""
    if not any(test(v) for test in tests):
        raise Invalid


T = TypeVar("T")


class ByClass(dict[type, Callable[[Any], T]]):
    """Functions by the class of their argument; a class that is not there is refused or, derived from one, learned."""

    def __init__(self, functions: Mapping[type, Callable[[Any], T]]) -> None:
        super().__init__(functions)

    def __missing__(self, cls: type) -> Callable[[Any], T]:
        for base in cls.__mro__[1:]:
            if base in self:
                function = self[cls] = self[base]
                return function
        raise Invalid


def undeclared(extra: Any, declared: frozenset[str]) -> None:
    """Refuse an ``extra`` that is no mapping, or holds what has an attribute of its own."""
    if not is_object(extra) or not declared.isdisjoint(extra):
        raise Invalid


def first_match(v: object, *functions: Callable[[Any], T]) -> T:
    """What the first function that takes the value makes of it."""
    for function in functions:
        try:
            return function(v)
        except FAULTS:
            continue
    raise Invalid
