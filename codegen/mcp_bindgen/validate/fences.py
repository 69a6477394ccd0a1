"""Fenced code blocks of Markdown and MDX according to CommonMark 0.31 (section 4.5), indented or quoted too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from attrs import field, frozen

from mcp_bindgen.validate.headings import Outline

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_OPENING = re.compile(r"(?P<prefix>(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*)(?P<fence>`{3,}|~{3,})(?P<info>.*)")
_LANGUAGE = re.compile(r"[{ \t.]*([\w+-]*)")
_HIDDEN = {"<!--": "-->", "{/*": "*/}"}
"""Delimiters of HTML and MDX comments, whose content is not shown and so not an example."""


class Piece(NamedTuple):
    """A part of a text without a line break, and its position in the document."""

    offset: int
    """Offset in the text of the block."""
    line: int
    column: int
    """Line and column in the document, from 1."""


@frozen
class Block:
    """A fenced code block."""

    language: str
    """First word of the info string in lower case; empty if there is none."""
    text: str
    """Its lines, each ending in ``\\n``. Quotation marks are replaced by blanks, so that columns are those of the
    document."""
    line: int
    """Line of the document, from 1, on which the text starts."""
    closed: bool = True
    """Whether there is a closing fence, and not only the end of the document or quotation."""
    type: str | None = field(default=None, kw_only=True)
    """Type named by the heading above it."""
    pieces: tuple[Piece, ...] = field(default=(), kw_only=True)
    """Positions of the parts of the text if it does not occur literally in the document."""


class Document(NamedTuple):
    """Blocks and prose of a document."""

    blocks: list[Block]
    """Fenced blocks of all languages, in document order."""
    prose: str
    """Lines outside blocks and comments."""


class _Fence(NamedTuple):
    mark: str
    language: str
    quoted: re.Pattern[str] | None
    line: int

    def is_closed_by(self, line: str) -> bool:
        bare = line.strip(" \t")
        return len(bare) >= len(self.mark) and not bare.strip(self.mark[0])


class Line(NamedTuple):
    """A line outside blocks and comments."""

    number: int
    text: str


def split(text: str) -> Document:
    """Return the fenced blocks and the prose of a text."""
    blocks: list[Block] = []
    prose: list[str] = []
    for part in parts(text):
        if isinstance(part, Block):
            blocks.append(part)
        else:
            prose.append(part.text)
    return Document(blocks, "\n".join(prose))


def parts(text: str) -> Iterator[Block | Line]:
    """Yield the fenced blocks and the lines around them in document order."""
    outline = Outline()
    body: list[str] = []
    fence: _Fence | None = None
    hidden_until: str | None = None
    for number, line in enumerate(_lines(text), 1):
        if fence is not None:
            content = _unquoted(line, fence)
            if content is not None and not fence.is_closed_by(content):
                body.append(content)
                continue
            yield _block(fence, body, outline, closed=content is not None)
            fence = None
            if content is not None:
                continue
        if hidden_until is not None:
            hidden_until = None if hidden_until in line else hidden_until
            continue
        hidden_until = _hides(line)
        fence, body = _opened(line, number), []
        if hidden_until is None and fence is None:
            outline.read(line)
            yield Line(number, line)
    if fence is not None:
        yield _block(fence, body, outline, closed=False)


def _unquoted(line: str, fence: _Fence) -> str | None:
    """Return a line of a block without its quotation marks; None if the quotation has ended."""
    if fence.quoted is None:
        return line
    marks = fence.quoted.match(line)
    return None if marks is None else " " * marks.end() + line[marks.end() :]


def _lines(text: str) -> Iterator[str]:
    # Not str.splitlines: it also splits at characters that JSON strings may contain.
    for found in _LINE.finditer(text.removeprefix("\ufeff")):
        if found[0]:
            yield found[0].rstrip("\r\n")


def _opened(line: str, number: int) -> _Fence | None:
    found = _OPENING.fullmatch(line)
    if found is None or (found["fence"][0] == "`" and "`" in found["info"]):
        return None
    depth = found["prefix"].count(">")
    quoted = re.compile(rf"(?:[ \t]*>){{{depth}}}") if depth else None
    word = _LANGUAGE.match(found["info"])
    return _Fence(found["fence"], word[1].lower() if word else "", quoted, number + 1)


def _hides(line: str) -> str | None:
    bare = line.lstrip(" \t")
    for start, end in _HIDDEN.items():
        if bare.startswith(start) and end not in bare:
            return end
    return None


def _block(fence: _Fence, body: list[str], outline: Outline, *, closed: bool) -> Block:
    return Block(fence.language, "".join(f"{line}\n" for line in body), fence.line, closed, type=outline.type)
