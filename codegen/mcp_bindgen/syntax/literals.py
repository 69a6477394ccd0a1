"""String and number literals: their values, and the forms that are refused."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

    from mcp_bindgen.syntax.source import Faults, Source

_PLAIN = re.compile(r"[^\\\r\n]*")
# A line end without a backslash is none of JavaScript's; but the parser skips it next to the quotes, as between tokens.
_ESCAPE = re.compile(
    r"""
      \\ (?P<continuation> \r\n | [\n\r\u2028\u2029] )
    | \\u\{ (?P<braced> [0-9a-fA-F]+ ) \}
    | \\u (?P<four> [0-9a-fA-F]{4} )
    | \\x (?P<two> [0-9a-fA-F]{2} )
    | \\ (?P<nul> 0 (?![0-9]) )
    | \\ (?P<single> [^0-9ux] )
    | (?P<refused> \\ )
    | (?P<line_end> [\r\n] )
    """,
    re.VERBOSE,
)
_SINGLE = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}
_MAX_CODE_POINT = 0x10FFFF

_DIGITS = r"[0-9]+(?:_[0-9]+)*"
_DECIMAL = re.compile(rf"(?!0[0-9_])(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?")
_RADIX = re.compile(r"0(?:[xX][0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|[oO][0-7]+(?:_[0-7]+)*|[bB][01]+(?:_[01]+)*)")

# Between these, Python and JavaScript write a number the same way: without an exponent.
_LEAST_PLAIN, _MOST_PLAIN = 1e-4, 1e16


class _RefusedError(Exception):
    """Raised for an invalid escape sequence, or a line end without a backslash, at an index of the string."""

    def __init__(self, index: int, message: str) -> None:
        self.index = index
        super().__init__(message)


def string_value(node: Node, source: Source, faults: Faults) -> str:
    """Return the value of a string literal; the empty string after a fault."""
    inner = source.text(node)[1:-1]
    if _PLAIN.fullmatch(inner):
        return inner
    try:
        # Two escaped halves of a surrogate pair make one character, as they do in JavaScript.
        return _ESCAPE.sub(_unescaped, inner).encode("utf-16", "surrogatepass").decode("utf-16")
    except _RefusedError as refused:
        faults.add(node.start_byte + 1 + len(inner[: refused.index].encode()), str(refused))
    except UnicodeDecodeError:
        faults.add(node, "this string contains half of a surrogate pair; write the whole character")
    return ""


def _unescaped(escape: re.Match[str]) -> str:
    kind, text = escape.lastgroup, escape[escape.lastgroup or 0]
    if kind == "continuation":
        return ""
    if kind == "nul":
        return "\0"
    if kind == "single":
        return _SINGLE.get(text, text)
    if kind == "line_end":
        raise _RefusedError(escape.start(), "this string has no closing quote on its line")
    if kind == "refused" or (code := int(text, 16)) > _MAX_CODE_POINT:
        message = r"unknown escape sequence; use `\n`, `\x41`, `\u00e9`, `\u{1f600}` and the like"
        raise _RefusedError(escape.start(), message)
    return chr(code)


def number_value(node: Node, source: Source, faults: Faults) -> int | float:
    """Return the value of a number literal in JavaScript, as ``int`` if it is whole; 0 after a fault."""
    text = source.text(node)
    if text.endswith("n"):
        faults.add(node, "found a bigint, which does not exist in JSON; expected a number")
        return 0
    try:
        # By way of float, as whole numbers too large for one are not what they seem in JavaScript either.
        if _RADIX.fullmatch(text):
            value = float(int(text.replace("_", ""), 0))
        elif _DECIMAL.fullmatch(text):
            value = float(text.replace("_", ""))
        else:
            faults.add(node, "this number is malformed; expected for example `1`, `0.5`, `1e3`, `0x1f`")
            return 0
    except OverflowError:
        value = math.inf
    if value == math.inf:
        faults.add(node, "this number is too large: in JavaScript it is `Infinity`")
        return 0
    return int(value) if value.is_integer() else value


def number_name(node: Node, source: Source, faults: Faults) -> str:
    """Return the property name that JavaScript makes of a number."""
    value = number_value(node, source, faults)
    if value == 0 or _LEAST_PLAIN <= value < _MOST_PLAIN:
        return str(value)
    faults.add(node, "JavaScript converts this number to another name; write the name as a string")
    return ""
