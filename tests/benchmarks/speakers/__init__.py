"""Those who hold the same conversation, each a client and a server in processes and an environment of their own.

A module ``NAME`` has the client, which calls a tool as often as it can; ``NAME_server.py`` is the program of the server,
which gives back the text that the tool is called with. Both speak 2025-11-25 over stdio.
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
"""Speaker to the module of this package that has it."""


class Speaker(Protocol):
    """A client that is connected to a server of the same make."""

    def call(self) -> str:
        """Calls the tool with ``TEXT`` and gives the text that comes back."""
        ...

    def calls(self, seconds: float) -> list[int]:
        """Calls the tool again and again for so long; the nanoseconds of each call."""
        ...

    def versions(self) -> Mapping[str, str]:
        """Versions of the distributions in use."""
        ...

    def close(self) -> None:
        """Ends the server."""
        ...


def load(name: str) -> Speaker:
    """The speaker of that name, connected; raises ImportError where what it needs is not installed, or what it lacks is."""
    if name in {"fast", "standard"} and (find_spec("orjson") is not None) != (name == "fast"):
        message = f"{name!r} is to be measured {'with' if name == 'fast' else 'without'} orjson"
        raise ImportError(message)
    made: Speaker = import_module(f"benchmarks.speakers.{MODULES[name]}").make()
    return made


def server_command(name: str, python: str) -> list[str]:
    """What starts the server of a speaker with the interpreter of its environment."""
    return [python, str(Path(__file__).with_name(f"{MODULES[name]}_server.py"))]


SERVER_ENVIRONMENT = {"PYTHONPATH": str(GENERATED)}
"""What a server finds in its environment besides what every program does: where these bindings are."""


def timed(call: Callable[[], object], seconds: float) -> list[int]:
    """The nanoseconds of each call, for so long; of two at least, since fewer have no quantiles."""
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
