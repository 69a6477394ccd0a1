"""Comparison of pairs of types and of the inline objects inside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import define, evolve, field

from mcp_bindgen.diff.changes import Verdict, worst
from mcp_bindgen.diff.findings import Finding, InlineOccurrence, TypeDifference, TypePair
from mcp_bindgen.diff.object_comparer import ObjectComparer
from mcp_bindgen.diff.rules import ANNOTATION_RULES, HARMLESS, RULES, Weights
from mcp_bindgen.diff.type_comparer import DeepDifference, TypeComparer
from mcp_bindgen.diff.type_matches import TypeMatches
from mcp_bindgen.ir.protocol import ObjectOf, Protocol, Type

MAX_DEPTH = 40
"""Maximum nesting of renamed or replaced types that are compared; deeper types count as different."""


@define
class Findings:
    """The findings of a comparison, with the places of the pairs that it encountered."""

    findings: list[Finding] = field(factory=list[Finding])
    occurrences: dict[TypePair, list[InlineOccurrence]] = field(factory=dict[TypePair, list[InlineOccurrence]])
    """Empty for the pairs that it started from."""

    def add_occurrence(self, nested: InlineOccurrence) -> bool:
        """Record a place of a pair; return whether it is the first."""
        first = nested.pair not in self.occurrences
        self.occurrences.setdefault(nested.pair, []).append(nested)
        return first


class PairComparer:
    """Compares two revisions whose types have been matched."""

    def __init__(self, old: Protocol, new: Protocol, matches: TypeMatches, *, docs: bool = False) -> None:
        self.types = TypeComparer(old, new, matches, self.compare_deeply)
        self._objects = ObjectComparer(self.types, docs=docs)
        self._deep_differences: dict[TypePair, DeepDifference] = {}
        self._level = 0

    def compare_pairs(self, starts: Iterable[TypePair]) -> Findings:
        """Compare pairs of objects and the inline objects inside them."""
        found = Findings(occurrences={pair: [] for pair in starts})
        self._follow(list(found.occurrences), found)
        return found

    def compare_alias(self, pair: TypePair, into: Findings) -> None:
        """Compare two aliases and the inline objects inside them."""
        old, new = self.types.old.aliases[pair.old or ""], self.types.new.aliases[pair.new or ""]
        finding = self._redefinition(pair)
        inline: list[TypePair] = []
        for each in self.types.compare(old.written or old.type, new.written or new.type):
            if isinstance(each, TypeDifference):
                into.findings.append(_of_alias(finding, each))
            elif into.add_occurrence(InlineOccurrence(each.pair, pair, pair, None)):
                inline.append(each.pair)
        self._follow(inline, into)
        into.findings += self._objects.compare_docs(pair, old.about, new.about)

    def compare_redefined(self, name: str) -> Finding | None:
        """Compare the meanings of one name that is an object in one revision and something else in the other.

        Return None if the messages are the same: then only the declaration differs.
        """
        finding = self._redefinition(TypePair(name, name))
        matches = self.types.matches
        if name in matches.renamed or name in matches.renamed.values():
            # The type it stood for was renamed, and is compared under its new name.
            return finding
        old, new = self._type_named(self.types.old, name), self._type_named(self.types.new, name)
        if isinstance(old, ObjectOf) and isinstance(new, ObjectOf):
            difference = self.compare_deeply(TypePair(old.path, new.path))
        else:
            difference = _deep_difference(self._differences(old, new))
        return None if difference.same else evolve(finding, weights=difference.weights)

    def compare_deeply(self, pair: TypePair) -> DeepDifference:
        """Return the difference of two objects, including all that is inside them."""
        if pair not in self._deep_differences:
            if self._level > MAX_DEPTH:
                return DeepDifference(RULES["type-replaced"].weights, same=False)
            # An object may be inside itself; until a difference is found, the pair counts as equal.
            self._deep_differences[pair] = DeepDifference(HARMLESS, same=True)
            self._level += 1
            self._deep_differences[pair] = _deep_difference(self.compare_pairs([pair]).findings)
            self._level -= 1
        return self._deep_differences[pair]

    def _follow(self, waiting: list[TypePair], found: Findings) -> None:
        for pair in waiting:
            for each in self._objects.compare(pair):
                if isinstance(each, Finding):
                    found.findings.append(each)
                elif found.add_occurrence(each):
                    waiting.append(each.pair)

    def _type_named(self, protocol: Protocol, name: str) -> Type:
        return ObjectOf(name) if name in protocol.objects else protocol.aliases[name].type

    def _differences(self, old: Type, new: Type) -> Iterator[Finding]:
        """Yield the differences of two types, whatever their names are."""
        finding = self._redefinition(TypePair(None, None))
        for each in self.types.compare(old, new):
            if isinstance(each, TypeDifference):
                yield _of_alias(finding, each)
            else:
                yield from self.compare_pairs([each.pair]).findings

    def _redefinition(self, pair: TypePair) -> Finding:
        return Finding(
            pair=pair,
            kind="type_changed",
            rule="type-redefined",
            old=pair.old and self.types.old_text.definition(pair.old),
            new=pair.new and self.types.new_text.definition(pair.new),
        )


def _of_alias(finding: Finding, difference: TypeDifference) -> Finding:
    if difference.kind != "type":
        return difference.apply_to(finding, "type_changed")
    if difference.rule == "type-equivalent":
        return evolve(finding, rule=difference.rule, weights=None)
    return evolve(finding, weights=difference.weights or RULES[difference.rule].weights, reason=difference.reason)


def _deep_difference(findings: Iterable[Finding]) -> DeepDifference:
    changes = [each for each in findings if each.rule not in ANNOTATION_RULES]
    weights = [each.weights or RULES[each.rule].weights for each in changes]
    forward: list[Verdict] = [each.old_to_new for each in weights]
    backward: list[Verdict] = [each.new_to_old for each in weights]
    return DeepDifference(Weights(worst(*forward), worst(*backward)), same=not changes)
