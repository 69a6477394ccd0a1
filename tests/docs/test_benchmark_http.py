"""Calls over HTTP that are measured: callers get back what they say, and figures are ratios of what took part."""

from __future__ import annotations

import sys

import pytest
from benchmarks import over_http
from benchmarks.callers import FOLD, REVISIONS
from benchmarks.over_http import Cell, Effort, Measured, Pace
from benchmarks.speakers import timed

BRIEF = Effort(rounds=1, seconds=0.01)


def test_each_caller_is_heard_in_both_eras() -> None:
    measured = over_http.measure(dict.fromkeys(["fast", "plain", "served", "bare", "socket"], sys.executable), BRIEF)
    assert set(measured.paces) == {
        *(Cell(name, revision, 1) for name in ("fast", "plain", "served", "bare", "socket") for revision in REVISIONS),
        *(Cell("fast", revision, FOLD) for revision in REVISIONS),
    }
    assert all(pace.rate > 0 and pace.slow > 0 for pace in measured.paces.values())
    assert {"urllib3", "cheroot", "orjson"} <= set(measured.versions)


def test_who_does_not_get_the_same_text_back_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(over_http, "TEXT", "something else")
    with pytest.raises(ValueError, match="'something else' was said in 2025-11-25, and 'hello' came back"):
        over_http.measure({"bare": sys.executable}, BRIEF)


def test_however_slow_a_call_is_two_are_timed() -> None:
    assert len(timed(lambda: None, 0.0)) == 2


def test_calls_at_the_same_time_are_counted_by_the_time_of_all() -> None:
    pace = over_http._pace([(1_000_000_000, [1_000_000] * 4000), (2_000_000_000, [1_000_000] * 8000)])
    assert pace.rate == pytest.approx(4000)
    assert pace.slow == pytest.approx(0.001)


def test_figures_are_ratios_for_each_era() -> None:
    paces: dict[Cell, Pace] = {}
    for faster, revision in enumerate(REVISIONS, 1):
        paces[Cell("standard", revision, 1)] = Pace(1600 * faster, 0.002)
        paces[Cell("peer", revision, 1)] = Pace(100, 0.02)
        paces[Cell("standard", revision, FOLD)] = Pace(2000, 0.05)
        paces[Cell("peer", revision, FOLD)] = Pace(400, 0.1)
        paces[Cell("served", revision, 1)] = Pace(3000, 0.001)
        paces[Cell("bare", revision, 1)] = Pace(4000, 0.001)
        paces[Cell("socket", revision, 1)] = Pace(6000, 0.001)
    table = over_http.table(Measured(paces, {}), BRIEF)
    assert table.columns == REVISIONS
    assert {line.name: list(line.values) for line in table.lines} == {
        "calls per second, one at a time: ours, standard library / the SDK's": [16, 32],
        "p99 of a call, one at a time: ours, standard library / the SDK's": [pytest.approx(0.1)] * 2,
        "calls per second, 16 at a time: ours, standard library / the SDK's": [5, 5],
        "p99 of a call, 16 at a time: ours, standard library / the SDK's": [pytest.approx(0.5)] * 2,
        "calls per second of the same loop: our server / the socket server": [0.5, 0.5],
        "calls per second of the same loop: our server / the bare application": [0.75, 0.75],
    }
