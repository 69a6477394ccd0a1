"""Who sends what two revisions know both: sides and methods of couples of types, by the ways that lead to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from mcp_bindgen.diff.findings import Couple, Nested
from mcp_bindgen.diff.senders import Senders
from mcp_bindgen.ir.protocol import Protocol, Side

Item = TypeVar("Item", bound=str)


class Traffic:
    """The senders in two revisions. ``origins`` says by which ways each couple was reached; partners need none."""

    def __init__(self, old: Protocol, new: Protocol, origins: Mapping[Couple, Sequence[Nested]]) -> None:
        self._old, self._new = Senders(old), Senders(new)
        self._origins = origins
        self._order = {name: place for place, name in enumerate(dict.fromkeys([*new.methods, *old.methods]))}
        self._shared: dict[Couple, frozenset[Side]] = {}
        self._all: dict[Couple, frozenset[Side]] = {}
        self._methods: dict[Couple, frozenset[str]] = {}

    def shared(self, couples: Iterable[Couple]) -> frozenset[Side]:
        """The sides that send messages with any of some types, by both revisions."""
        return frozenset[Side]().union(*(self._over_ways(each, self._shared, self._in_both) for each in couples))

    def all(self, couples: Iterable[Couple]) -> frozenset[Side]:
        """The sides that send messages with any of some types, by either revision."""
        return frozenset[Side]().union(*(self._over_ways(each, self._all, self._in_either) for each in couples))

    def methods(self, couples: Iterable[Couple]) -> tuple[str, ...]:
        """The methods whose messages contain any of some types, in the order of the source."""
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
