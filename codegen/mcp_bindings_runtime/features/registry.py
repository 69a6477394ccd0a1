"""Registries of tools, resources, prompts and the like, by name.

Entries keep the order in which they were added. Each has a number that rises and is never used again, so that a position
in the list stays valid while entries are added and removed.
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
    """Calls a function after each change, or once after a block of changes. Thread-safe.

    ``notify`` is called in the thread that made the change and without locks held.
    """

    def __init__(self, notify: Callable[[], object]) -> None:
        self._notify = notify
        self._lock = Lock()
        self._blocks = 0
        self._pending = False

    def happened(self) -> None:
        """Call the function, or remember the change until the block ends."""
        with self._lock:
            if self._blocks:
                self._pending = True
                return
        self._notify()

    @contextmanager
    def together(self) -> Generator[None, None, None]:
        """Combine all changes that any thread makes in this block."""
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
                self._notify()


class _Snapshot(NamedTuple, Generic[T]):
    """All entries at one moment with their numbers."""

    numbers: tuple[int, ...]
    entries: tuple[T, ...]


class Registry(Generic[T]):
    """Entries of one kind, by name, in the order in which they were added. Thread-safe.

    ``kind`` is the word for an entry in messages. ``changes`` is informed of additions and removals. An iterator yields
    the entries of the moment when it was created.
    """

    def __init__(self, kind: str, changes: Changes) -> None:
        self.kind = kind
        self._changes = changes
        self._lock = Lock()
        self._last = 0
        self._entries: dict[str, tuple[int, T]] = {}
        self._snapshot: _Snapshot[T] | None = _Snapshot((), ())

    def put(self, name: str, entry: T, *, replace: bool = False) -> None:
        """Add an entry at the end. With ``replace``, put it in the place of the entry of that name, if there is one.

        Raise `UsageError` if the name is in use and ``replace`` is False.
        """
        with self._lock:
            before = self._entries.get(name)
            if before is None:
                self._last += 1
                number = self._last
            elif replace:
                number = before[0]
            else:
                text = f"there is a {self.kind} {name!r} already; use another name, or pass replace=True"
                raise UsageError(text)
            self._entries[name] = (number, entry)
            self._snapshot = None
        self._changes.happened()

    def remove(self, name: str) -> T:
        """Remove an entry and return it. Raise `UsageError` if there is none of that name."""
        with self._lock:
            removed = self._entries.pop(name, None)
            self._snapshot = None
        if removed is None:
            text = f"there is no {self.kind} {name!r} to remove"
            raise UsageError(text)
        self._changes.happened()
        return removed[1]

    def get(self, name: str) -> T | None:
        """Return the entry of a name; None if there is none."""
        entry = self._entries.get(name)
        return None if entry is None else entry[1]

    def page(self, after: int, size: int) -> tuple[tuple[T, ...], int | None]:
        """Return at most ``size`` entries with numbers above ``after``, and the number of the last one if more follow."""
        numbers, entries = self._frozen()
        begin = bisect_right(numbers, after)
        end = begin + size
        return entries[begin:end], numbers[end - 1] if end < len(numbers) else None

    def changing(self) -> AbstractContextManager[None]:
        """Return a context manager that combines all changes made in it."""
        return self._changes.together()

    def _frozen(self) -> _Snapshot[T]:
        with self._lock:
            snapshot = self._snapshot
            if snapshot is None:
                numbers = tuple(number for number, _ in self._entries.values())
                entries = tuple(entry for _, entry in self._entries.values())
                snapshot = self._snapshot = _Snapshot(numbers, entries)
        return snapshot

    def __iter__(self) -> Iterator[T]:
        return iter(self._frozen().entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries
