"""The judgement of a soak: one row for each measure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import ceil

from attrs import define, frozen

from http_soak.deployment import Usage
from http_soak.honest_peers import TIMEOUT, hung
from http_soak.record import Call, Journal, Record

MEMORY = 512 * 1024 * 1024
"""Bytes that a process of the server may hold: that of the smallest container that the limits' defaults are made for."""
SLOWER = 10.0
"""Factor by which honest calls may become slower."""
DEAF = 60.0
"""Seconds without a change after which a listener counts as deaf; there are two changes a second."""
DESCRIPTORS = 2
"""Descriptors that may be open besides those of the beginning."""
THREADS = 4
"""Threads that may run besides those of the beginning."""
BUSY = 0.15
"""Share of the processors' time that other programs may have for the times of calls to be judged."""
_SHOWN = 8


@define
class Soak:
    """The observations of a soak that are judged."""

    record: Record
    journal: Journal
    idle_until: float
    """Time at which hostile peers began."""
    stopped: float
    """Time at which the honest peers began to stop."""
    first: Usage
    last: Usage
    peak: Usage
    others: float
    """Share of the processors' time that other programs had."""
    pool: Usage
    """What each process keeps for good once it was used."""


@frozen
class Row:
    """A measure; ``good`` is None if it is not judged."""

    measure: str
    found: str
    allowed: str = ""
    good: bool | None = None


def rows(soak: Soak) -> Iterator[Row]:
    """Yield the rows of the report."""
    record, journal = soak.record, soak.journal
    outcomes = Counter(call.outcome or "unfinished" for call in record.calls)
    failed = [call for call in record.calls if call.outcome != "answered"]
    yield Row("honest calls", f"{len(record.calls):,}")
    yield Row("their outcomes", ", ".join(f"{name} {number:,}" for name, number in outcomes.most_common()))
    for kind, number in Counter(each.kind for each in record.disturbances).items():
        yield Row(kind, f"{number:,}")
    for kind, number in sorted(record.events.items()):
        yield Row(kind, f"{number:,}")
    yield _none("calls with the result of another", [call for call in record.calls if call.outcome == "crossed"])
    yield _none("calls that did not end", hung(iter(record.calls)))
    twice = [key for key, number in journal.begun.items() if number > 1]
    yield Row("calls executed twice", _number(twice), "0", not twice)
    unexecuted = [call for call in record.calls if call.outcome == "answered" and not journal.begun[call.key]]
    yield _none("results without an execution", unexecuted)
    lost = [call for call in failed if journal.ended[call.key]]
    yield Row(
        "answers lost when the server or Redis was killed",
        f"{sum(record.disturbed(call, graceful=False) for call in lost):,}",
    )
    yield _none("other answers lost", [call for call in lost if not record.disturbed(call, graceful=False)])
    yield Row("calls that failed during a restart", f"{sum(record.disturbed(call) for call in failed):,}")
    yield _none("other calls that failed", [call for call in failed if not record.disturbed(call)])
    silences = {name: _longest(times, soak.stopped) for name, times in record.changes.items()}
    yield Row(
        "longest silence of a listener",
        f"{max(silences.values()):.1f} s",
        f"{DEAF:g} s",
        max(silences.values()) <= DEAF,
    )
    yield from _times(soak)
    yield Row("largest memory of a process", _mib(soak.peak.memory), _mib(MEMORY), soak.peak.memory <= MEMORY)
    yield Row("most descriptors of a process", f"{soak.peak.descriptors:,}")
    yield Row("most threads of a process", f"{soak.peak.threads:,}")
    first, last, pool = soak.first, soak.last, soak.pool
    yield _left("descriptors", first.descriptors, last.descriptors, DESCRIPTORS + pool.descriptors)
    yield _left("threads", first.threads, last.threads, THREADS + pool.threads)


def _number(found: Sequence[str]) -> str:
    return f"{len(found):,}" + (f" ({', '.join(found[:_SHOWN])})" if found else "")


def _none(measure: str, found: Sequence[Call]) -> Row:
    return Row(measure, _number([f"{call.key}: {call.outcome} {call.reason[:160]}" for call in found]), "0", not found)


def _left(name: str, first: int, last: int, more: int) -> Row:
    return Row(
        f"{name} at the end", f"{last:,} ({first:,} at the beginning)", f"{first + more:,}", last <= first + more
    )


def _longest(times: Sequence[float], until: float) -> float:
    ends = [*times[1:], max(until, times[-1])]
    return max(end - begin for begin, end in zip(times, ends, strict=True))


def _times(soak: Soak) -> Iterator[Row]:
    """Yield the rows of the times of the calls whose tool does not wait; those during restarts are left out."""
    calls = [each for each in soak.record.calls if (each.tool, each.outcome) == ("echo", "answered")]
    idle = [_seconds(each) for each in calls if each.start < soak.idle_until]
    loaded = [_seconds(each) for each in calls if each.start >= soak.idle_until and not soak.record.disturbed(each)]
    before, during = _p99(idle), _p99(loaded)
    judged = soak.others <= BUSY
    yield Row("99 of 100 calls end within, without hostile peers", f"{before * 1000:.1f} ms")
    text = f"{during * 1000:.1f} ms ({during / before if before else 0:.1f} times as long)"
    good = during <= SLOWER * before if judged else None
    yield Row("99 of 100 calls end within, with them", text, f"{SLOWER:g} times as long", good)
    yield Row(
        "time of the processors for other programs",
        f"{soak.others:.0%}" + ("" if judged else ", too much to judge times"),
    )


def _seconds(call: Call) -> float:
    return TIMEOUT if call.end is None else call.end - call.start


def _p99(seconds: Sequence[float]) -> float:
    return sorted(seconds)[ceil(len(seconds) * 0.99) - 1] if seconds else 0.0


def _mib(size: int) -> str:
    return f"{size / 1024 / 1024:.0f} MiB"


def table(found: Sequence[Row]) -> str:
    """Return the report as a table in Markdown."""
    lines = ["| measure | found | allowed | |", "|---|---|---|---|"]
    for row in found:
        mark = {None: "", True: "good", False: "**not good**"}[row.good]
        lines.append(f"| {row.measure} | {row.found} | {row.allowed} | {mark} |")
    return "\n".join(lines)
