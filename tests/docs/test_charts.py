"""The charts of the documentation show the figures of the benchmark page."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from benchmarks import charts, performance
from checkout import ROOT

PAGE = charts.PAGE.read_text(encoding="utf-8")
REPAIR = "run: nox -s charts"


def test_the_charts_are_what_would_be_written_now() -> None:
    written = {path.name: path.read_text(encoding="utf-8") for path in charts.FOLDER.glob("*.svg")}
    assert written == charts.charts(PAGE), REPAIR


def test_the_page_on_performance_is_what_would_be_written_now() -> None:
    assert performance.PAGE.read_text(encoding="utf-8") == performance.performance(PAGE), REPAIR


def test_values_end_within_the_chart() -> None:
    panel = charts.Panel("Pace", "per second", [("ours", 123_456), ("theirs", 1)])
    found = re.findall(r'<text x="(\d+)" [^>]*>([^<]*per second)<', charts.svg([panel]))
    # The average character of a font of 15 pixels is narrower than 8.5.
    assert all(int(start) + 8.5 * len(text) <= charts.WIDTH for start, text in found)
    assert len(found) == 2


def test_the_figures_are_those_of_the_page() -> None:
    page = PAGE.replace("\n", " ")
    for name, found in charts.conversations(PAGE).items():
        assert f"{name}: {found.rate:,.0f} calls per second" in page
    assert charts.conversations(PAGE).keys() >= {"ours, standard library", "the SDK"}


def test_bars_are_as_long_as_their_values() -> None:
    panel = charts.Panel("Pace", "per second", [("ours", 400), ("theirs", 100)])
    lengths = [int(bar) for bar in re.findall(r'<rect [^>]*width="(\d+)"', charts.svg([panel]))]
    assert lengths[0] == pytest.approx(4 * lengths[1], rel=0.02)


def test_a_name_with_markup_is_text() -> None:
    root = ET.fromstring(charts.svg([charts.Panel("a < b", "s", [("<script>", 1.0)])]))
    assert "<script>" in [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_first_screen_shows_the_chart(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert re.search(r"!\[[^\]]+\]\((docs/)?charts/overview\.svg\)", text)
