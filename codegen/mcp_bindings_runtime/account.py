"""Things that clients make the server keep, counted for each source and for all sources together."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple


class Quota(NamedTuple):
    """A limit on a number of things and on their bytes."""

    number: int
    size: int


class Account:
    """Counts things and their bytes by source: a principal or, without one, an address.

    ``total`` is the limit for all sources, ``each`` the one for a single source. Not thread-safe.
    """

    def __init__(self, total: Quota, each: Quota) -> None:
        self._total = total
        self._each = each
        self._counts: Counter[str] = Counter()
        self._sizes: Counter[str] = Counter()
        self.count = 0
        """Number of things of all sources."""
        self.size = 0
        """Bytes of all sources."""

    def add(self, source: str, size: int, count: int = 1) -> None:
        """Charge a source; negative numbers take a charge back."""
        self.count += count
        self.size += size
        self._counts[source] += count
        self._sizes[source] += size
        if not self._counts[source]:
            del self._counts[source], self._sizes[source]

    def exceeds_own(self, source: str) -> bool:
        """Return whether a source has more than its share."""
        return self._counts[source] > self._each.number or self._sizes[source] > self._each.size

    @property
    def exceeds_total(self) -> bool:
        """Whether all sources together have more than the limit."""
        return self.count > self._total.number or self.size > self._total.size
