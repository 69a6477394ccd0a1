"""Semantic differences of protocol revisions: of two, of every client with every server, and the history of a subject.

from mcp_bindgen import catalog, diff

difference = diff.compare(catalog.load("2025-06-18"), catalog.load("2025-11-25"))
for change in difference.changes:
    print(change.level, change.subject, change.reason)

revisions = [catalog.load(revision) for revision in catalog.revisions()]
diff.history(revisions, "Tool.outputSchema")
diff.matrix(revisions)
"""

from __future__ import annotations

from mcp_bindgen.diff.changes import Change, Difference, Revision, Summary, Verdict, Verdicts, Witness
from mcp_bindgen.diff.comparison import compare
from mcp_bindgen.diff.document import to_document
from mcp_bindgen.diff.finding_kinds import Kind
from mcp_bindgen.diff.revision_matrix import Cell, Matrix, matrix
from mcp_bindgen.diff.rules import RULES, Rule, Weights
from mcp_bindgen.diff.timeline import History, HistoryEntry, State, Timeline, history
from mcp_bindgen.diff.witnesses import with_witnesses

__all__ = [
    "RULES",
    "Cell",
    "Change",
    "Difference",
    "History",
    "HistoryEntry",
    "Kind",
    "Matrix",
    "Revision",
    "Rule",
    "State",
    "Summary",
    "Timeline",
    "Verdict",
    "Verdicts",
    "Weights",
    "Witness",
    "compare",
    "history",
    "matrix",
    "to_document",
    "with_witnesses",
]
