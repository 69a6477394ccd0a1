"""Charts of the documentation: figures of ``docs/benchmarks.md`` as SVG."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from attrs import frozen

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "benchmarks.md"
FOLDER = DOCS / "charts"

OURS = "mcp-bindings"
PEER = "official SDK"

WIDTH = 480
LABELS = 115
"""Width of the column of names."""
VALUES = 175
"""Width left of the right border for the value behind the longest bar."""
ROW = 30
HEADING = 38

STYLE = """\
text { font: 15px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: #24292f }
.heading { font-weight: 600 }
.ours { fill: #3f51b5 }
.peer { fill: #9aa0a6 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6e8ec }
  .ours { fill: #8c9eff }
  .peer { fill: #757b85 }
}"""


@frozen
class Panel:
    """Bars of one quantity."""

    heading: str
    unit: str
    bars: Sequence[tuple[str, float]]
    """Names and values. The first bar is ours."""


def svg(panels: Sequence[Panel]) -> str:
    """Return a chart with one panel below the other; it follows the reader's light or dark scheme."""
    height = sum(HEADING + ROW * len(panel.bars) for panel in panels) + 8
    spoken = "; ".join(
        f"{panel.heading}: {', '.join(f'{name} {_number(value)} {panel.unit}' for name, value in panel.bars)}"
        for panel in panels
    )
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">',
        f"<title>{escape(spoken)}</title>",
        f"<style>\n{STYLE}\n</style>",
    ]
    top = 0
    for panel in panels:
        lines += _panel(panel, top)
        top += HEADING + ROW * len(panel.bars)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _panel(panel: Panel, top: int) -> list[str]:
    longest = max(value for _, value in panel.bars)
    lines = [f'<text class="heading" x="0" y="{top + 26}">{escape(panel.heading)}</text>']
    for number, (name, value) in enumerate(panel.bars):
        y = top + HEADING + ROW * number
        length = max(2, round((WIDTH - LABELS - VALUES) * value / longest))
        kind = "peer" if number else "ours"
        lines += [
            f'<text x="0" y="{y + 16}">{escape(name)}</text>',
            f'<rect class="{kind}" x="{LABELS}" y="{y}" width="{length}" height="22" rx="3"/>',
            f'<text x="{LABELS + length + 8}" y="{y + 16}">{_number(value)} {escape(panel.unit)}</text>',
        ]
    return lines


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:g}"


@frozen
class Conversation:
    """Figures of one program in the section "Calls over stdio"."""

    rate: float
    """Calls per second."""
    start: float
    """Seconds from the start of the process to the first response."""
    memory: float
    """MiB of an idle server."""


def conversations(page: str) -> Mapping[str, Conversation]:
    """Return the absolute figures of the section "Calls over stdio", by the name that the page has for a program."""
    rows = re.findall(
        r"^- ([\w ,]+): ([\d,.]+) calls per second, median [\d,.]+ µs, p99 [\d,.]+ ms, "
        r"started in ([\d.]+) s, ([\d.]+) MiB",
        page,
        re.MULTILINE,
    )
    return {
        name: Conversation(float(rate.replace(",", "")), float(start), float(memory))
        for name, rate, start, memory in rows
    }


def http_rates(page: str, revision: str) -> Mapping[str, float]:
    """Return the calls per second of the section "HTTP", one at a time, by the name that the page has for a program."""
    rows = re.findall(rf"^- ([\w ,]+), {revision}, 1 at a time: ([\d,.]+) calls per second", page, re.MULTILINE)
    return {name: float(rate.replace(",", "")) for name, rate in rows}


def charts(page: str) -> Mapping[str, str]:
    """Return the charts that show the figures of the page: SVG by the name of the file."""
    found = conversations(page)
    ours, peer = found["ours, standard library"], found["the SDK"]
    rate = Panel("Tool calls over stdio", "per second", [(OURS, ours.rate), (PEER, peer.rate)])
    start = Panel("Start of a server, to its first response", "s", [(OURS, ours.start), (PEER, peer.start)])
    memory = Panel("Memory of an idle server", "MiB", [(OURS, ours.memory), (PEER, peer.memory)])
    http = [
        Panel(
            f"Tool calls over HTTP, {revision}",
            "per second",
            [(OURS, rates["ours, standard library"]), (PEER, rates["the SDK"])],
        )
        for revision in ("2025-11-25", "2026-07-28")
        for rates in [http_rates(page, revision)]
    ]
    return {
        "overview.svg": svg([rate, start]),
        "calls.svg": svg([rate, *http]),
        "start.svg": svg([start]),
        "memory.svg": svg([memory]),
    }
