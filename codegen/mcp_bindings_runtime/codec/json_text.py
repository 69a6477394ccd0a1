"""Parse and write JSON text with the standard library; refuse text that JSON (RFC 8259) implementations disagree on.

Of two members with one name the last counts, as in most parsers. ``orjson_text`` does the same with orjson.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from json.scanner import make_scanner
from typing import Any, NamedTuple, TypeAlias

from ..errors import UsageError

Text: TypeAlias = bytes | bytearray | memoryview | str


class NotJson(Exception):
    """The text is not JSON; the message says what was found."""


class Backend(NamedTuple):
    """A parser and a writer of JSON text."""

    name: str
    """The name of the library: ``json`` or ``orjson``."""
    parse: Callable[[Text], Any]
    write: Callable[[Any], bytes] | None
    """Writes JSON values; None if it is faster to write text without making them (``json_writer``)."""


def parse(data: Text) -> Any:
    """Return the value of one JSON text; raise ``NotJson``, and ``UsageError`` for an object that is no text.

    Besides bad syntax it refuses bytes that are not UTF-8, byte order marks, NaN and the infinities, numbers too large
    to be finite, integers of thousands of digits, single surrogates and nesting beyond the interpreter's limit.
    """
    try:
        text = data if isinstance(data, str) else str(data, "utf-8")
    except UnicodeDecodeError as error:
        message = f"bytes that are not UTF-8 (at byte {error.start})"
        raise NotJson(message) from None
    except TypeError:
        message = (
            f"the JSON text must be a str or UTF-8 bytes, got {data.__class__.__name__}; "
            "of a value that is already parsed, pass json.dumps(value)"
        )
        raise UsageError(message) from None
    try:
        value, end = _scan(text, 0)
        if end != len(text):
            value = _explain(text)
    except RecursionError:
        raise NotJson(_TOO_DEEP) from None
    except (ValueError, StopIteration):
        value = _explain(text)
    # Searching for one character is much faster than for the pattern, and most long texts do not contain it.
    if text is data or ("\\" in text and _SURROGATE(text)):
        _refuse_surrogates(text, value)
    return value


def write(value: Any) -> bytes:
    """Return a value as one line of UTF-8 without spaces; raise TypeError, ValueError or RecursionError."""
    return _ENCODER.encode(value).encode()


def _explain(text: str) -> Any:
    """Return the value of a text with whitespace around it; raise ``NotJson`` for other texts."""
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        what = "a byte order mark" if text.startswith("\ufeff") else "text that is not JSON"
        message = f"{what} ({error.msg[0].lower()}{error.msg[1:]}, line {error.lineno} column {error.colno})"
        raise NotJson(message) from None
    except RecursionError:
        raise NotJson(_TOO_DEEP) from None
    except ValueError:
        # Python limits the digits of an int.
        message = "an integer of too many digits"
        raise NotJson(message) from None


def _refuse_surrogates(text: str, value: Any) -> None:
    try:
        if not text.isascii():
            text.encode()
        if _SURROGATE(text):
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


def refuse_constant(name: str) -> Any:
    """Raise ``NotJson`` for NaN and the infinities, which Python reads but JSON does not have; for ``parse_constant``."""
    message = f"{name}, which is not JSON"
    raise NotJson(message)


_TOO_DEEP = "JSON nested too deeply"
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]").search
_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=refuse_constant)
_UNTYPED: Any = _DECODER  # typeshed declares another argument
_scan: Callable[[str, int], tuple[Any, int]] = make_scanner(_UNTYPED)
"""The function that ``raw_decode`` calls; the detour takes a sixth of the time of a short text."""
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False)

STANDARD = Backend("json", parse, None)
