"""JSON text of values: what emitted writers put together to the text of a message.

Like ``checks``, these only say *that* something has no JSON form. Text is without blanks between tokens, and not yet
encoded, so that half a surrogate pair is found by whoever does that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from json.encoder import encode_basestring
from typing import Any

from .checks import Invalid, is_array, is_number, is_object, is_string

escape = encode_basestring
"""A string with its quotes; TypeError for anything else."""

integer: Callable[[int], str] = int.__repr__
"""An integer, one of a class derived from ``int`` too."""


def escape_long(v: str) -> str:
    """A string that may be of megabytes and rarely needs escaping: to look for that takes a fifth of the time."""
    if len(v) < _LONG or not v.isascii() or any(char in v for char in _ESCAPED):
        return escape(v)
    return f'"{v}"'


def number(v: float) -> str:
    """A number; raises Invalid for one that is not finite, and for anything else."""
    if v.__class__ is float:
        if v - v != 0.0:
            raise Invalid
        return repr(v)
    if not is_number(v):
        raise Invalid
    return float.__repr__(v) if isinstance(v, float) else int.__repr__(v)


def boolean(v: bool) -> str:
    """True or false."""
    return "true" if v else "false"


def array(items: Iterable[str]) -> str:
    """An array of texts."""
    return f"[{','.join(items)}]"


def mapping(items: Iterable[str]) -> str:
    """An object of members that are text already."""
    return f"{{{','.join(items)}}}"


def members(extra: dict[str, Any]) -> str:
    """The members of an object, a comma before each."""
    return "".join([f",{escape(key)}:{anything(item)}" for key, item in extra.items()])


def anything(v: Any) -> str:
    """Any JSON; raises Invalid or TypeError for what has no JSON form, however deep."""
    cls = v.__class__
    if cls is str:
        return escape(v)
    if cls is dict:
        if not v:
            return "{}"
        items: list[str] = []
        for key, item in v.items():
            cls = item.__class__
            # What most members are, without another call.
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
    """Tuples, and values of classes that derive from what ``json`` reads."""
    if is_string(v):
        return escape(v)
    if is_object(v):
        return mapping([f"{escape(key)}:{anything(item)}" for key, item in v.items()])
    if is_array(v):
        return array([anything(item) for item in v])
    return number(v)


_LONG = 4096
_ESCAPED = (*map(chr, range(32)), '"', "\\")
