"""Cost as work grows, and servers with many sessions and streams: each work is measured, and exponents are slopes."""

from __future__ import annotations

import pytest
from benchmarks import growth
from benchmarks.growth import Effort, slope
from benchmarks.scale import sessions, streams
from benchmarks.scale.peer import NEW, OLD

BRIEF = Effort(rounds=1, seconds=0.01, clients=(1, 2), tools=(5, 10), sizes=(10, 1000), sessions=(1, 5))


@pytest.mark.parametrize("power", [0, 0.5, 1, 2])
def test_the_exponent_is_the_power_of_the_cost(power: float) -> None:
    assert slope({size: 3 * size**power for size in (10, 70, 1000)}) == pytest.approx(power)


def test_each_work_that_grows_is_measured() -> None:
    table = growth.measure(BRIEF)
    assert [name for name, *_ in table.rows] == [
        "2025-11-25: time per call of all clients, by number of clients",
        "2026-07-28: time per call of all clients, by number of clients",
        "2025-11-25: time to list all tools, by number of tools",
        "2026-07-28: time to list all tools, by number of tools",
        "2025-11-25: time to echo a text, by number of bytes",
        "2026-07-28: time to echo a text, by number of bytes",
        "2025-11-25: time of a call, by number of sessions",
    ]
    assert all("ms" in times for *_, times in table.rows)


def test_sessions_take_memory() -> None:
    rows = {row.name: row.value for row in sessions.measure(400).rows}
    assert 0 < rows["memory of a session"] < 100


@pytest.mark.parametrize("revision", [OLD, NEW])
def test_every_listening_client_receives_a_change(revision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "SECONDS", 0.01)
    threads, _, seconds, mean, _ = streams._measure(revision, 20)
    assert threads < 20
    assert 0 < seconds == pytest.approx(20 * mean / 1000)
