"""Docstrings and literals: the one place where text of a schema file becomes text of a program."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from mcp_bindgen.emit.layout import LINE
from mcp_bindgen.ir.protocol import About, Constraints

_LIST_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")


_PLAIN = re.compile(r"[ !#-&(-\[\]-~]*")
"""Text that stands for itself between quotes of either kind."""


def literal(value: str | int | float | bool | None) -> str:
    """A Python literal, double-quoted as black wants it; anything unprintable is escaped."""
    if not isinstance(value, str):
        # Black has no plus in an exponent.
        return repr(value).replace("e+", "e")
    if _PLAIN.fullmatch(value):
        return f'"{value}"'
    # Black prefers double quotes unless that takes more backslashes.
    quote = "'" if value.count('"') > value.count("'") else '"'
    escaped = value.replace("\\", "\\\\").replace(quote, f"\\{quote}")
    return quote + _printable(escaped) + quote


def docstring(text: str, indent: int) -> list[str]:
    """A docstring at ``indent`` columns, wrapped, that black leaves as it is and nothing can break out of."""
    pad = " " * indent
    inert = _inert(text) or "Undocumented."
    # A quote next to the delimiter would be taken for a part of it; black puts a blank between.
    before = " " if inert.startswith('"') else ""
    after = " " if inert.endswith('"') else ""
    if "\n" not in inert and len(inert) + len(before + after) + indent + 6 <= LINE:
        return [f'{pad}"""{before}{inert}{after}"""']
    head, *tail = _wrap(inert, LINE - indent, 3 + len(before))
    if not tail:
        # It fits but for the closing delimiter, which black would not leave alone on a line.
        head, *tail = _wrap(inert, LINE - indent - 6, 3 + len(before))
    if not tail:
        return [f'{pad}"""{before}{head}{after}"""']
    # The least indented line after the first one is where black puts them all.
    margin = min((len(line) - len(line.lstrip()) for line in tail if line), default=0)
    return [f'{pad}"""{before}{head}', *(f"{pad}{line[margin:]}" if line else "" for line in tail), f'{pad}"""']


def docstring_lines(text: str, indent: int) -> list[str]:
    """Return paragraphs of a docstring at ``indent`` columns, wrapped and escaped like all of it."""
    pad = " " * indent
    return [f"{pad}{line}" if line else "" for line in _wrap(_inert(text), LINE - indent, 0)]


def describe(about: About, fallback: str, *, constraints: Constraints | None = None, notes: Sequence[str] = ()) -> str:
    """All that is known of a type or field, as a docstring's text."""
    parts = [about.doc or fallback]
    limits = _limits(constraints) if constraints else []
    limits.extend(notes)
    if limits:
        parts.append(" ".join(limits))
    if about.deprecated is not None:
        parts.append(f"Deprecated{': ' + about.deprecated if about.deprecated else '.'}")
    if about.since:
        parts.append(f"Since {about.since}.")
    return "\n\n".join(parts)


def _limits(constraints: Constraints) -> list[str]:
    low, high = constraints.minimum, constraints.maximum
    limits: list[str] = []
    if low is not None and high is not None:
        limits.append(f"From {low} to {high}.")
    elif low is not None:
        limits.append(f"At least {low}.")
    elif high is not None:
        limits.append(f"At most {high}.")
    if constraints.max_items is not None:
        limits.append(f"At most {constraints.max_items} items.")
    if constraints.format is not None:
        limits.append(f"Format: `{constraints.format}`.")
    return limits


def _inert(text: str) -> str:
    lines = (_printable(line.expandtabs().rstrip()) for line in text.replace("\\", "\\\\").split("\n"))
    return "\n".join(lines).replace('"""', '\\"\\"\\"').strip("\n ")


def _printable(text: str) -> str:
    """The text with an escape for each character that would not show: line ends, controls, bidirectional marks."""
    return text if text.isprintable() else "".join(_escape(char) for char in text)


def _escape(char: str) -> str:
    if char.isprintable():
        return char
    code = ord(char)
    return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char) or (
        f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    )


def _wrap(text: str, width: int, taken: int) -> list[str]:
    """Paragraphs filled, lists item by item, code blocks as they are; ``taken`` columns of the first line are in use."""
    wrapped: list[str] = []
    for block in re.split(r"\n[ ]*\n+", text):
        if wrapped:
            wrapped.append("")
        if block.lstrip().startswith("```"):
            wrapped.extend(line.rstrip() for line in block.split("\n"))
            continue
        for item in _items(block):
            marker = _LIST_ITEM.match(item)
            filled = textwrap.wrap(
                item,
                width,
                initial_indent="" if wrapped else " " * taken,
                subsequent_indent=" " * len(marker.group()) if marker else "",
                break_long_words=False,
                break_on_hyphens=False,
            )
            if not wrapped:
                filled[0] = filled[0][taken:]
            wrapped.extend(filled)
    return wrapped


def _items(block: str) -> list[str]:
    """The lines of a paragraph joined, each list item a paragraph of its own."""
    items: list[str] = []
    for line in block.split("\n"):
        if items and not _LIST_ITEM.match(line):
            items[-1] = f"{items[-1]} {line.strip()}"
        else:
            items.append(line)
    return items
