"""Parser of JSON texts that reports duplicate members of objects.

It rejects what ``codec.json_text`` rejects, so that the validation accepts exactly what a peer could have read.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, NamedTuple, NoReturn

from mcp_bindgen.validate.entries import Json, Path


class NotJson(Exception):
    """The text is not JSON; ``str()`` describes the error."""

    def __init__(self, message: str, code: str = "json", line: int = 1, *, unfinished: bool = False) -> None:
        super().__init__(message)
        self.code = code
        """``json``, ``encoding`` or ``depth``."""
        self.line = line
        """Line of the error, from 1."""
        self.unfinished = unfinished
        """Whether the text may be the beginning of a JSON text."""


class Parsed(NamedTuple):
    """A parsed value, and the paths of duplicate members. Of two members with one name the value has the last."""

    value: Json
    repeated: list[Path]


class _Repeating(dict[str, Any]):
    """An object with duplicate members."""

    __slots__ = ("names",)
    names: list[str]


def decoded(data: bytes) -> str:
    """Decode UTF-8; raise `NotJson`."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        message = f"byte 0x{data[error.start]:02x} at column {column} is not UTF-8"
        raise NotJson(message, "encoding", line) from None


class Parser:
    """Parser of JSON texts."""

    def __init__(self) -> None:
        self._repeating = False
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._object, parse_float=_finite, parse_constant=_no_constant
        )

    def parse(self, text: str) -> Parsed:
        """Parse a text that consists of one JSON value; raise `NotJson`."""
        value, end = self._scan(text, 0)
        end = _after_blanks(text, end)
        if end != len(text):
            message = f"not JSON: extra text after the value at {_where(text, end)}"
            raise NotJson(message, line=text.count("\n", 0, end) + 1)
        return self._finished(text, value)

    def parse_at(self, text: str, start: int) -> tuple[Parsed, int]:
        """Parse the value that begins at ``start``; return it and its end, or raise `NotJson`."""
        value, end = self._scan(text, start)
        return self._finished(text[start:end], value), end

    def _scan(self, text: str, start: int) -> tuple[Any, int]:
        self._repeating = False
        try:
            return self._decoder.raw_decode(text, _after_blanks(text, start))
        except json.JSONDecodeError as error:
            # The error of an unterminated string points to its start.
            unfinished = "Unterminated string" in error.msg or not text[error.pos :].strip()
            raise NotJson(_reason(error, text, unfinished), line=error.lineno, unfinished=unfinished) from None
        except RecursionError:
            raise NotJson(_TOO_DEEP, "depth") from None
        except ValueError:
            # Python's own limit on the digits of an int.
            message = "not valid JSON for most parsers: an integer of thousands of digits"
            raise NotJson(message) from None

    def _finished(self, text: str, value: Any) -> Parsed:
        try:
            if not text.isascii() or "\\ud" in text or "\\uD" in text:
                _refuse_surrogates(text, value)
            if not self._repeating:
                return Parsed(value, [])
            repeated: list[Path] = []
            return Parsed(_plain(value, (), repeated), repeated)
        except RecursionError:
            raise NotJson(_TOO_DEEP, "depth") from None

    def _object(self, members: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(members)
        if len(value) == len(members):
            return value
        self._repeating = True
        repeating = _Repeating(value)
        counts = Counter(name for name, _ in members)
        repeating.names = [name for name in value if counts[name] > 1]
        return repeating


def _after_blanks(text: str, start: int) -> int:
    while start < len(text) and text[start] in " \t\r\n":
        start += 1
    return start


def _where(text: str, position: int) -> str:
    return f"column {position - text.rfind(chr(10), 0, position)}"


def _reason(error: json.JSONDecodeError, text: str, unfinished: bool) -> str:
    if unfinished:
        return f"not JSON: unexpected end at {_where(text, len(text.rstrip()))}"
    reason = f"{error.msg[0].lower()}{error.msg[1:]}".replace("expecting", "expected").removesuffix(" at")
    return f"not JSON: {reason} at {_where(text, error.pos)}"


def _plain(value: Json, path: Path, repeated: list[Path]) -> Json:
    """Return the value with plain objects; add the paths of duplicate members to ``repeated``."""
    if value.__class__ is list:
        return [_plain(item, (*path, index), repeated) for index, item in enumerate(value)]
    if value.__class__ is _Repeating:
        repeated.extend((*path, name) for name in value.names)
    elif value.__class__ is not dict:
        return value
    return {name: _plain(item, (*path, name), repeated) for name, item in value.items()}


def _refuse_surrogates(text: str, value: Json) -> None:
    try:
        text.encode()
        if "\\ud" in text or "\\uD" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        message = "a string with an unpaired surrogate, which is not a character"
        raise NotJson(message, "encoding") from None


def _finite(digits: str) -> float:
    number = float(digits)
    if number - number != 0.0:
        message = f"not valid JSON for most parsers: {digits[:20]} is too large a number"
        raise NotJson(message)
    return number


def _no_constant(name: str) -> NoReturn:
    message = f"not JSON: {name} is not a JSON number"
    raise NotJson(message)


_TOO_DEEP = "JSON is nested too deeply"
