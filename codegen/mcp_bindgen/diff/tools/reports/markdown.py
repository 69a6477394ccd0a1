"""A difference of tools for a pull request: a table of changes, those without an effect folded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcp_bindgen.diff.reports.markdown import code, prose
from mcp_bindgen.diff.tools.assessment import ToolsAssessment
from mcp_bindgen.diff.tools.changes import TOOL_VERDICTS, ToolChange
from mcp_bindgen.diff.tools.reports.wording import (
    rule_words,
    texts,
    tool_witness_message,
    tool_witness_sentence,
    tools_conclusion,
    tools_headline,
)

_LONGEST = 60_000
"""Maximum number of characters; GitHub accepts comments of at most 65,536."""


def render(assessment: ToolsAssessment) -> str:
    """Return the report; if it is too long for a comment, only the changes that fail are shown in full."""
    text = "\n".join(_lines(assessment, assessment.difference.changes)) + "\n"
    if len(text) <= _LONGEST:
        return text
    shown: list[ToolChange] = []
    for change in assessment.failing:
        shown.append(change)
        if len("\n".join(_lines(assessment, shown))) > _LONGEST:
            shown.pop()
            break
    return "\n".join(_lines(assessment, shown)) + "\n"


def _lines(assessment: ToolsAssessment, changes: Sequence[ToolChange]) -> Iterator[str]:
    difference = assessment.difference
    yield f"### {prose(difference.old.title)} → {prose(difference.new.title)}: {tools_headline(assessment)}"
    if not difference.changes:
        return
    yield ""
    yield f"{tools_conclusion(assessment)}."
    for verdict in reversed(TOOL_VERDICTS):
        found = [change for change in changes if change.verdict == verdict]
        if not found:
            continue
        yield ""
        yield f"<details{' open' if verdict == 'breaking' else ''}>"
        yield f"<summary><b>{verdict.capitalize()} ({len(found)})</b></summary>"
        yield ""
        yield "| subject | change | effect |"
        yield "|---|---|---|"
        yield from (_row(assessment, change) for change in found)
        yield ""
        yield "</details>"
    left_out = len(difference.changes) - len(changes)
    if left_out:
        yield ""
        yield f"{left_out} more changes; run `mcp-codegen tools diff` to see them."


def _row(assessment: ToolsAssessment, change: ToolChange) -> str:
    extra = texts(change)
    parts = [prose(change.reason)]
    if change.witness is not None:
        summary = f"<summary>{tool_witness_sentence(change.witness)}</summary>"
        parts.append(f"<details>{summary}{code(tool_witness_message(change.witness))}</details>")
    approval = assessment.approved.get(change.id)
    if approval is not None:
        parts.append(f"✓ <i>approved</i>: {prose(approval)}")
    kind = f"{rule_words(change)}{f'<br>{code(extra)}' if extra else ''}"
    return f"| {code(change.subject)} | {kind} | {'<br>'.join(parts)} |"
