"""Names the types that findings are about: by their names, or by their places where they have none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from mcp_bindgen.diff.findings import Couple, Nested
from mcp_bindgen.diff.type_matches import Partners
from mcp_bindgen.diff.typescript import below
from mcp_bindgen.ir.protocol import Protocol


class Subjects:
    """The subjects of couples. ``origins`` says by which ways each was reached; partners need none."""

    def __init__(
        self, old: Protocol, new: Protocol, partners: Partners, origins: Mapping[Couple, Sequence[Nested]]
    ) -> None:
        self._old, self._new = old, new
        self._partners = partners
        self._origins = origins
        nested = [couple for couple, ways in origins.items() if ways]
        self._uses = Counter(couple.old for couple in nested), Counter(couple.new for couple in nested)

    def subject(self, couple: Couple) -> str:
        """What to call a couple."""
        ways = self._origins.get(couple)
        if not ways:
            return couple.new or couple.old or ""
        name = self._name(couple)
        if name is not None:
            return name
        inside = self.subject(ways[0].inside)
        return inside if ways[0].field is None else below(inside, ways[0].field)

    def _name(self, couple: Couple) -> str | None:
        """The name that one of the two has, if it stands for this and nothing else."""
        names: list[str] = []
        new, old = couple.new, couple.old
        if new is not None and _is_declared(self._new, new) and self._partners.of_new(new) is None:
            names += [new] if self._uses[1][new] == 1 else []
        if old is not None and _is_declared(self._old, old) and self._partners.of_old(old) is None:
            names += [old] if self._uses[0][old] == 1 else []
        # A name that the other revision has for something else would mislead.
        return min(names, key=lambda name: name in self._partners.redefined, default=None)


def _is_declared(protocol: Protocol, path: str) -> bool:
    made = protocol.objects.get(path)
    return made is None or made.kind != "inline"
