"""A difference of tools as one self-contained HTML page without scripts."""

from __future__ import annotations

import json

from attrs import frozen

from mcp_bindgen.diff.page.markup import breakable, content_security_policy, fill
from mcp_bindgen.diff.page.side_by_side import Line, Side
from mcp_bindgen.diff.tools.assessment import ToolsAssessment
from mcp_bindgen.diff.tools.changes import ToolChange
from mcp_bindgen.diff.tools.reports.wording import (
    rule_words,
    tool_witness_sentence,
    tools_conclusion,
    tools_headline,
)


@frozen
class ToolCard:
    """One change."""

    change: ToolChange
    subject: list[str]
    rule: str
    is_open: bool
    is_approved: bool
    sides: tuple[Side, Side]
    sentence: str
    message: str

    @property
    def has_sides(self) -> bool:
        """There is a text before or after."""
        return any(not side.is_absent for side in self.sides)

    @property
    def has_witness(self) -> bool:
        """A message shows the change."""
        return bool(self.message)


@frozen
class ToolGroup:
    """The changes of one item."""

    title: str
    cards: list[ToolCard]


def render(assessment: ToolsAssessment) -> str:
    """Return the page."""
    difference = assessment.difference
    groups: dict[str, list[ToolCard]] = {}
    for change in difference.changes:
        groups.setdefault(change.subject.partition(".")[0], []).append(_card(assessment, change))
    return fill(
        "tools.html.j2",
        title=f"{difference.old.title} to {difference.new.title}: changes of tools",
        policy=content_security_policy(script=False),
        old=difference.old.title,
        new=difference.new.title,
        headline=tools_headline(assessment),
        conclusion=tools_conclusion(assessment),
        groups=[ToolGroup(title, cards) for title, cards in groups.items()],
        has_changes=bool(groups),
    )


def _card(assessment: ToolsAssessment, change: ToolChange) -> ToolCard:
    witness = change.witness
    old, new = assessment.difference.old.title, assessment.difference.new.title
    return ToolCard(
        change=change,
        subject=breakable(change.subject),
        rule=rule_words(change),
        is_open=change.verdict == "breaking",
        is_approved=change.id in assessment.approved,
        sides=(_side(old, change.old, "del"), _side(new, change.new, "ins")),
        sentence="" if witness is None else tool_witness_sentence(witness),
        message="" if witness is None else json.dumps(witness.message, indent=2, ensure_ascii=False),
    )


def _side(heading: str, text: str | None, tag: str) -> Side:
    return Side(heading, None if text is None else (Line(tag, text),))
