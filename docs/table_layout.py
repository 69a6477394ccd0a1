"""Layout of tables and names on narrow screens; MkDocs calls this for the HTML of each page.

A name breaks after its separators only, never inside a word, and a separator that begins a name stays with it. A short word
of code in a text does not break, nor does an option in a table or the date of a revision. A table too wide for a phone gets
the attribute ``data-stacked``: the style sheet then shows each of its rows as a block, with the heading of the column before
each cell. A table whose headings are all empty loses its head. A wide table with sentences in its last column gets the
attribute ``data-prose``, for which the style sheet keeps this column from becoming narrow.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

LONGEST_PART = 30
"""Characters of a part of a name, above which the part may break after underscores and before capital letters, too."""
LONGEST_IN_TABLE = 20
"""Characters of a part of a name in a table, above which the part may break before capital letters."""
SHORT = 28
"""Characters of a word of code in a text, up to which it does not break."""
PHONE = 44
"""Characters that fit beside each other into a table on a phone."""
PROSE = 60
"""Characters of a cell that is a sentence rather than a name or a figure."""
PADDING = 3
"""Characters that the padding of a column takes."""

_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_HEAD = re.compile(r"<thead>.*?</thead>\s*", re.DOTALL)
_HEADING = re.compile(r"<th[^>]*>(.*?)</th>", re.DOTALL)
_ROW = re.compile(r"<tr>(?:(?!<th).)*?</tr>", re.DOTALL)
_CELL = re.compile(r"<td([^>]*)>(.*?)</td>", re.DOTALL)
_CODE = re.compile(r"<code>(.*?)</code>", re.DOTALL)
_SEPARATOR = re.compile(r"(?<=[\w)\]}])(?:(?:://|::|[/(,=@])(?=\w)|[.:](?=[^\W\d]))")
_UNDERSCORE = re.compile(r"(?<=[^\W_])_+(?=[^\W_])")
_BREAK = "<wbr>"
_TABLE_OR_BLOCK = re.compile(r"(<table>.*?</table>|<pre.*?</pre>)", re.DOTALL)
_CAPITAL = re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_OWN_BREAK = re.compile(r"[-/?!|}](?=\w)")
"""A place where browsers break a word of their own accord."""
_TAG_OR_BLANKS = re.compile(r"(<[^>]*>|\s+)")
_CHARACTER = re.compile(r"&#?\w+;|.", re.DOTALL)
_PLAIN_CODE = re.compile(r"<code>([^<]*)</code>")
_TAG_OR_DATE = re.compile(r"<code.*?</code>|<[^>]*>|\b20\d\d-\d\d-\d\d\b", re.DOTALL)
_OBJECT_NAME = re.compile(r'(<span class="doc doc-object-name[^>]*>)([^<]*)(</span>)')


def on_page_content(content: str, **_: Any) -> str:
    """Return the HTML of a page with its tables laid out."""
    return keep_names(lay_out_tables(content))


def lay_out_tables(page: str) -> str:
    """Return HTML with break opportunities in the names of its tables, and the headings of their columns on each cell."""
    return _TABLE.sub(lambda match: _table(match[0]), page)


def keep_names(page: str) -> str:
    """Return HTML whose names and dates outside of tables and code blocks do not break inside a word."""
    parts = _TABLE_OR_BLOCK.split(page)
    parts[::2] = [_TAG_OR_DATE.sub(_whole_date, part) for part in parts[::2]]
    parts[::2] = [
        _OBJECT_NAME.sub(
            lambda match: f"{match[1]}{_BREAK.join(_parts(match[2], underscores=0, capitals=0))}{match[3]}",
            _PLAIN_CODE.sub(lambda match: _code(match[1]), part),
        )
        for part in parts[::2]
    ]
    return "".join(parts)


def _whole_date(found: re.Match[str]) -> str:
    """Return a tag or code unchanged, and a date as one that does not break."""
    return found[0] if found[0].startswith("<") else f"<span data-whole>{found[0]}</span>"


def _code(code: str, *, in_table: bool = False, capitals: int = LONGEST_PART) -> str:
    """Return the HTML of code with break opportunities in its words.

    ``capitals`` is the number of characters of a part above which it may break before capital letters.
    """
    pieces = _TAG_OR_BLANKS.split(code)
    if len(pieces) == 1 and _is_whole(code, in_table=in_table):
        return f"<code data-whole>{code}</code>"
    pieces[::2] = [_word(piece, in_table=in_table, capitals=capitals) for piece in pieces[::2]]
    return f"<code>{''.join(pieces)}</code>"


def _is_whole(word: str, *, in_table: bool) -> bool:
    """Return whether a word does not break at all."""
    return _length(word) <= SHORT and (word.startswith("-") or not in_table)


def _word(word: str, *, in_table: bool, capitals: int) -> str:
    """Return the HTML of a word of code with break opportunities."""
    if _is_whole(word, in_table=in_table):
        return _unbroken(word)
    return _BREAK.join(_unbroken(part) for part in _parts(word, underscores=LONGEST_PART, capitals=capitals))


def _unbroken(part: str) -> str:
    """Return the HTML of a part of a word that does not break, unless it is long."""
    return f"<span data-whole>{part}</span>" if _OWN_BREAK.search(part) and _length(part) <= SHORT else part


def _parts(word: str, *, underscores: int, capitals: int) -> Iterator[str]:
    """Yield the parts of a word between its separators; longer parts are split after underscores and before capitals."""
    characters: list[str] = _CHARACTER.findall(word)
    text = "".join(html.unescape(each)[:1] for each in characters)
    breaks = [0, *(found.end() for found in _SEPARATOR.finditer(text)), len(text)]
    for start, end in pairwise(tuple(breaks)):
        for limit, pattern in ((underscores, _UNDERSCORE), (capitals, _CAPITAL)):
            if end - start > limit:
                breaks += [found.end() for found in pattern.finditer(text, start, end)]
    yield from ("".join(characters[start:end]) for start, end in pairwise(sorted(set(breaks))))


def _length(word: str) -> int:
    return len(html.unescape(word))


def _table(table: str) -> str:
    # Markdown leaves the backslash of a pipe that is code.
    table = table.replace(r"\|", "|")
    headings = [_text(each) for each in _HEADING.findall(table)]
    if not any(headings):
        table = _HEAD.sub("", table)
    table = _TAG_OR_DATE.sub(_whole_date, table)
    # A name that breaks before a capital letter is worse than a row that is a block.
    measured = _CODE.sub(lambda match: _code(match[1], in_table=True, capitals=len(match[1])), table)
    table = _CODE.sub(lambda match: _code(match[1], in_table=True, capitals=LONGEST_IN_TABLE), table)
    columns = zip(*[[cell for _, cell in _CELL.findall(row)] for row in _ROW.findall(measured)], strict=False)
    width = sum(
        max(_longest_word(cell) for cell in (heading, *cells)) + PADDING
        for heading, cells in zip(headings, columns, strict=False)
    )
    if width <= PHONE:
        return table
    stacked = _ROW.sub(lambda match: _labelled(match[0], headings), table)
    has_prose = any(len(_text(cells[-1][1])) > PROSE for cells in map(_CELL.findall, _ROW.findall(table)) if cells)
    return stacked.replace("<table>", f"<table data-stacked{' data-prose' if has_prose else ''}>", 1)


def _labelled(row: str, headings: list[str]) -> str:
    """Return a row whose cells name their columns."""
    labels = iter(headings)

    def cell(match: re.Match[str]) -> str:
        label = html.escape(next(labels, ""))
        return f'<td{match[1]} data-heading="{label}">{match[2]}</td>' if label else match[0]

    return _CELL.sub(cell, row)


def _longest_word(cell: str) -> int:
    """Return the length of the longest word; a no-break space is a part of a word."""
    return max(map(len, re.split(r"[ \t\n]+", _text(cell.replace(_BREAK, " ").replace("<br>", " ")))))


def _text(cell: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", cell)).strip()
