"""The page ``docs/performance.md`` and its charts, from ``docs/benchmarks.md``: ``python -m benchmarks.performance``."""

from __future__ import annotations

import re

from benchmarks import charts
from benchmarks.charts import DOCS, FOLDER, conversations, http_rates

PAGE = DOCS / "performance.md"
NAME = "ours, standard library"


def performance(page: str) -> str:
    """Return the page in Markdown; ``page`` is the benchmark page."""
    found = conversations(page)
    ours, peer, bare = found[NAME], found["the SDK"], found["bare exchange"]
    rates = {revision: http_rates(page, revision) for revision in ("2025-11-25", "2026-07-28")}
    over_http = ", and ".join(
        f"{each[NAME]:,.0f} a second in revision {revision} (SDK: {each['the SDK']:,.0f})"
        for revision, each in rates.items()
    )
    faster = _row(page, f"calls per second: {NAME} / the SDK's").split()[0]
    structs = sorted(re.findall(r"[\d.]+(?= )", _row(page, "decode: ours, orjson / msgspec Structs"))[:3], key=float)
    measured = re.search(r"^The figures were measured on \d{4}-\d\d-\d\d with \S+ [\d.]+ on [^,]+", page, re.MULTILINE)
    assert measured is not None
    return "\n".join(
        [
            "# Performance",
            "",
            "This page compares the speed and memory of this project with those of the official Python SDK. Both ran on the same",
            "machine, and took turns. This project used Python's own JSON library; with orjson, its calls over stdio are faster. On",
            "other machines, expect similar ratios rather than the same figures.",
            "",
            "![Tool calls per second over stdio and HTTP](charts/calls.svg)",
            "",
            "![Seconds from the start of a server to its first response](charts/start.svg)",
            "",
            "![Memory of an idle server](charts/memory.svg)",
            "",
            "## Findings",
            "",
            f"- **Tool calls over stdio**, one at a time: {ours.rate:,.0f} a second, {faster} times as many as with the SDK.",
            f"- **Tool calls over HTTP**, one at a time: {over_http}.",
            f"- **Start**: a server needs {ours.start:g} s from its start to its first list of tools. "
            f"A server with the SDK needs {peer.start:g} s.",
            f"- **Memory**: an idle server takes {ours.memory:g} MiB. A server with the SDK takes {peer.memory:g} MiB.",
            "",
            "These findings are not in our favour:",
            "",
            "- The `tools/call` messages of the first finding can be exchanged faster: two minimal Python programs, which check",
            f"  nothing, make {bare.rate:,.0f} calls a second over stdio. This project reaches "
            f"{ours.rate / bare.rate:.0%} of that rate.".replace("%", " %"),
            "- The library msgspec decodes messages into classes faster than this project with orjson:",
            f"  {structs[0]} to {structs[-1]} times as fast, depending on the revision (geometric means over the messages",
            "  of a revision). However, msgspec drops members that the classes do not declare; this project keeps them.",
            "- Python runs the code of one thread at a time, unless it is a free-threaded build. So with the usual builds,",
            "  all Python code of a server process uses at most one processor, however many clients call.",
            "  [Running at scale](running-at-scale.md) explains how to use several processes.",
            "",
            f"{measured[0]}.",
            "The [benchmark page](benchmarks.md) explains the methods. It lists all figures and the goals of the project, including",
            "the goals that are missed.",
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
