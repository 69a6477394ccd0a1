"""Names of the methods by which servers use features of clients."""

from __future__ import annotations

from typing import Final

SAMPLE: Final = "sampling/createMessage"
ELICIT: Final = "elicitation/create"
PAGE_DONE: Final = "notifications/elicitation/complete"
ROOTS: Final = "roots/list"
CHANGED_ROOTS: Final = "notifications/roots/list_changed"
