"""The same as ``json_text``, by orjson: what the two treat differently goes to the standard library.

Importing this raises ImportError where orjson is not installed (the extra ``fast``).
"""

from __future__ import annotations

from typing import Any

import orjson

from . import json_text as jsontext
from .json_text import Backend, Text


def parse(data: Text) -> Any:
    """The value of one JSON text; raises NotJson for what ``jsontext.parse`` refuses, in the same words."""
    try:
        value = loads(data)
    except ValueError:
        # It takes less than the standard library in some ways, and says what is wrong in other words.
        return jsontext.parse(data)
    text: Any = data
    if text.__class__ is not bytes:
        text = text.encode() if isinstance(text, str) else bytes(text)
    # An integer of more than 64 bits has become a float without a word: it has 19 digits in a row, of which two are
    # neighbours among every ninth byte, and four among every fourth. A str is searched much faster than bytes.
    if len(text) < _LARGE or text[::64].count(b'"') >= len(text) >> 13:
        if "00" not in text[_EVERY_9TH].translate(_DIGITS_ALONE).decode():
            return value
        wrong = "0000" in text[::4].translate(_DIGITS_ALONE).decode() and _RUN in text.translate(_DIGITS_ALONE).decode()
    else:
        # A few very long strings: it is faster to go through what was read.
        wrong = _has_large_float(value)
    return jsontext.parse(data) if wrong else value


def write(value: Any) -> bytes:
    """One line of UTF-8 without blanks between tokens; raises TypeError, ValueError or RecursionError."""
    try:
        return dumps(value, option=_AS_IT_IS)
    except TypeError:
        # Integers of more than 64 bits, more than 254 levels, subclasses of float.
        return jsontext.write(value)


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
dumps = orjson.dumps
_LARGE = 65536
_EVERY_9TH = slice(None, None, 9)
_DIGITS_ALONE = bytes(48 if 48 <= byte < 58 else 32 for byte in range(256))
"""Makes a zero of each digit, and a blank of all else."""
_RUN = "0" * 19
"""Every integer of 18 digits has 63 bits."""
_AS_IT_IS = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS

ORJSON = Backend("orjson", parse, write)
