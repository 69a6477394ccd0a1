"""JSON values of Python values without annotation: by the class of each value."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

from .class_fields import fields_of, is_class_with_fields
from .mismatch import Mismatch, MismatchError
from .text_types import write_text

_ARRAYS = (list, tuple, set, frozenset, deque)


def to_json(value: Any) -> Any:
    """Return the JSON value of a value without annotation; raise MismatchError if it has none."""
    if value is None or value.__class__ in (str, int, bool):
        return value
    if next(_not_json(value, ()), None) is None:
        return value
    try:
        written = by_class(value)
    except (AttributeError, TypeError, ValueError, LookupError) as error:
        raise MismatchError([Mismatch((), f"found an incomplete {value.__class__.__name__}: {error}")]) from error
    mismatches = list(_not_json(written, ()))
    if mismatches:
        raise MismatchError(mismatches)
    return written


def by_class(value: Any) -> Any:
    """Convert a value and everything in it by its class; leave what has no JSON value as it is."""
    cls = value.__class__
    if value is None or cls in (str, int, float, bool):
        return value
    if isinstance(value, Enum):
        return value.value
    text = write_text(value)
    if text is not None:
        return text
    if is_class_with_fields(cls):
        return {each.name: by_class(getattr(value, each.attribute)) for each in fields_of(cls, {})}
    items: Any = value
    if isinstance(value, Mapping):
        return {by_class(key): by_class(item) for key, item in items.items()}
    return [by_class(item) for item in items] if isinstance(value, _ARRAYS) else value


def default_of(value: Any) -> dict[str, Any]:
    """Return ``default`` with the JSON value of a parameter's default; nothing if it has none."""
    try:
        return {"default": _default(value)}
    except TypeError:
        return {}


def _default(value: Any) -> Any:
    if isinstance(value, Enum):
        return _default(value.value)
    if value is None or value.__class__ in (str, int, bool) or (value.__class__ is float and value - value == 0):
        return value
    if value.__class__ in (list, tuple):
        return [_default(item) for item in value]
    if value.__class__ is dict and all(key.__class__ is str for key in value):
        return {key: _default(item) for key, item in value.items()}
    text = None if isinstance(value, bytes) else write_text(value)
    if text is None:
        raise TypeError(value.__class__)
    return text


def _not_json(value: Any, keys: tuple[str | int, ...]) -> Iterator[Mismatch]:
    """Yield the parts of a value that JSON does not have."""
    cls = value.__class__
    if value is None or cls in (str, int, bool):
        return
    if cls is float:
        if value - value != 0.0:
            yield Mismatch(keys, f"found {value}, expected a finite number")
    elif cls is list:
        for place, item in enumerate(value):
            yield from _not_json(item, (*keys, place))
    elif cls is dict:
        for key, item in value.items():
            if key.__class__ is not str:
                yield Mismatch(keys, f"found the key {key!r}, expected a str")
            else:
                yield from _not_json(item, (*keys, key))
    else:
        # Rows of databases, for example.
        hint = "; convert it with dict()" if hasattr(value, "keys") else ""
        yield Mismatch(keys, f"found {cls.__name__}, which is not a JSON value{hint}")
