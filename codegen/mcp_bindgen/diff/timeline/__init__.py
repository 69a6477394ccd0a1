"""One thing through many revisions: when it appeared, what became of it, and when it went.

from mcp_bindgen import catalog, diff

told = diff.history([catalog.load(revision) for revision in catalog.revisions()], "Tool.outputSchema")
"""

from __future__ import annotations

from mcp_bindgen.diff.timeline.history import History, HistoryEntry, State, Timeline, history

__all__ = ["History", "HistoryEntry", "State", "Timeline", "history"]
