"""Everything that a soak observes: calls, changes, restarts and what the server holds; thread-safe."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from attrs import define, field

SETTLING = 5.0
"""Seconds after a restart in which clients are still connecting again."""


@define
class Call:
    """A call of an honest client."""

    key: str
    tool: str
    start: float
    deadline: float
    """Time at which it must have ended."""
    end: float | None = None
    outcome: str = ""
    """``answered``, ``crossed``, or the class of the exception."""
    reason: str = ""


@define
class Disturbance:
    """A restart of the server or of Redis."""

    kind: str
    begin: float
    end: float = float("inf")
    graceful: bool = False
    """Whether requests that were accepted are answered nevertheless."""


@define
class Record:
    """The observations of one soak."""

    calls: list[Call] = field(factory=list)
    disturbances: list[Disturbance] = field(factory=list)
    changes: dict[str, list[float]] = field(factory=dict)
    """Times at which each listener received a change."""
    events: Counter[str] = field(factory=Counter)
    """Numbers of what the other peers did."""
    _lock: Lock = field(factory=Lock)

    def begin(self, key: str, tool: str, timeout: float) -> Call:
        now = time.monotonic()
        call = Call(key, tool, now, now + timeout)
        with self._lock:
            self.calls.append(call)
        return call

    def changed(self, listener: str) -> None:
        with self._lock:
            self.changes.setdefault(listener, []).append(time.monotonic())

    @contextmanager
    def disturbance(self, kind: str, *, graceful: bool = False) -> Iterator[None]:
        found = Disturbance(kind, time.monotonic(), graceful=graceful)
        with self._lock:
            self.disturbances.append(found)
        try:
            yield
        finally:
            found.end = time.monotonic() + SETTLING

    def disturbed(self, call: Call, *, graceful: bool = True) -> bool:
        """Return whether the server was restarted during a call; without ``graceful``, by force."""
        end = time.monotonic() if call.end is None else call.end
        return any(
            each.begin <= end and call.start <= each.end for each in self.disturbances if graceful or not each.graceful
        )


@define
class Journal:
    """What the tools have executed: how often each key began and ended."""

    begun: Counter[str] = field(factory=Counter)
    ended: Counter[str] = field(factory=Counter)

    @classmethod
    def read(cls, path: Path) -> Journal:
        journal = cls()
        if path.exists():
            for line in path.read_text(encoding="ascii").splitlines():
                event, _, key = line.partition(" ")
                (journal.begun if event == "begin" else journal.ended)[key] += 1
        return journal
