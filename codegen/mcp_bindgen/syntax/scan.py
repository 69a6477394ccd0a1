"""Scan of the bytes of a schema file before they are parsed.

One pass over brackets, strings and comments finds two things: a bracket, string or comment that is never closed, which
the parser would report as one large error, and nesting so deep that a walk of the tree would overflow the stack.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcp_bindgen.syntax.source import Faults, Source

MAX_DEPTH = 100
"""Maximum nesting of brackets, and of types in types."""

# Loops are unrolled, so that nothing is tried twice and the time is linear, whatever the file holds. (Possessive groups
# would say so shorter, but match wrongly before Python 3.11.4.) A group matches if the token is closed.
_TOKEN = re.compile(
    rb"""
      // [^\n\r\xe2]* (?: \xe2(?!\x80[\xa8\xa9]) [^\n\r\xe2]* )* ()
    | /\* [^*]* (?: \*(?!/) [^*]* )* (\*/)?
    | " [^"\\\r\n]* (?: \\(?: \r\n | [\s\S] ) [^"\\\r\n]* )* (")?
    | ' [^'\\\r\n]* (?: \\(?: \r\n | [\s\S] ) [^'\\\r\n]* )* (')?
    | (?: <!-- | --> | => | [`{}()\[\]<>;] ) ()
    """,
    re.VERBOSE,
)
_TEMPLATE = re.compile(rb"[^`\\$]* (?: (?: \\[\s\S] | \$(?!\{) ) [^`\\$]* )* (` | \$\{)?", re.VERBOSE)

_CLOSERS = {b"{": b"}", b"${": b"}", b"(": b")", b"[": b"]"}
_OPENERS = {b"}": (b"{", b"${"), b")": (b"(",), b"]": (b"[",)}
_UNCLOSED = {
    b"/": "this comment is never closed: `*/` is missing",
    b'"': 'this string has no closing `"` on its line',
    b"'": "this string has no closing `'` on its line",
}


class Scan:
    """Result of the scan of a source.

    ``broken_from`` is the offset of the first bracket, string or comment without an end, else the length of the source; the
    tree is not reliable from there on. ``safe`` is whether the source may be parsed.
    """

    def __init__(self, source: Source, faults: Faults) -> None:
        self._source = source
        self._faults = faults
        self._data = source.data
        self._open: list[tuple[bytes, int]] = []
        self.broken_from = len(source.data)
        self.safe = True
        self._tokens()
        if len(self._open) <= MAX_DEPTH:
            for opener, byte in self._open:
                self._unclosed(opener, byte)

    def _tokens(self) -> None:
        data, position = self._data, 0
        # Nothing is looked for below the greatest depth, so that finding the opener of a bracket takes bounded time.
        while len(self._open) <= MAX_DEPTH and (token := _TOKEN.search(data, position)):
            start, position = token.span()
            first = data[start : start + 1]
            if token.lastindex is None:
                self._broken(start, _UNCLOSED[first])
            elif first == b"`":
                position = self._template(start, position)
            elif first in _CLOSERS:
                self._push(first, start)
            elif first in _OPENERS:
                if self._close(first, start) == b"${":
                    position = self._template(start, position)
            elif first in b"<>;-":
                self._angle(token.group(), start)

    def _template(self, start: int, position: int) -> int:
        """Skip the text of a template literal, up to its end or to the next ``${``."""
        match = _TEMPLATE.match(self._data, position)
        assert match is not None, "the pattern matches the empty string"
        if match[1] is None:
            self._broken(start, "this template literal is never closed")
        elif match[1] == b"${":
            self._push(b"${", match.start(1))
        return match.end()

    def _angle(self, token: bytes, start: int) -> None:
        """Count an angle bracket towards the depth; the parser checks that they match."""
        if token in {b"<!--", b"-->"}:
            self.safe = False
            self._faults.add(start, f"found `{token.decode()}`, an HTML comment; use `// …` or `/* … */`")
        elif token == b"<":
            self._push(token, start)
        elif token == b";":
            self._discard_angles()
        elif token == b">" and self._open and self._open[-1][0] == b"<":
            self._open.pop()

    def _push(self, opener: bytes, start: int) -> None:
        self._open.append((opener, start))
        if len(self._open) > MAX_DEPTH:
            self.safe = False
            self._faults.add(start, f"nested too deeply: the limit is {MAX_DEPTH} levels")

    def _close(self, closer: bytes, start: int) -> bytes | None:
        """Find the bracket that ``closer`` closes; brackets opened after it are never closed."""
        self._discard_angles()
        openers = _OPENERS[closer]
        if not any(opener in openers for opener, _ in self._open):
            self._broken(start, f"found `{closer.decode()}`, but no `{openers[0].decode()}` is open")
            return None
        while True:
            opener, byte = self._open.pop()
            if opener in openers:
                return opener
            self._unclosed(opener, byte)

    def _discard_angles(self) -> None:
        while self._open and self._open[-1][0] == b"<":
            self._open.pop()

    def _unclosed(self, opener: bytes, byte: int) -> None:
        if opener in _CLOSERS:
            message = f"this `{opener.decode()}` is never closed: `{_CLOSERS[opener].decode()}` is missing"
            self._broken(byte, message)

    def _broken(self, start: int, message: str) -> None:
        self.broken_from = min(self.broken_from, start)
        self._faults.add(start, message)
