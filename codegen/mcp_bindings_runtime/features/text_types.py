"""Python types that are texts or numbers in JSON: dates, UUIDs, decimals, paths, bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

DECIMAL: Final = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"


class TextType(NamedTuple):
    """A Python type that is written as a text or number."""

    schema: Mapping[str, Any]
    expected: str
    """The accepted texts in words."""
    parse: Callable[[Any, Any], Any]
    """Return the object of a class for a JSON value; raise ValueError or ArithmeticError for a wrong one."""
    write: Callable[[Any, Any], Any]
    """Return the JSON value of an object of a class."""


def _decode_base64(_: Any, text: str) -> bytes:
    from base64 import b64decode

    return b64decode(text, validate=True)


def _encode_base64(_: Any, value: bytes) -> str:
    from base64 import b64encode

    return b64encode(value).decode()


def _construct(cls: Any, text: str) -> Any:
    return cls(text)


def _str(_: Any, value: Any) -> str:
    return str(value)


def _parse_iso(cls: Any, text: str) -> Any:
    return cls.fromisoformat(text)


def _write_iso(cls: Any, value: Any) -> Any:
    # By the class: a datetime that is returned for a date is written as a date.
    return cls.isoformat(value)


def _from_seconds(cls: Any, seconds: float) -> Any:
    return cls(seconds=seconds)


def _to_seconds(cls: Any, value: Any) -> Any:
    return cls.total_seconds(value)


def _text(schema: Mapping[str, Any], expected: str) -> TextType:
    return TextType({"type": "string", **schema}, expected, _construct, _str)


def _iso(name: str, expected: str) -> TextType:
    return TextType({"type": "string", "format": name}, expected, _parse_iso, _write_iso)


_TEXT_TYPES: Final[Mapping[tuple[str, str], TextType]] = {
    ("builtins", "bytes"): TextType(
        {"type": "string", "contentEncoding": "base64"}, "base64", _decode_base64, _encode_base64
    ),
    ("datetime", "datetime"): _iso("date-time", "a date and time such as 2025-06-18T12:00:00Z"),
    ("datetime", "date"): _iso("date", "a date such as 2025-06-18"),
    ("datetime", "time"): _iso("time", "a time such as 12:00:00"),
    ("datetime", "timedelta"): TextType(
        {"type": "number", "description": "seconds"},
        "a number of seconds",
        _from_seconds,
        _to_seconds,
    ),
    ("uuid", "UUID"): _text({"format": "uuid"}, "a UUID such as 123e4567-e89b-12d3-a456-426614174000"),
    ("decimal", "Decimal"): _text({"pattern": DECIMAL}, "a decimal number"),
    ("pathlib", "Path"): _text({}, "a path"),
    ("pathlib", "PurePath"): _text({}, "a path"),
}
"""By module and name, so that none of these modules is imported for programs that do not use it."""


def text_type_of(cls: type) -> TextType | None:
    """Return the text type that a class is; None if it is none."""
    # Python 3.13 has made a package of pathlib.
    return _TEXT_TYPES.get((cls.__module__.partition(".")[0], cls.__qualname__))


def write_text(value: Any) -> Any:
    """Return the text or number of a value whose class is a text type or inherits from one; None for others."""
    for cls in value.__class__.__mro__:
        text_type = text_type_of(cls)
        if text_type is not None:
            return text_type.write(cls, value)
    return None
