"""A difference as one self-contained HTML page, which loads nothing and runs no script but its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from attrs import frozen

from mcp_bindgen.diff.assessment import Assessment, Perspective
from mcp_bindgen.diff.changes import Change, Difference
from mcp_bindgen.diff.finding_kinds import KINDS
from mcp_bindgen.diff.page.cards import Grouping
from mcp_bindgen.diff.page.markup import content_security_policy, fill, spelled_out
from mcp_bindgen.diff.page.method_matrix import bars, method_matrix
from mcp_bindgen.diff.page.wording import IN_NO_MESSAGE, LEVELS, PAIRINGS, verdict_of
from mcp_bindgen.diff.reports import wording
from mcp_bindgen.diff.reports.wording import code_spans, counted
from mcp_bindgen.ir.protocol import Protocol

_KEYS = (
    ("/", "search"),
    ("j", "next change"),
    ("k", "previous change"),
    ("Enter", "unfold"),
    ("Esc", "clear the search"),
)


@frozen
class Choice:
    """A list in the form of the filters, with the value and text of each option."""

    name: str
    label: str
    options: list[tuple[str, str]]


def render(
    difference: Difference,
    old: Protocol,
    new: Protocol,
    *,
    approved: Collection[str] = (),
    perspective: Perspective = "both",
    shown: str | None = None,
) -> str:
    """Render a difference of two revisions, with the witnesses that its changes have.

    ``approved``: ids of changes that do not count. ``perspective`` and ``shown`` are those of ``Assessment``.
    """
    assessment = Assessment(
        difference=difference,
        perspective=perspective,
        approved=dict.fromkeys(approved, ""),
        shown=shown,
    )
    groups = Grouping(old, new, assessment).groups()
    changes = difference.changes
    return fill(
        "difference.html.j2",
        title=f"MCP {difference.new.revision}: changes since {difference.old.revision}",
        policy=content_security_policy(script=True),
        old=difference.old.revision,
        new=difference.new.revision,
        number=counted(len(changes), "change"),
        shown=list(code_spans(shown or "")),
        is_filtered=shown is not None,
        scope=wording.SCOPE,
        meanings=[(level, wording.LEVELS[level]) for level in LEVELS],
        levels=LEVELS,
        bars=bars(changes, [*assessment.pairings, "api"]),
        columns=list(PAIRINGS.values()),
        matrix=method_matrix(changes, old, new),
        choices=_choices(changes),
        has_changes=bool(groups),
        groups=groups,
        keys=_KEYS,
        index=_index(assessment, [card.change for group in groups for card in group.cards]),
    )


def _choices(changes: Sequence[Change]) -> list[Choice]:
    kinds = Counter(change.kind for change in changes)
    methods = Counter(method for change in changes for method in change.methods)
    elsewhere = sum(not change.methods for change in changes)
    others = [(IN_NO_MESSAGE, f"No method ({elsewhere})")] if elsewhere else []
    named = [(name, f"{name} ({methods[name]})") for name in sorted(methods)]
    of_kind = [(name, f"{each.label} ({kinds[name]})") for name, each in sorted(KINDS.items()) if name in kinds]
    return [
        Choice("pairing", "Pairing", [("", "Any pairing"), *((name, title) for name, (title, *_) in PAIRINGS.items())]),
        Choice("method", "Method", [("", "Any method"), *named, *others]),
        Choice("kind", "Kind", [("", "Any kind"), *of_kind]),
    ]


def _index(assessment: Assessment, changes: list[Change]) -> dict[str, Any]:
    """Return the data of the filters, in the order of the cards."""
    methods = {name: place for place, name in enumerate(sorted({name for each in changes for name in each.methods}))}
    return {
        "methods": list(map(spelled_out, methods)),
        "changes": [
            {
                "id": spelled_out(change.id),
                "kind": change.kind,
                "level": assessment.level(change),
                **{pairing: verdict_of(change, pairing) for pairing in PAIRINGS},
                "methods": [methods[name] for name in change.methods],
            }
            for change in changes
        ],
    }
