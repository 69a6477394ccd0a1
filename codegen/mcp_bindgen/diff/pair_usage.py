"""Who sends what of two revisions, and in which pairings of peers that matters: for couples of types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple, TypeVar

from mcp_bindgen.describe.canonical import schema_type
from mcp_bindgen.diff.alternatives import Alternatives, alias_names, alternatives
from mcp_bindgen.diff.findings import Couple, Nested
from mcp_bindgen.diff.message_kinds import exchanges
from mcp_bindgen.diff.rules import HARMLESS, Weights
from mcp_bindgen.diff.senders import PAYLOAD, Senders
from mcp_bindgen.diff.sides import SIDES, in_order
from mcp_bindgen.diff.types import Types
from mcp_bindgen.ir.protocol import ListOf, Side, Type

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
