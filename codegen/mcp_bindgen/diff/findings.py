"""What the parts of a comparison hand to each other, before anybody is asked who sends it or what it means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from attrs import evolve, field, frozen

from mcp_bindgen.diff.finding_kinds import Kind
from mcp_bindgen.diff.rules import Weights
from mcp_bindgen.ir.protocol import Side


@frozen
class TypePair:
    """Two types that are compare_in_detail with each other, by name or path.

    None stands for an object of which nothing is known (``object``), and for the side on which there is no such type.
    """

    old: str | None
    new: str | None


TypeKind: TypeAlias = Literal[
    "type",
    "union_member_added",
    "union_member_removed",
    "enum_value_added",
    "enum_value_removed",
    "constraint_changed",
]


@frozen
class TypeDifference:
    """One way in which a type differs from another, wherever the two stand. ``type``: as a whole."""

    kind: TypeKind
    rule: str
    member: str | None = None
    weights: Weights | None = None
    """Instead of those of the rule."""
    reason: str | None = None
    """Says so where the weights are not those of the rule."""
    hint: str | None = None
    """Instead of that of the rule."""
    texts: tuple[str, str] | None = field(default=None, kw_only=True)
    """Before and after, instead of the text of the types."""

    def apply_to(self, finding: Finding, whole: Kind) -> Finding:
        """The finding that the type shifted this way; ``whole`` is its kind for a difference of the type as a whole."""
        old, new = self.texts or (finding.old, finding.new)
        kind = whole if self.kind == "type" else self.kind
        return evolve(
            finding,
            kind=kind,
            rule=self.rule,
            member=self.member,
            weights=self.weights,
            reason=self.reason,
            hint=self.hint,
            old=old,
            new=new,
        )


@frozen
class Tolerance:
    """A side that takes what its rule says breaks it, since the specification of its revision asks for that."""

    side: Side
    reason: str
    """With ``{s}`` and ``{r}``, as in the reasons of rules."""


@frozen(kw_only=True)
class Finding:
    """One thing that differs."""

    kind: Kind
    rule: str
    pair: TypePair
    """The object types or aliases that it is about, or in which the field is."""
    subject: str | None = None
    """What it is about, where that is no type."""
    field: str | None = None
    member: str | None = None
    old: str | None
    new: str | None
    required: bool | None = None
    declaring_pairs: tuple[TypePair, ...] = ()
    """Where the same difference would be found if it was inherited from there, the best first."""
    declared_in: str | None = None
    weights: Weights | None = None
    reason: str | None = None
    hint: str | None = None
    """Instead of that of the rule."""
    tolerance: Tolerance | None = None
    """Who receives it without harm, where that is one side only."""
    by_side: tuple[tuple[Side, Weights], ...] | None = None
    """Weights by sender, where the rule and the types do not say."""
    sent_by: tuple[Side, ...] = ()
    """Who sends it, where the types do not say."""
    methods: tuple[str, ...] = ()
    """In which messages, where the types do not say."""
    inherited_by: tuple[TypePair, ...] = ()


@frozen
class InlinePair:
    """Two objects without a name of their own on one of the sides: what they differ in is told at the place."""

    pair: TypePair


@frozen
class InlineOccurrence:
    """Two objects inside others, of which one at least has no name of its own."""

    pair: TypePair
    holder: TypePair
    """The objects or aliases that they are in."""
    reported_in: TypePair
    """Those again, or what declares the field, where it is inherited."""
    field: str | None
    """None where they are not in a field, but in an index signature or an alias."""


def merge_inherited(findings: Iterable[Finding]) -> list[Finding]:
    """The findings without those that another one's type passes on, which names the types that inherit it."""
    known: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        known.setdefault(_key(finding, finding.pair), finding)
    heirs: dict[tuple[object, ...], list[TypePair]] = {}
    kept: list[tuple[tuple[object, ...], Finding]] = []
    for key, finding in known.items():
        source = _source(finding, known)
        if source is None:
            kept.append((key, finding))
        else:
            heirs.setdefault(source, []).append(finding.pair)
    return [evolve(finding, inherited_by=tuple(heirs.get(key, ()))) for key, finding in kept]


def _source(finding: Finding, known: Mapping[tuple[object, ...], Finding]) -> tuple[object, ...] | None:
    """The finding that tells this one already."""
    for declaring in finding.declaring_pairs:
        key = _key(finding, declaring)
        if declaring != finding.pair and key in known:
            return key
    return None


def _key(finding: Finding, pair: TypePair) -> tuple[object, ...]:
    return (
        pair,
        finding.kind,
        finding.rule,
        finding.subject,
        finding.field,
        finding.member,
        finding.old,
        finding.new,
        finding.required,
    )
