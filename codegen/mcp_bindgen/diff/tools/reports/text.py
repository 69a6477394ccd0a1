"""A difference of tools for a terminal: by item, the worst first, with a summary at the end."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator

from attrs import frozen

from mcp_bindgen.diff.tools.assessment import ToolsAssessment
from mcp_bindgen.diff.tools.changes import ToolChange, ToolVerdict
from mcp_bindgen.diff.tools.reports.wording import (
    rule_words,
    texts,
    tool_witness_message,
    tool_witness_sentence,
    tools_conclusion,
    tools_headline,
)
from mcp_bindgen.escaping import visible

_MARGIN = " " * 14


@frozen
class ToolsStyle:
    """The styles of parts of the text; plain by default."""

    bold: Callable[[str], str] = str
    level: Callable[[ToolVerdict, str], str] = lambda _verdict, text: text


def render(assessment: ToolsAssessment, *, width: int = 80, style: ToolsStyle | None = None) -> str:
    """Return the report."""
    return "\n".join(_lines(assessment, max(width, 50), style or ToolsStyle())) + "\n"


def _lines(assessment: ToolsAssessment, width: int, style: ToolsStyle) -> Iterator[str]:
    difference = assessment.difference
    for change in difference.changes:
        yield from _change(change, assessment, width, style)
    if difference.changes:
        yield ""
    title = f"{difference.old.title} -> {difference.new.title}"
    yield style.bold(f"{visible(title)}: {tools_headline(assessment)}")
    if difference.changes:
        yield f"  {tools_conclusion(assessment)}"


def _change(change: ToolChange, assessment: ToolsAssessment, width: int, style: ToolsStyle) -> Iterator[str]:
    approval = assessment.approved.get(change.id)
    word = "wording" if change.area == "wording" and change.verdict == "compatible" else change.verdict
    yield (
        f"  {style.level(change.verdict, f'{word:<12}')}{style.bold(visible(change.subject))}  "
        f"{rule_words(change)}{'' if approval is None else ' (approved)'}"
    )
    if change.old is not None or change.new is not None:
        yield from _wrapped(texts(change), width)
    if change.verdict != "compatible":
        yield from _wrapped(change.reason, width)
    if change.witness is not None:
        yield from _wrapped(tool_witness_sentence(change.witness), width)
        # In one line, to be copied.
        yield f"{_MARGIN}{visible(tool_witness_message(change.witness))}"
    if approval is not None:
        yield from _wrapped(f"approved: {approval}", width)


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(
        visible(text),
        width,
        initial_indent=_MARGIN,
        subsequent_indent=_MARGIN,
        break_on_hyphens=False,
        break_long_words=False,
    )
