"""Where types of two revisions meet: the places at which one revision's peer sends a type, and the other's looks for it.

Both revisions of each message that peers of the two exchange are walked together, member by member, as far as both have
the members. A type that both revisions send, but each in another message or in another member, meets nothing: what
differs in it shows in no message, since that it is in another place is all that its receiver notices.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import NamedTuple

from mcp_bindgen.describe.canonical import schema_type
from mcp_bindgen.diff.alternatives import Alternatives, alias_names, alternatives
from mcp_bindgen.diff.message_kinds import exchanges
from mcp_bindgen.diff.findings import Couple
from mcp_bindgen.diff.sides import SIDES
from mcp_bindgen.diff.senders import PAYLOAD
from mcp_bindgen.diff.types import Types
from mcp_bindgen.ir.protocol import ListOf, Side, Type


class Passage(NamedTuple):
    """A way that messages take between peers of two revisions: who sends them, and whether that is the old peer."""

    sender: Side
    is_old: bool
    method: str | None = None
    """Of which messages, or of the answers to which; None for what is around them all, and for errors."""


class Places:
    """The passages of types of two revisions. ``envelopes`` go around messages, each with the sides that send them."""

    def __init__(self, types: Types, envelopes: Mapping[Couple, Iterable[Side]]) -> None:
        self._types = types
        self._inside: dict[Couple, tuple[Couple, ...]] = {}
        self._met: dict[Couple, set[Passage]] = {}
        for side in SIDES:
            for each in exchanges(types.old, types.new, side):
                self._walk(self._at(each.sent, each.read), Passage(side, is_old=True, method=each.method))
            for each in exchanges(types.new, types.old, side):
                self._walk(self._at(each.read, each.sent), Passage(side, is_old=False, method=each.method))
        for couple, sides in envelopes.items():
            inside = list(self._members(couple, besides=PAYLOAD))
            for side in sides:
                self._walk(inside, Passage(side, is_old=True))
                self._walk(inside, Passage(side, is_old=False))

    def passages(self, couple: Couple) -> frozenset[Passage]:
        """The ways on which one of two types is sent to where the other is looked for."""
        return frozenset(self._met.get(couple, ()))

    def _walk(self, starts: Iterable[Couple], passage: Passage) -> None:
        waiting = list(starts)
        while waiting:
            couple = waiting.pop()
            known = self._met.setdefault(couple, set())
            if passage in known:
                continue
            known.add(passage)
            if couple not in self._inside:
                self._inside[couple] = tuple(dict.fromkeys(self._below(couple)))
            waiting.extend(self._inside[couple])

    def _at(self, old: Type, new: Type) -> Iterator[Couple]:
        """The types that meet at a place where the revisions have these two, and in arrays that both have there."""
        waiting: list[tuple[Type, Type]] = [(old, new)]
        # An alias may be an array of itself.
        opened: set[tuple[ListOf, ListOf]] = set()
        for one, other in waiting:
            before, after = alternatives(one, self._types.old.aliases), alternatives(other, self._types.new.aliases)
            yield from self._among(one, other, before, after)
            for lists in product(before.lists, after.lists):
                if lists not in opened:
                    opened.add(lists)
                    waiting.append((lists[0].element, lists[1].element))

    def _among(self, old: Type, new: Type, before: Alternatives, after: Alternatives) -> Iterator[Couple]:
        """The types that meet among the alternatives of two types."""
        partners = self._types.partners
        there = {*alias_names(new, self._types.new.aliases), *after.objects}
        for name in (*alias_names(old, self._types.old.aliases), *before.objects):
            partner = partners.of_old(name)
            if partner in there:
                yield Couple(name, partner)
            if name in there and name in partners.redefined:
                yield Couple(name, name)
        if before.size == after.size == 1 and before.objects and after.objects:
            yield Couple(*before.objects, *after.objects)
        elif before.objects and after.objects:
            yield from self._types.match(old, new).pairs
        if "object" in after.scalars:
            yield from (Couple(path, None) for path in before.objects)
        if "object" in before.scalars:
            yield from (Couple(None, path) for path in after.objects)

    def _below(self, couple: Couple) -> Iterator[Couple]:
        """The types that meet inside two types that do."""
        old, new = self._types.old.aliases.get(couple.old or ""), self._types.new.aliases.get(couple.new or "")
        if old is not None and new is not None:
            yield from self._at(old.written or old.type, new.written or new.type)
        elif old is new:
            yield from self._members(couple)

    def _members(self, couple: Couple, besides: Iterable[str] = ()) -> Iterator[Couple]:
        """Those in members of the same names. What one of two objects names may be any other member of the other."""
        if couple.old is None or couple.new is None:
            return
        old, new = self._types.old.objects[couple.old], self._types.new.objects[couple.new]
        before = {each.name: schema_type(each) for each in old.fields}
        after = {each.name: schema_type(each) for each in new.fields}
        for name in dict.fromkeys([*before, *after]):
            one, other = before.get(name, old.index), after.get(name, new.index)
            if one is not None and other is not None and name not in besides:
                yield from self._at(one, other)
        if old.index is not None and new.index is not None:
            yield from self._at(old.index, new.index)
