"""A history in Markdown: a row for each revision."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping

from mcp_bindgen.diff.changes import Change
from mcp_bindgen.diff.reports.history_wording import (
    SHOWN,
    AssessedEntry,
    assessed_entries,
    change_detail,
    change_words,
    further_command,
    further_words,
    ordered,
    state_words,
    title,
)
from mcp_bindgen.diff.reports.markdown import code, prose
from mcp_bindgen.diff.reports.wording import effect_words, effects, is_in_words
from mcp_bindgen.diff.timeline.history import History


def render(history: History, *, typed: Mapping[str, str] | None = None) -> str:
    """Return the report. ``typed``: arguments for revisions that are not bundled, such as the path of a file."""
    return "\n".join(_lines(history, typed or {})) + "\n"


def _lines(history: History, typed: Mapping[str, str]) -> Iterator[str]:
    yield f"### {code(history.subject)}: {prose(title(history))}"
    yield ""
    yield "| revision | change |"
    yield "|---|---|"
    for assessed in assessed_entries(history):
        yield f"| {prose(assessed.entry.revision.revision)} | {'<br>'.join(_cell(history, assessed, typed))} |"


def _cell(history: History, assessed: AssessedEntry, typed: Mapping[str, str]) -> Iterator[str]:
    entry = assessed.entry
    text = f": {code(entry.text)}" if entry.state in SHOWN and entry.text else ""
    yield f"{prose(state_words(entry, history))}{text}"
    yield from (_change(assessed, change) for change in ordered(assessed))
    if entry.further:
        yield f"{further_words(entry)} {code(shlex.join(further_command(history, assessed, typed)))}"


def _change(assessed: AssessedEntry, change: Change) -> str:
    subject, how = change_words(change, assessed)
    extra = change_detail(change, assessed)
    text = "" if extra is None else f": {prose(extra) if is_in_words(change) else code(extra)}"
    level = assessed.assessment.level(change)
    lines = [f"<b>{level}</b> {'' if subject is None else f'{code(subject)} '}{prose(how)}{text}"]
    for affected, reason in effect_words(effects(assessed.assessment, change)):
        lines.append(f"<i>{affected}</i>: {prose(reason)}")
    return "<br>".join(lines)
