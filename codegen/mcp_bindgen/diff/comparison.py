"""Compares two resolved schemas: what is sent differently, who sends it, and whom that breaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import evolve, field, frozen

from mcp_bindgen.describe.canonical import literal
from mcp_bindgen.diff.changes import PAIRINGS, Change, Difference, Reasons, Revision
from mcp_bindgen.diff.exploration import Exploration, Found
from mcp_bindgen.diff.finding_kinds import KINDS
from mcp_bindgen.diff.findings import Couple, Finding, Nested, gathered
from mcp_bindgen.diff.methods import compare_methods, continued_results
from mcp_bindgen.diff.pair_usage import Traffic
from mcp_bindgen.diff.reasons import hint, reason
from mcp_bindgen.diff.renames import find_partners
from mcp_bindgen.diff.rules import HARMLESS, RULES, WORDS, Weights, judged, within
from mcp_bindgen.diff.senders import SUMS
from mcp_bindgen.diff.sides import OTHER, in_order
from mcp_bindgen.diff.type_matches import Partners
from mcp_bindgen.diff.typescript import below
from mcp_bindgen.ir.protocol import Protocol, Side

_ORDER = ("method", "type", "constant")
"""The subjects of changes in the order of a document."""


@frozen
class Comparison:
    """A difference, and how it was come by."""

    difference: Difference
    findings: Mapping[str, Finding] = field(repr=False)
    """What each change is made of, by its id."""
    partners: Partners = field(repr=False)
    couples: tuple[Couple, ...] = field(repr=False)
    """All objects that were compared with each other, those without a name too."""


def compare(old: Protocol, new: Protocol, *, docs: bool = False) -> Difference:
    """All that differs between two revisions; ``docs``: what their documentation says too."""
    return compared(old, new, docs=docs).difference


def compared(old: Protocol, new: Protocol, *, docs: bool = False) -> Comparison:
    """The same, with what is known of it besides."""
    partners = find_partners(old, new)
    exploration = Exploration(old, new, partners, docs=docs)
    found = _explore(exploration, partners)
    findings = gathered(found.findings)
    findings += [*_names(exploration, partners), *compare_constants(old, new, docs=docs)]
    judge = _Judge(old, new, Subjects(old, new, partners, found.origins), Traffic(exploration.types, found.origins))
    made = sorted(((judge.change(finding), finding) for finding in findings), key=lambda each: _place(each[0]))
    changes = tuple(_told_apart(change for change, _ in made))
    return Comparison(
        Difference(Revision(old.revision, old.source), Revision(new.revision, new.source), changes),
        {change.id: finding for change, (_, finding) in zip(changes, made, strict=True)},
        partners,
        tuple(found.origins),
    )


def _explore(exploration: Exploration, partners: Partners) -> Found:
    aliases = exploration.types.old.aliases
    couples = partners.couples()
    objects = [couple for couple in couples if couple.old not in aliases]
    found = exploration.couples([*objects, *continued_results(exploration.types)])
    for couple in couples:
        if couple.old in aliases and couple.old not in SUMS:
            exploration.alias(couple, found)
    redefined = [exploration.redefined(name) for name in partners.redefined if name not in SUMS]
    found.findings += [finding for finding in redefined if finding is not None]
    found.findings += compare_methods(exploration.types)
    return found


def _names(exploration: Exploration, partners: Partners) -> Iterator[Finding]:
    """Types that came, went or have another name."""
    old_text, new_text = exploration.types.old_text, exploration.types.new_text
    for name in partners.only_old():
        yield Finding(
            couple=Couple(name, None), kind="type_removed", rule="type-removed", old=old_text.definition(name), new=None
        )
    for name in partners.only_new():
        yield Finding(
            couple=Couple(None, name), kind="type_added", rule="type-added", old=None, new=new_text.definition(name)
        )
    for name, other in partners.renamed.items():
        yield Finding(
            couple=Couple(name, other), subject=name, kind="type_renamed", rule="type-renamed", old=name, new=other
        )


class _Judge:
    """Makes changes of findings: who sends it, and what that means."""

    def __init__(self, old: Protocol, new: Protocol, subjects: Subjects, traffic: Traffic) -> None:
        self._subjects = subjects
        self._traffic = traffic
        self._names = {*old.order, *new.order}

    def change(self, finding: Finding) -> Change:
        """The change that a finding comes to."""
        name = self._subjects.subject(finding.couple)
        subject = finding.subject or (name if finding.field is None else below(name, finding.field))
        couples = (finding.couple, *finding.inherited_by)
        rule = RULES[finding.rule]
        sent_by = in_order(finding.sent_by or self._traffic.shared(couples))
        by_side = self._by_side(finding, couples, sent_by)
        if not sent_by and rule.weights == HARMLESS:
            sent_by = in_order(self._traffic.all(couples))
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
            verdicts=judged(by_side, rule.api),
            methods=finding.methods or self._methods(finding, couples),
            reason=reason(finding, by_side, sent_by),
            reasons=Reasons(*(_in_pairing(finding, within(by_side, pairing)) for pairing in PAIRINGS)),
            hint=hint(finding, by_side),
        )

    def _by_side(self, finding: Finding, couples: Sequence[Couple], sent_by: Iterable[Side]) -> dict[Side, Weights]:
        """What it does to the messages of each side."""
        if finding.by_side is not None:
            return dict(finding.by_side)
        usual = RULES[finding.rule].weights
        weights = finding.weights or usual
        if finding.tolerance is not None:
            sender = OTHER[finding.tolerance.side]
            exposed = self._traffic.exposed(couples, weights)
            return {side: HARMLESS if side == sender else each for side, each in exposed.items()}
        if finding.sent_by or weights == usual == HARMLESS:
            return dict.fromkeys(sent_by, weights)
        return self._traffic.exposed(couples, weights)

    def _methods(self, finding: Finding, couples: Sequence[Couple]) -> tuple[str, ...]:
        """The methods in whose messages it shows; those with the type at all, where it shows in none or is only words."""
        met = () if finding.rule in WORDS else self._traffic.met_in(couples)
        return met or self._traffic.methods(couples)

    def _declared_in(self, finding: Finding) -> str | None:
        """The type that declares the field, unless it is the one that has it or has no name."""
        name = finding.declared_in
        return name if name in self._names and name not in {finding.couple.old, finding.couple.new} else None


def _in_pairing(finding: Finding, by_side: Mapping[Side, Weights]) -> str | None:
    """The reason, given what happens in one pairing."""
    return reason(finding, by_side, tuple(by_side)) if by_side else None


def _place(change: Change) -> tuple[int, str, str, str, str]:
    """Methods come first, then types with their fields, then constants."""
    group = _ORDER.index(KINDS[change.kind].subject)
    return group, change.subject, change.kind, change.member or "", change.rule


def _told_apart(changes: Iterable[Change]) -> Iterator[Change]:
    """Changes of which no two have the same id."""
    seen: Counter[str] = Counter()
    for change in changes:
        seen[change.id] += 1
        yield change if seen[change.id] == 1 else evolve(change, id=f"{change.id}#{seen[change.id]}")


class Subjects:
    """The subjects of couples. ``origins`` says by which ways each was reached; partners need none."""

    def __init__(
        self, old: Protocol, new: Protocol, partners: Partners, origins: Mapping[Couple, Sequence[Nested]]
    ) -> None:
        self._old, self._new = old, new
        self._partners = partners
        self._origins = origins
        nested = [couple for couple, ways in origins.items() if ways]
        self._uses = Counter(couple.old for couple in nested), Counter(couple.new for couple in nested)

    def subject(self, couple: Couple) -> str:
        """What to call a couple."""
        ways = self._origins.get(couple)
        if not ways:
            return couple.new or couple.old or ""
        name = self._name(couple)
        if name is not None:
            return name
        inside = self.subject(ways[0].inside)
        return inside if ways[0].field is None else below(inside, ways[0].field)

    def _name(self, couple: Couple) -> str | None:
        """The name that one of the two has, if it stands for this and nothing else."""
        names: list[str] = []
        new, old = couple.new, couple.old
        if new is not None and _is_declared(self._new, new) and self._partners.of_new(new) is None:
            names += [new] if self._uses[1][new] == 1 else []
        if old is not None and _is_declared(self._old, old) and self._partners.of_old(old) is None:
            names += [old] if self._uses[0][old] == 1 else []
        # A name that the other revision has for something else would mislead.
        return min(names, key=lambda name: name in self._partners.redefined, default=None)


def _is_declared(protocol: Protocol, path: str) -> bool:
    made = protocol.objects.get(path)
    return made is None or made.kind != "inline"


def compare_constants(old: Protocol, new: Protocol, *, docs: bool) -> Iterator[Finding]:
    """How the constants differ, by name."""
    nothing = Couple(None, None)
    for name in dict.fromkeys([*old.constants, *new.constants]):
        one, other = old.constants.get(name), new.constants.get(name)
        before = None if one is None else literal(one.value)
        after = None if other is None else literal(other.value)
        finding = Finding(
            couple=nothing, subject=name, kind="constant_changed", rule="constant-changed", old=before, new=after
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
