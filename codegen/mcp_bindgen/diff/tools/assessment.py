"""A difference of tools assessed: against a threshold, without the approved changes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Literal, TypeAlias

from attrs import field, frozen

from mcp_bindgen.describe.nearest import nearest_names
from mcp_bindgen.diff.tools.changes import TOOL_VERDICTS, ToolChange, ToolsDifference, ToolVerdict
from mcp_bindgen.escaping import visible

ToolThreshold: TypeAlias = Literal["breaking", "undecided", "risky", "any", "none"]

_LEAST: Mapping[ToolThreshold, ToolVerdict] = {
    "breaking": "breaking",
    "undecided": "undecided",
    "risky": "risky",
    "any": "compatible",
}


@frozen(kw_only=True)
class ToolsAssessment:
    """A difference with the options by which it is assessed."""

    difference: ToolsDifference
    fail_on: ToolThreshold = "breaking"
    wording: bool = False
    """Whether changes of descriptions and annotations fail, too, whatever their verdict."""
    approved: Mapping[str, str] = field(factory=dict[str, str])
    """The reasons of approved changes, by id."""

    def fails(self, change: ToolChange) -> bool:
        """Return whether a change is at or above the threshold and not approved."""
        if self.fail_on == "none" or change.id in self.approved:
            return False
        if change.area == "wording" and self.wording:
            return True
        return TOOL_VERDICTS.index(change.verdict) >= TOOL_VERDICTS.index(_LEAST[self.fail_on])

    @property
    def failing(self) -> tuple[ToolChange, ...]:
        """The changes because of which the comparison fails."""
        return tuple(change for change in self.difference.changes if self.fails(change))


def stale_approvals(approved: Mapping[str, str], difference: ToolsDifference) -> list[str]:
    """Return a message for each approval whose id is not in the difference."""
    known = {change.id for change in difference.changes}
    lines: list[str] = []
    for identity in approved.keys() - known:
        near = nearest_names(identity, known - approved.keys(), 1)
        hint = f"did you mean {near[0]!r}?" if near else "remove it"
        lines.append(f"{identity!r} is not a change; {hint}")
    return sorted(lines)


def approvals_skeleton(assessment: ToolsAssessment) -> str:
    """Return an approvals file with the approved changes and, without a reason yet, those that fail."""
    lines = ["# Write a reason for each acceptable change, and remove the others.", "", "[approved]"]
    for change in assessment.difference.changes:
        if change.id in assessment.approved:
            lines.append(f"{_quoted(change.id)} = {_quoted(assessment.approved[change.id])}")
        elif assessment.fails(change):
            lines += [f"# {change.verdict}: {visible(change.reason)}", f'{_quoted(change.id)} = ""']
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Return a basic string of TOML, whose escapes are those of JSON except for a bare DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
