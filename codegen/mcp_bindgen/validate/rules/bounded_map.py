"""A mapping of bounded size."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Final, Generic, TypeVar, cast

K = TypeVar("K")
V = TypeVar("V")

LIMIT: Final = 10_000
"""Maximum number of requests, tokens, tools and tasks of one conversation that are remembered."""

LONGEST: Final = 1_000
"""Maximum length of a name, id or token that is remembered; usual ones have some dozens of characters."""


class BoundedMap(Generic[K, V]):
    """A mapping that keeps its ``limit`` newest entries."""

    def __init__(self, limit: int = LIMIT) -> None:
        self.has_dropped = False
        """Whether an entry was dropped for lack of room: then a missing key may have been there."""
        self._limit = limit
        self._entries: OrderedDict[K, V] = OrderedDict()

    def put(self, key: K, value: V) -> None:
        """Add an entry as the newest; drop the oldest if there are too many, or the entry if its key is too long."""
        if _length(key) > LONGEST:
            self.has_dropped = True
            return
        self._entries[key] = value
        self._entries.move_to_end(key)
        if len(self._entries) > self._limit:
            self._entries.popitem(last=False)
            self.has_dropped = True

    def get(self, key: K) -> V | None:
        """Return the value of a key, or None."""
        return self._entries.get(key)

    def drop(self, key: K) -> None:
        """Remove an entry without setting ``has_dropped``."""
        self._entries.pop(key, None)

    def clear(self) -> None:
        """Remove all entries without setting ``has_dropped``."""
        self._entries.clear()

    def values(self) -> Iterator[V]:
        """Return the values, oldest first."""
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
