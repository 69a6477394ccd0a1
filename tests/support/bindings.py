"""Bindings of the emitted packages, one for each bundled revision."""

from __future__ import annotations

import importlib
from typing import Any

from mcp_bindgen import catalog
from mcp_bindings_runtime.binding import Binding


def binding(revision: str) -> Binding:
    """Return the binding of a bundled revision."""
    module: Any = importlib.import_module(f"mcp_bindings.{catalog.package_name(revision)}.binding")
    found: Binding = module.BINDING
    return found
