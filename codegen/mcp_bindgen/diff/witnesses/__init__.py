"""Witnesses: the smallest messages that one revision sends and the other refuses or ignores in part.

``candidates`` chooses messages that might show a change, ``routes`` finds the places of a type in messages,
``value_generator`` fills them, ``message_checker`` checks them by a revision, and ``search`` keeps the smallest that
behaves as expected.
"""

from __future__ import annotations

from mcp_bindgen.diff.witnesses.search import WitnessSearch, with_witnesses

__all__ = ["WitnessSearch", "with_witnesses"]
