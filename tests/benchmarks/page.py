"""The benchmark page: tables of ratios, each beside its goal."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

from attrs import frozen


@frozen
class Row:
    """One figure: a ratio unless it has a unit; ``goal`` in words, empty where it is only reported."""

    name: str
    value: float
    goal: str = ""
    unit: str = ""


@frozen
class Table:
    """Figures of one run, and how they were taken."""

    title: str
    about: str
    rows: Sequence[Row]


def ratio(value: float) -> str:
    """A figure with as many digits as its noise allows."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def render(tables: Sequence[Table]) -> str:
    """The page in Markdown."""
    parts = [
        "# Benchmarks",
        "",
        "Written by `nox -s bench`. Machines differ and are noisy, so what counts are ratios of medians taken in one run.",
        "",
        f"{datetime.now(UTC):%Y-%m-%d}, {platform.python_implementation()} {platform.python_version()} on "
        f"{platform.system()} {platform.machine()}; {_versions()}.",
    ]
    for table in tables:
        parts += ["", f"## {table.title}", "", table.about, "", "| | figure | goal |", "|---|---|---|"]
        for row in table.rows:
            unit = f" {row.unit}" if row.unit else ""
            goal = f"{row.goal}: {'met' if _met(row) else 'missed'}" if row.goal else ""
            parts.append(f"| {row.name} | {ratio(row.value)}{unit} | {goal} |")
    return "\n".join(parts) + "\n"


def _met(row: Row) -> bool:
    *words, number = row.goal.removesuffix(" MiB").split()
    bound = float(number)
    return row.value >= bound if words == ["at", "least"] else row.value <= bound


def _versions() -> str:
    named = []
    for name in ("attrs", "cattrs", "datamodel-code-generator", "tree-sitter"):
        try:
            named.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return ", ".join(named)
