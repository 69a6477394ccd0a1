"""Findings: differences between two revisions, before their senders and verdicts are known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from attrs import evolve, field, frozen

from mcp_bindgen.diff.finding_kinds import Kind
from mcp_bindgen.diff.rules import Weights
from mcp_bindgen.ir.protocol import Side


@frozen
class TypePair:
    """Two types that are compared with each other, by name or path.

    None stands for an object without declared members (``object``), and for the side that lacks the type.
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
    """A difference between two types, wherever they are used. The kind ``type`` means the type as a whole."""

    kind: TypeKind
    rule: str
    member: str | None = None
    weights: Weights | None = None
    """Override the weights of the rule."""
    reason: str | None = None
    """Override the sentence of the rule."""
    hint: str | None = None
    """Override the hint of the rule."""
    texts: tuple[str, str] | None = field(default=None, kw_only=True)
    """Before and after; override the texts of the types."""

    def apply_to(self, finding: Finding, whole: Kind) -> Finding:
        """Return the finding with this difference; ``whole`` is its kind if the type differs as a whole."""
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
    """A side that accepts what its rule calls breaking, because the specification of its revision requires that."""

    side: Side
    reason: str
    """A sentence with ``{s}`` and ``{r}`` for sender and receiver."""


@frozen(kw_only=True)
class Finding:
    """One thing that differs."""

    kind: Kind
    rule: str
    pair: TypePair
    """The object types or aliases that differ, or that have the field."""
    subject: str | None = None
    """The name of the subject if it is not a type."""
    field: str | None = None
    member: str | None = None
    old: str | None
    new: str | None
    required: bool | None = None
    declaring_pairs: tuple[TypePair, ...] = ()
    """The pairs from which the finding may be inherited, the best first."""
    declared_in: str | None = None
    weights: Weights | None = None
    reason: str | None = None
    hint: str | None = None
    """Overrides the hint of the rule."""
    tolerance: Tolerance | None = None
    """The one side that receives it without harm."""
    by_side: tuple[tuple[Side, Weights], ...] | None = None
    """Weights by sender; override those of the rule."""
    sent_by: tuple[Side, ...] = ()
    """Senders; override those of the types."""
    methods: tuple[str, ...] = ()
    """Methods; override those of the types."""
    inherited_by: tuple[TypePair, ...] = ()


@frozen
class InlinePair:
    """Two objects, one of them inline, whose differences are reported where they are used."""

    pair: TypePair


@frozen
class InlineOccurrence:
    """A place where an inline pair is used."""

    pair: TypePair
    holder: TypePair
    """The objects or aliases that contain them."""
    reported_in: TypePair
    """The same, or the pair that declares the field if it is inherited."""
    field: str | None
    """None in an index signature or an alias."""


def merge_inherited(findings: Iterable[Finding]) -> list[Finding]:
    """Remove findings that a type inherits from another one, which lists the inheriting types instead."""
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
    """Return the key of the finding from which this one is inherited."""
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
