"""Numbers stay on one line with their units."""

from __future__ import annotations

import runpy

import pytest
from checkout import ROOT

UNITS = runpy.run_path(str(ROOT / "docs" / "units.py"))


@pytest.mark.parametrize(
    "text", ["0.3~s", "23.1~%", "5~ms,", "at most 5~MiB: met", "1,000~MB/s.", "3 servers", "2 s/call"]
)
def test_a_number_stays_with_its_unit(text: str) -> None:
    page = f"<p>{text}</p>"
    assert UNITS["on_page_content"](page.replace("~", " ")) == page.replace("~", "\N{NO-BREAK SPACE}")
    assert UNITS["on_page_content"](page.replace("~", "\n")) == page.replace("~", "\N{NO-BREAK SPACE}")


@pytest.mark.parametrize("page", ["<code>5 s</code>", "<pre><code>5 s</code></pre>", '<img alt="5 s">'])
def test_code_and_attributes_stay_as_they_are(page: str) -> None:
    assert UNITS["on_page_content"](page) == page
