"""Changes of tools as annotations of a build on GitHub: errors, warnings and notices."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_bindgen.diff.tools.assessment import ToolsAssessment
from mcp_bindgen.diff.tools.changes import ToolVerdict
from mcp_bindgen.diff.tools.reports.wording import rule_words, texts, tool_witness_message
from mcp_bindgen.escaping import Severity, annotation

_SEVERITIES: Mapping[ToolVerdict, Severity] = {
    "breaking": "error",
    "undecided": "warning",
    "risky": "warning",
    "compatible": "notice",
}


def render(assessment: ToolsAssessment, *, file: str | None = None) -> str:
    """Return a line for each change, the worst first; ``file``: the path in the repository that annotations refer to."""
    lines: list[str] = []
    for change in assessment.difference.changes:
        properties = {} if file is None else {"file": file}
        properties["title"] = f"{change.verdict}: {change.subject} ({change.rule})"
        extra = texts(change)
        parts = [f"{rule_words(change).capitalize()}{f': {extra}' if extra else ''}.", change.reason]
        parts += [] if change.witness is None else [f"Witness: {tool_witness_message(change.witness)}"]
        approval = assessment.approved.get(change.id)
        parts += [] if approval is None else [f"Approved: {approval}"]
        severity = "notice" if approval is not None else _SEVERITIES[change.verdict]
        lines.append(annotation(severity, properties, " ".join(parts)))
    return "".join(f"{line}\n" for line in lines)
