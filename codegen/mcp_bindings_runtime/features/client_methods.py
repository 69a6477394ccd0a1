"""Names of the methods by which servers use features of clients, and of the client's options for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SAMPLE: Final = "sampling/createMessage"
ELICIT: Final = "elicitation/create"
PAGE_DONE: Final = "notifications/elicitation/complete"
ROOTS: Final = "roots/list"
CHANGED_ROOTS: Final = "notifications/roots/list_changed"

ON_NOTIFICATION: Mapping[str, str] = {
    "on_log": "notifications/message",
    "on_resource_updated": "notifications/resources/updated",
    "on_tools_changed": "notifications/tools/list_changed",
    "on_prompts_changed": "notifications/prompts/list_changed",
    "on_resources_changed": "notifications/resources/list_changed",
}
"""Options to the notification that their function handles. Those of changed lists are called without an argument."""

BY_CAPABILITY: Mapping[str, str] = {
    "elicitation_url": "elicitation.url",
    "sampling_tools": "sampling.tools",
    "sampling_context": "sampling.context",
}
"""Options to the capability that a revision must have for them."""
