"""Write values as JSON text; emitted writers join the texts to a message.

Like ``checks``, these functions raise ``Invalid`` without details. The text has no spaces and is not yet encoded; encoding
it finds single surrogates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from json.encoder import encode_basestring
from typing import Any

from .checks import Invalid, is_array, is_number, is_object, is_string

escape = encode_basestring
"""Returns a string with quotes; raises TypeError for anything else."""

integer: Callable[[int], str] = int.__repr__
"""Returns an integer as text, also one of a class derived from ``int``."""


def escape_long(v: str) -> str:
    """Return a string with quotes; a search for characters to escape takes a fifth of the time of escaping a long one."""
    if len(v) < _LONG or not v.isascii() or any(char in v for char in _ESCAPED):
        return escape(v)
    return f'"{v}"'


def number(v: float) -> str:
    """Return a number as text; raise ``Invalid`` for infinities, NaN and other values."""
    if v.__class__ is float:
        if v - v != 0.0:
            raise Invalid
        return repr(v)
    if not is_number(v):
        raise Invalid
    return float.__repr__(v) if isinstance(v, float) else int.__repr__(v)


def boolean(v: bool) -> str:
    """Return a boolean as text."""
    return "true" if v else "false"


def array(items: Iterable[str]) -> str:
    """Return an array of items that are text already."""
    return f"[{','.join(items)}]"


def mapping(items: Iterable[str]) -> str:
    """Return an object of members that are text already."""
    return f"{{{','.join(items)}}}"


def members(extra: dict[str, Any]) -> str:
    """Return the members of an object, a comma before each."""
    return "".join([f",{escape(key)}:{anything(item)}" for key, item in extra.items()])


def anything(v: Any) -> str:
    """Return any JSON value as text; raise ``Invalid`` or TypeError for a value without a JSON form at any depth."""
    cls = v.__class__
    if cls is str:
        return escape(v)
    if cls is dict:
        if not v:
            return "{}"
        items: list[str] = []
        for key, item in v.items():
            cls = item.__class__
            # Most members are strings or integers: no further call for them.
            text = escape(item) if cls is str else repr(item) if cls is int else anything(item)
            items.append(f"{escape(key)}:{text}")
        return f"{{{','.join(items)}}}"
    if cls is list:
        items = []
        for item in v:
            items.append(escape(item) if item.__class__ is str else anything(item))
        return f"[{','.join(items)}]"
    if cls is int:
        return repr(v)
    if cls is bool:
        return "true" if v else "false"
    if v is None:
        return "null"
    if cls is float:
        if v - v != 0.0:
            raise Invalid
        return repr(v)
    return _uncommon(v)


def _uncommon(v: Any) -> str:
    """Return as text a tuple, or a value of a class derived from those that ``json`` reads."""
    if is_string(v):
        return escape(v)
    if is_object(v):
        return mapping([f"{escape(key)}:{anything(item)}" for key, item in v.items()])
    if is_array(v):
        return array([anything(item) for item in v])
    return number(v)


_LONG = 4096
_ESCAPED = (*map(chr, range(32)), '"', "\\")
