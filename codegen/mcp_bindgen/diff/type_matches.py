"""Which declared types of two revisions are the same type."""

from __future__ import annotations

from mcp_bindgen.diff.findings import TypePair
from mcp_bindgen.ir.protocol import Protocol


class TypeMatches:
    """Declared types by name, over renames.

    TypeComparer of one name are matches if both are objects or both are not. Otherwise the name was given to something else:
    it is *redefined*, and either type may have a counterpart of another name.
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
        """What a type of the old revision is in the new one."""
        return self._by_old.get(name)

    def old_name(self, name: str) -> str | None:
        """What a type of the new revision was in the old one."""
        return self._by_new.get(name)

    def are_matched(self, old: str, new: str) -> bool:
        """Whether two types are matches."""
        return self._by_old.get(old) == new

    def rename(self, old: str, new: str) -> None:
        """Take two types of different names for the same."""
        self.assume(old, new)
        self.renamed[old] = new

    def assume(self, old: str, new: str) -> None:
        """Take two types for the same, for a while."""
        self._by_old[old] = new
        self._by_new[new] = old

    def forget(self, old: str, new: str) -> None:
        """No longer take them for the same."""
        del self._by_old[old], self._by_new[new]

    def pairs(self) -> list[TypePair]:
        """All matches, in the order of the old source."""
        return [TypePair(name, self._by_old[name]) for name in declared(self._old) if name in self._by_old]

    def only_old(self) -> list[str]:
        """Names that the new revision does not have, and that were not renamed."""
        after = set(declared(self._new))
        return [name for name in declared(self._old) if name not in after and name not in self._by_old]

    def only_new(self) -> list[str]:
        """Names that the old revision does not have, and that are not those of renamed types."""
        before = set(declared(self._old))
        return [name for name in declared(self._new) if name not in before and name not in self._by_new]


def declared(protocol: Protocol) -> list[str]:
    """The names of declared types, in the order of the source."""
    return [name for name in protocol.order if name not in protocol.constants]
