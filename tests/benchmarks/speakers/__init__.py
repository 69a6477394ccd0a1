"""Speakers of the same conversation, each a client and a server in processes and an environment of their own.

A module ``NAME`` has the client, which calls a tool as often as possible; ``NAME_server.py`` is the program of the
server, which returns the text that the tool is called with. Both use 2025-11-25 over stdio.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from benchmarks.interleave import GENERATED

REVISION = "2025-11-25"
TOOL = "echo"
TEXT = "hello"

MODULES = {"fast": "bindings", "standard": "bindings", "peer": "official", "bare": "bare"}
"""Modules of this package by speaker."""


class Speaker(Protocol):
    """A client that is connected to a server of the same implementation."""

    def call(self) -> str:
        """Call the tool with ``TEXT`` and return the text of the result."""
        ...

    def calls(self, seconds: float) -> list[int]:
        """Call the tool repeatedly for some seconds; return the nanoseconds of each call."""
        ...

    def versions(self) -> Mapping[str, str]:
        """Return the versions of the distributions in use."""
        ...

    def close(self) -> None:
        """End the server."""
        ...


def load(name: str) -> Speaker:
    """Return the speaker of that name, connected; raise ImportError if a requirement is missing."""
    if name in {"fast", "standard"} and (find_spec("orjson") is not None) != (name == "fast"):
        message = f"{name!r} is to be measured {'with' if name == 'fast' else 'without'} orjson"
        raise ImportError(message)
    made: Speaker = import_module(f"benchmarks.speakers.{MODULES[name]}").make()
    return made


def server_command(name: str, python: str) -> list[str]:
    """Return the command of a speaker's server, with the interpreter of its environment."""
    return [python, str(Path(__file__).with_name(f"{MODULES[name]}_server.py"))]


SERVER_ENVIRONMENT = {"PYTHONPATH": str(GENERATED)}
"""Additional environment variables of a server: the path of these bindings."""


def timed(call: Callable[[], object], seconds: float) -> list[int]:
    """Return the nanoseconds of each call during some seconds; at least two calls, because quantiles need two."""
    clock = time.perf_counter_ns
    taken: list[int] = []
    started = clock()
    end = started + int(seconds * 1e9)
    while started < end or len(taken) < 2:
        call()
        now = clock()
        taken.append(now - started)
        started = now
    return taken
