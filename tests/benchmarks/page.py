"""The benchmark page: figures of one run compared with goals; whether a goal is met is computed, never written."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import TypeAlias

from attrs import field, frozen


@frozen
class Row:
    """One figure: a ratio unless it has a unit; ``goal`` in words, empty if there is none."""

    name: str
    value: float
    goal: str = ""
    unit: str = ""


@frozen
class Table:
    """Figures of one run, with the method of measurement."""

    title: str
    about: str
    rows: Sequence[Row]


@frozen
class Line:
    """The same figure for each column of a grid; ``goals`` in words, one for each column, or none at all."""

    name: str
    values: Sequence[float]
    goals: Sequence[str] = ()
    unit: str = ""


@frozen
class Grid:
    """Figures of one run for several columns; ``notes`` are paragraphs below."""

    title: str
    about: str
    columns: Sequence[str]
    lines: Sequence[Line]
    notes: Sequence[str] = field(factory=tuple)


@frozen
class Listing:
    """A table of texts; each row has one cell for each column."""

    title: str
    about: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


Section: TypeAlias = Table | Grid | Listing


def ratio(value: float) -> str:
    """Return a figure with the number of digits that its noise allows."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def render(sections: Sequence[Section], versions: Mapping[str, str]) -> str:
    """Return the page in Markdown; ``versions`` are those of distributions in other environments."""
    parts = [
        "# Benchmarks",
        "",
        "These benchmarks compare the project with other libraries and with its own goals. `nox -s bench` runs "
        "them and writes this page. The figures depend on the machine and on the other programs that run on it. So "
        "rely on the ratios rather than on the absolute figures: both sides of a ratio were measured in the same "
        "run, on the same machine.",
        "",
        "How to read the tables:",
        "",
        "- *ours* is this project.",
        "- *A / B* is the figure for A divided by the figure for B. If *decode: mcp-types / ours* is 5, mcp-types takes five "
        "times as long as this project.",
        "- *mcp-types* is the package with the message types of the official Python SDK.",
        "- *orjson* and *standard library* name the JSON library that this project uses in the row. In rows with *stock "
        "cattrs* (see [Contenders](#contenders)), both sides use orjson.",
        "- A date such as *2025-11-25* is a revision of the Model Context Protocol.",
        "- A goal is a figure that the project wants to reach. The program that writes this page computes whether "
        "each goal is met.",
        "",
        f"The figures were measured on {datetime.now(UTC):%Y-%m-%d} with {platform.python_implementation()} "
        f"{platform.python_version()} on {platform.system()} {platform.machine()}, unless a section says "
        f"otherwise. These versions of packages were used: {_versions(versions)}.",
    ]
    for section in sections:
        parts += ["", f"## {section.title}", "", section.about, "", *_body(section)]
    return "\n".join(parts) + "\n"


def _body(section: Section) -> list[str]:
    if isinstance(section, Listing):
        return _markdown(section.columns, section.rows)
    if isinstance(section, Grid):
        return [*_grid(section), *(text for note in section.notes for text in ("", note))]
    rows: list[list[str]] = []
    for row in section.rows:
        goal = f"{row.goal}: {'met' if is_met(row.value, row.goal) else 'missed'}" if row.goal else ""
        rows.append([row.name, _judged(row.value, row.unit, row.goal), goal])
    if not any(row.goal for row in section.rows):
        return _markdown(["measured", "figure"], [row[:2] for row in rows])
    return _markdown(["measured", "figure", "goal"], rows)


def _grid(grid: Grid) -> list[str]:
    if not any(line.goals for line in grid.lines):
        return _markdown(["measured", *grid.columns], [[line.name, *_cells(line)] for line in grid.lines])
    rows = [[line.name, *_cells(line), _goals(grid.columns, line.goals)] for line in grid.lines]
    return _markdown(["measured", *grid.columns, "goal"], rows)


def _markdown(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [columns, ["---"] * len(columns), *rows]
    head, rule, *rest = ("| " + " | ".join(line) + " |" for line in lines)
    return [head, rule.replace(" ", ""), *rest]


def _cells(line: Line) -> list[str]:
    if not line.goals:
        return [_with_unit(value, line.unit) for value in line.values]
    return [
        f"{_judged(value, line.unit, goal)}{'' if not goal else ' met' if is_met(value, goal) else ' **missed**'}"
        for value, goal in zip(line.values, line.goals, strict=True)
    ]


def _judged(value: float, unit: str, goal: str | None) -> str:
    """Return a figure with its unit; say that it is rounded if the digits shown contradict the verdict on its goal."""
    shown = float(ratio(value).replace(",", ""))
    contradicts = bool(goal) and is_met(shown, goal) != is_met(value, goal)
    return f"{_with_unit(value, unit)}{' (rounded)' if contradicts else ''}"


def _with_unit(value: float, unit: str) -> str:
    return f"{ratio(value)} {unit}" if unit else ratio(value)


def _goals(columns: Sequence[str], goals: Sequence[str]) -> str:
    """Return the goal of most columns, and the others with their columns."""
    if not goals:
        return ""
    usual = Counter(goals).most_common(1)[0][0]
    others = [f"{column}: {goal}" for column, goal in zip(columns, goals, strict=True) if goal != usual]
    return "; ".join([usual, *others])


def is_met(value: float, goal: str) -> bool:
    """Return whether a figure meets a goal: ``at least 8``, ``at most 5 MiB``, ``at most 1 s``, ``below 1``."""
    words, bound = _bound(goal)
    return value >= bound if words == ["at", "least"] else value < bound if words == ["below"] else value <= bound


def shortfall(value: float, goal: str) -> str:
    """Return the distance to a missed goal: ``12 % below 8``."""
    words, bound = _bound(goal)
    side = "below" if words == ["at", "least"] else "above"
    wanted = goal.removeprefix(" ".join(words)).strip()
    return f"{abs(value / bound - 1):.0%} {side} {wanted}".replace("%", " %")


def _bound(goal: str) -> tuple[list[str], float]:
    words = goal.removesuffix(" MiB").removesuffix(" s").split()
    return words[:-1], float(words[-1])


def _versions(others: Mapping[str, str]) -> str:
    named = dict(others)
    for name in ("attrs", "cattrs", "datamodel-code-generator", "tree-sitter"):
        try:
            named.setdefault(name, version(name))
        except PackageNotFoundError:
            continue
    return ", ".join(f"{name} {named[name]}" for name in sorted(named))
