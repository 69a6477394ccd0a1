"""Text that people and build servers see: nothing in it is obeyed, whatever a message or a schema says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

Severity: TypeAlias = Literal["error", "warning", "notice"]

_ESCAPES = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_IN_PROPERTIES = {**_ESCAPES, ":": "%3A", ",": "%2C"}


def visible(text: str) -> str:
    """Return the text with control characters escaped."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escaped(char) for char in text)


def annotation(severity: Severity, properties: Mapping[str, str], message: str) -> str:
    """Return a workflow command of GitHub Actions that shows a message at a changed line."""
    where = ",".join(f"{name}={_replaced(value, _IN_PROPERTIES)}" for name, value in properties.items())
    return visible(f"::{severity} {where}::{_replaced(message, _ESCAPES)}")


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _replaced(text: str, escapes: Mapping[str, str]) -> str:
    return "".join(escapes.get(char, char) for char in text)
