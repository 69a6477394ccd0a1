"""A difference as a page in plain Markdown, without HTML: for a blog, or a site of one's own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mcp_bindgen.diff.assessment import Assessment
from mcp_bindgen.diff.changes import VERDICTS, Change, Verdict
from mcp_bindgen.diff.reports.markdown import counts
from mcp_bindgen.diff.reports.wording import (
    affected,
    counted,
    detail,
    kind_words,
    listed,
    owner,
    reason_at_level,
    witness_message,
    witness_sentence,
)
from mcp_bindgen.escaping import visible

_SPECIAL = re.compile(r"([\\`*_\[\]<>&#|~!])")
_NAMED = 4
"""Number of methods, and of types, that are named for one change."""


def render(assessment: Assessment) -> str:
    """Return the page: a title, the counts, and a section for each level, the most severe first."""
    return "\n".join(_lines(assessment)) + "\n"


def _lines(assessment: Assessment) -> Iterator[str]:
    difference = assessment.difference
    yield f"# {_text(difference.old.revision)} to {_text(difference.new.revision)}"
    yield ""
    if not difference.changes:
        yield "No changes."
        return
    yield f"{counted(len(difference.changes), 'change')}, for peers that do not negotiate the revision:"
    yield ""
    yield from counts(assessment)
    yield from ["", "Each change is listed once, under the more severe of its two verdicts."]
    for level in reversed(VERDICTS):
        found = [change for change in difference.changes if assessment.level(change) == level]
        if found:
            yield from ["", f"## {level.capitalize()} ({len(found)})", ""]
            yield from _section(assessment, level, found)


def _section(assessment: Assessment, level: Verdict, changes: Sequence[Change]) -> Iterator[str]:
    for change in sorted(changes, key=lambda change: (owner(change), change.subject)):
        extra = detail(change)
        yield f"- {_code(change.subject)}: {_text(kind_words(change))}{'' if extra is None else f', {_code(extra)}'}"
        if level != "compatible":
            yield from _effect(assessment, level, change)


def _effect(assessment: Assessment, level: Verdict, change: Change) -> Iterator[str]:
    """Yield the indented paragraphs below a change: who breaks and why, what to do, where, and an example."""
    words = f"*{affected(assessment, change, level).capitalize()}*: {_text(reason_at_level(assessment, change, level))}"
    yield from ["", f"  {words}{f' {_text(change.hint)}' if change.hint else ''}"]
    if change.methods:
        yield from ["", f"  In {listed([_code(each) for each in change.methods], _NAMED)}."]
    if change.inherited_by:
        yield from ["", f"  Also changes {listed([_code(each) for each in change.inherited_by], _NAMED)}."]
    witness = assessment.witness(change)
    if witness is not None:
        yield from ["", f"  {_text(witness_sentence(witness))}", "", f"      {visible(witness_message(witness))}"]
    approval = assessment.approved.get(change.id)
    if approval is not None:
        yield from ["", f"  Approved: {_text(approval)}"]
    yield ""


def _text(text: str) -> str:
    """Return Markdown that shows a text in one line, without markup."""
    return _SPECIAL.sub(r"\\\1", visible(text))


def _code(text: str) -> str:
    """Return a text as code in backticks, more of them than it contains in a row."""
    shown = visible(text)
    fence = "`" * (max((len(each) for each in re.findall("`+", shown)), default=0) + 1)
    blank = " " if "`" in shown[:1] + shown[-1:] else ""
    return f"{fence}{blank}{shown}{blank}{fence}"
