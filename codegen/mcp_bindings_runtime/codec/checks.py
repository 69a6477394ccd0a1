"""Checks that emitted code shares: each returns a JSON value of its type, or raises ``Invalid``.

``Invalid`` carries no details, so that valid values cost nothing more; ``error_locator`` locates the error afterwards.
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
"""The exceptions of emitted code for a wrong value; a missing key and a value of another kind raise by themselves."""


def string(v: Json) -> str:
    """Return a JSON string."""
    if v.__class__ is not str:
        raise Invalid
    checked: str = v
    return checked


def integer(v: Json) -> int:
    """Return a JSON number without fraction; refuse a bool."""
    if v.__class__ is not int:
        raise Invalid
    checked: int = v
    return checked


def number(v: Json) -> float:
    """Return a JSON number; refuse a bool."""
    if v.__class__ is not float and v.__class__ is not int:
        raise Invalid
    checked: float = v
    return checked


def boolean(v: Json) -> bool:
    """Return a JSON boolean."""
    if v.__class__ is not bool:
        raise Invalid
    checked: bool = v
    return checked


def null(v: Json) -> None:
    """Return a JSON null."""
    if v is not None:
        raise Invalid


def mapping(v: Json) -> dict[str, Any]:
    """Return a JSON object without checking its members."""
    if v.__class__ is not dict:
        raise Invalid
    checked: dict[str, Any] = v
    return checked


def is_string(v: object) -> bool:
    """Return whether a value can be written as a string; members of string enumerations can."""
    return isinstance(v, str)


def is_integer(v: object) -> bool:
    """Return whether a value can be written as an integer; a bool cannot."""
    return isinstance(v, int) and not isinstance(v, bool)


def is_number(v: object) -> bool:
    """Return whether a value can be written as a JSON number; infinities, NaN and bools cannot."""
    if isinstance(v, float):
        return v - v == 0.0
    return is_integer(v)


def is_array(v: object) -> bool:
    """Return whether a value can be written as a JSON array."""
    return isinstance(v, _ARRAYS)


def is_object(v: object) -> bool:
    """Return whether a value can be written as a JSON object."""
    return isinstance(v, dict)


_ARRAYS = (list, tuple)
ATOMS = frozenset({str, int, bool, NoneType})
"""Classes whose values are all JSON."""


def opaque(v: Any) -> None:
    """Refuse a value without a JSON form at any depth; printers silently turn other keys into strings."""
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
    """Refuse as ``opaque`` does, for tuples and values of classes derived from those that JSON text is read as."""
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
    """Refuse a mapping with a key that is not a string."""
    for key in v:
        if key.__class__ is not str and not is_string(key):
            raise Invalid


def expect(v: object, cls: type) -> None:
    """Refuse a value that is not an instance of the class."""
    if not isinstance(v, cls):
        raise Invalid


def fits(v: object, *tests: Callable[[object], bool]) -> None:
    """Refuse a value that passes none of the tests."""
    if not any(test(v) for test in tests):
        raise Invalid


T = TypeVar("T")


class ByClass(dict[type, Callable[[Any], T]]):
    """Functions by the class of their argument; derived classes are added on first use, others refused."""

    def __init__(self, functions: Mapping[type, Callable[[Any], T]]) -> None:
        super().__init__(functions)

    def __missing__(self, cls: type) -> Callable[[Any], T]:
        for base in cls.__mro__[1:]:
            if base in self:
                function = self[cls] = self[base]
                return function
        raise Invalid


def undeclared(extra: Any, declared: frozenset[str]) -> None:
    """Refuse an ``extra`` that is not a dict, or that holds a declared member."""
    if not is_object(extra) or not declared.isdisjoint(extra):
        raise Invalid


def first_match(v: object, *functions: Callable[[Any], T]) -> T:
    """Return the result of the first function that accepts the value."""
    for function in functions:
        try:
            return function(v)
        except FAULTS:
            continue
    raise Invalid
