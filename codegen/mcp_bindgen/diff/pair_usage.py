"""Who sends what of two revisions, and in which pairings of peers that matters: for couples of types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from mcp_bindgen.diff.findings import Couple, Nested
from mcp_bindgen.diff.sides import in_order
from mcp_bindgen.diff.places import Passage, Places
from mcp_bindgen.diff.rules import HARMLESS, Weights
from mcp_bindgen.diff.senders import Senders
from mcp_bindgen.diff.types import Types
from mcp_bindgen.ir.protocol import Side

Item = TypeVar("Item", bound=str)


class Traffic:
    """The senders in two revisions. ``origins`` says by which ways each couple was reached; partners need none."""

    def __init__(self, types: Types, origins: Mapping[Couple, Sequence[Nested]]) -> None:
        old, new = types.old, types.new
        self._old, self._new = Senders(old), Senders(new)
        self._origins = origins
        self._is_known = bool(old.methods and new.methods)
        envelopes = {
            couple: self._old.envelopes[couple.old] & self._new.envelopes[couple.new]
            for couple in types.partners.couples()
            if couple.old in self._old.envelopes and couple.new in self._new.envelopes
        }
        self._envelopes = envelopes.keys()
        self._places = Places(types, envelopes)
        self._order = {name: place for place, name in enumerate(dict.fromkeys([*new.methods, *old.methods]))}
        self._embedded = {
            name
            for name, method in old.methods.items()
            if method.embedded and name in new.methods and new.methods[name].embedded
        }
        self._shared: dict[Couple, frozenset[Side]] = {}
        self._all: dict[Couple, frozenset[Side]] = {}
        self._methods: dict[Couple, frozenset[str]] = {}

    def shared(self, couples: Iterable[Couple]) -> frozenset[Side]:
        """The sides that send messages with any of some types, by both revisions."""
        return frozenset[Side]().union(*(self._over_ways(each, self._shared, self._in_both) for each in couples))

    def exposed(self, couples: Iterable[Couple], weights: Weights) -> dict[Side, Weights]:
        """What a change of some types does to the messages of the sides that send them, as far as any message shows it.

        A pairing in which no message has such a type where the other peer looks for it is not concerned.
        """
        found = frozenset[Passage]().union(*map(self._passages, couples))
        ways: set[tuple[Side, bool]] = {(passage.sender, passage.is_old) for passage in found}
        by_side: dict[Side, Weights] = {}
        for side in in_order(side for side, _ in ways):
            left = Weights(
                weights.old_to_new if (side, True) in ways else "compatible",
                weights.new_to_old if (side, False) in ways else "compatible",
            )
            if left != HARMLESS or weights == HARMLESS:
                by_side[side] = left
        return by_side

    def _passages(self, couple: Couple) -> frozenset[Passage]:
        if self._is_known and not self._is_around(couple):
            return self._places.passages(couple)
        # Either nothing says where anything is, or it is wherever there is a message.
        return frozenset(Passage(side, is_old) for side in self.shared([couple]) for is_old in (True, False))

    def _is_around(self, couple: Couple) -> bool:
        """Whether two types are not inside messages but around them."""
        sums = (self._old.sums_up(couple.old or ""), self._new.sums_up(couple.new or ""))
        return couple in self._envelopes or all(sums)

    def all(self, couples: Iterable[Couple]) -> frozenset[Side]:
        """The sides that send messages with any of some types, by either revision."""
        return frozenset[Side]().union(*(self._over_ways(each, self._all, self._in_either) for each in couples))

    def met_in(self, couples: Sequence[Couple]) -> tuple[str, ...]:
        """Those in whose messages one revision's peer sends a type to where the other's looks for it."""
        met = {passage.method for couple in couples for passage in self._passages(couple)} - {None}
        # What both revisions have inside other messages is met in these, and told of what is inside.
        return tuple(name for name in self.methods(couples) if met and (name in met or name in self._embedded))

    def methods(self, couples: Iterable[Couple]) -> tuple[str, ...]:
        """The methods whose messages contain any of some types by either revision, in the order of the source."""
        found = frozenset[str]().union(*(self._over_ways(each, self._methods, self._methods_of) for each in couples))
        return tuple(sorted(found, key=self._order.__getitem__))

    def _over_ways(
        self, couple: Couple, known: dict[Couple, frozenset[Item]], own: Callable[[Couple], frozenset[Item] | None]
    ) -> frozenset[Item]:
        """What holds for a couple in the places where it was found, and not wherever else one of the two may be."""
        if couple not in known:
            # A type may be inside itself.
            known[couple] = frozenset()
            here, ways = own(couple), self._origins.get(couple, ())
            around = frozenset[Item]().union(*(self._over_ways(way.holder, known, own) for way in ways))
            known[couple] = around if here is None else here & around if ways else here
        return known[couple]

    def _in_both(self, couple: Couple) -> frozenset[Side] | None:
        if couple.old is None:
            return None if couple.new is None else self._new.sides(couple.new)
        before = self._old.sides(couple.old)
        return before if couple.new is None else before & self._new.sides(couple.new)

    def _in_either(self, couple: Couple) -> frozenset[Side] | None:
        before = self._old.sides(couple.old) if couple.old is not None else frozenset[Side]()
        return before | (self._new.sides(couple.new) if couple.new is not None else frozenset[Side]())

    def _methods_of(self, couple: Couple) -> frozenset[str] | None:
        before = self._old.methods(couple.old) if couple.old is not None else ()
        return frozenset(before) | frozenset(self._new.methods(couple.new) if couple.new is not None else ())
