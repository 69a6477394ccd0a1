"""A history for a page or a pull request: a row for each revision."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping

from mcp_bindgen.diff.changes import Change
from mcp_bindgen.diff.reports.history_wording import (
    SHOWN,
    Step,
    change_words,
    further_command,
    further_words,
    ordered,
    state_words,
    steps,
    title,
)
from mcp_bindgen.diff.reports.markdown import code, prose
from mcp_bindgen.diff.reports.wording import affected
from mcp_bindgen.diff.timeline.history import History


def render(history: History, *, typed: Mapping[str, str] | None = None) -> str:
    """The whole history. ``typed``: what to type for revisions that are not bundled, such as the path of a file."""
    return "\n".join(_lines(history, typed or {})) + "\n"


def _lines(history: History, typed: Mapping[str, str]) -> Iterator[str]:
    yield f"### {code(history.subject)}: {prose(title(history))}"
    yield ""
    yield "| revision | what became of it |"
    yield "|---|---|"
    for step in steps(history):
        yield f"| {prose(step.chapter.revision.revision)} | {'<br>'.join(_cell(history, step, typed))} |"


def _cell(history: History, step: Step, typed: Mapping[str, str]) -> Iterator[str]:
    chapter = step.chapter
    text = f": {code(chapter.text)}" if chapter.state in SHOWN and chapter.text else ""
    yield f"{prose(state_words(chapter, history))}{text}"
    yield from (_change(step, change) for change in ordered(step))
    if chapter.further:
        yield f"{further_words(chapter)} {code(shlex.join(further_command(history, step, typed)))}"


def _change(step: Step, change: Change) -> str:
    level = step.assessment.level(change)
    subject, how = change_words(change, step)
    line = f"<b>{level}</b> {'' if subject is None else f'{code(subject)} '}{prose(how)}"
    if level == "compatible":
        return line
    return f"{line}<br><i>{affected(step.assessment, change, level)}</i>: {prose(change.reason)}"
