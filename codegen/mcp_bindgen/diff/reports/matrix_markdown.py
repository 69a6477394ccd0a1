"""A matrix of revisions in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mcp_bindgen.diff.reports.markdown import code, prose
from mcp_bindgen.diff.reports.matrix_text import NONE, caption
from mcp_bindgen.diff.revision_matrix import Cell, Matrix, command


def render(matrix: Matrix, *, typed: Mapping[str, str] | None = None) -> str:
    """Return the table, and below it the command for each pairing.

    ``typed``: arguments for revisions that are not bundled, such as the path of a file.
    """
    return "\n".join(_lines(matrix, typed or {})) + "\n"


def _lines(matrix: Matrix, typed: Mapping[str, str]) -> Iterator[str]:
    names = [each.revision for each in matrix.revisions]
    text = caption(matrix)
    yield f"### {prose(text[:1].upper() + text[1:])}"
    yield ""
    yield f"| client ↓ server → | {' | '.join(map(prose, names))} |"
    yield f"|---|{':-:|' * len(names)}"
    for client in names:
        cells = [_cell(matrix.cell(client, server)) for server in names]
        yield f"| **{prose(client)}** | {' | '.join(cells)} |"
    yield ""
    yield "<details>"
    yield "<summary>How to see these changes</summary>"
    yield ""
    yield "| client | server | breaking | risky | command |"
    yield "|---|---|--:|--:|---|"
    for cell in matrix.cells:
        counts = f"{cell.breaking} | {cell.risky}"
        yield f"| {prose(cell.client)} | {prose(cell.server)} | {counts} | {code(command(matrix, cell, typed))} |"
    yield ""
    yield "</details>"


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return NONE
    numbers = f"{cell.breaking} / {cell.risky}"
    return f"**{numbers}**" if cell.breaking else numbers
