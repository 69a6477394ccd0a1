"""Every client with every server: how much breaks for those that do not negotiate.

from mcp_bindgen import catalog, diff

table = diff.matrix([catalog.load(revision) for revision in catalog.revisions()])
table.cell("2025-06-18", "2026-07-28")
"""

from __future__ import annotations

from mcp_bindgen.diff.revision_matrix import Cell, Matrix, matrix

__all__ = ["Cell", "Matrix", "matrix"]
