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
    columns = [max(len(name), _NARROWEST) for name in names]
    label = max(map(len, [*names, "client"]))
    gap = next((" " * each for each in _GAPS if label + sum(columns) + each * len(columns) <= width), None)
    lines = (
        _list(matrix, style, typed or {}) if gap is None else _table(matrix, label, columns, gap, style, typed or {})
    )
    return "\n".join([style.bold(caption(matrix)), "", *lines]) + "\n"


def caption(matrix: Matrix) -> str:
    """Return the caption: the meaning of the numbers."""
    where = f" in messages of {listed(matrix.methods, 3)}" if matrix.methods else ""
    return f"breaking / risky changes{where}, if peers do not negotiate"


def _table(
    matrix: Matrix, label: int, columns: Sequence[int], gap: str, style: Style, typed: Mapping[str, str]
) -> Iterator[str]:
    names = [each.revision for each in matrix.revisions]
    yield f"{'client':<{label}}{gap}server"
    heads = [f"{visible(name):^{width}}" for name, width in zip(names, columns, strict=True)]
    yield f"{' ' * label}{gap}{gap.join(heads)}".rstrip()
    for client in names:
        cells = [_cell(matrix.cell(client, server), width, style) for server, width in zip(names, columns, strict=True)]
        yield f"{visible(client):<{label}}{gap}{gap.join(cells)}".rstrip()
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
