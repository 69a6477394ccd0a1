"""Memory of many sessions in one process, and of as many stateless requests."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.page import Row, Table, ratio
from benchmarks.scale.peer import NEW, OLD, Peer, Request, call
from benchmarks.scale.process import ServerProcess

SESSIONS = 20_000
STEPS = 4
"""Number of parts in which the sessions begin; memory is read after each."""
WARM_UP = 500
"""Requests before the first look at memory, so that caches and free lists are filled."""


def measure(sessions: int = SESSIONS) -> Table:
    """Begin many sessions in a server, call a tool in each, and then make as many stateless calls."""
    with ServerProcess.of_one_process(sessions=2 * sessions) as server:
        peer = Peer(server.port)
        ids = [peer.begin() for _ in range(WARM_UP)]
        parts = _growth(server, sessions, lambda: ids.append(peer.begin()))
        some = sessions // STEPS
        calls = _growth(server, some, _calls(peer, [call(OLD, each, text="hello") for each in ids[-some:]]))
        stateless = _growth(server, some, _calls(peer, [call(NEW, text="hello")]))
        total = server.memory()
        peer.close()
    return Table(
        "Sessions in one process",
        f"{sessions:,} sessions of {OLD} on one `run_http`, then a call in a quarter of them, then as many calls of {NEW}: "
        f"resident memory of the server, which takes {ratio(total / 2**20)} MiB at the end.",
        [
            Row("memory of a session", _mean(parts, sessions) / 1024, unit="KiB"),
            Row("memory of a session: the last quarter / the first", parts[-1] / max(parts[0], 1), "at most 1.2"),
            Row("a call in each session: further memory of a session", _mean(calls, some) / 1024, unit="KiB"),
            Row("a stateless call: memory kept", _mean(stateless, some) / 1024, unit="KiB"),
        ],
    )


def _calls(peer: Peer, requests: list[Request]) -> Callable[[], object]:
    """Return a function that sends the next request, again the first after the last."""
    sent = 0

    def send() -> None:
        nonlocal sent
        peer.post(requests[sent % len(requests)])
        sent += 1

    return send


def _growth(server: ServerProcess, times: int, act: Callable[[], object]) -> list[int]:
    """Return the bytes by which the server grows in each part of so many acts."""
    found: list[int] = []
    for _ in range(STEPS):
        before = server.memory()
        for _ in range(times // STEPS):
            act()
        found.append(server.memory() - before)
    return found


def _mean(parts: list[int], number: int) -> float:
    return sum(parts) / number
