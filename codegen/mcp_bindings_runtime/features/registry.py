"""What a server offers, by name: tools, resources, prompts and the rest, each kind in a registry.

Offers keep the order in which they were added. Each has a number, which rises and is never given again: so a place in
the list stays the same place, whatever is added and removed around it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Lock
from typing import Generic, NamedTuple, TypeVar

from ..errors import UsageError

T = TypeVar("T")


class Changes:
    """Tells of changes: of each at once, or of many together. Thread-safe.

    ``tell`` is called in the thread that has changed something, when it holds no lock.
    """

    def __init__(self, tell: Callable[[], object]) -> None:
        self._tell = tell
        self._lock = Lock()
        self._blocks = 0
        self._pending = False

    def happened(self) -> None:
        """Something has changed."""
        with self._lock:
            if self._blocks:
                self._pending = True
                return
        self._tell()

    @contextmanager
    def together(self) -> Generator[None, None, None]:
        """What changes in this block, in any thread, is told of once, at its end."""
        with self._lock:
            self._blocks += 1
        try:
            yield
        finally:
            with self._lock:
                self._blocks -= 1
                due = self._pending and not self._blocks
                if due:
                    self._pending = False
            if due:
                self._tell()


class _Snapshot(NamedTuple, Generic[T]):
    """All offers at one moment, and their numbers."""

    numbers: tuple[int, ...]
    offers: tuple[T, ...]


class Registry(Generic[T]):
    """Offers of one kind, by name, in the order in which they were added. Thread-safe.

    ``kind`` is the word for one of them in messages. ``changes`` hears of all that is added and removed. Iterating gives
    those that are there when it begins.
    """

    def __init__(self, kind: str, changes: Changes) -> None:
        self.kind = kind
        self._changes = changes
        self._lock = Lock()
        self._last = 0
        self._entries: dict[str, tuple[int, T]] = {}
        self._snapshot: _Snapshot[T] | None = _Snapshot((), ())

    def put(self, name: str, offer: T, *, replace: bool = False) -> None:
        """Adds an offer, at the end; with ``replace`` it takes the place of the one of that name, if there is one.

        Raises UsageError where the name is taken.
        """
        with self._lock:
            before = self._entries.get(name)
            if before is None:
                self._last += 1
                number = self._last
            elif replace:
                number = before[0]
            else:
                text = f"there is a {self.kind} {name!r} already; give it another name, or pass replace=True"
                raise UsageError(text)
            self._entries[name] = (number, offer)
            self._snapshot = None
        self._changes.happened()

    def remove(self, name: str) -> T:
        """Takes an offer back, and gives it. Raises UsageError where there is none of that name."""
        with self._lock:
            entry = self._entries.pop(name, None)
            self._snapshot = None
        if entry is None:
            text = f"there is no {self.kind} {name!r} to remove"
            raise UsageError(text)
        self._changes.happened()
        return entry[1]

    def get(self, name: str) -> T | None:
        """The offer of that name; None where there is none."""
        entry = self._entries.get(name)
        return None if entry is None else entry[1]

    def page(self, after: int, size: int) -> tuple[tuple[T, ...], int | None]:
        """At most ``size`` offers with numbers above ``after``, and the number of the last where there are more."""
        numbers, offers = self._frozen()
        begin = bisect_right(numbers, after)
        end = begin + size
        return offers[begin:end], numbers[end - 1] if end < len(numbers) else None

    def changing(self) -> AbstractContextManager[None]:
        """A ``with`` block: what is added and removed in it is told of once, at its end, instead of each time."""
        return self._changes.together()

    def _frozen(self) -> _Snapshot[T]:
        with self._lock:
            snapshot = self._snapshot
            if snapshot is None:
                numbers = tuple(number for number, _ in self._entries.values())
                offers = tuple(offer for _, offer in self._entries.values())
                snapshot = self._snapshot = _Snapshot(numbers, offers)
        return snapshot

    def __iter__(self) -> Iterator[T]:
        return iter(self._frozen().offers)

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries
