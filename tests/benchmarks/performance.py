"""The page ``docs/performance.md`` and its charts, from ``docs/benchmarks.md``: ``python -m benchmarks.performance``."""

from __future__ import annotations

import re

from benchmarks import charts
from benchmarks.charts import DOCS, FOLDER, conversations, http_rates
from benchmarks.page import ratio

PAGE = DOCS / "performance.md"
NAME = "ours, standard library"


def performance(page: str) -> str:
    """Return the page in Markdown; ``page`` is the benchmark page."""
    found = conversations(page)
    ours, peer, bare = found[NAME], found["the SDK"], found["bare exchange"]
    rates = {revision: http_rates(page, revision) for revision in ("2025-11-25", "2026-07-28")}
    over_http = "; ".join(
        f"{each[NAME]:,.0f} with {revision}, where the SDK makes {each['the SDK']:,.0f}"
        for revision, each in rates.items()
    )
    structs = re.findall(r"[\d.]+", _row(page, "decode: ours, orjson / msgspec Structs"))[0]
    measured = re.search(r"^\d{4}-\d\d-\d\d, \S+ [\d.]+ on [^;]+", page, re.MULTILINE)
    assert measured is not None
    return "\n".join(
        [
            "# Performance",
            "",
            "This page compares the project with the official Python SDK. Both ran on one machine, in alternation, with the",
            "standard library's JSON. On other machines, expect the same ratios rather than the same figures.",
            "",
            "![Tool calls per second over stdio and HTTP](charts/calls.svg)",
            "",
            "![Seconds from the start of a server to its first answer](charts/start.svg)",
            "",
            "![Memory of an idle server](charts/memory.svg)",
            "",
            "## Findings",
            "",
            f"- **Calls over stdio**: {ours.rate:,.0f} a second, {ratio(ours.rate / peer.rate)} times as many as with the SDK.",
            f"- **Calls over HTTP**: {over_http}.",
            f"- **Start**: a server answers after {ours.start:g} s, one of the SDK after {peer.start:g} s.",
            f"- **Memory**: an idle server takes {ours.memory:g} MiB, one of the SDK {peer.memory:g} MiB.",
            "",
            "Not in our favour:",
            "",
            f"- Two programs that exchange the same lines and check nothing make {bare.rate:,.0f} calls a second. This project makes",
            f"  {ours.rate / bare.rate:.0%} of that.".replace("%", " %"),
            f"- msgspec decodes into classes {structs} times as fast. It drops unknown members.",
            "- Python runs one thread at a time, so a process answers as many calls a second for many clients as for one. [Running at",
            "  scale](running-at-scale.md) says how to use several processes.",
            "",
            f"Measured on {measured[0]}.",
            "[Benchmarks for developers](benchmarks.md) has the method, all figures, and the goals of the",
            "project with those that are missed.",
            "",
        ]
    )


def _row(page: str, name: str) -> str:
    """Return the cells of a row of a table."""
    (row,) = re.findall(rf"^\| {re.escape(name)} \|(.*)$", page, re.MULTILINE)[:1]
    return str(row)


def main() -> None:
    """Write the page and the charts from the figures that are there."""
    page = charts.PAGE.read_text(encoding="utf-8")
    PAGE.write_text(performance(page), encoding="utf-8")
    FOLDER.mkdir(exist_ok=True)
    for name, text in charts.charts(page).items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
