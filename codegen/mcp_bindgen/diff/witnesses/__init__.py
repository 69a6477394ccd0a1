"""Messages that show what a change means: the smallest that one revision sends, and the other does not take as it is meant.

``routes`` finds the places of a type in messages, ``filling`` makes messages with it, ``reading`` says what a revision
makes of them, and ``search`` puts the three together and keeps only what behaves as claimed.
"""

from __future__ import annotations

from mcp_bindgen.diff.witnesses.search import WitnessSearch, with_witnesses

__all__ = ["WitnessSearch", "with_witnesses"]
