"""Layout of tables and names on narrow screens; MkDocs calls this for the HTML of each page.

A name breaks after its separators only, never inside a word. A short one in a text does not break, nor does an option in a
table or the date of a revision. A table too wide for a phone gets the attribute ``data-stacked``: the style sheet then shows
each of its rows as a block, with the heading of the column before each cell. A table whose headings are all empty loses its
head.
"""

from __future__ import annotations

import html
import re
from typing import Any

LONGEST_PART = 30
"""Characters of a part of a name, above which the name may break after its underscores, too."""
SHORT = 28
"""Characters of a name in a text, up to which it does not break."""
PHONE = 44
"""Characters that fit beside each other into a table on a phone."""
PADDING = 3
"""Characters that the padding of a column takes."""

_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_HEAD = re.compile(r"<thead>.*?</thead>\s*", re.DOTALL)
_HEADING = re.compile(r"<th[^>]*>(.*?)</th>", re.DOTALL)
_ROW = re.compile(r"<tr>(?:(?!<th).)*?</tr>", re.DOTALL)
_CELL = re.compile(r"<td([^>]*)>(.*?)</td>", re.DOTALL)
_CODE = re.compile(r"<code>(.*?)</code>", re.DOTALL)
_SEPARATOR = re.compile(r"((?:::|[/(,=@])(?=\w)|[.:](?=[^\W\d]))")
_BREAK = "<wbr>"
_TABLE_OR_BLOCK = re.compile(r"(<table>.*?</table>|<pre.*?</pre>)", re.DOTALL)
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_PLAIN_CODE = re.compile(r"<code>([^<]*)</code>")
_TAG_OR_DATE = re.compile(r"<code.*?</code>|<[^>]*>|\b20\d\d-\d\d-\d\d\b")
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
            lambda match: f"{match[1]}{match[2].replace('_', f'_{_BREAK}')}{match[3]}",
            _PLAIN_CODE.sub(lambda match: _code(_in_words(match[1]), is_whole=len(_text(match[1])) <= SHORT), part),
        )
        for part in parts[::2]
    ]
    return "".join(parts)


def _whole_date(found: re.Match[str]) -> str:
    """Return a tag or code unchanged, and a date as one that does not break."""
    return found[0] if found[0].startswith("<") else f"<span data-whole>{found[0]}</span>"


def _code(name: str, *, is_whole: bool) -> str:
    """Return the HTML of code, which does not break at all if it is to stay whole and has no blanks."""
    if is_whole and not re.search(r"\s", name):
        return f"<code data-whole>{name}</code>"
    return f"<code>{_breakable(name)}</code>"


def _in_words(name: str) -> str:
    """Return the HTML of a long name with break opportunities before its capital letters."""
    return _CAPITAL.sub(_BREAK, name) if len(name) > LONGEST_PART and name.isalnum() else name


def _table(table: str) -> str:
    # Markdown leaves the backslash of a pipe that is code.
    table = table.replace(r"\|", "|")
    headings = [_text(each) for each in _HEADING.findall(table)]
    if not any(headings):
        table = _HEAD.sub("", table)
    table = _CODE.sub(lambda match: _code(match[1], is_whole=match[1].startswith("-")), table)
    table = _TAG_OR_DATE.sub(_whole_date, table)
    columns = zip(*[[cell for _, cell in _CELL.findall(row)] for row in _ROW.findall(table)], strict=False)
    width = sum(
        max(_longest_word(cell) for cell in (heading, *cells)) + PADDING
        for heading, cells in zip(headings, columns, strict=False)
    )
    if width <= PHONE:
        return table
    stacked = _ROW.sub(lambda match: _labelled(match[0], headings), table)
    return stacked.replace("<table>", "<table data-stacked>", 1)


def _labelled(row: str, headings: list[str]) -> str:
    """Return a row whose cells name their columns."""
    labels = iter(headings)

    def cell(match: re.Match[str]) -> str:
        label = html.escape(next(labels, ""))
        return f'<td{match[1]} data-heading="{label}">{match[2]}</td>' if label else match[0]

    return _CELL.sub(cell, row)


def _breakable(name: str) -> str:
    """Return the HTML of a name with break opportunities after its separators."""
    parts = _SEPARATOR.sub(rf"\1{_BREAK}", name).split(_BREAK)
    return _BREAK.join(
        re.sub(r"(?<=[^\W_])(_+)(?=[^\W_])", rf"\1{_BREAK}", part) if len(part) > LONGEST_PART else part
        for part in parts
    )


def _longest_word(cell: str) -> int:
    return max((len(word) for word in _text(cell.replace(_BREAK, " ").replace("<br>", " ")).split()), default=0)


def _text(cell: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", cell)).strip()
