"""Cost of a conversation: sequential calls, a server's start and its memory, compared with the official SDK."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median, quantiles

from attrs import frozen

from benchmarks import starting
from benchmarks.interleave import Children, rotated
from benchmarks.page import Row, Table, ratio
from benchmarks.speakers import MODULES, REVISION, TEXT


@frozen
class Effort:
    """Numbers of measurements."""

    rounds: int
    """Segments of each speaker."""
    seconds: float
    """Seconds of a segment."""
    starts: int
    """Starts of each server."""


FULL = Effort(rounds=25, seconds=0.3, starts=15)
QUICK = Effort(rounds=3, seconds=0.1, starts=1)

LABELS = {"fast": "orjson", "standard": "standard library"}


@frozen
class Pace:
    """Speed of one speaker's calls."""

    rate: float
    """Calls per second: the median of the segments."""
    usual: float
    """Seconds of the median call in all segments together."""
    slow: float
    """Seconds within which 99 of 100 calls end, in all segments together."""


@frozen
class Measured:
    """Figures of one run, by speaker."""

    paces: Mapping[str, Pace]
    starts: Mapping[str, starting.Start]
    versions: Mapping[str, str]
    """Versions by distribution."""


def measure(interpreters: Mapping[str, str], effort: Effort) -> Measured:
    """Time all speakers; ``interpreters`` holds the Python of each one's environment.

    Raise ValueError if one of them does not return the text, because then a comparison makes no sense.
    """
    segments: dict[str, list[list[int]]] = {name: [] for name in interpreters}
    versions: dict[str, str] = {}
    with Children(interpreters, module="benchmarks.speakers") as children:
        for name in interpreters:
            versions |= children.ask(name, "versions")
            heard = children.ask(name, "call")
            if heard != TEXT:
                message = f"{name}: {TEXT!r} was said, and {heard!r} came back"
                raise ValueError(message)
            # What is made ready by the first calls is not counted.
            children.ask(name, "calls", effort.seconds)
        for turn in range(effort.rounds):
            # Back and forth, so that nobody always comes after the same one.
            for name in rotated(list(interpreters)[:: -1 if turn % 2 else 1], turn):
                segments[name].append(children.ask(name, "calls", effort.seconds))
    paces = {name: _pace(each) for name, each in segments.items()}
    return Measured(paces, starting.compare(interpreters, effort.starts), versions)


def _pace(segments: Sequence[Sequence[int]]) -> Pace:
    together = [taken for segment in segments for taken in segment]
    rate = median(len(segment) / sum(segment) * 1e9 for segment in segments)
    hundredths = quantiles(together, n=100, method="inclusive")
    return Pace(rate, hundredths[49] / 1e9, hundredths[98] / 1e9)


def table(measured: Measured, effort: Effort) -> Table:
    """Return the figures of ours compared with the others that took part."""
    paces, starts = measured.paces, measured.starts
    rows: list[Row] = []
    for name, label in LABELS.items():
        if name in paces and "peer" in paces:
            theirs, ours = paces["peer"], paces[name]
            rows.append(Row(f"calls per second: ours, {label} / the SDK's", ours.rate / theirs.rate, "at least 40"))
            rows.append(Row(f"median of a call: the SDK's / ours, {label}", theirs.usual / ours.usual))
            rows.append(Row(f"p99 of a call: ours, {label} / the SDK's", ours.slow / theirs.slow, "at most 0.05"))
        if name in paces and "bare" in paces:
            value = paces[name].rate / paces["bare"].rate
            rows.append(Row(f"calls per second: ours, {label} / the bare exchange's", value, "at least 0.7"))
            usual = paces["bare"].usual / paces[name].usual
            rows.append(Row(f"median of a call: the bare exchange's / ours, {label}", usual))
    if "peer" in paces and "bare" in paces:
        value = paces["bare"].rate / paces["peer"].rate
        rows.append(Row("calls per second: the bare exchange's / the SDK's", value))
        rows.append(Row("median of a call: the SDK's / the bare exchange's", paces["peer"].usual / paces["bare"].usual))
    for name, label in LABELS.items():
        if name in starts and "peer" in starts:
            quicker = starts["peer"].wall / starts[name].wall
            rows.append(Row(f"start to the first `tools/list`: the SDK's / ours, {label}", quicker, "at least 10"))
            share = starts[name].memory / starts["peer"].memory
            rows.append(Row(f"memory of an idle server: ours, {label} / the SDK's", share, "at most 0.33"))
    return Table("Calls over stdio", _about(measured, effort), rows)


def _about(measured: Measured, effort: Effort) -> str:
    spoken = {"fast": "ours, orjson", "standard": "ours, standard library", "peer": "the SDK", "bare": "bare exchange"}
    absolute = "\n".join(
        f"- {spoken[name]}: {ratio(pace.rate)} calls per second, median {ratio(pace.usual * 1e6)} µs, "
        f"p99 {ratio(pace.slow * 1e3)} ms, started in {ratio(measured.starts[name].wall)} s, "
        f"{ratio(measured.starts[name].memory)} MiB"
        for name, pace in measured.paces.items()
    )
    return (
        "A client starts a server as a child process and calls a tool that returns its argument, one call after "
        f"the other. Client and server communicate over stdio, that is, over pipes, in revision {REVISION}. The "
        "benchmark compares three pairs of client and server:\n\n"
        "- ours: the blocking client and server of this project\n"
        "- the SDK: `Client` and the low-level `Server` of the official Python SDK (mcp), which are asynchronous\n"
        "- the *bare exchange*: two loops that exchange the same `tools/call` messages with only `json`, `os.read` "
        "and `os.write`. They check nothing, so two Python processes can hardly exchange the messages faster.\n\n"
        f"The three pairs of client and server take turns. Each pair makes calls in {effort.rounds} segments of "
        f"{effort.seconds:g} s. The "
        "*p99* is the time within which 99 of 100 calls end. Other programs on the machine delay some calls. These "
        "delays change the number of calls per second and the p99, but hardly the median time of a call.\n\n"
        "A separate client, the same for all three servers, measures how long each server takes to start: the time "
        "from "
        "the start of the server's process to the response to the first `tools/list`, including the handshake. Before "
        "the measurement, each server is started once, so that Python stores the bytecode of its modules in files. The "
        f"times are medians of {effort.starts} starts. The memory is the resident memory of the server "
        f"after the response to `tools/list`; it is also a median of {effort.starts} starts.\n\n"
        "According to profiles of our client and server, a call spends four fifths of its time in the Python "
        "interpreter, "
        "spread over many small steps, and a tenth in the kernel. Each process "
        "sleeps while it waits for the other. A process that has just been woken takes about twice as long "
        "for the same steps as a "
        "process that runs without pauses.\n\n"
        "The absolute figures are the calls per second, the median and the p99 of a call, the time from the start of "
        "the server to the response to `tools/list`, and the memory of the server:\n\n"
        f"{absolute}"
    )


def speakers(*, fast: str | None, standard: str | None, peer: str | None) -> dict[str, str]:
    """Return the interpreters of the available speakers."""
    found = {"fast": fast, "standard": standard, "peer": peer, "bare": standard or fast}
    return {name: python for name in MODULES if (python := found[name]) is not None}
