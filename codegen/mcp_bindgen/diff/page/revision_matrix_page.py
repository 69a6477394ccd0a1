"""A matrix of revisions as one self-contained HTML page without a script."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from urllib.parse import quote

from attrs import frozen

from mcp_bindgen.diff.changes import Verdict
from mcp_bindgen.diff.page.markup import content_security_policy, fill, filter_link
from mcp_bindgen.diff.page.method_matrix import Count
from mcp_bindgen.diff.page.wording import PAIRINGS
from mcp_bindgen.diff.reports.wording import listed
from mcp_bindgen.diff.revision_matrix import Cell, Matrix, command
from mcp_bindgen.errors import BindgenError

_PLACEHOLDERS = re.compile(r"\{(old|new|client|server)\}")

_Link = Callable[[Cell, Verdict], str]
"""The address where the changes of a cell at some level are shown."""


@frozen
class CellView:
    """A cell for the template; ``counts`` is None for a revision with itself."""

    level: Verdict | None
    counts: list[Count] | None

    @property
    def is_one_revision(self) -> bool:
        """Client and server are of the same revision."""
        return self.counts is None


@frozen
class Command:
    """A row of the table of commands."""

    id: str
    client: str
    server: str
    pairing: str
    command: str


def render(matrix: Matrix, *, typed: Mapping[str, str] | None = None, link: str | None = None) -> str:
    """Render a matrix. Its numbers lead to the commands further down, or to the pages of ``mcp-codegen diff``.

    ``link``: the address of those pages, with ``{old}`` and ``{new}`` in it; raises BindgenError without these.
    ``typed``: arguments for revisions that are not bundled, such as the path of a file.
    """
    names = [each.revision for each in matrix.revisions]
    address = _anchors(matrix) if link is None else _pages(matrix, link)
    commands = [
        Command(_anchor(place), cell.client, cell.server, PAIRINGS[cell.pairing][0], command(matrix, cell, typed or {}))
        for place, cell in enumerate(matrix.cells)
    ]
    return fill(
        "revision_matrix.html.j2",
        title="Each client with each server",
        policy=content_security_policy(script=False),
        methods=f" in messages of {listed(matrix.methods, 3)}" if matrix.methods else "",
        names=names,
        rows=[(client, [_cell(matrix.cell(client, server), address) for server in names]) for client in names],
        has_commands=link is None,
        commands=commands,
    )


def _cell(cell: Cell | None, address: _Link) -> CellView:
    if cell is None:
        return CellView(None, None)
    numbers: dict[Verdict, int] = {"breaking": cell.breaking, "risky": cell.risky}
    return CellView(
        cell.level, [Count(level, number, address(cell, level)) for level, number in numbers.items() if number]
    )


def _anchors(matrix: Matrix) -> _Link:
    places = {cell: place for place, cell in enumerate(matrix.cells)}
    return lambda cell, _: f"#{_anchor(places[cell])}"


def _anchor(place: int) -> str:
    return f"pairing-{place}"


def _pages(matrix: Matrix, pattern: str) -> _Link:
    if not {"old", "new"} <= set(_PLACEHOLDERS.findall(pattern)):
        message = f"--link {pattern!r} must contain {{old}} and {{new}}, for example: --link {{old}}-{{new}}.html"
        raise BindgenError(message)
    if re.match(r"(?!https?:)[A-Za-z][A-Za-z0-9+.-]*:", pattern):
        message = f"--link {pattern!r} must be a path or an http(s) URL"
        raise BindgenError(message)

    def address(cell: Cell, level: Verdict) -> str:
        values = {"old": cell.old, "new": cell.new, "client": cell.client, "server": cell.server}
        page = _PLACEHOLDERS.sub(lambda match: quote(values[match[1]], safe=""), pattern)
        chosen = {"method": matrix.methods[0]} if len(matrix.methods) == 1 else {}
        return page + filter_link(level=level, pairing=cell.pairing, **chosen)

    return address
