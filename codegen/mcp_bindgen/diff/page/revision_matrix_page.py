"""A matrix of revisions as one self-contained HTML page, which runs nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from urllib.parse import quote

from mcp_bindgen.diff.changes import Verdict
from mcp_bindgen.diff.page.head import head
from mcp_bindgen.diff.page.markup import Html, element, joined
from mcp_bindgen.diff.page.matrix import state
from mcp_bindgen.diff.page.wording import PAIRINGS
from mcp_bindgen.diff.pairings import Cell, Matrix
from mcp_bindgen.diff.pairings.document import command
from mcp_bindgen.diff.reports.wording import listed
from mcp_bindgen.errors import BindgenError

_PLACES = re.compile(r"\{(old|new|client|server)\}")
_TITLE = "Every client with every server"

_Link = Callable[[Cell, Verdict], str]
"""Where the changes of a cell are shown that are of some level."""


def render(matrix: Matrix, *, typed: Mapping[str, str] | None = None, link: str | None = None) -> str:
    """The page. Its numbers lead to the commands further down, or to the pages of ``mcp-codegen diff``.

    ``link``: where those pages are, with ``{old}`` and ``{new}`` in it; BindgenError without these. ``typed``: what to
    type for revisions that are not bundled, such as the path of a file.
    """
    where = _here(matrix) if link is None else _there(matrix, link)
    body = element(
        "body",
        None,
        element("header", None, element("div", None, element("h1", None, _TITLE), _lead(matrix))),
        element("main", None, _table(matrix, where), *([_commands(matrix, typed or {})] if link is None else [])),
        element(
            "footer",
            None,
            element(
                "p",
                None,
                "A client of an older revision than its server is an old client with a new server; a client of a newer "
                "one is a new client with an old server. What both revisions know alike breaks nothing.",
            ),
        ),
    )
    return f"<!doctype html>\n{element('html', {'lang': 'en'}, head(_TITLE), body).text}\n"


def _lead(matrix: Matrix) -> Html:
    where = f" in messages of {listed(matrix.methods, 3)}" if matrix.methods else ""
    words = (element("span", {"class": f"v {level}"}, f"{level} changes") for level in ("breaking", "risky"))
    told = (joined(words, " and "), f"{where}, for peers that do not negotiate")
    return element("p", {"class": "lead"}, *told)


def _table(matrix: Matrix, where: _Link) -> Html:
    names = [each.revision for each in matrix.revisions]
    heads = [element("th", {"scope": "col"}, name) for name in names]
    top = element("tr", None, element("th", {"scope": "col"}, "Client ↓ Server →"), *heads)
    rows = [
        element(
            "tr",
            None,
            element("th", {"scope": "row"}, client),
            *(_cell(matrix.cell(client, server), where) for server in names),
        )
        for client in names
    ]
    table = element("table", {"class": "matrix revisions"}, element("thead", None, top), element("tbody", None, *rows))
    return element("div", {"class": "scroller", "tabindex": 0, "role": "region", "aria-label": _TITLE}, table)


def _cell(cell: Cell | None, where: _Link) -> Html:
    if cell is None:
        return element("td", None, element("span", {"class": "quiet"}, "="))
    counts: dict[Verdict, int] = {"breaking": cell.breaking, "risky": cell.risky}
    numbers = [
        element(
            "a",
            {"class": f"v {level}", "href": where(cell, level)},
            str(number),
            element("span", {"class": "said"}, f" {level}"),
        )
        for level, number in counts.items()
        if number
    ]
    return element("td", {"class": cell.level}, joined(numbers) if numbers else element("span", None, "0"))


def _commands(matrix: Matrix, typed: Mapping[str, str]) -> Html:
    heads = [element("th", {"scope": "col"}, word) for word in ("Client", "Server", "", "Command")]
    rows = [
        element(
            "tr",
            {"id": _anchor(place)},
            element("td", None, cell.client),
            element("td", None, cell.server),
            element("td", None, PAIRINGS[cell.pairing][0]),
            element("td", None, element("code", None, command(matrix, cell, typed))),
        )
        for place, cell in enumerate(matrix.cells)
    ]
    table = element(
        "table",
        {"class": "matrix commands"},
        element("thead", None, element("tr", None, *heads)),
        element("tbody", None, *rows),
    )
    scroller = element("div", {"class": "scroller", "tabindex": 0, "role": "region", "aria-label": "Commands"}, table)
    return element("section", None, element("h2", None, "How to see these changes"), scroller)


def _here(matrix: Matrix) -> _Link:
    places = {cell: place for place, cell in enumerate(matrix.cells)}
    return lambda cell, _: f"#{_anchor(places[cell])}"


def _anchor(place: int) -> str:
    return f"pairing-{place}"


def _there(matrix: Matrix, pattern: str) -> _Link:
    if not {"old", "new"} <= set(_PLACES.findall(pattern)):
        message = f"--link {pattern!r} has to have {{old}} and {{new}} in it; for example: --link {{old}}-{{new}}.html"
        raise BindgenError(message)
    if re.match(r"(?!https?:)[A-Za-z][A-Za-z0-9+.-]*:", pattern):
        message = f"--link {pattern!r} is no path and no address of the web"
        raise BindgenError(message)

    def where(cell: Cell, level: Verdict) -> str:
        values = {"old": cell.old, "new": cell.new, "client": cell.client, "server": cell.server}
        page = _PLACES.sub(lambda match: quote(values[match[1]], safe=""), pattern)
        chosen = {"method": matrix.methods[0]} if len(matrix.methods) == 1 else {}
        return page + state(level=level, pairing=cell.pairing, **chosen)

    return where
