"""Figures are worked out right: what is met, by how much a goal is missed, and what a worker answers."""

from __future__ import annotations

import sys

import pytest
from benchmarks.interleave import Cell, Children
from benchmarks.page import Grid, Line, Listing, Row, Table, is_met, render, shortfall


@pytest.mark.parametrize(
    ("value", "goal", "met"),
    [
        (8, "at least 8", True),
        (7.99, "at least 8", False),
        (1.4, "at most 1.4", True),
        (1.41, "at most 1.4", False),
        (1, "below 1", False),
        (0.99, "below 1", True),
        (5.0, "at most 5 MiB", True),
        (1.01, "at most 1 s", False),
    ],
)
def test_a_goal_in_words_is_understood(value: float, goal: str, met: bool) -> None:
    assert is_met(value, goal) is met


def test_what_is_missed_is_said_in_percent() -> None:
    assert shortfall(6, "at least 8") == "25 % below 8"
    assert shortfall(2.1, "at most 1.4") == "50 % above 1.4"


def test_a_grid_shows_each_column_and_the_goals_that_differ() -> None:
    line = Line("speed", [9, 7, 7], ["at least 8", "at least 8", "at least 6.5"])
    page = render([Grid("Speed", "Words.", ["a", "b", "c"], [line], ["A note."])], {"thing": "1.2"})
    assert "thing 1.2" in page
    assert "| measured | a | b | c | goal |\n|---|---|---|---|---|\n" in page
    assert "| speed | 9.00 met | 7.00 **missed** | 7.00 met | at least 8; c: at least 6.5 |" in page
    assert page.endswith("\nA note.\n")


def test_a_figure_that_is_rounded_to_its_goal_says_so() -> None:
    line = Line("speed", [14.96, 15.04, 14.6], ["at least 15"] * 3)
    page = render([Grid("Speed", "Words.", ["a", "b", "c"], [line])], {})
    assert "| speed | 15.0 (rounded) **missed** | 15.0 met | 14.6 **missed** | at least 15 |" in page
    assert "| one | 1.00 (rounded) | at most 1: missed |" in render(
        [Table("T", "W.", [Row("one", 1.001, "at most 1")])], {}
    )


def test_tables_without_goals_have_no_column_for_them() -> None:
    grid = render([Grid("Shares", "Words.", ["a"], [Line("parser", [12.34], unit="%")])], {})
    assert "| measured | a |\n|---|---|\n| parser | 12.3 % |" in grid
    assert "| one | 2.00 | at most 1: missed |" in render([Table("T", "Words.", [Row("one", 2, "at most 1")])], {})
    table = render([Table("T", "Words.", [Row("lines", 3.0), Row("share", 50.0, unit="%")])], {})
    assert "| measured | figure |\n|---|---|\n| lines | 3.00 |\n| share | 50.0 % |" in table
    assert "| x | y |\n|---|---|\n| 1 | 2 |" in render([Listing("L", "Words.", ["x", "y"], [["1", "2"]])], {})


def test_workers_prove_themselves_and_take_turns() -> None:
    cells = [Cell("bare", "2025-03-26", "ping", work) for work in ("decode", "dumps", "raw decode")]
    with Children({"bare": sys.executable}) as children:
        assert children.ask("bare", "prove")["dropped"] == {"2025-03-26": 0, "2025-11-25": 0, "2026-07-28": 0}
        times = children.measure(cells, rounds=1)
    assert list(times) == cells
    assert all(value > 0 for value in times.values())
