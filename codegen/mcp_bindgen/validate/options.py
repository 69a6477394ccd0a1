"""Options of a run."""

from __future__ import annotations

from attrs import field, frozen

from mcp_bindgen.validate.limits import Limits

AUTO = "auto"
"""The version that means: detect the revision."""


@frozen
class Options:
    """Options for checking messages."""

    version: str = AUTO
    """A bundled revision, or ``auto``."""
    rules: bool = False
    """Check the rules of the specification's prose."""
    complete: bool = False
    """Treat each recording as one whole session from its first message."""
    limits: Limits = field(factory=Limits)
