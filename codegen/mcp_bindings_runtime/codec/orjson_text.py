"""Parse and write JSON text with orjson; texts that it treats differently from ``json_text`` go to the standard library.

The import raises ImportError if orjson is not installed (the extra ``fast``).
"""

from __future__ import annotations

from typing import Any

import orjson

from . import json_text as jsontext
from .json_text import Backend, Text


def parse(data: Text) -> Any:
    """Return the value of one JSON text; raise the ``NotJson`` of ``json_text.parse``."""
    try:
        value = loads(data)
    except ValueError:
        # orjson accepts less than the standard library in some respects, and its messages differ.
        return jsontext.parse(data)
    text: Any = data
    if text.__class__ is not bytes:
        text = text.encode() if isinstance(text, str) else bytes(text)
    # orjson silently turns integers of more than 64 bits into floats. They have at least 19 digits in a row, two of which
    # are neighbours among every ninth byte, and four among every fourth. A str is searched much faster than bytes.
    if len(text) < _LARGE or text[::64].count(b'"') >= len(text) >> 13:
        if "00" not in text[_EVERY_9TH].translate(_DIGITS_ALONE).decode():
            return value
        wrong = "0000" in text[::4].translate(_DIGITS_ALONE).decode() and _RUN in text.translate(_DIGITS_ALONE).decode()
    else:
        # The text consists of a few very long strings: walking the value is faster.
        wrong = _has_large_float(value)
    return jsontext.parse(data) if wrong else value


def write(value: Any) -> bytes:
    """Return a value as one line of UTF-8 without spaces; raise TypeError, ValueError or RecursionError."""
    try:
        return dumps(value, option=_AS_IT_IS)
    except TypeError:
        # orjson refuses integers of more than 64 bits, more than 254 levels and subclasses of float.
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
"""Translates digits to zeros and other bytes to spaces."""
_RUN = "0" * 19
"""Integers of up to 18 digits fit into 64 bits."""
_AS_IT_IS = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS

ORJSON = Backend("orjson", parse, write)
