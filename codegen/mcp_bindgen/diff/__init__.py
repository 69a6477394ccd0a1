"""The semantic difference of two protocol revisions.

from mcp_bindgen import catalog, diff

difference = diff.compare(catalog.load("2025-06-18"), catalog.load("2025-11-25"))
for change in difference.changes:
    print(change.level, change.subject, change.reason)
"""

from __future__ import annotations

from mcp_bindgen.diff.changes import Change, Difference, Kind, Revision, Summary, Verdict, Verdicts, Witness
from mcp_bindgen.diff.compare import compare
from mcp_bindgen.diff.document import to_document
from mcp_bindgen.diff.rules import RULES, Rule, Weights
from mcp_bindgen.diff.witnesses import with_witnesses

__all__ = [
    "RULES",
    "Change",
    "Difference",
    "Kind",
    "Revision",
    "Rule",
    "Summary",
    "Verdict",
    "Verdicts",
    "Weights",
    "Witness",
    "compare",
    "to_document",
    "with_witnesses",
]
