"""Tells a difference once that many types inherit: at the type that declares it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import evolve

from mcp_bindgen.diff.findings import Couple, Finding


def gathered(findings: Iterable[Finding]) -> list[Finding]:
    """The findings without those that another one's type passes on, which names the types that inherit it."""
    known: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        known.setdefault(_key(finding, finding.couple), finding)
    heirs: dict[tuple[object, ...], list[Couple]] = {}
    kept: list[tuple[tuple[object, ...], Finding]] = []
    for key, finding in known.items():
        source = _source(finding, known)
        if source is None:
            kept.append((key, finding))
        else:
            heirs.setdefault(source, []).append(finding.couple)
    return [evolve(finding, inherited_by=tuple(heirs.get(key, ()))) for key, finding in kept]


def _source(finding: Finding, known: Mapping[tuple[object, ...], Finding]) -> tuple[object, ...] | None:
    """The finding that tells this one already."""
    for declaring in finding.declared:
        key = _key(finding, declaring)
        if declaring != finding.couple and key in known:
            return key
    return None


def _key(finding: Finding, couple: Couple) -> tuple[object, ...]:
    return (
        couple,
        finding.kind,
        finding.rule,
        finding.subject,
        finding.field,
        finding.member,
        finding.old,
        finding.new,
        finding.required,
    )
