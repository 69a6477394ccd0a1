"""The emitted packages as the runtime sees them: a binding for each bundled revision."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from mcp_bindgen import catalog
from mcp_bindings.runtime.binding import Binding

SWITCHES = frozenset(
    {"prompts.listChanged", "resources.listChanged", "resources.subscribe", "roots.listChanged", "tools.listChanged"}
)
"""Capabilities that are true or false (``ClientCapabilities`` and ``ServerCapabilities`` of every schema)."""


@cache
def binding(revision: str) -> Binding:
    """The binding of a bundled revision."""
    module: Any = importlib.import_module(f"mcp_bindings.{catalog.package_name(revision)}")
    return Binding(
        revision=module.revision.REVISION,
        handshake=module.revision.HANDSHAKE,
        batches=module.revision.BATCHES,
        codec=module.converter._CODEC,
        types=module.types,
        requests=module.methods.REQUESTS,
        notifications=module.methods.NOTIFICATIONS,
        switches=SWITCHES,
    )
