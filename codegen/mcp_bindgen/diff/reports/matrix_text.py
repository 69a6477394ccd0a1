"""A matrix of revisions for a terminal: a row for each client, a column for each server."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence

from mcp_bindgen.diff.reports.text import Style
from mcp_bindgen.diff.reports.wording import listed, verdict_counts
from mcp_bindgen.diff.revision_matrix import Cell, Matrix, command
from mcp_bindgen.escaping import visible

_GAPS = (2, 1)
"""Columns between two columns of the table; the widest gap that fits is used."""
_NARROWEST = 9
"""Columns of two numbers of three digits."""
_LONGEST = len("2025-11-25")
"""Columns of the longest name that a narrow terminal shows in the table; others are below it."""

NONE = "-"
"""The cell of a revision with itself."""


def render(
    matrix: Matrix, *, width: int = 80, style: Style | None = None, typed: Mapping[str, str] | None = None
) -> str:
    """Return the matrix as a table, or as a list if the terminal is too narrow.

    ``typed``: arguments for revisions that are not bundled, such as the path of a file.
    """
    style = style or Style()
    names = [visible(each.revision) for each in matrix.revisions]
    found = _heads(names, width)
    lines = _list(matrix, style, typed or {}) if found is None else _table(matrix, *found, style, typed or {})
    return "\n".join([style.bold(caption(matrix)), "", *lines]) + "\n"


def _heads(names: Sequence[str], width: int) -> tuple[Sequence[str], str] | None:
    """Return the heads of rows and columns, and the gap between columns; None if the table has no room.

    The heads are the names, or else numbers in place of long names.
    """
    short = [name if len(name) <= _LONGEST else f"({number})" for number, name in enumerate(names, 1)]
    for heads in (names, short):
        for gap in _GAPS:
            if _first_column(heads) + sum(map(_column, heads)) + gap * len(heads) <= width:
                return heads, " " * gap
    return None


def _first_column(heads: Sequence[str]) -> int:
    return max(map(len, [*heads, "client"]))


def _column(head: str) -> int:
    return max(len(head), _NARROWEST)


def caption(matrix: Matrix) -> str:
    """Return the caption: the meaning of the numbers."""
    where = f" in messages of {listed(matrix.methods, 3)}" if matrix.methods else ""
    return f"breaking / risky changes{where}, if peers do not negotiate"


def _table(matrix: Matrix, heads: Sequence[str], gap: str, style: Style, typed: Mapping[str, str]) -> Iterator[str]:
    names = [each.revision for each in matrix.revisions]
    label, columns = _first_column(heads), list(map(_column, heads))
    yield f"{'client':<{label}}{gap}server"
    yield f"{' ' * label}{gap}{gap.join(f'{head:^{width}}' for head, width in zip(heads, columns, strict=True))}".rstrip()
    for client, head in zip(names, heads, strict=True):
        cells = [_cell(matrix.cell(client, server), width, style) for server, width in zip(names, columns, strict=True)]
        yield f"{head:<{label}}{gap}{gap.join(cells)}".rstrip()
    shortened = [(head, visible(name)) for head, name in zip(heads, names, strict=True) if head != visible(name)]
    if shortened:
        yield ""
    yield from (f"{head} is {name}" for head, name in shortened)
    methods = "".join(f" --method {visible(method)}" for method in matrix.methods)
    yield ""
    yield "old client, new server (right of the diagonal):"
    yield style.dim(f"  mcp-codegen diff CLIENT SERVER --perspective client{methods}")
    yield "new client, old server (left of the diagonal):"
    yield style.dim(f"  mcp-codegen diff SERVER CLIENT --perspective server{methods}")
    yield from (f"where {visible(name)} is {visible(shlex.quote(word))}" for name, word in typed.items())


def _cell(cell: Cell | None, width: int, style: Style) -> str:
    if cell is None:
        return f"{NONE:^{width}}"
    half = (width - 3) // 2
    breaking, risky = f"{cell.breaking:>{half}}", f"{cell.risky:<{width - 3 - half}}"
    first = style.level("breaking", breaking) if cell.breaking else style.dim(breaking)
    second = style.level("risky", risky) if cell.risky else style.dim(risky)
    return f"{first} / {second}"


def _list(matrix: Matrix, style: Style, typed: Mapping[str, str]) -> Iterator[str]:
    for client in (each.revision for each in matrix.revisions):
        yield f"client {visible(client)}"
        for cell in (cell for cell in matrix.cells if cell.client == client):
            yield f"  server {visible(cell.server)}: {verdict_counts({'breaking': cell.breaking, 'risky': cell.risky})}"
            # In one line, to be copied.
            yield style.dim(f"    {visible(command(matrix, cell, typed))}")
