"""Redaction of recorded messages: values at places, and text that matches patterns."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from ..codec.json_pointers import parse_pointers, replaced_at
from ..errors import UsageError

REDACTED: Final = "[redacted]"
"""Text in place of a redacted one."""


class Redaction:
    """Replaces the values at JSON Pointers, and every text that matches a regular expression.

    A rule that begins with ``/`` is a JSON Pointer below the message, in which ``*`` stands for every member or element;
    any other is a regular expression. A value keeps its kind, so that the message stays valid: text becomes ``[redacted]``,
    a number 0, true false, and the values in an object or array are redacted one by one. Raise ``UsageError`` for a rule
    that is neither.
    """

    def __init__(self, rules: Sequence[str]) -> None:
        self._pointers = parse_pointers([rule for rule in rules if rule.startswith("/")])
        self._patterns = [_pattern(rule) for rule in rules if not rule.startswith("/")]

    def redact(self, message: Any) -> Any:
        """Return a copy of a message, or of a batch each of whose messages is redacted."""
        if message.__class__ is list:
            return [self.redact(each) for each in message]
        found = replaced_at(message, self._pointers, _blank)
        return _each_text(found, self.redact_text) if self._patterns else found

    def redact_text(self, text: str) -> str:
        """Return a text in which every match of a pattern is replaced."""
        for pattern in self._patterns:
            text = pattern.sub(REDACTED, text)
        return text


def _pattern(rule: str) -> re.Pattern[str]:
    try:
        return re.compile(rule)
    except re.error as fault:
        text = f"{rule!r} in `redact` is no regular expression ({fault}), and no JSON Pointer, which begins with '/'"
        raise UsageError(text) from None


def _blank(value: Any) -> Any:
    if value is None or value is False:
        return value
    if value is True:
        return False
    if isinstance(value, str):
        return REDACTED
    if value.__class__ is dict:
        return {key: _blank(item) for key, item in value.items()}
    if value.__class__ is list:
        return [_blank(item) for item in value]
    return 0 if value.__class__ is int else 0.0


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    """Return a JSON value with every text in it changed; names of members stay."""
    if isinstance(value, str):
        return change(value)
    if value.__class__ is dict:
        return {key: _each_text(item, change) for key, item in value.items()}
    return [_each_text(item, change) for item in value] if value.__class__ is list else value
