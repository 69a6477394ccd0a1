"""Docstrings and literals: the only place where text of a schema becomes text of a program."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from mcp_bindgen.emit.layout import LINE
from mcp_bindgen.ir.protocol import About, Constraints

_LIST_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")


_PLAIN = re.compile(r"[ !#-&(-\[\]-~]*")
"""Text that needs no escape between quotes of either kind."""


def literal(value: str | int | float | bool | None) -> str:
    """Return a Python literal in the quotes that black prefers; unprintable characters are escaped."""
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
    """Return a wrapped docstring at ``indent`` columns that black leaves unchanged; its text cannot end the docstring."""
    pad = " " * indent
    inert = _inert(text) or "Undocumented."
    # A quote next to the delimiter would become part of it; black puts a blank between.
    before = " " if inert.startswith('"') else ""
    after = " " if inert.endswith('"') else ""
    if "\n" not in inert and len(inert) + len(before + after) + indent + 6 <= LINE:
        return [f'{pad}"""{before}{inert}{after}"""']
    head, *tail = _wrap(inert, LINE - indent, 3 + len(before))
    if not tail:
        # Only the closing delimiter does not fit, and black would not leave it on a line of its own.
        head, *tail = _wrap(inert, LINE - indent - 6, 3 + len(before))
    if not tail:
        return [f'{pad}"""{before}{head}{after}"""']
    # Black aligns all lines with the least indented line after the first.
    margin = min((len(line) - len(line.lstrip()) for line in tail if line), default=0)
    return [f'{pad}"""{before}{head}', *(f"{pad}{line[margin:]}" if line else "" for line in tail), f'{pad}"""']


def docstring_lines(text: str, indent: int) -> list[str]:
    """Return paragraphs of a docstring at ``indent`` columns, wrapped and escaped like all of it."""
    pad = " " * indent
    return [f"{pad}{line}" if line else "" for line in _wrap(_inert(text), LINE - indent, 0)]


def describe(about: About, fallback: str, *, constraints: Constraints | None = None, notes: Sequence[str] = ()) -> str:
    """Return the text of the docstring of a type or field."""
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
    """Return the text with unprintable characters escaped: line ends, control characters, bidirectional marks."""
    return text if text.isprintable() else "".join(_escape(char) for char in text)


def _escape(char: str) -> str:
    if char.isprintable():
        return char
    code = ord(char)
    return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char) or (
        f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    )


def _wrap(text: str, width: int, used: int) -> list[str]:
    """Wrap paragraphs and list items and keep code blocks; ``used`` columns of the first line are not available."""
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
                initial_indent="" if wrapped else " " * used,
                subsequent_indent=" " * len(marker.group()) if marker else "",
                break_long_words=False,
                break_on_hyphens=False,
            )
            if not wrapped:
                filled[0] = filled[0][used:]
            wrapped.extend(filled)
    return wrapped


def _items(block: str) -> list[str]:
    """Join the lines of a paragraph; each list item becomes a paragraph of its own."""
    items: list[str] = []
    for line in block.split("\n"):
        if items and not _LIST_ITEM.match(line):
            items[-1] = f"{items[-1]} {line.strip()}"
        else:
            items.append(line)
    return items
