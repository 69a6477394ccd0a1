"""Cost of HTTP calls as work grows: clients, tools, bytes of a message, and sessions, each with its exponent."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from itertools import cycle
from statistics import fmean, median
from threading import local
from typing import NamedTuple

from benchmarks.callers import REVISIONS, threaded
from benchmarks.interleave import rotated
from benchmarks.page import Listing, ratio
from benchmarks.scale.peer import Peer, Request, call, handshake_request, stateless_request
from benchmarks.scale.process import ServerProcess

OLD, NEW = REVISIONS


class Effort(NamedTuple):
    """Numbers of measurements, and sizes of the work."""

    rounds: int
    seconds: float
    """Seconds of a segment."""
    clients: Sequence[int]
    tools: Sequence[int]
    sizes: Sequence[int]
    """Bytes of a text that is echoed."""
    sessions: Sequence[int]


FULL = Effort(
    rounds=5,
    seconds=0.4,
    clients=(1, 4, 16, 64, 256),
    tools=(10, 100, 1_000),
    sizes=(1_000, 10_000, 100_000, 1_000_000, 10_000_000),
    sessions=(10, 100, 1_000, 10_000, 20_000),
)
QUICK = Effort(rounds=2, seconds=0.1, clients=(1, 4), tools=(10, 100), sizes=(1_000, 10_000), sessions=(10, 100))

Costs = Mapping[int, float]
"""Seconds of a unit of work by its size."""


def measure(effort: Effort = FULL) -> Listing:
    """Measure each kind of work in both eras, and return a row for each."""
    rows: list[tuple[str, str, str, str]] = []

    def row(name: str, costs: Costs, unit: str, expected: str) -> None:
        exponent = slope(costs)
        shown = "; ".join(f"{size:,}: {ratio(cost * 1e3)} ms" for size, cost in costs.items())
        rows.append((name, f"{exponent:.2f}", expected, f"{shown} ({unit})"))

    for revision in REVISIONS:
        row(
            f"{revision}: time per call of all clients, by number of clients",
            _clients(revision, effort),
            "per call",
            "0",
        )
    for revision in REVISIONS:
        row(f"{revision}: time to list all tools, by number of tools", _tools(revision, effort), "per list", "1")
    for revision in REVISIONS:
        row(f"{revision}: time to echo a text, by number of bytes", _sizes(revision, effort), "per call", "1")
    row(f"{OLD}: time of a call, by number of sessions", _sessions(effort), "per call", "0")
    about = (
        "These figures show how the time of HTTP requests grows with the number of clients, tools, bytes and "
        "sessions. The server runs in one process and the clients, which use `http.client`, in another. The "
        "*exponent* is 0 if the time does not grow with the number, 1 if twice the number takes twice the time, "
        "and 2 if it takes four times the time. The exponent is the slope of the line that best fits "
        f"the logarithms of the numbers and times. Calls are timed in {effort.rounds} segments of "
        f"{effort.seconds:g} s, and each list is requested {effort.rounds} times; the times are medians. In the "
        "rows by number of clients, the time per call is the length of a segment divided by the number of calls "
        "that all clients made in it. A part of the time of a request does not depend on its size. For small "
        "messages and short lists, this fixed part is the largest part of the time. So the exponents of the rows "
        "about lists and texts are below 1. "
        "Other programs on the machine lengthen the times, but hardly change the exponents."
    )
    return Listing("Scaling", about, ("measured", "exponent", "expected", "times"), rows)


def slope(costs: Costs) -> float:
    """Return the exponent of the cost: the slope of the line through the logarithms by least squares."""
    points = [(math.log(size), math.log(cost)) for size, cost in costs.items()]
    across, up = fmean(x for x, _ in points), fmean(y for _, y in points)
    return sum((x - across) * (y - up) for x, y in points) / sum((x - across) ** 2 for x, _ in points)


def _medians(works: Mapping[int, Callable[[], float]], rounds: int) -> Costs:
    """Return the median of each work's seconds; the first round is not counted."""
    found: dict[int, list[float]] = {size: [] for size in works}
    for turn in range(rounds + 1):
        for size in rotated([*works], turn):
            seconds = works[size]()
            if turn:
                found[size].append(seconds)
    return {size: median(each) for size, each in found.items()}


def _repeated(peer: Peer, requests: Sequence[Request], seconds: float) -> Callable[[], float]:
    """Return a work that sends requests in turn for some seconds, and returns the mean time of one."""
    following = cycle(requests)

    def work() -> float:
        begin, done = time.perf_counter(), 0
        while not done or time.perf_counter() - begin < seconds:
            peer.post(next(following))
            done += 1
        return (time.perf_counter() - begin) / done

    return work


def _clients(revision: str, effort: Effort) -> Costs:
    with ExitStack() as stack:
        server = stack.enter_context(ServerProcess.of_one_process())
        peers = [stack.enter_context(closing(Peer(server.port))) for _ in range(max(effort.clients))]
        request = call(revision, peers[0].begin(), text="hello")

        def work(number: int) -> float:
            free, own = list(peers[:number]), local()

            def send() -> None:
                if not hasattr(own, "peer"):
                    own.peer = free.pop()
                own.peer.post(request)

            segment = threaded(send, number, effort.seconds)
            return segment.wall / 1e9 / len(segment.taken)

        return _medians({each: partial(work, each) for each in effort.clients}, effort.rounds)


def _tools(revision: str, effort: Effort) -> Costs:
    found: dict[int, float] = {}
    for number in effort.tools:
        # Two tools are there anyway.
        with ServerProcess.of_one_process(tools=number - 2) as server, closing(Peer(server.port)) as peer:
            session = peer.begin()
            found[number] = median(_list_all(peer, revision, session, number) for _ in range(effort.rounds))
    return found


def _list_all(peer: Peer, revision: str, session: str, number: int) -> float:
    begin, listed = time.perf_counter(), 0
    params: dict[str, str] = {}
    while True:
        old = revision == OLD
        request = handshake_request("tools/list", params, session) if old else stateless_request("tools/list", params)
        result = json.loads(peer.post(request)[0])["result"]
        listed += len(result["tools"])
        if "nextCursor" not in result:
            break
        params = {"cursor": result["nextCursor"]}
    assert listed == number, listed
    return time.perf_counter() - begin


def _sizes(revision: str, effort: Effort) -> Costs:
    options = {"body_limit": 2 * max(effort.sizes)}
    with ServerProcess.of_one_process(**options) as server, closing(Peer(server.port)) as peer:
        session = peer.begin()
        works = {
            size: _repeated(peer, [call(revision, session, text="x" * size)], effort.seconds) for size in effort.sizes
        }
        return _medians(works, effort.rounds)


def _sessions(effort: Effort) -> Costs:
    found: dict[int, float] = {}
    limit = max(effort.sessions) + 1
    with ServerProcess.of_one_process(sessions=limit) as server, closing(Peer(server.port)) as peer:
        ids: list[str] = []
        for number in effort.sessions:
            ids += [peer.begin() for _ in range(number - len(ids))]
            requests = [call(OLD, each, text="hello") for each in ids]
            found |= _medians({number: _repeated(peer, requests, effort.seconds)}, effort.rounds)
    return found
