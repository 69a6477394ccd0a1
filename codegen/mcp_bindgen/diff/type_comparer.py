"""Comparison of the types at two places: a field before and after, an alias, the members of a union.

Types that both revisions declare are compared once, where they are declared, and not where they are used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from attrs import define, evolve, field, frozen

from mcp_bindgen.diff.acceptance import Acceptance, accepts_any_object, rule_for
from mcp_bindgen.diff.alternatives import Alternatives, Literal, alias_names, alternatives
from mcp_bindgen.diff.fallback_readings import FallbackReading, FallbackReadings
from mcp_bindgen.diff.findings import InlinePair, TypeDifference, TypePair
from mcp_bindgen.diff.rules import RULES, Weights
from mcp_bindgen.diff.scalars import NOTHING_LEFT, fractions, lost, values
from mcp_bindgen.diff.type_matches import TypeMatches
from mcp_bindgen.diff.typescript import TypeScript
from mcp_bindgen.ir.protocol import AliasOf, Enum, ListOf, ObjectOf, ObjectType, Protocol, Type


@frozen
class DeepDifference:
    """The difference of two objects, including all that is inside them."""

    weights: Weights
    same: bool
    """They accept the same messages."""


class TypeComparer:
    """Compares types of two revisions.

    ``compare_deeply`` compares two objects with all that is inside them. ``rename_candidates`` collects unmatched types
    that are used in the same place; some may turn out to be renamed.
    """

    def __init__(
        self, old: Protocol, new: Protocol, matches: TypeMatches, compare_deeply: Callable[[TypePair], DeepDifference]
    ) -> None:
        self.old, self.new = old, new
        self.matches = matches
        self.compare_deeply = compare_deeply
        self.old_text, self.new_text = TypeScript(old), TypeScript(new)
        self.acceptance = Acceptance(old, new, matches)
        self.rename_candidates: dict[TypePair, None] = {}
        self.readings = FallbackReadings(old, new, self.acceptance, lambda pair: compare_deeply(pair).weights)
        self._unions = UnionComparer(self)
        self._open: set[tuple[Type, Type]] = set()

    def compare(self, old: Type, new: Type, *, is_params: bool = False) -> Iterator[TypeDifference | InlinePair]:
        """Yield the differences of two types. The params of a method correspond to each other under any name."""
        if self._is_compared_elsewhere(old, new) or (old, new) in self._open:
            return
        self._open.add((old, new))
        yield from self._compare(old, new, is_params=is_params)
        self._open.discard((old, new))

    def alternatives(self, old: Type, new: Type) -> tuple[Alternatives, Alternatives]:
        """Return the alternatives of two types; aliases that both revisions have are not expanded."""
        after = alias_names(new, self.new.aliases)
        before = [name for name in alias_names(old, self.old.aliases) if self.matches.new_name(name) in after]
        kept = [counterpart for name in before if (counterpart := self.matches.new_name(name)) is not None]
        return alternatives(old, self.old.aliases, before), alternatives(new, self.new.aliases, kept)

    def match(self, old: Type, new: Type) -> Matching:
        """Return the matching of the objects of two types."""
        return self._unions.match(old, new)

    def successors(self, old: Type, new: Type) -> list[TypePair]:
        """Return removed objects of ``old``, each with the new one that replaces it in ``new``."""
        return self._unions.successors(old, new)

    def add_rename_candidate(self, old: str, new: str) -> None:
        """Record that ``new`` is used where ``old`` was."""
        if self.matches.new_name(old) is None and self.matches.old_name(new) is None:
            self.rename_candidates[TypePair(old, new)] = None

    def objects(self, old: str, new: str, *, is_params: bool = False) -> Iterator[TypeDifference | InlinePair]:
        """Yield the differences of two objects of which one replaces the other."""
        if self.matches.are_matched(old, new):
            return
        named = self._is_named(old, new)
        if named:
            self.add_rename_candidate(old, new)
        if not named or is_params:
            yield InlinePair(TypePair(old, new))
            return
        difference = self.compare_deeply(TypePair(old, new))
        rule = rule_for(
            forward=difference.weights.old_to_new == "compatible",
            backward=difference.weights.new_to_old == "compatible",
        )
        usual = RULES[rule].weights
        reason = (
            _deep_reason(old, new, difference.weights) if difference.weights != usual or not difference.same else None
        )
        yield TypeDifference("type", rule, weights=difference.weights, reason=reason)

    def _is_named(self, old: str, new: str) -> bool:
        return self.old.objects[old].kind != "inline" and self.new.objects[new].kind != "inline"

    def _is_compared_elsewhere(self, old: Type, new: Type) -> bool:
        match old, new:
            case AliasOf(), AliasOf():
                if self.matches.are_matched(old.name, new.name):
                    return True
                self.add_rename_candidate(old.name, new.name)
            case ObjectOf(), ObjectOf():
                return self.matches.are_matched(old.path, new.path)
            case (AliasOf(name=name), ObjectOf(path=path)) | (ObjectOf(path=path), AliasOf(name=name)):
                return name == path and name in self.matches.redefined
            case _:
                pass
        return False

    def _compare(self, old: Type, new: Type, *, is_params: bool) -> Iterator[TypeDifference | InlinePair]:
        before, after = self.alternatives(old, new)
        if before.json is not None or after.json is not None:
            yield from self._any_json(before, after)
        elif before.is_enumeration and after.is_enumeration:
            yield from self._enumerations(old, new, before, after)
        elif before.size == after.size == 1:
            yield from self._single(old, new, before, after, is_params=is_params)
        else:
            yield from self._unions.compare(old, new, before, after)
            yield from fractions(before, after)

    def _any_json(self, before: Alternatives, after: Alternatives) -> Iterator[TypeDifference]:
        if before.json is None:
            yield TypeDifference("type", "type-widened")
        elif after.json is None:
            yield TypeDifference("type", "type-narrowed")
        elif bool(before.json) != bool(after.json):
            yield TypeDifference("type", "type-equivalent")

    def _enumerations(
        self, old: Type, new: Type, before: Alternatives, after: Alternatives
    ) -> Iterator[TypeDifference]:
        removed, added = lost(before.literals, after.literals), lost(after.literals, before.literals)
        if before.any_string != after.any_string:
            yield TypeDifference("type", self.acceptance.rule(old, new))
        elif before.any_string:
            yield from values(removed, added, open_to_others=True)
        elif len(removed) < len(before.literals) or (len(before.literals) > 1 and len(added) > 1):
            yield from values(removed, added, nothing_left=len(removed) == len(before.literals))
        else:
            yield TypeDifference("type", "type-replaced")

    def _single(
        self, old: Type, new: Type, before: Alternatives, after: Alternatives, *, is_params: bool
    ) -> Iterator[TypeDifference | InlinePair]:
        if before.objects and after.objects:
            (one,), (other,) = before.objects, after.objects
            yield from self.objects(one, other, is_params=is_params)
        elif before.lists and after.lists:
            (one_list,), (other_list,) = before.lists, after.lists
            yield from self.compare(one_list.element, other_list.element)
        elif before.objects and "object" in after.scalars:
            (one,) = before.objects
            yield from self._unknown_object(TypePair(one, None), self.old, one) or self._replaced(old, new)
        elif "object" in before.scalars and after.objects:
            (other,) = after.objects
            yield from self._unknown_object(TypePair(None, other), self.new, other) or self._replaced(old, new)
        elif before.kept and after.kept:
            return
        elif before.scalars.keys() != after.scalars.keys() or not before.scalars:
            yield from self._replaced(old, new)
        else:
            yield from fractions(before, after)

    def _unknown_object(self, pair: TypePair, protocol: Protocol, path: str) -> Sequence[TypeDifference | InlinePair]:
        """Return the differences of ``object``, which declares no members, and an object type."""
        if accepts_any_object(protocol, path):
            return [TypeDifference("type", "type-equivalent")]
        declared = protocol.objects[path]
        # An object without members that got optional ones: no value became invalid.
        if declared.fields and all(each.optional for each in declared.fields):
            return [InlinePair(pair)]
        return []

    def _replaced(self, old: Type, new: Type) -> Sequence[TypeDifference]:
        return [TypeDifference("type", self.acceptance.rule(old, new))]


def _deep_reason(old: str, new: str, weights: Weights) -> str | None:
    """Return the reason for the effect of one object in place of another; None if the rule explains it."""
    match weights.old_to_new, weights.new_to_old:
        case "compatible", "compatible":
            return f"Each side accepts the values of the other, `{old}` or `{new}`."
        case "breaking", "breaking":
            return None
        case forward, "compatible":
            effect = "refuses" if forward == "breaking" else "may not understand all of"
            return f"A new {{r}} expects `{new}` and {effect} the `{old}` of an old {{s}}."
        case "compatible", backward:
            effect = "refuses" if backward == "breaking" else "may not understand all of"
            return f"An old {{r}} expects `{old}` and {effect} the `{new}` of a new {{s}}."
        case _:
            pair = f"The old revision has `{old}` and the new one `{new}`"
            return f"{pair}, so neither side understands all that the other sends."


MAX_PAIRS = 10_000
"""Maximum number of pairs of members that are compared by structure; larger unions are matched by name."""

_ONE_BY_ONE = "Send the messages one by one."


@define
class Matching:
    """The matched members of two unions, and those without a match."""

    old: list[str]
    new: list[str]
    inline_pairs: list[TypePair] = field(factory=list[TypePair])
    """Matched objects that are not the same type, at least one of them inline."""
    pairs: list[TypePair] = field(factory=list[TypePair])
    """All matched objects that are not the same type."""
    same: int = 0
    """The number of matched members."""


class UnionComparer:
    """Compares unions of two revisions, member by member.

    Members match if they are the same type, if one replaces the other and one of them is inline, or if one has all members
    of the other.
    """

    def __init__(self, types: TypeComparer) -> None:
        self._types = types

    def compare(
        self, old: Type, new: Type, before: Alternatives, after: Alternatives
    ) -> Iterator[TypeDifference | InlinePair]:
        """Yield the differences of two unions, one of which may be a single type.

        Aliases that both revisions have are not expanded in ``before`` and ``after``: they are compared where they are
        declared.
        """
        whole_old = alternatives(old, self._types.old.aliases)
        whole_new = alternatives(new, self._types.new.aliases)
        objects = self._objects(before, after, whole_old, whole_new)
        lists, old_lists, new_lists = self._lists(before, after)
        kept = any(self._has_parts(name) for name in before.kept)
        scalars = (whole_old.any_string and whole_new.any_string) or bool(whole_old.scalars.keys() & whole_new.scalars)
        literals = bool(whole_old.literals.keys() & whole_new.literals)
        named = bool(objects.same or lists or kept)
        # A scalar that became one of several is a widened type rather than a union with added members.
        single = not named and not literals and (whole_old.size < 2 or whole_new.size < 2)
        opened = whole_old.any_string != whole_new.any_string
        if single or (opened and whole_old.is_enumeration and whole_new.is_enumeration):
            yield TypeDifference("type", self._types.acceptance.rule(old, new))
            return
        for pair in objects.inline_pairs:
            yield from self._types.objects(pair.old or "", pair.new or "")
        yield from map(InlinePair, self._successors(objects))
        for one, other in lists:
            yield from self._types.compare(one.element, other.element)
        # If only one side has `string`, that difference covers its string literals.
        for strings in (False, True) if not opened else (False,):
            yield from values(
                lost(_literals(before, strings=strings), whole_new.literals),
                lost(_literals(after, strings=strings), whole_old.literals),
                open_to_others=strings and whole_old.any_string,
            )
        old_text, new_text = self._types.old_text, self._types.new_text
        readings = self._types.readings
        yield from _removed_members(
            [(each, None) for each in _scalars(before, whole_new)]
            + [(old_text.object(path), readings.read_by_new(path, new)) for path in objects.old]
        )
        for each in old_lists:
            hint = _ONE_BY_ONE if self._is_batch(each, whole_new) else None
            member = before.lists[each] or old_text.list_of(each.element)
            yield TypeDifference("union_member_removed", "union-member-removed", member, hint=hint)
        yield from _added_members(
            [(each, None) for each in _scalars(after, whole_old)]
            + [(new_text.object(path), readings.read_by_old(path, old)) for path in objects.new]
            + [(after.lists[each] or new_text.list_of(each.element), None) for each in new_lists],
            nothing_left=not (named or scalars or literals),
        )

    def match(self, old: Type, new: Type) -> Matching:
        """Return the matching of the objects of two types."""
        whole_old = alternatives(old, self._types.old.aliases)
        whole_new = alternatives(new, self._types.new.aliases)
        return self._objects(*self._types.alternatives(old, new), whole_old, whole_new)

    def successors(self, old: Type, new: Type) -> list[TypePair]:
        """Return removed declared members, each with the new declared type that replaces it.

        They are compared nowhere else: they are not matches, because the new type is not a rename.
        """
        return self._successors(self.match(old, new))

    def _successors(self, matched: Matching) -> list[TypePair]:
        matches = self._types.matches
        return [
            pair
            for pair in matched.pairs
            if self._are_declared(pair.old or "", pair.new or "")
            and matches.new_name(pair.old or "") is None
            and matches.old_name(pair.new or "") is None
        ]

    def _has_parts(self, alias: str) -> bool:
        found = alternatives(AliasOf(alias), self._types.old.aliases)
        return bool(found.objects or found.lists)

    def _objects(
        self, before: Alternatives, after: Alternatives, whole_old: Alternatives, whole_new: Alternatives
    ) -> Matching:
        """Match the objects of two unions, including those inside aliases that both revisions have."""
        matches = self._types.matches
        found = Matching([], [])
        for path in before.objects:
            if matches.new_name(path) in whole_new.objects:
                found.same += 1
            else:
                found.old.append(path)
        found.new += [path for path in after.objects if matches.old_name(path) not in whole_old.objects]
        if len(found.old) * len(found.new) > MAX_PAIRS:
            return found
        for old in found.old:
            for new in found.new:
                if self._are_declared(old, new):
                    self._types.add_rename_candidate(old, new)
        for fits in (self._are_alike, self._have_one_tag, self._one_extends_other, self._share_a_field):
            self._match(found, fits)
        return found

    def _match(self, found: Matching, fits: Callable[[str, str], bool]) -> None:
        for old in list(found.old):
            new = next((new for new in found.new if fits(old, new)), None)
            if new is None:
                continue
            found.old.remove(old)
            found.new.remove(new)
            found.same += 1
            found.pairs.append(TypePair(old, new))
            if not self._are_declared(old, new):
                found.inline_pairs.append(TypePair(old, new))

    def _are_declared(self, old: str, new: str) -> bool:
        return not _is_inline(self._types.old, old) and not _is_inline(self._types.new, new)

    def _are_alike(self, old: str, new: str) -> bool:
        before, after = self._types.old.objects[old], self._types.new.objects[new]
        if {each.name for each in before.fields} != {each.name for each in after.fields}:
            return False
        return self._types.compare_deeply(TypePair(old, new)).same

    def _have_one_tag(self, old: str, new: str) -> bool:
        if self._are_declared(old, new):
            return False
        before, after = _tags(self._types.old.objects[old]), _tags(self._types.new.objects[new])
        return any(after.get(name) == value for name, value in before.items())

    def _one_extends_other(self, old: str, new: str) -> bool:
        return self._types.acceptance.one_extends_other(self._types.old.objects[old], self._types.new.objects[new])

    def _share_a_field(self, old: str, new: str) -> bool:
        """Return whether two objects, one of them inline, share a field and have no tag that separates them."""
        if self._are_declared(old, new):
            return False
        before, after = self._types.old.objects[old], self._types.new.objects[new]
        if before.is_map or after.is_map:
            return before.is_map and after.is_map
        tags, others = _tags(before), _tags(after)
        names = {each.name for each in before.fields} & {each.name for each in after.fields}
        return bool(names) and all(tags.get(name) == others.get(name) for name in names)

    def _lists(
        self, before: Alternatives, after: Alternatives
    ) -> tuple[list[tuple[ListOf, ListOf]], list[ListOf], list[ListOf]]:
        """Return the matched arrays, and those of either union that have no match."""
        old, new = list(before.lists), list(after.lists)
        pairs: list[tuple[ListOf, ListOf]] = []
        for wanted in (0, 1):
            for one in list(old):
                other = next((other for other in new if self._distance(one, other) <= wanted), None)
                if other is not None:
                    pairs.append((one, other))
                    old.remove(one)
                    new.remove(other)
        return pairs, old, new

    def _is_batch(self, gone: ListOf, left: Alternatives) -> bool:
        """Return whether a removed array held messages of which some are still accepted by themselves."""
        inside = alternatives(gone.element, self._types.old.aliases).objects
        still_accepted = [path for path in inside if self._types.matches.new_name(path) in left.objects]
        return any(each.name == "jsonrpc" for path in still_accepted for each in self._types.old.objects[path].fields)

    def _distance(self, one: ListOf, other: ListOf) -> int:
        """Return 0 for equal elements, 2 for elements that have nothing in common, 1 otherwise."""
        found = list(self._types.compare(one.element, other.element))
        if any(isinstance(each, TypeDifference) and each.rule == "type-replaced" for each in found):
            return 2
        return 1 if found else 0


def _removed_members(members: Iterable[tuple[str, FallbackReading | None]]) -> Iterator[TypeDifference]:
    """Yield the removed members, with their fallback readings by a new receiver."""
    for member, reading in members:
        difference = TypeDifference("union_member_removed", "union-member-removed", member)
        yield difference if reading is None else evolve(difference, weights=reading.weights, reason=reading.reason)


def _added_members(
    members: Iterable[tuple[str, FallbackReading | None]], *, nothing_left: bool
) -> Iterator[TypeDifference]:
    """Yield the added members, with their fallback readings by an old receiver."""
    for member, reading in members:
        difference = TypeDifference("union_member_added", "union-member-added", member)
        if reading is not None:
            yield evolve(difference, weights=reading.weights, reason=reading.reason)
        elif nothing_left:
            reason = (
                f"All alternatives changed: an old receiver knows none of those of a new sender, such as `{member}`."
            )
            yield evolve(difference, weights=NOTHING_LEFT, reason=reason)
        else:
            yield difference


def _scalars(some: Alternatives, others: Alternatives) -> list[str]:
    """Return the keywords that are members of one union and not of the other."""
    strings = ["string"] if some.any_string and not others.any_string else []
    return [*strings, *(keyword for keyword in some.scalars if keyword not in others.scalars)]


def _literals(some: Alternatives, *, strings: bool) -> dict[str, Literal]:
    return {text: value for text, value in some.literals.items() if isinstance(value, str) == strings}


def _is_inline(protocol: Protocol, path: str) -> bool:
    return protocol.objects[path].kind == "inline"


def _tags(declared: ObjectType) -> dict[str, Literal]:
    """Return the required fields that have one possible value."""
    return {
        each.name: each.type.values[0]
        for each in declared.fields
        if not each.optional and isinstance(each.type, Enum) and len(each.type.values) == 1 and not each.type.open
    }
