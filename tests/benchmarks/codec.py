"""Decoding and encoding, measured side by side: the works of each contender, and the figures of one run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from attrs import frozen

from benchmarks import cold
from benchmarks.corpus import REVISIONS, messages
from benchmarks.interleave import Cell, Children

WORKS = {
    "fast": ("decode", "encode", "parse", "print", "read", "objects", "lookups"),
    "standard": ("decode", "encode", "parse", "read", "objects", "lookups"),
    "bare": ("decode", "dumps", "raw decode"),
    "peer": ("decode", "encode", "short decode", "short encode"),
    "structs": ("decode",),
    "cattrs": ("decode", "terse decode"),
}
"""Works of each contender; their modules describe them."""

OURS = ("fast", "standard")
"""These bindings, with and without orjson."""

Key: TypeAlias = tuple[str, str]
"""Revision and name of a message."""
Timed: TypeAlias = tuple[str, str]
"""Contender and work."""


@frozen
class Effort:
    """Numbers of measurements."""

    rounds: int
    """Samples of each cell."""
    starts: int
    """Processes for each message, whose first decode is timed."""


FULL = Effort(rounds=15, starts=5)
QUICK = Effort(rounds=3, starts=1)


@frozen
class Measured:
    """Figures of one run."""

    effort: Effort
    times: Mapping[Cell, float]
    """Nanoseconds for one call."""
    cold: Mapping[str, Mapping[Key, float]]
    """Ratios of ours, by contender: the first decode of a process / later ones."""
    proofs: Mapping[str, Mapping[str, Any]]
    """Results of ``prove``, by contender."""
    versions: Mapping[str, str]
    """Versions by distribution."""

    def has(self, *contenders: str) -> bool:
        """Return whether all of these took part."""
        return all(each in self.proofs for each in contenders)

    def of(self, timed: Timed, *, collecting: bool = True) -> dict[Key, float]:
        """Return nanoseconds by message."""
        chosen = (*timed, collecting)
        return {
            (cell.revision, cell.message): value
            for cell, value in self.times.items()
            if (cell.contender, cell.work, cell.collecting) == chosen
        }

    def ratios(self, above: Timed, below: Timed) -> dict[Key, float]:
        """Return the ratios by message: the first's time / the second's."""
        divisors = self.of(below)
        return {each: value / divisors[each] for each, value in self.of(above).items()}


def measure(interpreters: Mapping[str, str], effort: Effort) -> Measured:
    """Time all contenders; ``interpreters`` holds the Python of each one's environment.

    Raise ValueError if ours do not fulfil their promises, because then a comparison makes no sense.
    """
    with Children(interpreters) as children:
        versions: dict[str, str] = {}
        for name in interpreters:
            versions |= children.ask(name, "versions")
        proofs = {name: children.ask(name, "prove") for name in interpreters}
        for name in interpreters:
            if name in OURS and any(any(proofs[name][each].values()) for each in ("dropped", "changed", "taken")):
                message = f"{name}: messages are not read and written as they should be: {proofs[name]}"
                raise ValueError(message)
        times = children.measure(_cells(interpreters), effort.rounds)
    starts = {name: cold.measure(interpreters[name], effort.starts) for name in OURS if name in interpreters}
    return Measured(effort, times, starts, proofs, versions)


def _cells(contenders: Mapping[str, str]) -> list[Cell]:
    cells: list[Cell] = []
    for revision in REVISIONS:
        for message in messages(revision):
            cells += [Cell(name, revision, message, work) for name in contenders for work in WORKS[name]]
            cells += [Cell(name, revision, message, "decode", collecting=False) for name in OURS if name in contenders]
    return cells
