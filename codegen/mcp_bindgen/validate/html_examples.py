"""The code blocks of an HTML page, and of the HTML in a Markdown text: ``<pre><code class="json">``.

The reference page of the official schema has its examples so, each below a heading that names its type. Every piece of a
line has tags of its own there, for colours, and ``<br/>`` ends a line.

This is no parser of HTML. It takes a text apart into tags, character references and the rest, in one pass from left to
right, so that a page that is broken or large costs no more than another one.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping

from mcp_bindgen.validate.fences import Block, Line, Piece
from mcp_bindgen.validate.headings import Outline, is_heading

_TOKEN = re.compile(
    r"""
      <(?P<close>/?)(?P<tag>[A-Za-z][A-Za-z0-9]*)(?P<attributes>(?:[^<>"'] | "[^"<]*" | '[^'<]*')*+)>
    | (?P<comment> <!-- )
    | (?P<reference> &[#A-Za-z0-9]{1,32}; )
    | (?P<text> [^<&]+ | [<&] )
    """,
    re.VERBOSE,
)
_ATTRIBUTE = re.compile(r"""([A-Za-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_HEADING = re.compile(r"[hH]([1-6])")
_INLINE_CODE = re.compile(r"`<(?:pre|code|/|!)[^`\n]*`")
"""In Markdown, a tag that a text speaks of."""
_LONGEST = 1_000
"""Characters of attributes that are looked at."""
_RAW = frozenset({"script", "style"})
"""Elements without tags in them."""


def in_page(text: str) -> Iterator[Block]:
    """The code blocks of a page."""
    reader = _Reader(text)
    reader.read(0, len(text))
    yield from reader.end()


def in_lines(lines: Iterable[Line]) -> Iterator[Block]:
    """The code blocks of the HTML in a Markdown text, of which these are the lines outside its own blocks."""
    by_number = {number: _INLINE_CODE.sub(lambda found: " " * len(found[0]), text) for number, text in lines}
    if not any("<pre" in text for text in by_number.values()):
        return
    last = max(by_number, default=0)
    text = "".join(f"{by_number.get(number, '')}\n" for number in range(1, last + 1))
    reader = _Reader(text)
    done = 0
    for number, start, end in _spans(by_number, last):
        if is_heading(by_number[number]):
            reader.read(done, start)
            done = start
            if not reader.is_in_block and reader.outline.read(by_number[number]):
                done = end
    reader.read(done, len(text))
    yield from reader.end()


def _spans(lines: Mapping[int, str], last: int) -> Iterator[tuple[int, int, int]]:
    """The number of each line, and where it begins and ends in the text of all of them."""
    start = 0
    for number in range(1, last + 1):
        end = start + len(lines.get(number, "")) + 1
        if number in lines:
            yield number, start, end
        start = end


class _Reader:
    """Reads a text from left to right, in one part or several."""

    def __init__(self, text: str) -> None:
        self.outline = Outline()
        self._all = text
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]
        self._blocks: list[Block] = []
        self._language: str | None = None
        self._in_pre = False
        self._heading: tuple[int, list[str]] | None = None
        self._text: list[str] = []
        self._pieces: list[Piece] = []
        self._size = 0

    @property
    def is_in_block(self) -> bool:
        """Whether the text that comes is that of a code block."""
        return self._language is not None

    def read(self, start: int, end: int) -> None:
        """Go on with a part of the text."""
        position = start
        while position < end and (found := _TOKEN.match(self._all, position, end)):
            position = found.end()
            if found["tag"]:
                self._tag(found["tag"].lower(), found["attributes"], opens=not found["close"], offset=found.start())
                if found["tag"].lower() in _RAW and not found["close"]:
                    position = self._after(f"</{found['tag']}", position, end)
            elif found["comment"]:
                position = self._after("-->", position, end)
            else:
                self._add(html.unescape(found[0]) if found["reference"] else found[0], found.start())

    def end(self) -> list[Block]:
        """What was found; a block that is still open is one that is never closed."""
        self._close(closed=False)
        return self._blocks

    def _after(self, mark: str, position: int, end: int) -> int:
        """Where a mark ends that closes something; the end of the part where there is none."""
        found = self._all.find(mark, position, end)
        return end if found < 0 else found + len(mark)

    def _tag(self, name: str, attributes: str, *, opens: bool, offset: int) -> None:
        heading = _HEADING.fullmatch(name)
        if name == "br":
            self._add("\n", offset)
        elif name == "pre":
            self._close(closed=not opens)
            self._in_pre = opens
            self._begin(attributes if opens else "")
        elif name == "code" and self._in_pre and opens and not self._pieces:
            self._begin(attributes)
        elif name == "code" and self._in_pre and not opens:
            self._close(closed=True)
        elif heading is not None and opens:
            self._heading = int(heading[1]), []
        elif heading is not None and self._heading is not None:
            level, words = self._heading
            self.outline.add(level, "".join(words))
            self._heading = None

    def _begin(self, attributes: str) -> None:
        known = {
            name.lower(): double or single or bare
            for name, double, single, bare in _ATTRIBUTE.findall(attributes[:_LONGEST])
        }
        for word in [*known.get("class", "").split(), *known.get("language", "").split()]:
            language = word.lower().removeprefix("language-").removeprefix("lang-")
            # Of several classes, that of the language may be any.
            if self._language is None or language.startswith("json"):
                self._language = language

    def _close(self, *, closed: bool) -> None:
        if self._language is not None and self._pieces:
            line = self._pieces[0].line
            text, pieces = "".join(self._text), tuple(self._pieces)
            self._blocks.append(Block(self._language, text, line, closed, type=self.outline.type, pieces=pieces))
        self._language = None
        self._text, self._pieces, self._size = [], [], 0

    def _add(self, text: str, offset: int) -> None:
        if self._heading is not None:
            self._heading[1].append(text)
        if self._language is None:
            return
        for part in text.replace("\xa0", " ").splitlines(keepends=True):
            line = bisect_right(self._starts, offset)
            self._pieces.append(Piece(self._size, line, offset - self._starts[line - 1] + 1))
            self._text.append(part)
            self._size += len(part)
            offset += len(part)
