"""Docstrings: the summary and the descriptions of parameters, in the styles of Google, NumPy and Sphinx."""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import cleandoc

_HEADING = re.compile(r"(Args|Arguments|Parameters):")
_ENTRY = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)")
_UNDERLINE = re.compile(r"-{3,}")
_NUMPY = re.compile(r"\*{0,2}(\w+(?:\s*,\s*\w+)*)\s*(?::.*)?")
_FIELD = re.compile(r":(?:param|parameter|arg|argument)\s+(?:[^:]*\s)?\*{0,2}(\w+)\s*:\s*(.*)")


def summary_of(text: str | None) -> str:
    """Return the first paragraph on one line; empty if there is none or it describes parameters."""
    first = cleandoc(text or "").partition("\n\n")[0]
    if _FIELD.match(first) or _HEADING.match(first):
        return ""
    return " ".join(first.partition("\n:param")[0].split())


def parameters_of(docstring: str | None) -> dict[str, str]:
    """Return the descriptions by parameter: of a section ``Args:``, of an underlined one, or of ``:param x:`` fields."""
    lines = cleandoc(docstring or "").split("\n")
    found: dict[str, str] = {}
    for place, line in enumerate(lines):
        if _HEADING.fullmatch(line.strip()):
            found.update(_indented(lines[place + 1 :]))
        elif line.strip() == "Parameters" and place + 1 < len(lines) and _UNDERLINE.fullmatch(lines[place + 1].strip()):
            found.update(_underlined(lines[place + 2 :]))
        elif field := _FIELD.match(line.strip()):
            more = _deeper(lines[place + 1 :], _indent(line) + 1)
            found[field[1]] = _joined(field[2], more)
    return {name: text for name, text in found.items() if text}


def _indented(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the descriptions in Google's style: a line for each parameter, its further lines indented more."""
    margin = next((_indent(line) for line in lines if line.strip()), 0)
    if not margin:
        return
    for place, line in enumerate(lines):
        if line.strip() and _indent(line) < margin:
            return
        entry = _ENTRY.match(line.strip()) if _indent(line) == margin else None
        if entry:
            yield entry[1], _joined(entry[2], _deeper(lines[place + 1 :], margin + 1))


def _underlined(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the descriptions in NumPy's style: parameters at the margin, descriptions indented below."""
    for place, line in enumerate(lines):
        if place + 1 < len(lines) and _UNDERLINE.fullmatch(lines[place + 1].strip()):
            return
        entry = _NUMPY.fullmatch(line) if line and not _indent(line) else None
        if entry:
            text = _joined("", _deeper(lines[place + 1 :], 1))
            for name in entry[1].split(","):
                yield name.strip(), text


def _deeper(lines: list[str], margin: int) -> Iterator[str]:
    for line in lines:
        if not line.strip() or _indent(line) < margin:
            return
        yield line


def _joined(first: str, more: Iterator[str]) -> str:
    return " ".join(" ".join([first, *more]).split())


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
