"""Documentation comments: assignment to declarations, text and tags."""

from __future__ import annotations

import re
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from mcp_bindgen.ir.documentation import NO_DOC, Doc, Tag

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from mcp_bindgen.syntax.source import Source

# A tag begins a line. `@scope/package is …` and `@someone's` begin sentences.
_TAG = re.compile(r"[ \t]*@(?P<name>[A-Za-z_][\w-]*)(?=[\s{:]|$):?[ \t]*(?P<text>.*)", re.DOTALL)
_DECORATION = re.compile(r"[ \t]*+(?:\*[ \t]?)?")
_FENCE = re.compile(r"[ \t]*(?P<fence>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)", re.DOTALL)
_INLINE = re.compile(r"\{@(?P<name>\w++)(?P<text>[^{}]*+)\}")
_LINKS = frozenset({"link", "linkcode", "linkplain"})


def is_jsdoc(comment: bytes) -> bool:
    """Return whether a comment is a documentation comment. ``/***`` begins a banner."""
    return comment.startswith(b"/**") and comment[3:4] not in {b"*", b"/"}


def parse_jsdoc(comment: str) -> Doc:
    """Return the text and the tags of a ``/** … */`` comment."""
    sections = list(_sections(_lines(comment)))
    tags = [Tag(name, _text(lines)) for name, lines in sections[1:]]
    # An example that only included a file of the specification's repository has nothing left to show.
    return Doc(_text(sections[0][1]), tuple(tag for tag in tags if tag.text or tag.name != "example"))


class DocComments:
    """Documentation comments of sibling nodes, which are visited in order.

    The comment of a declaration or member is the last one before it; plain comments may follow it. A comment on the line
    on which the previous sibling ends documents nothing, unless the next sibling begins on that line, too.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._after: int | None = None
        self._comment: Node | None = None
        self._trailing = False

    def comment(self, node: Node) -> None:
        """Visit a comment."""
        start = node.start_byte
        if is_jsdoc(self._source.data[start : start + 4]):
            self._comment = node
            self._trailing = self._after is not None and not self._breaks(self._after, start)

    def other(self, node: Node) -> None:
        """Visit a node that has no documentation, such as a separator."""
        self._comment, self._after = None, node.end_byte

    def documentation_of(self, node: Node) -> Doc:
        """Visit a declaration or member; return its documentation."""
        comment = self._comment
        self.other(node)
        if comment is None or (self._trailing and self._breaks(comment.end_byte, node.start_byte)):
            return NO_DOC
        return parse_jsdoc(self._source.text(comment))

    def _breaks(self, start: int, end: int) -> bool:
        return self._source.data.find(b"\n", start, end) >= 0


def _lines(comment: str) -> list[str]:
    """Return the lines of a comment without delimiters, decoration and trailing space."""
    body = comment.removeprefix("/**").removesuffix("*/")
    first, *rest = re.split(r"\r\n?|\n", body)
    stars = next((line.lstrip()[0] == "*" for line in rest if line.strip()), True)
    if stars:
        rest = [_DECORATION.sub("", line, count=1) for line in rest]
    else:
        margin = min(len(line) - len(line.lstrip()) for line in rest if line.strip())
        rest = [line[margin:] for line in rest]
    if not rest and first.endswith(" *"):
        first = first[:-1]  # of a comment that ends in `**/`
    return [first.strip(), *(line.rstrip() for line in rest)]


def _sections(lines: list[str]) -> Iterator[tuple[str, list[tuple[bool, str]]]]:
    """Yield the description, named ``""``, then each tag; each line with whether it is in a code block."""
    name, section = "", list[tuple[bool, str]]()
    fence = ""
    for line in lines:
        text, fenced = line, bool(fence)
        if not fence and (tag := _TAG.match(line)):
            yield name, section
            name, section, text = tag["name"], [], tag["text"]
        if mark := _FENCE.match(text):
            if not fence:
                fence, fenced = mark["fence"], True
            elif mark["fence"].startswith(fence) and not mark["info"].strip():
                fence = ""
        section.append((fenced, text))
    yield name, section


def _text(section: list[tuple[bool, str]]) -> str:
    """Return the lines as one text, with inline tags resolved except in code blocks."""
    parts: list[str] = []
    for fenced, lines in groupby(section, itemgetter(0)):
        text = "\n".join(line for _, line in lines)
        parts.append(text if fenced else "\n".join(line.rstrip() for line in _INLINE.sub(_inline, text).split("\n")))
    return "\n".join(parts).strip()


def _inline(tag: re.Match[str]) -> str:
    """Return ``{@name text}`` as plain text."""
    if tag["name"] == "includeCode":
        return ""
    if tag["name"] not in _LINKS:
        return tag[0]
    target, bar, text = tag["text"].partition("|")
    if not bar:
        target, text = [*target.split(maxsplit=1), "", ""][:2]
    return text.strip() or target.strip()
