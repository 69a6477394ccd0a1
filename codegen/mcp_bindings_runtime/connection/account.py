"""Charge what peers make this side keep to those who cause it, and evict something when a limit is reached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from sys import getsizeof
from threading import Lock
from typing import Any, TypeAlias

from ..logs import RareWarning

SHARE = 4
"""A single source may have a fourth of the total, unless another limit is set."""

Eviction: TypeAlias = Callable[[Any, int], object]
"""A function of a source, or None for all sources, and an amount; it drops things of at least that amount if it can."""


class Account:
    """An amount that is charged to sources, such as a number of things or their bytes. Thread-safe.

    A source is a principal, else an address, else a connection; None stands for all sources. All of them together may have
    ``total``, and a single one ``each``. ``what`` names the amount in the log.
    """

    def __init__(self, what: str, total: int, each: int | None = None) -> None:
        self._what = what
        self._lock = Lock()
        self._amounts: Counter[Any] = Counter()
        self._evictions: list[Eviction] = []
        self._warning = RareWarning(f"a limit on {what} is reached: %s")
        self.used = 0
        """The amount of all sources."""
        self.set_limits(total, each)

    def set_limits(self, total: int, each: int | None = None) -> None:
        """Replace the limits."""
        self.total = total
        self.each = max(1, total // SHARE) if each is None else min(each, total)
        self._waiting: Account | None = None

    @property
    def waiting(self) -> Account:
        """The amounts of those who wait for room, for whom there is a fourth of the limits."""
        if self._waiting is None:
            self._waiting = Account(f"{self._what} that wait for room", self.total // SHARE, self.each // SHARE)
        return self._waiting

    def add_eviction(self, evict: Eviction) -> None:
        """Register a function that makes room; those that lose least come first."""
        self._evictions.append(evict)

    def charge(self, source: Any, amount: int) -> None:
        """Add to the amount of a source, even beyond a limit."""
        with self._lock:
            self.used += amount
            self._amounts[source] += amount
            if not self._amounts[source]:
                del self._amounts[source]

    def release(self, source: Any, amount: int) -> None:
        """Take a charge back."""
        self.charge(source, -amount)

    @contextmanager
    def charged(self, source: Any, amount: int) -> Generator[None]:
        """Charge an amount inside ``with``."""
        self.charge(source, amount)
        try:
            yield
        finally:
            self.release(source, amount)

    def amount_of(self, source: Any) -> int:
        """Return the amount of a source."""
        return self.used if source is None else self._amounts.get(source, 0)

    def excess(self, source: Any) -> int:
        """Return by how much a source exceeds its limit; a negative number is what is left."""
        return self.amount_of(source) - (self.total if source is None else self.each)

    def admits(self, source: Any, amount: int = 0) -> bool:
        """Return whether no limit would be exceeded by so much more."""
        return self.excess(source) + amount <= 0 and self.excess(None) + amount <= 0

    def make_room(self, source: Any, amount: int = 0, *more: Eviction) -> bool:
        """Evict until no limit is exceeded by so much more, by ``more`` at last; return whether that was possible."""
        for each in (source, None):
            if self.excess(each) + amount > 0:
                self._warn(each, amount)
            for evict in (*self._evictions, *more):
                excess = self.excess(each) + amount
                if excess > 0:
                    evict(each, excess)
        return self.admits(source, amount)

    def _warn(self, source: Any, amount: int) -> None:
        limit = self.total if source is None else self.each
        owner = "all sources have" if source is None else f"{source!r} has"
        self._warning.log(f"{owner} {self.amount_of(source) + amount}, the limit is {limit}")


def memory_size(value: Any) -> int:
    """Return the bytes that a JSON value takes in memory, containers included."""
    size = getsizeof(value)
    if value.__class__ is dict:
        return size + sum(memory_size(name) + memory_size(item) for name, item in value.items())
    return size + sum(map(memory_size, value)) if value.__class__ is list else size
