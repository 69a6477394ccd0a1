"""JSON text to values and back, refusing what JSON (RFC 8259) and JSON-RPC peers do not agree on.

Of two members of an object with one name the last counts, as in most parsers. This is the standard library's part;
``orjson_text`` does the same with orjson where that is installed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from json.scanner import make_scanner
from typing import Any, NamedTuple, TypeAlias

Text: TypeAlias = bytes | bytearray | memoryview | str


class NotJson(Exception):
    """The text is not JSON; the message says what was found."""


class Backend(NamedTuple):
    """What reads and writes JSON text."""

    name: str
    """The module that does the work: ``json`` or ``orjson``."""
    parse: Callable[[Text], Any]
    write: Callable[[Any], bytes] | None
    """From JSON values; None where it is faster to put the text together without making them."""


def parse(data: Text) -> Any:
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
        value, end = _scan(text, 0)
        if end != len(text):
            value = _explain(text)
    except RecursionError:
        raise NotJson(_TOO_DEEP) from None
    except (ValueError, StopIteration):
        value = _explain(text)
    # A single character is looked for much faster than more of them, and long texts are mostly free of it.
    if text is data or ("\\" in text and _SURROGATE(text)):
        _refuse_surrogates(text, value)
    return value


def write(value: Any) -> bytes:
    """One line of UTF-8 without blanks between tokens; raises TypeError, ValueError or RecursionError."""
    return _ENCODER.encode(value).encode()


def _explain(text: str) -> Any:
    """Read a text with something around its value: blanks perhaps, else raises NotJson."""
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        what = "a byte order mark" if text.startswith("\ufeff") else "text that is no JSON"
        message = f"{what} ({error.msg[0].lower()}{error.msg[1:]}, line {error.lineno} column {error.colno})"
        raise NotJson(message) from None
    except RecursionError:
        raise NotJson(_TOO_DEEP) from None
    except ValueError:
        # Python's own limit on the digits of an int.
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


def _no_constant(name: str) -> Any:
    message = f"{name}, which is no JSON"
    raise NotJson(message)


_TOO_DEEP = "JSON nested too deeply"
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]").search
_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_no_constant)
_UNTYPED: Any = _DECODER  # type checkers are told that a scanner is made of a scanner
_scan: Callable[[str, int], tuple[Any, int]] = make_scanner(_UNTYPED)
"""What ``raw_decode`` calls, which costs a short text a sixth of its time."""
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False)

STANDARD = Backend("json", parse, None)
