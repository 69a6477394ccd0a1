"""The rules that judge changes of tools, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import asdict, frozen

from mcp_bindgen.diff.tools.changes import Area, ToolVerdict


@frozen
class ToolRule:
    """One row of the table."""

    id: str
    area: Area
    verdict: ToolVerdict
    """The verdict of a change by this rule."""
    explanation: str
    """The reason in one line."""


RULES_FORMAT = "mcp-tools-diff-rules/1"

_B: ToolVerdict = "breaking"
_R: ToolVerdict = "risky"
_C: ToolVerdict = "compatible"
_U: ToolVerdict = "undecided"

_TABLE: Mapping[Area, tuple[tuple[str, ToolVerdict, str], ...]] = {
    "offer": (
        ("tool-removed", _B, "Calls of the tool fail: the server no longer has it."),
        ("tool-added", _C, "Callers that do not know it do not call it."),
        ("header-required", _B, "Over HTTP the argument must be repeated in a header, which old callers do not send."),
        ("header-removed", _C, "Servers ignore the header."),
        ("task-required", _B, "The server executes the tool as a task only; calls without one fail."),
        ("task-refused", _B, "The server no longer executes the tool as a task; such calls fail."),
        ("task-allowed", _C, "Calls as before are still answered."),
        ("prompt-removed", _B, "Requests for the prompt fail: the server no longer has it."),
        ("prompt-added", _C, "Callers that do not know it do not request it."),
        ("template-removed", _B, "Resources of the template can no longer be read."),
        ("template-added", _C, "Callers that do not know it do not use it."),
        ("resource-removed", _R, "Callers that read this resource fail; lists of resources may change at any time."),
        ("resource-added", _C, "Lists of resources may change at any time."),
    ),
    "arguments": (
        ("argument-added-required", _B, "Calls do not have the argument, which is now required."),
        ("argument-added-optional", _C, "Calls without the argument are as valid as before."),
        (
            "argument-added-open",
            _R,
            "Undeclared members could have any value; the new schema limits this one. Declared arguments are not affected.",
        ),
        ("argument-became-required", _B, "Calls may omit the argument, which is now required."),
        ("argument-became-optional", _C, "Calls with the argument are as valid as before."),
        ("argument-removed-refused", _B, "Calls may have the argument, which the new schema refuses."),
        ("argument-removed-ignored", _R, "Calls may have the argument, which no longer has an effect."),
        ("argument-narrowed", _B, "Calls may have a value that the new schema refuses."),
        ("argument-narrowed-open", _R, "Only values with members that the old schema did not declare are refused."),
        ("argument-widened", _C, "Every value that was valid still is."),
        ("argument-equivalent", _C, "It is written differently, but accepts the same values."),
        ("argument-undecided", _U, "Neither a proof that all calls stay valid nor a call that fails was found."),
        (
            "arguments-closed",
            _R,
            "The old schema said nothing about members that it did not declare; the new one refuses them.",
        ),
        ("arguments-refuse-further", _B, "The old schema accepted further members on purpose; the new one does not."),
        ("arguments-opened", _C, "Further members are accepted."),
        ("default-changed", _R, "Calls without the argument now mean something else."),
        ("format-changed", _R, "Schemas only describe formats, but servers may refuse other values."),
        ("prompt-argument-required", _B, "Requests may omit the argument, which is now required."),
        ("prompt-argument-removed", _R, "Requests may have the argument, which no longer has an effect."),
        ("prompt-argument-optional", _C, "Requests as before are still answered."),
    ),
    "result": (
        ("result-schema-removed", _B, "Callers expect structured content, which is no longer promised."),
        ("result-schema-added", _C, "Callers that expect no structured content ignore it."),
        ("result-member-added", _C, "Callers ignore members that they do not know."),
        ("result-member-added-refused", _B, "The old schema is closed: it refuses the new member."),
        ("result-member-removed", _B, "Callers expect the member, which the result may no longer have."),
        ("result-member-removed-optional", _C, "The member could be absent before."),
        (
            "result-member-removed-open",
            _R,
            "The new schema allows members that it does not declare, with any value, so this one could have another type.",
        ),
        ("result-became-optional", _B, "Callers expect the member, which the result may no longer have."),
        ("result-became-required", _C, "Every result that is possible now was possible before."),
        ("result-widened", _B, "The result may have a value that the old schema refuses."),
        ("result-widened-open", _R, "Only results with members that the new schema does not declare are refused."),
        ("result-narrowed", _C, "Every result that is possible now was possible before."),
        ("result-equivalent", _C, "It is written differently, but describes the same results."),
        (
            "result-undecided",
            _U,
            "Neither a proof that callers can read all results nor a result they refuse was found.",
        ),
        ("result-opened", _R, "The new schema allows members that it does not declare; the old one refused them."),
        ("result-closed", _C, "The result has declared members only."),
        ("media-type-changed", _R, "Callers may expect content of the old type."),
    ),
    "wording": (
        ("read-only-ended", _R, "Hosts may have called the tool without confirmation; now it may change something."),
        ("destructive-began", _R, "Hosts may have called the tool without confirmation; now it may destroy something."),
        ("annotations-changed", _C, "Hosts may treat the tool differently."),
        ("description-changed", _C, "Messages stay the same, but a model may choose differently."),
    ),
}
"""Id, verdict and explanation of the rules, by area."""

TOOL_RULES: Mapping[str, ToolRule] = {
    name: ToolRule(name, area, verdict, explanation)
    for area, rows in _TABLE.items()
    for name, verdict, explanation in rows
}
"""By id."""


def rules_as_json() -> dict[str, Any]:
    """Return the table as a JSON document."""
    return {"format": RULES_FORMAT, "rules": [asdict(rule) for rule in TOOL_RULES.values()]}
