"""The first decode of a process compared with later ones, which shows the cost of lazy loading."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from statistics import median

from benchmarks.corpus import REVISIONS, Message, messages
from benchmarks.interleave import environment

_SOURCE = """
import sys, time
from mcp_bindings import {package} as mcp
data = sys.stdin.buffer.read()
decode, options = mcp.decode, {options}
clock = time.perf_counter_ns
def once():
    started = clock()
    decode(data, **options)
    return clock() - started
cold = once()
warm = sorted(once() for _ in range(11 if cold > 5_000_000 else 101))
print(cold, warm[len(warm) // 2])
"""


def measure(python: str, runs: int) -> dict[tuple[str, str], float]:
    """Measure first decode / later ones, by revision and message: a process for each, medians over the runs."""
    samples: dict[tuple[str, str], list[float]] = {}
    for _ in range(runs):
        for revision in REVISIONS:
            for message in messages(revision).values():
                samples.setdefault((revision, message.name), []).append(_ratio(python, revision, message))
    return {each: median(ratios) for each, ratios in samples.items()}


def _ratio(python: str, revision: str, message: Message) -> float:
    options = "{}"
    if message.answers is not None:
        options = f"dict(results={{{message.id!r}: mcp.methods.REQUESTS[{message.answers!r}]}})"
    source = _SOURCE.format(package="v" + revision.replace("-", "_"), options=options)
    done = subprocess.run(
        [python, "-c", source], input=message.data, env=environment(), stdout=subprocess.PIPE, check=True
    )
    cold, warm = map(float, done.stdout.split())
    return cold / warm


def worst(ratios: Mapping[tuple[str, str], float], revision: str) -> tuple[float, str]:
    """Return the highest ratio of a revision, and its message."""
    return max((ratio, message) for (each, message), ratio in ratios.items() if each == revision)


def of(ratios: Mapping[tuple[str, str], float], revision: str) -> Sequence[float]:
    """Return all ratios of a revision."""
    return [ratio for (each, _), ratio in ratios.items() if each == revision]
