"""The history of a type, field, method or constant over many revisions.

from mcp_bindgen import catalog, diff

history = diff.history([catalog.load(revision) for revision in catalog.revisions()], "Tool.outputSchema")
"""

from __future__ import annotations

from mcp_bindgen.diff.timeline.history import History, HistoryEntry, State, Timeline, history

__all__ = ["History", "HistoryEntry", "State", "Timeline", "history"]
