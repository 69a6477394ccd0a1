"""The use of pairs of types in messages: which sides send them, in which methods, and in which pairings of peers.

The messages that peers of two revisions exchange are walked in both revisions at once, member by member. A type that both
revisions send, but in different messages or members, is not exchanged: its differences show in no message, because the
receiver only notices that it is in another place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple, TypeVar

from mcp_bindgen.describe.canonical import schema_type
from mcp_bindgen.diff.alternatives import Alternatives, alias_names, alternatives
from mcp_bindgen.diff.findings import InlineOccurrence, TypePair
from mcp_bindgen.diff.message_kinds import message_kinds
from mcp_bindgen.diff.rules import HARMLESS, Weights
from mcp_bindgen.diff.senders import PAYLOAD, Senders
from mcp_bindgen.diff.sides import SIDES, in_order
from mcp_bindgen.diff.type_comparer import TypeComparer
from mcp_bindgen.ir.protocol import ListOf, Side, Type

Item = TypeVar("Item", bound=str)


class PairUsage:
    """Senders and methods of pairs. ``occurrences`` lists the places of inline pairs; matches need none."""

    def __init__(self, types: TypeComparer, occurrences: Mapping[TypePair, Sequence[InlineOccurrence]]) -> None:
        old, new = types.old, types.new
        self._old, self._new = Senders(old), Senders(new)
        self._occurrences = occurrences
        self._is_known = bool(old.methods and new.methods)
        envelopes = {
            pair: self._old.envelopes[pair.old] & self._new.envelopes[pair.new]
            for pair in types.matches.pairs()
            if pair.old in self._old.envelopes and pair.new in self._new.envelopes
        }
        self._envelopes = envelopes.keys()
        self._flow_finder = _FlowFinder(types, envelopes)
        self._order = {name: place for place, name in enumerate(dict.fromkeys([*new.methods, *old.methods]))}
        self._embedded = {
            name
            for name, method in old.methods.items()
            if method.embedded and name in new.methods and new.methods[name].embedded
        }
        self._sent_by_both: dict[TypePair, frozenset[Side]] = {}
        self._sent_by_either: dict[TypePair, frozenset[Side]] = {}
        self._methods: dict[TypePair, frozenset[str]] = {}

    def sent_by_both(self, pairs: Iterable[TypePair]) -> frozenset[Side]:
        """Return the sides that send messages with any of some types, in both revisions."""
        return frozenset[Side]().union(
            *(self._over_occurrences(each, self._sent_by_both, self._in_both) for each in pairs)
        )

    def weights_by_sender(self, pairs: Iterable[TypePair], weights: Weights) -> dict[Side, Weights]:
        """Return the effect of a change of some types on the messages of each side that sends them.

        A pairing is not affected if no message has the types where the other peer expects them.
        """
        found = frozenset[MessageFlow]().union(*map(self._flows_of, pairs))
        senders: set[tuple[Side, bool]] = {(flow.sender, flow.is_old) for flow in found}
        by_side: dict[Side, Weights] = {}
        for side in in_order(side for side, _ in senders):
            left = Weights(
                weights.old_to_new if (side, True) in senders else "compatible",
                weights.new_to_old if (side, False) in senders else "compatible",
            )
            if left != HARMLESS or weights == HARMLESS:
                by_side[side] = left
        return by_side

    def _flows_of(self, pair: TypePair) -> frozenset[MessageFlow]:
        if self._is_known and not self._is_envelope(pair):
            return self._flow_finder.flows(pair)
        # Either nothing is known of the places, or every message has the pair.
        return frozenset(MessageFlow(side, is_old) for side in self.sent_by_both([pair]) for is_old in (True, False))

    def _is_envelope(self, pair: TypePair) -> bool:
        """Return whether two types are envelopes of messages, or unions of whole messages."""
        summaries = (self._old.is_summary(pair.old or ""), self._new.is_summary(pair.new or ""))
        return pair in self._envelopes or all(summaries)

    def sent_by_either(self, pairs: Iterable[TypePair]) -> frozenset[Side]:
        """Return the sides that send messages with any of some types, in either revision."""
        return frozenset[Side]().union(
            *(self._over_occurrences(each, self._sent_by_either, self._in_either) for each in pairs)
        )

    def exchanged_in(self, pairs: Sequence[TypePair]) -> tuple[str, ...]:
        """Return the methods in whose messages a peer of one revision sends a type where the other revision expects it."""
        exchanged = {flow.method for pair in pairs for flow in self._flows_of(pair)} - {None}
        # An embedded method contains the pair wherever its outer message does.
        return tuple(
            name for name in self.methods(pairs) if exchanged and (name in exchanged or name in self._embedded)
        )

    def methods(self, pairs: Iterable[TypePair]) -> tuple[str, ...]:
        """Return the methods whose messages contain any of some types in either revision, in source order."""
        found = frozenset[str]().union(
            *(self._over_occurrences(each, self._methods, self._methods_of) for each in pairs)
        )
        return tuple(sorted(found, key=self._order.__getitem__))

    def _over_occurrences(
        self, pair: TypePair, known: dict[TypePair, frozenset[Item]], own: Callable[[TypePair], frozenset[Item] | None]
    ) -> frozenset[Item]:
        """Return a property of a pair, limited to the places where it was found."""
        if pair not in known:
            # A type may be inside itself.
            known[pair] = frozenset()
            here, places = own(pair), self._occurrences.get(pair, ())
            around = frozenset[Item]().union(*(self._over_occurrences(place.holder, known, own) for place in places))
            known[pair] = around if here is None else here & around if places else here
        return known[pair]

    def _in_both(self, pair: TypePair) -> frozenset[Side] | None:
        if pair.old is None:
            return None if pair.new is None else self._new.sides(pair.new)
        before = self._old.sides(pair.old)
        return before if pair.new is None else before & self._new.sides(pair.new)

    def _in_either(self, pair: TypePair) -> frozenset[Side] | None:
        before = self._old.sides(pair.old) if pair.old is not None else frozenset[Side]()
        return before | (self._new.sides(pair.new) if pair.new is not None else frozenset[Side]())

    def _methods_of(self, pair: TypePair) -> frozenset[str] | None:
        before = self._old.methods(pair.old) if pair.old is not None else ()
        return frozenset(before) | frozenset(self._new.methods(pair.new) if pair.new is not None else ())


class MessageFlow(NamedTuple):
    """Messages that a side sends to a peer of the other revision."""

    sender: Side
    is_old: bool
    method: str | None = None
    """The method of the messages or of their responses; None for envelopes and errors."""


class _FlowFinder:
    """Finds the message flows of pairs. ``envelopes`` are the envelopes of messages, each with the sides that send it."""

    def __init__(self, types: TypeComparer, envelopes: Mapping[TypePair, Iterable[Side]]) -> None:
        self._types = types
        self._inside: dict[TypePair, tuple[TypePair, ...]] = {}
        self._flows: dict[TypePair, set[MessageFlow]] = {}
        for side in SIDES:
            for each in message_kinds(types.old, types.new, side):
                self._walk(self._at(each.sent, each.read), MessageFlow(side, is_old=True, method=each.method))
            for each in message_kinds(types.new, types.old, side):
                self._walk(self._at(each.read, each.sent), MessageFlow(side, is_old=False, method=each.method))
        for pair, sides in envelopes.items():
            inside = list(self._members(pair, besides=PAYLOAD))
            for side in sides:
                self._walk(inside, MessageFlow(side, is_old=True))
                self._walk(inside, MessageFlow(side, is_old=False))

    def flows(self, pair: TypePair) -> frozenset[MessageFlow]:
        """Return the flows in which one of two types is sent where the other is expected."""
        return frozenset(self._flows.get(pair, ()))

    def _walk(self, starts: Iterable[TypePair], flow: MessageFlow) -> None:
        waiting = list(starts)
        while waiting:
            pair = waiting.pop()
            known = self._flows.setdefault(pair, set())
            if flow in known:
                continue
            known.add(flow)
            if pair not in self._inside:
                self._inside[pair] = tuple(dict.fromkeys(self._below(pair)))
            waiting.extend(self._inside[pair])

    def _at(self, old: Type, new: Type) -> Iterator[TypePair]:
        """Yield the pairs at a place where the revisions have these two types, arrays included."""
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

    def _among(self, old: Type, new: Type, before: Alternatives, after: Alternatives) -> Iterator[TypePair]:
        """Yield the pairs among the alternatives of two types."""
        matches = self._types.matches
        there = {*alias_names(new, self._types.new.aliases), *after.objects}
        for name in (*alias_names(old, self._types.old.aliases), *before.objects):
            counterpart = matches.new_name(name)
            if counterpart in there:
                yield TypePair(name, counterpart)
            if name in there and name in matches.redefined:
                yield TypePair(name, name)
        if before.size == after.size == 1 and before.objects and after.objects:
            yield TypePair(*before.objects, *after.objects)
        elif before.objects and after.objects:
            yield from self._types.match(old, new).pairs
        if "object" in after.scalars:
            yield from (TypePair(path, None) for path in before.objects)
        if "object" in before.scalars:
            yield from (TypePair(None, path) for path in after.objects)

    def _below(self, pair: TypePair) -> Iterator[TypePair]:
        """Yield the pairs directly inside a pair."""
        old, new = self._types.old.aliases.get(pair.old or ""), self._types.new.aliases.get(pair.new or "")
        if old is not None and new is not None:
            yield from self._at(old.written or old.type, new.written or new.type)
        elif old is new:
            yield from self._members(pair)

    def _members(self, pair: TypePair, besides: Iterable[str] = ()) -> Iterator[TypePair]:
        """Yield the pairs in members of one name; an index signature matches names that its object does not declare."""
        if pair.old is None or pair.new is None:
            return
        old, new = self._types.old.objects[pair.old], self._types.new.objects[pair.new]
        before = {each.name: schema_type(each) for each in old.fields}
        after = {each.name: schema_type(each) for each in new.fields}
        for name in dict.fromkeys([*before, *after]):
            one, other = before.get(name, old.index), after.get(name, new.index)
            if one is not None and other is not None and name not in besides:
                yield from self._at(one, other)
        if old.index is not None and new.index is not None:
            yield from self._at(old.index, new.index)
