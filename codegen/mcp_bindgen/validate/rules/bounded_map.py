"""A memory with an end: what was put in last is known, what is older may have been forgotten."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Final, Generic, TypeVar, cast

K = TypeVar("K")
V = TypeVar("V")

LIMIT: Final = 10_000
"""How much of a kind is remembered in one conversation: requests, tokens, tools, tasks."""

LONGEST: Final = 1_000
"""Characters of a name, id or token that is remembered; the longest in use have some dozens."""


class BoundedMap(Generic[K, V]):
    """A mapping that keeps the ``limit`` entries put in last, and says whether it has ever dropped one."""

    def __init__(self, limit: int = LIMIT) -> None:
        self.has_dropped = False
        """True once an entry was dropped: from then on, not to be found no longer means not to have been there."""
        self._limit = limit
        self._entries: OrderedDict[K, V] = OrderedDict()

    def put(self, key: K, value: V) -> None:
        """Remembers an entry as the newest, and drops the oldest where there are too many; one of a long key at once."""
        if _length(key) > LONGEST:
            self.has_dropped = True
            return
        self._entries[key] = value
        self._entries.move_to_end(key)
        if len(self._entries) > self._limit:
            self._entries.popitem(last=False)
            self.has_dropped = True

    def get(self, key: K) -> V | None:
        """What is remembered under a key."""
        return self._entries.get(key)

    def drop(self, key: K) -> None:
        """Takes an entry out, on purpose."""
        self._entries.pop(key, None)

    def clear(self) -> None:
        """Takes all entries out, on purpose."""
        self._entries.clear()

    def values(self) -> Iterator[V]:
        """What is remembered, oldest first."""
        return iter(self._entries.values())

    def __contains__(self, key: K) -> bool:
        return key in self._entries

    def __len__(self) -> int:
        return len(self._entries)


def _length(key: object) -> int:
    if isinstance(key, str):
        return len(key)
    if isinstance(key, tuple):
        return sum(map(_length, cast("tuple[object, ...]", key)))
    return key.bit_length() // 4 if isinstance(key, int) else 0
