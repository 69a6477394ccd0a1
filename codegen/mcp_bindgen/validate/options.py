"""What is asked of a run."""

from __future__ import annotations

from attrs import field, frozen

from mcp_bindgen.validate.limits import Limits

AUTO = "auto"
"""The version that stands for finding out which it is."""


@frozen
class Options:
    """How messages are checked."""

    version: str = AUTO
    """A bundled revision, or ``auto``."""
    rules: bool = False
    """Whether the rules of the specification's prose are checked."""
    complete: bool = False
    """Whether each recording is one whole session, from its first message on."""
    limits: Limits = field(factory=Limits)
