"""Callers of the same tool over HTTP, each a client and a server in processes of its own.

A module ``NAME`` has the client; ``NAME_server`` is the program of a server for both eras, which returns the text that
the tool is called with, at ``/mcp`` of the given port.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from threading import Barrier
from typing import NamedTuple, Protocol

from benchmarks.speakers import timed

REVISIONS = ("2025-11-25", "2026-07-28")
"""One revision of each era: with sessions, and with stateless requests."""
FOLD = 16
"""Number of concurrent calls, if it is more than one."""

MODULES = {
    "fast": "bindings",
    "standard": "bindings",
    "peer": "official",
    "plain": "bindings",
    "served": "loop",
    "bare": "loop",
    "socket": "loop",
}
"""Modules of this package with the clients, by caller."""
SERVERS = {
    "fast": "bindings_server",
    "standard": "bindings_server",
    "peer": "official_server",
    "plain": "socket_server",
    "served": "bindings_server",
    "bare": "bare_server",
    "socket": "socket_server",
}
"""Modules of this package with the servers, by caller."""


class Segment(NamedTuple):
    """Durations of the calls in a segment."""

    wall: int
    """Nanoseconds of all calls together."""
    taken: list[int]
    """Nanoseconds of each call."""


class Caller(Protocol):
    """A client that is connected to a server in both eras."""

    def call(self, revision: str) -> str:
        """Call the tool and return the text of the result."""
        ...

    def calls(self, revision: str, fold: int, seconds: float) -> Segment:
        """Call the tool repeatedly for some seconds, ``fold`` calls at a time, on persistent connections."""
        ...

    def versions(self) -> Mapping[str, str]:
        """Return the versions of the distributions in use."""
        ...

    def close(self) -> None:
        """End the server."""
        ...


def load(name: str) -> Caller:
    """Return the caller of that name, connected; raise ImportError if a requirement is missing."""
    if name in {"fast", "standard"} and (find_spec("orjson") is not None) != (name == "fast"):
        message = f"{name!r} is to be measured {'with' if name == 'fast' else 'without'} orjson"
        raise ImportError(message)
    made: Caller = import_module(f"benchmarks.callers.{MODULES[name]}").make(SERVERS[name])
    return made


def threaded(call: Callable[[], object], fold: int, seconds: float) -> Segment:
    """Run a number of threads that make calls for some seconds."""
    if fold == 1:
        taken = timed(call, seconds)
        return Segment(sum(taken), taken)
    together = Barrier(fold + 1)

    def run() -> list[int]:
        together.wait()
        return timed(call, seconds)

    with ThreadPoolExecutor(fold) as threads:
        running = [threads.submit(run) for _ in range(fold)]
        together.wait()
        started = time.perf_counter_ns()
        found = [each for done in running for each in done.result()]
    return Segment(time.perf_counter_ns() - started, found)
