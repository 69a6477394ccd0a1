"""JSON text to values and back, refusing what JSON (RFC 8259) and JSON-RPC peers do not agree on.

Of two members of an object with one name the last counts, as in most parsers.
"""

from __future__ import annotations

import json
from typing import Any


class NotJson(Exception):
    """The text is not JSON; the message says what was found."""


def parse(data: bytes | bytearray | memoryview | str) -> Any:
    """The value of one JSON text; raises NotJson.

    Refused beyond bad syntax: bytes that are not UTF-8, a byte order mark, NaN and the infinities, numbers too large to
    be finite, integers of thousands of digits, halves of surrogate pairs, nesting deeper than the interpreter allows.
    """
    try:
        text = data if isinstance(data, str) else str(data, "utf-8")
    except UnicodeDecodeError as error:
        message = f"bytes that are not UTF-8 (at byte {error.start})"
        raise NotJson(message) from None
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        what = "a byte order mark" if text.startswith("\ufeff") else "text that is no JSON"
        message = f"{what} ({error.msg[0].lower()}{error.msg[1:]}, line {error.lineno} column {error.colno})"
        raise NotJson(message) from None
    except RecursionError:
        message = "JSON nested too deeply"
        raise NotJson(message) from None
    except ValueError:
        # Python's own limit on the digits of an int.
        message = "an integer of too many digits"
        raise NotJson(message) from None
    if not text.isascii() or "\\ud" in text or "\\uD" in text:
        _refuse_surrogates(text, value)
    return value


def write(value: Any) -> bytes:
    """One line of UTF-8 without blanks between tokens; raises TypeError, ValueError or RecursionError."""
    return _ENCODER.encode(value).encode()


def _refuse_surrogates(text: str, value: Any) -> None:
    try:
        text.encode()
        if "\\ud" in text or "\\uD" in text:
            write(value)
    except UnicodeEncodeError:
        message = "a string with half a surrogate pair"
        raise NotJson(message) from None


def _finite(digits: str) -> float:
    number = float(digits)
    if number - number != 0.0:
        message = "a number too large to be finite"
        raise NotJson(message)
    return number


def _no_constant(name: str) -> Any:
    message = f"{name}, which is no JSON"
    raise NotJson(message)


_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_no_constant)
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
