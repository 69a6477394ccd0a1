"""A difference as a page in plain Markdown, without HTML: for a blog, or a site of one's own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from mcp_bindgen.diff.assessment import Assessment
from mcp_bindgen.diff.changes import VERDICTS, Change, Verdict
from mcp_bindgen.diff.finding_kinds import Kind
from mcp_bindgen.diff.reports.markdown import counts
from mcp_bindgen.diff.reports.wording import (
    affected,
    counted,
    detail,
    is_in_words,
    kind_words,
    listed,
    owner,
    reason_at_level,
    reason_for_no_harm,
    witness_message,
    witness_sentence,
)
from mcp_bindgen.escaping import visible

_SPECIAL = re.compile(r"([\\`*_\[\]<>&#|~!])")
_NAMED = 4
"""Number of methods, and of types, that are named for one change."""

_MARGIN = " " * 4
"""Indentation of the paragraphs of an item: CommonMark and the older Markdown programs agree on four columns."""

_LEVELS: Mapping[Verdict, str] = {
    "breaking": "one of the two refuses or misreads a message of the other.",
    "risky": (
        "it depends on the use: one of the two may not know, or may ignore, a part of what the other sends, "
        "or may wait for something that never comes."
    ),
    "compatible": "everything else; both ignore members that they do not know.",
}

_GROUPS: Mapping[Kind, tuple[str, str]] = {
    "deprecated_added": ("Deprecated", "Deprecated"),
    "type_added": ("New type", "New types"),
    "type_removed": ("Removed type", "Removed types"),
    "constant_added": ("New constant", "New constants"),
    "constant_removed": ("Removed constant", "Removed constants"),
}
"""Titles, for one and for several, of kinds whose compatible changes share an item: they differ only in their subjects."""


def render(assessment: Assessment) -> str:
    """Return the page: a title, the counts, and a section for each level, the most severe first."""
    return "\n".join(_lines(assessment)) + "\n"


def _lines(assessment: Assessment) -> Iterator[str]:
    difference = assessment.difference
    old, new = _text(difference.old.revision), _text(difference.new.revision)
    yield f"# {old} to {new}"
    yield ""
    if not difference.changes:
        yield "No changes."
        return
    peers = f"for peers that do not negotiate the revision: one is written for {old}, the other for {new}."
    yield f"{counted(len(difference.changes), 'change')}, {peers}"
    yield ""
    yield from counts(assessment)
    if len(assessment.pairings) > 1:
        yield from ["", "Each change is listed once, under the more severe of its two verdicts."]
    yield ""
    for level in reversed(VERDICTS):
        yield f"-   **{level.capitalize()}**: {_LEVELS[level]}"
    for level in reversed(VERDICTS):
        found = [change for change in difference.changes if assessment.level(change) == level]
        if found:
            yield from ["", f"## {level.capitalize()} ({len(found)})", ""]
            yield from _compatible(assessment, found) if level == "compatible" else _section(assessment, level, found)


def _section(assessment: Assessment, level: Verdict, changes: Sequence[Change]) -> Iterator[str]:
    for number, change in enumerate(_sorted(changes)):
        yield from [""] if number else []
        yield _head(change)
        yield from _effect(assessment, level, change)


def _compatible(assessment: Assessment, changes: Sequence[Change]) -> Iterator[str]:
    """Yield an item for each change, then one for all subjects of each kind in ``_GROUPS``."""
    groups: dict[tuple[Kind, str], list[Change]] = {}
    for change in _sorted(changes):
        approval = assessment.approved.get(change.id)
        if change.kind in _GROUPS and approval is None:
            groups.setdefault((change.kind, detail(change) or ""), []).append(change)
        else:
            reason = reason_for_no_harm(change)
            remarks = [] if reason is None else [reason]
            remarks += [] if approval is None else [f"Approved: {approval}"]
            yield f"{_head(change)}{''.join(f'. {_text(each)}' for each in remarks)}"
    for kind, titles in _GROUPS.items():
        for (found, words), members in groups.items():
            if found == kind:
                title = titles[len(members) > 1] + (f" ({len(members)})" if len(members) > 1 else "")
                subjects = ", ".join(_code(change.subject) for change in members)
                yield f"-   {title}: {subjects}{f'. {_text(words)}' if words else ''}"


def _sorted(changes: Sequence[Change]) -> list[Change]:
    return sorted(changes, key=lambda change: (owner(change), change.subject))


def _head(change: Change) -> str:
    extra = detail(change)
    # Who sends a method, and how, is said in words; other details are types and values.
    shown = None if extra is None else _text(extra) if is_in_words(change) else _code(extra)
    return f"-   {_code(change.subject)}: {_text(kind_words(change))}{'' if shown is None else f', {shown}'}"


def _effect(assessment: Assessment, level: Verdict, change: Change) -> Iterator[str]:
    """Yield the indented paragraphs below a change: who breaks and why, what to do, where, and an example."""
    words = f"*{affected(assessment, change, level).capitalize()}*: {_text(reason_at_level(assessment, change, level))}"
    yield from ["", f"{_MARGIN}{words}{f' {_text(change.hint)}' if change.hint else ''}"]
    if list(change.methods) not in ([], [change.subject]):
        yield from ["", f"{_MARGIN}In {listed([_code(each) for each in change.methods], _NAMED)}."]
    if change.inherited_by:
        yield from ["", f"{_MARGIN}Also changes {listed([_code(each) for each in change.inherited_by], _NAMED)}."]
    witness = assessment.witness(change)
    if witness is not None:
        example = f"{_MARGIN * 2}{visible(witness_message(witness))}"
        yield from ["", f"{_MARGIN}{_text(witness_sentence(witness))}", "", example]
    approval = assessment.approved.get(change.id)
    if approval is not None:
        yield from ["", f"{_MARGIN}Approved: {_text(approval)}"]


def _text(text: str) -> str:
    """Return Markdown that shows a text in one line, without markup."""
    return _SPECIAL.sub(r"\\\1", visible(text))


def _code(text: str) -> str:
    """Return a text as code in backticks, more of them than it contains in a row."""
    shown = visible(text)
    fence = "`" * (max((len(each) for each in re.findall("`+", shown)), default=0) + 1)
    blank = " " if "`" in shown[:1] + shown[-1:] else ""
    return f"{fence}{blank}{shown}{blank}{fence}"
