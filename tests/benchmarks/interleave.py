"""Contenders side by side: each has a process in an environment of its own, and they take turns sample by sample."""

from __future__ import annotations

import json
import os
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar

T = TypeVar("T")

TESTS = Path(__file__).resolve().parent.parent
GENERATED = TESTS.parent / "generated"
SAMPLE = 3_000_000
"""Intended nanoseconds of one sample."""
_MOST_LOOPS = 20_000
GRACE = 10.0
"""Seconds that a worker has to end after a fault of another, or its own."""


class Cell(NamedTuple):
    """One work to measure."""

    contender: str
    revision: str
    message: str
    work: str
    collecting: bool = True
    """True if the garbage collector runs, as in real programs."""


def environment() -> dict[str, str]:
    """Return environment variables of a child: module paths, and settings that keep freed memory.

    Otherwise earlier work determines whether a megabyte is requested from the system each time, which takes longer than
    reading it.
    """
    keeping = {"MALLOC_TRIM_THRESHOLD_": str(1 << 28), "MALLOC_MMAP_THRESHOLD_": str(1 << 28)}
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(GENERATED)]), **keeping}


class Children:
    """A running worker for each contender; a context manager that ends all of them."""

    def __init__(self, interpreters: Mapping[str, str], *, module: str = "benchmarks.worker") -> None:
        """Start a worker for each contender; ``interpreters`` maps contenders to the Python that runs ``module``."""
        self._interpreters = interpreters
        self._module = module
        self._running: dict[str, subprocess.Popen[str]] = {}

    def __enter__(self) -> Self:
        for name, python in self._interpreters.items():
            self._running[name] = subprocess.Popen(
                [python, "-m", self._module, name],
                env=environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        for process in self._running.values():
            try:
                # The end of its input ends it, and what it has started; killed, it would leave that behind.
                process.communicate(timeout=None if error is None else GRACE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()

    def ask(self, name: str, *request: Any) -> Any:
        """Return the worker's answer; raise CalledProcessError if it has ended instead."""
        process = self._running[name]
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            pass  # it has ended: what follows says so
        answer = process.stdout.readline()
        if not answer:
            raise subprocess.CalledProcessError(process.wait(), process.args)
        return json.loads(answer)

    def measure(self, cells: Iterable[Cell], rounds: int) -> dict[Cell, float]:
        """Return nanoseconds for one call of each: medians over the rounds.

        Cells of one message follow each other, so that a slower machine slows them alike; the first contender changes
        from round to round.
        """
        groups: defaultdict[tuple[str, str], list[Cell]] = defaultdict(list)
        for cell in cells:
            groups[cell.revision, cell.message].append(cell)
        loops = {cell: self._loops(cell) for group in groups.values() for cell in group}
        samples: dict[Cell, list[float]] = {cell: [] for cell in loops}
        for turn in range(rounds):
            for group in groups.values():
                for cell in rotated(group, turn):
                    samples[cell].append(self._time(cell, loops[cell]) / loops[cell])
        return {cell: median(each) for cell, each in samples.items()}

    def _loops(self, cell: Cell) -> int:
        """Return the number of calls in a sample; a first guess by a single call is too low for fast works."""
        few = _fitting(self._time(cell, 1))
        return _fitting(self._time(cell, few) / few)

    def _time(self, cell: Cell, loops: int) -> int:
        taken: int = self.ask(cell.contender, "time", cell.revision, cell.message, cell.work, loops, cell.collecting)
        return taken


def _fitting(nanoseconds: float) -> int:
    return max(1, min(_MOST_LOOPS, round(SAMPLE / max(nanoseconds, 1))))


def rotated(cells: Sequence[T], turn: int) -> list[T]:
    """Return the items in rotation, with another first one each turn."""
    start = turn % len(cells)
    return [*cells[start:], *cells[:start]]
