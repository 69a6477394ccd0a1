"""Conversations that are measured: speakers get back what they say, and servers that do not answer are no result."""

from __future__ import annotations

import sys

import pytest
from benchmarks import conversation, starting
from benchmarks.conversation import Effort, Measured, Pace
from benchmarks.starting import Start

BRIEF = Effort(rounds=2, seconds=0.01, starts=1)


def test_each_speaker_is_heard_and_its_server_started() -> None:
    measured = conversation.measure({"fast": sys.executable, "bare": sys.executable}, BRIEF)
    assert list(measured.paces) == list(measured.starts) == ["fast", "bare"]
    assert all(pace.rate > 0 and pace.slow > pace.usual > 0 for pace in measured.paces.values())
    assert all(start.wall > 0 and start.memory > 1 for start in measured.starts.values())
    assert "orjson" in measured.versions


def test_who_does_not_get_the_same_text_back_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation, "TEXT", "something else")
    with pytest.raises(ValueError, match="bare: 'something else' was said, and 'hello' came back"):
        conversation.measure({"bare": sys.executable}, BRIEF)


def test_a_server_that_ends_without_an_answer_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "server_command", lambda name, python: [python, "-c", "input()"])
    with pytest.raises(ValueError, match="has not answered request 1"):
        starting.compare({"bare": sys.executable}, 1)


def test_the_pace_is_that_of_the_usual_segment_and_of_the_slowest_call_in_a_hundred() -> None:
    usual, slow = [1_000_000] * 100, [4_000_000] * 2
    pace = conversation._pace([usual, usual, slow])
    assert pace.rate == pytest.approx(1000)
    assert pace.usual == pace.slow == pytest.approx(0.001)
    assert conversation._pace([list(range(1, 51)), list(range(51, 102))]).slow == pytest.approx(100e-9)


def test_figures_are_ratios_to_those_who_took_part() -> None:
    paces = {
        "fast": Pace(8000, 0.0005, 0.001),
        "peer": Pace(100, 0.01, 0.1),
        "bare": Pace(10_000, 0.0001, 0.0005),
    }
    starts = {"fast": Start(0.1, 10), "peer": Start(2, 40), "bare": Start(0.05, 8)}
    table = conversation.table(Measured(paces, starts, {}), BRIEF)
    assert "in 2 segments of 0.01 s" in table.about
    figures = {row.name: row.value for row in table.rows}
    assert figures == {
        "calls per second: ours, orjson / the SDK's": 80,
        "median of a call: the SDK's / ours, orjson": pytest.approx(20),
        "p99 of a call: ours, orjson / the SDK's": pytest.approx(0.01),
        "calls per second: ours, orjson / the bare exchange's": 0.8,
        "median of a call: the bare exchange's / ours, orjson": pytest.approx(0.2),
        "calls per second: the bare exchange's / the SDK's": 100,
        "median of a call: the SDK's / the bare exchange's": pytest.approx(100),
        "start to the first `tools/list`: the SDK's / ours, orjson": 20,
        "memory of an idle server: ours, orjson / the SDK's": 0.25,
    }
