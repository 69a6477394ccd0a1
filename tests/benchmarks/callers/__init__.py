"""Those who call the same tool over HTTP, each a client and a server in processes of its own.

A module ``NAME`` has the client; ``NAME_server`` is the program of a server, which gives back the text that the tool is
called with, at ``/mcp`` of the port that it is told, in both eras.
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
"""One of each era: with sessions, and with requests that stand alone."""
FOLD = 16
"""How many calls are under way at the same time, where it is more than one."""

MODULES = {"fast": "bindings", "standard": "bindings", "peer": "official", "served": "loop", "bare": "loop"}
"""Caller to the module of this package that has its client."""
SERVERS = {
    "fast": "bindings_server",
    "standard": "bindings_server",
    "peer": "official_server",
    "served": "bindings_server",
    "bare": "bare_server",
}
"""Caller to the module of this package that has its server."""


class Segment(NamedTuple):
    """What calls have taken."""

    wall: int
    """Nanoseconds of all of them together."""
    taken: list[int]
    """Nanoseconds of each."""


class Caller(Protocol):
    """A client that is connected to a server in both eras."""

    def call(self, revision: str) -> str:
        """Calls the tool and gives the text that comes back."""
        ...

    def calls(self, revision: str, fold: int, seconds: float) -> Segment:
        """Calls the tool again and again for so long, ``fold`` calls at a time, on connections that are kept."""
        ...

    def versions(self) -> Mapping[str, str]:
        """Versions of the distributions in use."""
        ...

    def close(self) -> None:
        """Ends the server."""
        ...


def load(name: str) -> Caller:
    """The caller of that name, connected; raises ImportError where what it needs is not installed, or what it lacks is."""
    if name in {"fast", "standard"} and (find_spec("orjson") is not None) != (name == "fast"):
        message = f"{name!r} is to be measured {'with' if name == 'fast' else 'without'} orjson"
        raise ImportError(message)
    made: Caller = import_module(f"benchmarks.callers.{MODULES[name]}").make(SERVERS[name])
    return made


def threaded(call: Callable[[], object], fold: int, seconds: float) -> Segment:
    """So many threads that call for so long."""
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
