"""Headings of a page form a structure without gaps."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
from checkout import ROOT


def skipped_levels(text: str) -> list[str]:
    """Return the headings that are more than one level below the heading before."""
    text = re.sub(r"^( *)```.*?^\1```", "", text, flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^(#+) (.+)$", text, re.MULTILINE)
    return [title for (above, _), (marks, title) in itertools.pairwise(headings) if len(marks) > len(above) + 1]


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.stem)
def test_headings_skip_no_level(page: Path) -> None:
    assert skipped_levels(page.read_text(encoding="utf-8")) == []
