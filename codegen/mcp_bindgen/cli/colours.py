"""Colours of verdicts."""

from __future__ import annotations

import sys
from functools import partial

from mcp_bindgen.cli import output
from mcp_bindgen.diff.reports.text import Style


def verdict_style() -> Style:
    """Return the style for reports of differences on standard output."""
    hues = {"breaking": "red", "risky": "yellow", "compatible": "green"}
    paint = partial(output.paint, sys.stdout)
    return Style(
        bold=partial(paint, bold=True),
        dim=partial(paint, dim=True),
        level=lambda level, text: paint(text, fg=hues[level]),
    )
