"""Compares couples of types, and the objects inside them that have no name, until nothing is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import define, evolve, field

from mcp_bindgen.diff.changes import Verdict, worst
from mcp_bindgen.diff.findings import Couple, Finding, Nested, Shift
from mcp_bindgen.diff.objects import Objects
from mcp_bindgen.diff.rules import HARMLESS, RULES, WORDS, Weights
from mcp_bindgen.diff.type_matches import Partners
from mcp_bindgen.diff.types import Depth, Types
from mcp_bindgen.ir.protocol import ObjectOf, Protocol, Type

MAX_DEPTH = 40
"""Types of other names within each other that are looked into; what is deeper is taken for different."""


@define
class Found:
    """What a comparison found, and where it came by the couples that it met on its way."""

    findings: list[Finding] = field(factory=list[Finding])
    origins: dict[Couple, list[Nested]] = field(factory=dict[Couple, list[Nested]])
    """Empty for those that it started from."""

    def came_by(self, nested: Nested) -> bool:
        """Note a way to a couple; whether it is the first."""
        first = nested.couple not in self.origins
        self.origins.setdefault(nested.couple, []).append(nested)
        return first


class Exploration:
    """Comparisons of two revisions, given which types are partners."""

    def __init__(self, old: Protocol, new: Protocol, partners: Partners, *, docs: bool = False) -> None:
        self.types = Types(old, new, partners, self.deep)
        self._objects = Objects(self.types, docs=docs)
        self._depths: dict[Couple, Depth] = {}
        self._level = 0

    def couples(self, starts: Iterable[Couple]) -> Found:
        """Compare couples of objects, and what is inside them."""
        found = Found(origins={couple: [] for couple in starts})
        self._follow(list(found.origins), found)
        return found

    def alias(self, couple: Couple, into: Found) -> None:
        """Compare two aliases, and what is inside them."""
        old, new = self.types.old.aliases[couple.old or ""], self.types.new.aliases[couple.new or ""]
        finding = self._redefinition(couple)
        steps: list[Couple] = []
        for each in self.types.compare(old.written or old.type, new.written or new.type):
            if isinstance(each, Shift):
                into.findings.append(_of_alias(finding, each))
            elif into.came_by(Nested(each.couple, couple, couple, None)):
                steps.append(each.couple)
        self._follow(steps, into)
        into.findings += self._objects.words(couple, old.about, new.about)

    def redefined(self, name: str) -> Finding | None:
        """Compare what one name stands for in each revision, of which one is an object and the other is not.

        None where the messages are the same: then it is only declared in another way.
        """
        finding = self._redefinition(Couple(name, name))
        partners = self.types.partners
        if name in partners.renamed or name in partners.renamed.values():
            # What it stood for has another name now, and is compared under that.
            return finding
        old, new = self._stands_for(self.types.old, name), self._stands_for(self.types.new, name)
        if isinstance(old, ObjectOf) and isinstance(new, ObjectOf):
            depth = self.deep(Couple(old.path, new.path))
        else:
            depth = _depth(self._all(old, new))
        return None if depth.same else evolve(finding, weights=depth.weights)

    def deep(self, couple: Couple) -> Depth:
        """How far two objects are from each other, over all that is in them."""
        if couple not in self._depths:
            if self._level > MAX_DEPTH:
                return Depth(RULES["type-replaced"].weights, same=False)
            # Nothing so far speaks against it, while it is being looked at.
            self._depths[couple] = Depth(HARMLESS, same=True)
            self._level += 1
            self._depths[couple] = _depth(self.couples([couple]).findings)
            self._level -= 1
        return self._depths[couple]

    def _follow(self, waiting: list[Couple], found: Found) -> None:
        for couple in waiting:
            for each in self._objects.compare(couple):
                if isinstance(each, Finding):
                    found.findings.append(each)
                elif found.came_by(each):
                    waiting.append(each.couple)

    def _stands_for(self, protocol: Protocol, name: str) -> Type:
        return ObjectOf(name) if name in protocol.objects else protocol.aliases[name].type

    def _all(self, old: Type, new: Type) -> Iterator[Finding]:
        """All in which two types differ, whatever they are called."""
        finding = self._redefinition(Couple(None, None))
        for each in self.types.compare(old, new):
            if isinstance(each, Shift):
                yield _of_alias(finding, each)
            else:
                yield from self.couples([each.couple]).findings

    def _redefinition(self, couple: Couple) -> Finding:
        return Finding(
            couple=couple,
            kind="type_changed",
            rule="type-redefined",
            old=couple.old and self.types.old_text.definition(couple.old),
            new=couple.new and self.types.new_text.definition(couple.new),
        )


def _of_alias(finding: Finding, shift: Shift) -> Finding:
    if shift.kind != "type":
        return shift.applied(finding, "type_changed")
    if shift.rule == "type-equivalent":
        return evolve(finding, rule=shift.rule, weights=None)
    return evolve(finding, weights=shift.weights or RULES[shift.rule].weights, why=shift.why)


def _depth(findings: Iterable[Finding]) -> Depth:
    changes = [each for each in findings if each.rule not in WORDS]
    weights = [each.weights or RULES[each.rule].weights for each in changes]
    forward: list[Verdict] = [each.old_to_new for each in weights]
    backward: list[Verdict] = [each.new_to_old for each in weights]
    return Depth(Weights(worst(*forward), worst(*backward)), same=not changes)
