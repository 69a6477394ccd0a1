"""Normative sentences of the specification's pages, identified by digests.

A page is Markdown with tags of MDX. A sentence is normative if it contains a keyword of RFC 2119 in capitals. A list
whose introduction is normative and ends with a colon has a sentence for each of its items.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import NamedTuple

BINDS = re.compile(r"\b(?:MUST|SHOULD|SHALL|REQUIRED|RECOMMENDED)\b")

_FENCED = re.compile(r"^([ \t]*)(```|~~~).*?^[ \t]*\2[ \t]*$", re.MULTILINE | re.DOTALL)
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_ITEM = re.compile(r"^(?P<indent>[ \t]*)(?:[-*+]|\d+[.)])[ \t]+(?P<text>.*)$")
_HEADING = re.compile(r"^#+[ \t]+(?P<text>.*)$")
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\](?:\([^()]*(?:\([^()]*\))?[^()]*\)|\[[^\]]*\])")
_DEFINITION = re.compile(r"^\[[^\]]+\]:[ \t].*$", re.MULTILINE)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_END = re.compile(r"(?<=[.?!])[ ]+(?=[A-Z(])")


class Sentence(NamedTuple):
    """A normative sentence."""

    section: str
    text: str
    """Text without markup, including the introduction of its list."""

    @property
    def digest(self) -> str:
        """Eight digits for the words, regardless of case, punctuation and markup."""
        words = " ".join(re.findall(r"\w+", self.text.lower()))
        return hashlib.sha256(words.encode("utf-8")).hexdigest()[:8]


class _Block(NamedTuple):
    indent: int
    """Indent of the block; -1 for a heading."""
    item: bool
    text: str


class _Introduction:
    """A normative sentence that ends with a colon and may introduce a list."""

    def __init__(self, block: _Block, text: str) -> None:
        self.block = block
        self.text = text
        self.has_items = False

    def introduces(self, block: _Block) -> bool:
        return block.item and (block.indent > self.block.indent or not self.block.item)


def sentences(page: str) -> list[Sentence]:
    """Return the normative sentences of a page in order; an introduction follows the items of its list."""
    found: list[Sentence] = []
    section = ""
    introductions: list[_Introduction] = []
    for block in [*_blocks(page), _Block(-1, False, "")]:
        while introductions and not introductions[-1].introduces(block):
            last = introductions.pop()
            if not last.has_items:
                found.append(Sentence(section, last.text))
        if block.indent < 0:
            section = block.text
            continue
        binding = [each for each in _END.split(block.text) if BINDS.search(each)]
        if binding and block.text.endswith(":") and block.text.endswith(binding[-1]):
            introductions.append(_Introduction(block, binding.pop()))
        elif introductions and not binding:
            introductions[-1].has_items = True
            binding = [f"{introductions[-1].text} {block.text}"]
        found += [Sentence(section, each) for each in binding]
    return found


def _blocks(page: str) -> Iterator[_Block]:
    """Yield paragraphs, items of lists and rows of tables, each as one line; headings have an indent of -1."""
    text = _DEFINITION.sub("", _FENCED.sub("", _FRONT.sub("", page)))
    lines: list[str] = []
    indent, item = 0, False

    def done() -> Iterator[_Block]:
        joined = _plain(" ".join(lines))
        lines.clear()
        if joined:
            yield _Block(indent, item, joined)

    for line in text.splitlines():
        bare = _TAG.sub("", line).strip()
        if (heading := _HEADING.match(line)) is not None:
            yield from done()
            yield _Block(-1, False, _plain(heading["text"]))
        elif (start := _ITEM.match(line)) is not None:
            yield from done()
            indent, item = len(start["indent"].expandtabs(4)), True
            lines.append(start["text"])
        elif not bare or bare.startswith("|"):
            yield from done()
            indent, item = len(line) - len(line.lstrip()), False
            lines += [bare] if bare else []
        else:
            if not lines:
                indent, item = len(line) - len(line.lstrip()), False
            lines.append(bare)
    yield from done()


def _plain(text: str) -> str:
    text = _TAG.sub("", _LINK.sub(r"\1", text))
    return " ".join(re.sub(r"[*`]|(?<!\w)_|_(?!\w)", "", text).split())
