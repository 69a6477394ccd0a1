"""The work that a function does, counted in calls: unlike seconds, it is the same on each machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest

LIMIT = 20_000_000
"""Calls after which a function is stopped: some seconds, where exponential work would take years."""


def count_steps(function: Callable[[], object]) -> int:
    """Return the number of functions that ``function`` calls, directly or not; fail the test beyond ``LIMIT``."""
    steps = 0

    def count(_: FrameType, event: str, __: object) -> None:
        nonlocal steps
        if event in {"call", "c_call"}:
            steps += 1
            if steps > LIMIT:
                pytest.fail(f"stopped after {LIMIT} calls")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(before)
    return steps


def check_linear(work: Callable[[int], Callable[[], object]], size: int) -> None:
    """Check that twice the size takes little more than twice the steps; ``work`` prepares what is counted."""
    once, twice = (count_steps(work(each)) for each in (size, 2 * size))
    assert twice < 2.5 * once, f"{once} calls for {size}, {twice} for {2 * size}"
