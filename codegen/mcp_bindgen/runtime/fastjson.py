"""The same as ``jsontext``, by orjson: what the two treat differently goes to the standard library.

Importing this raises ImportError where orjson is not installed (the extra ``fast``).
"""

from __future__ import annotations

from typing import Any

import orjson

from . import jsontext
from .jsontext import Backend, Text


def parse(data: Text) -> Any:
    """The value of one JSON text; raises NotJson for what ``jsontext.parse`` refuses, in the same words."""
    try:
        value = loads(data)
    except ValueError:
        # It takes less than the standard library in some ways, and says what is wrong in other words.
        return jsontext.parse(data)
    text: Any = data
    if text.__class__ is bytes and len(text) < _SMALL and len(text.translate(None, _NO_DIGITS)) < _DIGITS:
        return value
    if _has_long_number(data, value):
        return jsontext.parse(data)
    return value


def write(value: Any) -> bytes:
    """One line of UTF-8 without blanks between tokens; raises TypeError, ValueError or RecursionError."""
    try:
        return orjson.dumps(value, option=_AS_IT_IS)
    except TypeError:
        # Integers of more than 64 bits, more than 254 levels, subclasses of float.
        return jsontext.write(value)


def _has_long_number(data: Text, value: Any) -> bool:
    """Whether there may be an integer of more than 64 bits, which orjson makes a float without a word."""
    text = data.encode() if isinstance(data, str) else data if isinstance(data, bytes) else bytes(data)
    size = len(text)
    if size < _SMALL:
        return _RUN in text.translate(_AS_ZERO)
    if size > _LARGE and text[::64].count(b'"') < size >> 13:
        # A few very long strings: it is faster to go through what was read.
        return _has_large_float(value)
    # A run of 19 digits shows as two neighbours among every ninth byte, and as four among every fourth.
    return (
        b"00" in text[::9].translate(_AS_ZERO)
        and b"0000" in text[::4].translate(_AS_ZERO)
        and _RUN in text.translate(_AS_ZERO)
    )


def _has_large_float(value: Any) -> bool:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        cls = item.__class__
        if cls is dict:
            waiting += item.values()
        elif cls is list:
            waiting += item
        elif cls is float and (item >= 2.0**63 or item <= -(2.0**63)):
            return True
    return False


loads = orjson.loads
_SMALL = 1024
_LARGE = 65536
_DIGITS = 19
"""Every integer of 18 digits has 63 bits."""
_NO_DIGITS = bytes(byte for byte in range(256) if not 48 <= byte < 58)
_AS_ZERO = bytes(48 if 48 <= byte < 58 else byte for byte in range(256))
_RUN = b"0" * _DIGITS
_AS_IT_IS = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS

ORJSON = Backend("orjson", parse, write)
