"""Comparison of two resolved schemas: what is sent differently, who sends it, and who breaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import evolve, field, frozen

from mcp_bindgen.describe.canonical import literal
from mcp_bindgen.diff.changes import PAIRINGS, Change, Difference, Reasons, Revision
from mcp_bindgen.diff.finding_kinds import KINDS
from mcp_bindgen.diff.findings import Finding, InlineOccurrence, TypePair, merge_inherited
from mcp_bindgen.diff.methods import compare_methods, successor_results
from mcp_bindgen.diff.pair_comparer import Findings, PairComparer
from mcp_bindgen.diff.pair_usage import PairUsage
from mcp_bindgen.diff.reasons import hint, reason
from mcp_bindgen.diff.renames import find_matches
from mcp_bindgen.diff.rules import ANNOTATION_RULES, HARMLESS, RULES, Weights, in_pairing, verdicts_of
from mcp_bindgen.diff.senders import SUMMARY_UNIONS
from mcp_bindgen.diff.sides import in_order
from mcp_bindgen.diff.type_matches import TypeMatches
from mcp_bindgen.diff.typescript import below
from mcp_bindgen.ir.protocol import OTHER_SIDE, Protocol, Side

_ORDER = ("method", "type", "constant")
"""The subjects of changes in the order of a document."""


@frozen
class Comparison:
    """A difference with the data that it was built from."""

    difference: Difference
    findings: Mapping[str, Finding] = field(repr=False)
    """The finding behind each change, by the change's id."""
    matches: TypeMatches = field(repr=False)
    pairs: tuple[TypePair, ...] = field(repr=False)
    """All pairs of objects that were compared, inline ones included."""


def compare(old: Protocol, new: Protocol, *, docs: bool = False) -> Difference:
    """Return all changes between two revisions; ``docs``: changes of documentation texts too."""
    return compare_in_detail(old, new, docs=docs).difference


def compare_in_detail(old: Protocol, new: Protocol, *, docs: bool = False) -> Comparison:
    """Return the difference with the data that it was built from."""
    matches = find_matches(old, new)
    comparer = PairComparer(old, new, matches, docs=docs)
    found = _collect_findings(comparer, matches)
    findings = merge_inherited(found.findings)
    findings += [*_name_findings(comparer, matches), *compare_constants(old, new, docs=docs)]
    builder = _ChangeBuilder(
        old, new, Subjects(old, new, matches, found.occurrences), PairUsage(comparer.types, found.occurrences)
    )
    built = sorted(((builder.build(finding), finding) for finding in findings), key=lambda each: _sort_key(each[0]))
    changes = tuple(_with_unique_ids(change for change, _ in built))
    return Comparison(
        Difference(Revision(old.revision, old.source), Revision(new.revision, new.source), changes),
        {change.id: finding for change, (_, finding) in zip(changes, built, strict=True)},
        matches,
        tuple(found.occurrences),
    )


def _collect_findings(comparer: PairComparer, matches: TypeMatches) -> Findings:
    aliases = comparer.types.old.aliases
    pairs = matches.pairs()
    objects = [pair for pair in pairs if pair.old not in aliases]
    found = comparer.compare_pairs([*objects, *successor_results(comparer.types)])
    for pair in pairs:
        if pair.old in aliases and pair.old not in SUMMARY_UNIONS:
            comparer.compare_alias(pair, found)
    redefined = [comparer.compare_redefined(name) for name in matches.redefined if name not in SUMMARY_UNIONS]
    found.findings += [finding for finding in redefined if finding is not None]
    found.findings += compare_methods(comparer.types)
    return found


def _name_findings(comparer: PairComparer, matches: TypeMatches) -> Iterator[Finding]:
    """Yield the types that were added, removed or renamed."""
    old_text, new_text = comparer.types.old_text, comparer.types.new_text
    for name in matches.only_old():
        yield Finding(
            pair=TypePair(name, None), kind="type_removed", rule="type-removed", old=old_text.definition(name), new=None
        )
    for name in matches.only_new():
        yield Finding(
            pair=TypePair(None, name), kind="type_added", rule="type-added", old=None, new=new_text.definition(name)
        )
    for name, other in matches.renamed.items():
        yield Finding(
            pair=TypePair(name, other), subject=name, kind="type_renamed", rule="type-renamed", old=name, new=other
        )


class _ChangeBuilder:
    """Converts findings to changes: adds the senders, the verdicts and the reasons."""

    def __init__(self, old: Protocol, new: Protocol, subjects: Subjects, traffic: PairUsage) -> None:
        self._subjects = subjects
        self._usage = traffic
        self._names = {*old.order, *new.order}

    def build(self, finding: Finding) -> Change:
        """Return the change for a finding."""
        name = self._subjects.subject(finding.pair)
        subject = finding.subject or (name if finding.field is None else below(name, finding.field))
        pairs = (finding.pair, *finding.inherited_by)
        rule = RULES[finding.rule]
        sent_by = in_order(finding.sent_by or self._usage.sent_by_both(pairs))
        by_side = self._by_side(finding, pairs, sent_by)
        if not sent_by and rule.weights == HARMLESS:
            sent_by = in_order(self._usage.sent_by_either(pairs))
        return Change(
            id=":".join([finding.kind, subject, *([finding.member] if finding.member else [])]),
            kind=finding.kind,
            rule=finding.rule,
            subject=subject,
            member=finding.member,
            declared_in=self._declared_in(finding),
            inherited_by=tuple(dict.fromkeys(map(self._subjects.subject, finding.inherited_by))),
            old=finding.old,
            new=finding.new,
            required=finding.required,
            sent_by=in_order([*sent_by, *by_side]),
            verdicts=verdicts_of(by_side, rule.api),
            methods=finding.methods or self._methods(finding, pairs),
            reason=reason(finding, by_side),
            reasons=Reasons(*(_reason_in_pairing(finding, in_pairing(by_side, pairing)) for pairing in PAIRINGS)),
            hint=hint(finding, by_side),
        )

    def _by_side(self, finding: Finding, pairs: Sequence[TypePair], sent_by: Iterable[Side]) -> dict[Side, Weights]:
        """Return the effect on the messages of each side."""
        if finding.by_side is not None:
            return dict(finding.by_side)
        usual = RULES[finding.rule].weights
        weights = finding.weights or usual
        if finding.tolerance is not None:
            sender = OTHER_SIDE[finding.tolerance.side]
            weights_by_sender = self._usage.weights_by_sender(pairs, weights)
            return {side: HARMLESS if side == sender else each for side, each in weights_by_sender.items()}
        if finding.sent_by or weights == usual == HARMLESS:
            return dict.fromkeys(sent_by, weights)
        return self._usage.weights_by_sender(pairs, weights)

    def _methods(self, finding: Finding, pairs: Sequence[TypePair]) -> tuple[str, ...]:
        """Return the methods whose messages show the change; if none does, those whose messages contain the type."""
        exchanged = () if finding.rule in ANNOTATION_RULES else self._usage.exchanged_in(pairs)
        return exchanged or self._usage.methods(pairs)

    def _declared_in(self, finding: Finding) -> str | None:
        """Return the type that declares the field, unless it is the subject's own type or an inline object."""
        name = finding.declared_in
        return name if name in self._names and name not in {finding.pair.old, finding.pair.new} else None


def _reason_in_pairing(finding: Finding, by_side: Mapping[Side, Weights]) -> str | None:
    """Return the reason for the effects in one pairing."""
    return reason(finding, by_side) if by_side else None


def _sort_key(change: Change) -> tuple[int, str, str, str, str]:
    """Return the sort key: methods, then types with their fields, then constants."""
    group = _ORDER.index(KINDS[change.kind].subject)
    return group, change.subject, change.kind, change.member or "", change.rule


def _with_unique_ids(changes: Iterable[Change]) -> Iterator[Change]:
    """Yield the changes with ids that are unique."""
    seen: Counter[str] = Counter()
    for change in changes:
        seen[change.id] += 1
        yield change if seen[change.id] == 1 else evolve(change, id=f"{change.id}#{seen[change.id]}")


class Subjects:
    """The subjects of pairs. ``occurrences`` lists the places of inline pairs; matches need none."""

    def __init__(
        self,
        old: Protocol,
        new: Protocol,
        matches: TypeMatches,
        occurrences: Mapping[TypePair, Sequence[InlineOccurrence]],
    ) -> None:
        self._old, self._new = old, new
        self._matches = matches
        self._occurrences = occurrences
        inline = [pair for pair, places in occurrences.items() if places]
        self._uses = Counter(pair.old for pair in inline), Counter(pair.new for pair in inline)

    def subject(self, pair: TypePair) -> str:
        """Return the subject of a pair."""
        places = self._occurrences.get(pair)
        if not places:
            return pair.new or pair.old or ""
        name = self._name(pair)
        if name is not None:
            return name
        inside = self.subject(places[0].reported_in)
        return inside if places[0].field is None else below(inside, places[0].field)

    def _name(self, pair: TypePair) -> str | None:
        """Return the name of one of the two types if it is used for this pair only."""
        names: list[str] = []
        new, old = pair.new, pair.old
        if new is not None and _is_declared(self._new, new) and self._matches.old_name(new) is None:
            names += [new] if self._uses[1][new] == 1 else []
        if old is not None and _is_declared(self._old, old) and self._matches.new_name(old) is None:
            names += [old] if self._uses[0][old] == 1 else []
        # A name that the other revision uses for something else would mislead.
        return min(names, key=lambda name: name in self._matches.redefined, default=None)


def _is_declared(protocol: Protocol, path: str) -> bool:
    declared = protocol.objects.get(path)
    return declared is None or declared.kind != "inline"


def compare_constants(old: Protocol, new: Protocol, *, docs: bool) -> Iterator[Finding]:
    """Yield the differences of constants, by name."""
    nothing = TypePair(None, None)
    for name in dict.fromkeys([*old.constants, *new.constants]):
        one, other = old.constants.get(name), new.constants.get(name)
        before = None if one is None else literal(one.value)
        after = None if other is None else literal(other.value)
        finding = Finding(
            pair=nothing, subject=name, kind="constant_changed", rule="constant-changed", old=before, new=after
        )
        if one is None:
            yield evolve(finding, kind="constant_added", rule="constant-added")
        elif other is None:
            yield evolve(finding, kind="constant_removed", rule="constant-removed")
        else:
            if before != after:
                yield finding
            if docs and one.about.doc != other.about.doc:
                yield evolve(finding, kind="doc_changed", rule="doc-changed", old=one.about.doc, new=other.about.doc)
