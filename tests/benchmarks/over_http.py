"""Cost of calls over HTTP, sequential and concurrent, compared with the official SDK and a bare application."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median, quantiles
from typing import NamedTuple

from attrs import frozen

from benchmarks.callers import FOLD, MODULES, REVISIONS
from benchmarks.interleave import Children, rotated
from benchmarks.page import Grid, Line, ratio
from benchmarks.speakers import TEXT


@frozen
class Effort:
    """Numbers of measurements."""

    rounds: int
    """Segments of each caller, in each era, for each number of concurrent calls."""
    seconds: float
    """Seconds of a segment."""


FULL = Effort(rounds=15, seconds=0.5)
QUICK = Effort(rounds=2, seconds=0.2)

LABELS = {"fast": "orjson", "standard": "standard library"}
_SPOKEN = {
    "fast": "ours, orjson",
    "standard": "ours, standard library",
    "peer": "the SDK",
    "plain": "our client to the socket server",
    "served": "the loop to our server",
    "bare": "the loop to the bare application",
    "socket": "the loop to the socket server",
}
_SPENT = (
    "According to profiles, our server spends three quarters of its time in the Python interpreter and a fifth in "
    "the kernel. No single function takes more than 3 % of the server's time. In this benchmark, the thread that reads "
    "a "
    "request also handles it. For each request, the thread waits for the socket once, reads once and writes once. If "
    "the client sends "
    "head and body in two packets, as `http.client` does, the thread waits and reads twice.\n\n"
    "The cost of a call can also be counted in bytecodes, the instructions that the interpreter executes. Other "
    "programs on the machine do not change this number. The table shows the bytecodes of one call:\n\n"
    "| bytecodes of a call | 2025-11-25 | 2026-07-28 |\n"
    "|---|---|---|\n"
    "| our client | 3,500 | 3,950 |\n"
    "| our server | 3,050 | 3,800 |\n"
    "| of our server: HTTP | two fifths | a third |\n"
    "| of our server: finding the session, or comparing headers with the body | a fifth | a fifth |\n"
    "| of our server: decoding, checks and encoding | a fifth | a third |\n"
    "| of our server: calling the handler and sending its response | the rest | the rest |\n\n"
    "A call takes more bytecodes in 2026-07-28 than in 2025-11-25, because in 2026-07-28 no request relies on an "
    "earlier one. Each request of 2026-07-28 describes the client in `_meta`, a member of its params, and repeats "
    "parts of its "
    "body in headers.\n\n"
    "*The loop*, the small client that uses `http.client`, takes 3,200 bytecodes for a call: 9 % fewer than our client "
    "in 2025-11-25, and 19 % fewer in "
    "2026-07-28. The socket server takes only 500, "
    "because it does little more than split the head of the request into lines and call `json`. In the first table of "
    "this section, the row *our client and our server* has this goal: our client and our server make at least 0.8 "
    "times "
    "as many calls per second as the loop and the socket server. If the time of a call depended only on its bytecodes, "
    "our client and our server together would reach this goal with 30 % fewer bytecodes for a call in revision "
    "2025-11-25, and with 40 % fewer in revision 2026-07-28.\n\n"
    "These changes to the server made calls faster:\n\n"
    "- For each connection, the server remembers up to four request heads that it has parsed. Each of them has a "
    "`Content-Length` and is at most 2 KiB long. If a new head differs from one of them only in the "
    "value of `Content-Length`, "
    "or not at all, the server does not parse it. Of the new head, it still checks `Content-Length`, the "
    "identity of the caller, the session, the revision, and the headers that repeat parts of the body.\n"
    "- For most JSON responses, the server reuses the head of an earlier response of the same second, and changes only "
    "the `Content-Length`. The field `Date` has no fractions of a second, so it is the same in both heads. The server "
    "writes head and body in one step.\n"
    "- The server parses each body only once. If the whole body arrives in a packet of its own, the server "
    "parses it without copying its bytes first.\n"
    "- After a response, a worker (a thread that handles requests) waits up to 10 ms for the next packet of the "
    "connection. If this packet does not "
    "complete a request, the worker waits up to 10 ms for one more packet. If there is still no complete request, the "
    "worker returns the connection to the event loop, which waits for packets on the connections that no worker uses. "
    "While more than half of the workers are busy, no "
    "worker waits for packets.\n"
    "- The objects of a request form no reference cycles, so Python frees them without the garbage collector.\n\n"
    "Two of these changes are older than the others: remembering request heads, and writing head and body in one "
    "step. Together, the newer changes reduced the server's bytecodes per call from 3,400 to 3,050 in 2025-11-25, and "
    "from 4,200 "
    "to 3,800 in 2026-07-28. With them, the "
    "server answered 1.14 times as many calls per second as before in 2025-11-25, and 1.10 times as many in "
    "2026-07-28. The ratio *our client and our server* in the first table rose from 0.52 to 0.60 in 2025-11-25, and "
    "from 0.49 to 0.53 in 2026-07-28."
)
_ONE_AT_A_TIME = frozenset({"plain", "served", "bare", "socket"})
"""Callers that only run sequentially: sixteen loops in one process are slower than the servers that they compare."""
_PAIRS = (
    ("fast", "socket", "calls per second: our client and our server, orjson / the loop and the socket server", 0.8),
    ("fast", "plain", "calls per second of our client: our server / the socket server", None),
    ("served", "socket", "calls per second of the same loop: our server / the socket server", None),
    ("served", "bare", "calls per second of the same loop: our server / the bare application", 0.6),
)
"""Pairs of callers whose rates are compared, one call at a time: the name of the ratio, and its goal."""


class Cell(NamedTuple):
    """One work to measure."""

    caller: str
    revision: str
    fold: int


@frozen
class Pace:
    """Speed of calls."""

    rate: float
    """Calls per second: the median of the segments."""
    slow: float
    """Seconds within which 99 of 100 calls end, in all segments together."""


@frozen
class Measured:
    """Figures of one run."""

    paces: Mapping[Cell, Pace]
    versions: Mapping[str, str]
    """Versions by distribution."""


def measure(interpreters: Mapping[str, str], effort: Effort) -> Measured:
    """Time all callers; ``interpreters`` holds the Python of each one's environment.

    Raise ValueError if one of them does not return the text, because then a comparison makes no sense.
    """
    versions: dict[str, str] = {}
    cells = [
        Cell(name, revision, fold)
        for revision in REVISIONS
        for fold in (1, FOLD)
        for name in interpreters
        if fold == 1 or name not in _ONE_AT_A_TIME
    ]
    segments: dict[Cell, list[tuple[int, list[int]]]] = {cell: [] for cell in cells}
    with Children(interpreters, module="benchmarks.callers") as children:
        for name in interpreters:
            versions |= children.ask(name, "versions")
        _check(children, interpreters)
        for turn in range(effort.rounds + 1):
            # Back and forth, so that nobody always comes after the same one.
            for cell in rotated(cells[:: -1 if turn % 2 else 1], turn):
                segment = children.ask(cell.caller, "calls", cell.revision, cell.fold, effort.seconds)
                # What is made ready by the first calls is not counted.
                if turn:
                    segments[cell].append(segment)
        # Nor has anybody answered so much in another way in the end.
        _check(children, interpreters)
    return Measured({cell: _pace(each) for cell, each in segments.items()}, versions)


def _check(children: Children, callers: Iterable[str]) -> None:
    for name in callers:
        for revision in REVISIONS:
            heard = children.ask(name, "call", revision)
            if heard != TEXT:
                message = f"{name}: {TEXT!r} was said in {revision}, and {heard!r} came back"
                raise ValueError(message)


def _pace(segments: Sequence[tuple[int, Sequence[int]]]) -> Pace:
    together = [each for _, taken in segments for each in taken]
    rate = median(len(taken) / wall * 1e9 for wall, taken in segments)
    return Pace(rate, quantiles(together, n=100, method="inclusive")[98] / 1e9)


def table(measured: Measured, effort: Effort) -> Grid:
    """Return the figures of ours compared with the others, in a column for each era."""
    paces = measured.paces
    present = {cell.caller for cell in paces}
    lines: list[Line] = []

    def line(name: str, values: Sequence[float], goal: str) -> None:
        lines.append(Line(name, values, [goal] * len(values)))

    for name, label in LABELS.items():
        if not {name, "peer"} <= present:
            continue
        for fold, how, goal in ((1, "one at a time", "at least 15"), (FOLD, f"{FOLD} at a time", "at least 8")):
            pairs = [(paces[name, revision, fold], paces["peer", revision, fold]) for revision in REVISIONS]
            rates = [ours.rate / theirs.rate for ours, theirs in pairs]
            line(f"calls per second, {how}: ours, {label} / the SDK's", rates, goal)
            slow = [ours.slow / theirs.slow for ours, theirs in pairs]
            line(f"p99 of a call, {how}: ours, {label} / the SDK's", slow, "below 1")
    for above, below, name, goal in _PAIRS:
        if {above, below} <= present:
            rates = [paces[above, revision, 1].rate / paces[below, revision, 1].rate for revision in REVISIONS]
            line(name, rates, "" if goal is None else f"at least {goal}")
    return Grid("HTTP", _about(effort), REVISIONS, lines, [_absolute(paces), _SPENT])


def _about(effort: Effort) -> str:
    return (
        "A client in one process calls a tool that returns its argument. The server runs in another process, and "
        "the connections are persistent. The protocol has two *eras*: revisions up to 2025-11-25 have sessions, and "
        "2026-07-28 is stateless. The table has a column for one revision of each era. The benchmark compares two "
        "pairs of client and server:\n\n"
        "- ours: the blocking client of this project, and our server, which serves both revisions on one endpoint "
        "with `serve.http`\n"
        "- the SDK: `Client` of the official Python SDK (mcp), and its low-level `Server` with "
        "`streamable_http_app()` on uvicorn\n\n"
        f"In rows with *{FOLD} at a time*, {FOLD} threads (ours) or {FOLD} asyncio tasks (the SDK) share one "
        f"client.\n\n"
        "*The loop* is a small client that sends the same request again and again with `http.client`. It is the same "
        "for all servers that it calls, so its results differ only because the servers differ. The loop calls three "
        "servers:\n\n"
        "- our server\n"
        "- the *bare application*: our HTTP server with an application that only reads and writes JSON\n"
        "- the *socket server*: a minimal HTTP server on plain sockets, which has a thread for each connection and "
        "checks nothing\n\n"
        "Besides our server, our client also calls the socket server of this list.\n\n"
        f"All clients take turns. Each client makes calls in {effort.rounds} segments of {effort.seconds:g} s in "
        "each revision, with one call at a time. Our client with our server, and the SDK's client with the SDK's "
        f"server, also make calls in such segments with {FOLD} calls at a time."
    )


def _absolute(paces: Mapping[Cell, Pace]) -> str:
    figures = [
        f"- {_SPOKEN[cell.caller]}, {cell.revision}, {cell.fold} at a time: {ratio(pace.rate)} calls per second, "
        f"p99 {ratio(pace.slow * 1e3)} ms"
        for cell, pace in paces.items()
    ]
    return "\n".join(
        ["These are the absolute figures by client, revision and number of calls at a time:", "", *figures]
    )


def callers(*, fast: str | None, standard: str | None, peer: str | None) -> dict[str, str]:
    """Return the interpreters of the available callers."""
    ours = fast or standard
    found = {"fast": fast, "standard": standard, "peer": peer}
    found |= dict.fromkeys(("plain", "served", "bare", "socket"), ours)
    return {name: python for name in MODULES if (python := found[name]) is not None}
