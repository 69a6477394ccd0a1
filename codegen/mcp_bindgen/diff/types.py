"""Compares the types of two places: a field before and after, an alias, what a method takes.

Types that are declared in both revisions are compared once, where they are declared, and not wherever they are used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from attrs import frozen

from mcp_bindgen.diff.acceptance import Acceptance, rule_for, takes_any_object
from mcp_bindgen.diff.alternatives import Alternatives, alias_names, alternatives
from mcp_bindgen.diff.enumerations import lost, values
from mcp_bindgen.diff.findings import Couple, Shift, Step
from mcp_bindgen.diff.scalars import fractions
from mcp_bindgen.diff.type_matches import Partners
from mcp_bindgen.diff.fallback_readings import Readings
from mcp_bindgen.diff.rules import RULES, Weights
from mcp_bindgen.diff.typescript import TypeScript
from mcp_bindgen.diff.unions import Matched, Unions
from mcp_bindgen.ir.protocol import AliasOf, ObjectOf, Protocol, Type


@frozen
class Depth:
    """How far two objects are from each other, over all that is in them."""

    weights: Weights
    same: bool
    """They take the same messages."""


class Types:
    """Comparisons of types of two revisions.

    ``deep`` compares two objects with all that is in them. ``meetings`` collects the types that stand in each other's
    place, old and new name, without being partners: some of them may turn out to be renamed.
    """

    def __init__(self, old: Protocol, new: Protocol, partners: Partners, deep: Callable[[Couple], Depth]) -> None:
        self.old, self.new = old, new
        self.partners = partners
        self.deep = deep
        self.old_text, self.new_text = TypeScript(old), TypeScript(new)
        self.acceptance = Acceptance(old, new, partners)
        self.meetings: dict[Couple, None] = {}
        self.readings = Readings(old, new, self.acceptance, lambda couple: deep(couple).weights)
        self._unions = Unions(self)
        self._open: set[tuple[Type, Type]] = set()

    def compare(self, old: Type, new: Type, *, is_params: bool = False) -> Iterator[Shift | Step]:
        """How two types differ. The params of a method are the same thing, whatever they are called."""
        if self._told_elsewhere(old, new) or (old, new) in self._open:
            return
        self._open.add((old, new))
        yield from self._compare(old, new, is_params=is_params)
        self._open.discard((old, new))

    def alternatives(self, old: Type, new: Type) -> tuple[Alternatives, Alternatives]:
        """The alternatives of two types; aliases that both have stay closed."""
        after = alias_names(new, self.new.aliases)
        before = [name for name in alias_names(old, self.old.aliases) if self.partners.of_old(name) in after]
        kept = [partner for name in before if (partner := self.partners.of_old(name)) is not None]
        return alternatives(old, self.old.aliases, before), alternatives(new, self.new.aliases, kept)

    def match(self, old: Type, new: Type) -> Matched:
        """Which objects of two types are the same, and which are left."""
        return self._unions.match(old, new)

    def continued(self, old: Type, new: Type) -> list[Couple]:
        """Declared objects of ``old`` that are gone, each with the new one that takes its place in ``new``."""
        return self._unions.continued(old, new)

    def meet(self, old: str, new: str) -> None:
        """Note that ``new`` stands where ``old`` did."""
        if self.partners.of_old(old) is None and self.partners.of_new(new) is None:
            self.meetings[Couple(old, new)] = None

    def objects(self, old: str, new: str, *, is_params: bool = False) -> Iterator[Shift | Step]:
        """How two objects differ, where one stands in place of the other."""
        if self.partners.are(old, new):
            return
        named = self._is_named(old, new)
        if named:
            self.meet(old, new)
        if not named or is_params:
            yield Step(Couple(old, new))
            return
        depth = self.deep(Couple(old, new))
        rule = rule_for(
            forward=depth.weights.old_to_new == "compatible", backward=depth.weights.new_to_old == "compatible"
        )
        usual = RULES[rule].weights
        why = _by_what_is_in_it(old, new, depth.weights) if depth.weights != usual or not depth.same else None
        yield Shift("type", rule, weights=depth.weights, why=why)

    def _is_named(self, old: str, new: str) -> bool:
        return self.old.objects[old].kind != "inline" and self.new.objects[new].kind != "inline"

    def _told_elsewhere(self, old: Type, new: Type) -> bool:
        match old, new:
            case AliasOf(), AliasOf():
                if self.partners.are(old.name, new.name):
                    return True
                self.meet(old.name, new.name)
            case ObjectOf(), ObjectOf():
                return self.partners.are(old.path, new.path)
            case (AliasOf(name=name), ObjectOf(path=path)) | (ObjectOf(path=path), AliasOf(name=name)):
                return name == path and name in self.partners.redefined
            case _:
                pass
        return False

    def _compare(self, old: Type, new: Type, *, is_params: bool) -> Iterator[Shift | Step]:
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

    def _any_json(self, before: Alternatives, after: Alternatives) -> Iterator[Shift]:
        if before.json is None:
            yield Shift("type", "type-widened")
        elif after.json is None:
            yield Shift("type", "type-narrowed")
        elif bool(before.json) != bool(after.json):
            yield Shift("type", "type-equivalent")

    def _enumerations(self, old: Type, new: Type, before: Alternatives, after: Alternatives) -> Iterator[Shift]:
        removed, added = lost(before.literals, after.literals), lost(after.literals, before.literals)
        if before.any_string != after.any_string:
            yield Shift("type", self.acceptance.rule(old, new))
        elif before.any_string:
            yield from values(removed, added, open_to_others=True)
        elif len(removed) < len(before.literals) or (len(before.literals) > 1 and len(added) > 1):
            yield from values(removed, added, nothing_left=len(removed) == len(before.literals))
        else:
            yield Shift("type", "type-replaced")

    def _single(
        self, old: Type, new: Type, before: Alternatives, after: Alternatives, *, is_params: bool
    ) -> Iterator[Shift | Step]:
        if before.objects and after.objects:
            (one,), (other,) = before.objects, after.objects
            yield from self.objects(one, other, is_params=is_params)
        elif before.lists and after.lists:
            (one_list,), (other_list,) = before.lists, after.lists
            yield from self.compare(one_list.element, other_list.element)
        elif before.objects and "object" in after.scalars:
            (one,) = before.objects
            yield from self._unknown_object(Couple(one, None), self.old, one) or self._as_a_whole(old, new)
        elif "object" in before.scalars and after.objects:
            (other,) = after.objects
            yield from self._unknown_object(Couple(None, other), self.new, other) or self._as_a_whole(old, new)
        elif before.kept and after.kept:
            return
        elif before.scalars.keys() != after.scalars.keys() or not before.scalars:
            yield from self._as_a_whole(old, new)
        else:
            yield from fractions(before, after)

    def _unknown_object(self, couple: Couple, protocol: Protocol, path: str) -> Sequence[Shift | Step]:
        """An object of which nothing was known (``object``), beside one of which something is."""
        if takes_any_object(protocol, path):
            return [Shift("type", "type-equivalent")]
        declared = protocol.objects[path]
        # A marker that got some members: they came, and nothing was taken away from what could be said.
        if declared.fields and all(each.optional for each in declared.fields):
            return [Step(couple)]
        return []

    def _as_a_whole(self, old: Type, new: Type) -> Sequence[Shift]:
        return [Shift("type", self.acceptance.rule(old, new))]


def _by_what_is_in_it(old: str, new: str, weights: Weights) -> str | None:
    """Why one object in place of another is judged as it is; None where nothing can be said but that."""
    match weights.old_to_new, weights.new_to_old:
        case "compatible", "compatible":
            return f"A {new} is read as a {old}, and the reverse."
        case "breaking", "breaking":
            return None
        case forward, "compatible":
            effect = "refuses" if forward == "breaking" else "may not understand all of"
            return f"A new {{r}} {effect} the {old} of an old {{s}}, having {new} instead."
        case "compatible", backward:
            effect = "refuses" if backward == "breaking" else "may not understand all of"
            return f"An old {{r}} {effect} the {new} of a new {{s}}, having {old} instead."
        case _:
            return f"Neither side understands all that the other sends, one having {old} and the other {new}."
