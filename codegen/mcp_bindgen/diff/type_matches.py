"""Matches of declared types of two revisions."""

from __future__ import annotations

from mcp_bindgen.diff.findings import TypePair
from mcp_bindgen.ir.protocol import Protocol


class TypeMatches:
    """Matched types by name, renames included.

    Types of one name match if both are objects or both are not. Otherwise the name is *redefined*, and either type may
    match one of another name.
    """

    def __init__(self, old: Protocol, new: Protocol) -> None:
        self._old, self._new = old, new
        self._by_old: dict[str, str] = {}
        self._by_new: dict[str, str] = {}
        self.redefined: list[str] = []
        """Names that both revisions have, for different things."""
        self.renamed: dict[str, str] = {}
        """Old names to new ones."""
        after = set(declared(new))
        for name in declared(old):
            if name in after:
                if (name in old.objects) == (name in new.objects):
                    self._by_old[name] = self._by_new[name] = name
                else:
                    self.redefined.append(name)

    def new_name(self, name: str) -> str | None:
        """Return the new revision's name of an old type."""
        return self._by_old.get(name)

    def old_name(self, name: str) -> str | None:
        """Return the old revision's name of a new type."""
        return self._by_new.get(name)

    def are_matched(self, old: str, new: str) -> bool:
        """Return whether two types match."""
        return self._by_old.get(old) == new

    def rename(self, old: str, new: str) -> None:
        """Match two types of different names."""
        self.assume(old, new)
        self.renamed[old] = new

    def assume(self, old: str, new: str) -> None:
        """Match two types provisionally."""
        self._by_old[old] = new
        self._by_new[new] = old

    def forget(self, old: str, new: str) -> None:
        """Undo a provisional match."""
        del self._by_old[old], self._by_new[new]

    def pairs(self) -> list[TypePair]:
        """Return all matches, in the order of the old source."""
        return [TypePair(name, self._by_old[name]) for name in declared(self._old) if name in self._by_old]

    def only_old(self) -> list[str]:
        """Return names that the new revision lacks and that were not renamed."""
        after = set(declared(self._new))
        return [name for name in declared(self._old) if name not in after and name not in self._by_old]

    def only_new(self) -> list[str]:
        """Return names that the old revision lacks and that are not those of renamed types."""
        before = set(declared(self._old))
        return [name for name in declared(self._new) if name not in before and name not in self._by_new]


def declared(protocol: Protocol) -> list[str]:
    """Return the names of declared types, in source order."""
    return [name for name in protocol.order if name not in protocol.constants]
