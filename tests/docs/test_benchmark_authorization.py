"""The cost of access tokens is measured with calls that succeed."""

from __future__ import annotations

from benchmarks import authorization


def test_the_figures_are_ratios_of_what_was_measured() -> None:
    effort = authorization.Effort(pairs=1, rounds=1, calls=2, counted=20)
    bytecodes, time = authorization.measure(effort).rows
    # The threads of a server wake up by time, too; how often during a call depends on the machine.
    assert 0.5 < bytecodes.value < 2
    assert time.value > 0
    assert bytecodes.goal == time.goal == "at most 1.03"
