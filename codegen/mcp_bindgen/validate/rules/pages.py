"""The pages of the specification that rules come from, by revision."""

from __future__ import annotations

from typing import Final

_FIRST = (
    "basic/index basic/lifecycle basic/messages basic/transports basic/utilities/cancellation basic/utilities/ping "
    "basic/utilities/progress client/roots client/sampling server/index server/prompts server/resources server/tools "
    "server/utilities/completion server/utilities/logging server/utilities/pagination"
)
_2025_03_26 = frozenset(_FIRST.split()) - {"basic/messages"} | {"basic/authorization"}
_2025_06_18 = _2025_03_26 | {"client/elicitation"}
_2025_11_25 = _2025_06_18 | {"basic/utilities/tasks"}
_2026_07_28 = (
    "basic/index basic/versioning basic/patterns/index basic/patterns/cancellation basic/patterns/mrtr "
    "basic/patterns/progress basic/patterns/subscriptions basic/transports/index basic/transports/stdio "
    "basic/transports/streamable-http client/elicitation client/roots client/sampling server/discover server/index "
    "server/prompts server/resources server/tools server/utilities/caching server/utilities/completion "
    "server/utilities/logging server/utilities/pagination"
)

PAGES: Final = {
    "2024-11-05": frozenset(_FIRST.split()),
    "2025-03-26": _2025_03_26,
    "2025-06-18": _2025_06_18,
    "2025-11-25": _2025_11_25,
    "2026-07-28": frozenset(_2026_07_28.split()),
}
"""Revision to the names of its pages, below the folder of the revision and without the ending."""
