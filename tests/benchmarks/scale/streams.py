"""Many listening clients on one process: threads, memory, time until all receive a change, and calls meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from benchmarks.page import Grid, Line
from benchmarks.scale.peer import NEW, OLD, Listeners, Peer, call
from benchmarks.scale.process import ServerProcess
from benchmarks.speakers import timed

NUMBERS = (1_000, 2_000, 4_000)
CHANGED = b"notifications/tools/list_changed"
CHANGES = 5
SECONDS = 2.0
"""Seconds of calls."""


def measure(numbers: Sequence[int] = NUMBERS) -> list[Grid]:
    """Return a table for each era."""
    return [_grid(OLD, "GET", numbers), _grid(NEW, "`subscriptions/listen`", numbers)]


def _grid(revision: str, how: str, numbers: Sequence[int]) -> Grid:
    found = [_measure(revision, number) for number in numbers]
    names = (
        ("threads of the server beside those without streams", ""),
        ("memory of a stream, with its session if it has one", "KiB"),
        ("a change reaches all", "s"),
        ("a change reaches one: mean of all", "ms"),
        ("calls per second of another client: with idle streams / without", ""),
    )
    lines = [Line(name, values, (), unit) for (name, unit), values in zip(names, zip(*found, strict=True), strict=True)]
    about = (
        f"Clients that listen by {how} on one `run_http`, and another that calls an echo: medians of {CHANGES} changes, "
        f"and of calls during {SECONDS:g} s. The client program, which reads all streams, shares the processors."
    )
    return Grid(f"Streams in one process, {revision}", about, [f"{each:,} streams" for each in numbers], lines)


def _measure(revision: str, number: int) -> tuple[float, ...]:
    # An eighth of the connections is reserved for requests.
    limit = number * 8 // 7 + 64
    with ServerProcess.of_one_process(connections=limit, streams=number, sessions=2 * number) as server:
        peer = Peer(server.port)
        session = peer.begin()
        request = call(revision, session, text="hello")
        alone = _rate(peer, request)
        threads, memory = server.threads(), server.memory()
        listeners = Listeners(server.port)
        try:
            for _ in range(number):
                listeners.open(revision)
            listeners.wait(b"\n\n")
            kept = (server.memory() - memory) / number
            taken: list[float] = []
            for _ in range(CHANGES):
                peer.post(call(revision, session, tool="announce"))
                taken.append(listeners.wait(CHANGED))
            idle = _rate(peer, request)
            beside = server.threads() - threads
        finally:
            listeners.close()
            peer.close()
    return beside, kept / 1024, median(taken), median(taken) / number * 1000, idle / alone


def _rate(peer: Peer, request: object) -> float:
    return 1e9 / median(timed(lambda: peer.post(request), SECONDS))  # type: ignore[arg-type]
