"""Code blocks of an HTML page, and of the HTML in Markdown: ``<pre><code class="json">``.

The reference page of the official schema has such examples, each below a heading that names its type. Each line is
split into tags for syntax colours and ends in ``<br/>``.

This is not a full HTML parser. It splits a text into tags, character references and the rest in one pass, so that its
cost is linear for broken and large pages.
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
"""Inline code that mentions a tag in Markdown."""
_LONGEST = 1_000
"""Maximum number of characters of attributes that are read."""
_RAW = frozenset({"script", "style"})
"""Elements whose content is not markup."""


def in_page(text: str) -> Iterator[Block]:
    """Yield the code blocks of a page."""
    reader = _Reader(text)
    reader.read(0, len(text))
    yield from reader.end()


def in_lines(lines: Iterable[Line]) -> Iterator[Block]:
    """Yield the code blocks of the HTML in Markdown; ``lines`` are those outside fenced blocks."""
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
    """Yield the number of each line with its start and end in the joined text."""
    start = 0
    for number in range(1, last + 1):
        end = start + len(lines.get(number, "")) + 1
        if number in lines:
            yield number, start, end
        start = end


class _Reader:
    """Reads a text from left to right, in one or several parts."""

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
        """Whether the reader is within a code block."""
        return self._language is not None

    def read(self, start: int, end: int) -> None:
        """Read the next part of the text."""
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
        """Return the blocks; a block that is still open counts as not closed."""
        self._close(closed=False)
        return self._blocks

    def _after(self, mark: str, position: int, end: int) -> int:
        """Return the end of the next closing mark; the end of the part if there is none."""
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
            # Any of several classes may name the language.
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
