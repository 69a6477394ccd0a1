"""A difference as a page in plain Markdown, without HTML: for a blog, or a site of one's own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from mcp_bindgen.diff.assessment import Assessment
from mcp_bindgen.diff.changes import VERDICTS, Change
from mcp_bindgen.diff.finding_kinds import Kind
from mcp_bindgen.diff.reasons import ONLY_CODE
from mcp_bindgen.diff.reports.markdown import counts
from mcp_bindgen.diff.reports.wording import (
    LEVELS,
    SCOPE,
    code_spans,
    counted,
    detail,
    effect_words,
    effects,
    is_in_words,
    kind_words,
    owner,
    reason_for_no_harm,
    witness_message,
    witness_sentence,
)
from mcp_bindgen.escaping import visible

_SPECIAL = re.compile(r"([\\`*_\[\]<>&#|~!])")
_MARGIN = " " * 4
"""Indentation of the paragraphs of an item: CommonMark and the older Markdown programs agree on four columns."""

_GROUPS: Mapping[Kind, tuple[str, str]] = {
    "deprecated_added": ("Deprecated", "Deprecated"),
    "type_added": ("New type", "New types"),
    "type_removed": ("Removed type", "Removed types"),
    "constant_added": ("New constant", "New constants"),
    "constant_removed": ("Removed constant", "Removed constants"),
}
"""Titles, for one and for several, of kinds whose compatible changes share an item: they differ only in their subjects."""


def render(assessment: Assessment, *, changelogs: Mapping[str, str] | None = None) -> str:
    """Return the page: a title, the counts, and a section for each level, the most severe first.

    ``changelogs``: the addresses of the official changelogs of the compared steps, by revision.
    """
    return "\n".join(_lines(assessment, changelogs or {})) + "\n"


def _lines(assessment: Assessment, changelogs: Mapping[str, str]) -> Iterator[str]:
    difference = assessment.difference
    old, new = _text(difference.old.revision), _text(difference.new.revision)
    yield f"# MCP {new}: changes since {old}"
    yield ""
    if not difference.changes:
        yield "No changes."
    else:
        yield (
            f"{counted(len(difference.changes), 'change')}, judged for a client and a server that do not negotiate the "
            f"revision: the old one knows only {old}, the new one only {new}."
        )
    if assessment.shown:
        yield from ["", _text(assessment.shown)]
    yield ""
    links = [f"[{_text(revision)}]({address})" for revision, address in changelogs.items()]
    also = f" See the changelog{'s' if len(links) > 1 else ''} of {' and '.join(links)}." if links else ""
    yield f"{SCOPE}{also}"
    if not difference.changes:
        return
    yield ""
    yield from counts(assessment)
    if len(assessment.pairings) > 1:
        listed_once = "Each change is listed once, under the more severe of its two verdicts"
        yield from ["", f"{listed_once}; the other one, if not compatible, is stated below it."]
    yield ""
    for level in reversed(VERDICTS):
        yield f"-   **{level.capitalize()}**: {LEVELS[level]}"
    for level in reversed(VERDICTS):
        found = [change for change in difference.changes if assessment.level(change) == level]
        if found:
            yield from ["", f"## {level.capitalize()} ({len(found)})", ""]
            yield from _compatible(assessment, found) if level == "compatible" else _section(assessment, found)


def _section(assessment: Assessment, changes: Sequence[Change]) -> Iterator[str]:
    for number, change in enumerate(_sorted(changes)):
        yield from [""] if number else []
        yield _head(change)
        yield from _effect(assessment, change)


def _compatible(assessment: Assessment, changes: Sequence[Change]) -> Iterator[str]:
    """Yield an item for each change, then one for all subjects of each kind in ``_GROUPS``, then those in no message."""
    groups: dict[tuple[Kind, str], list[Change]] = {}
    elsewhere: list[Change] = []
    for change in _sorted(changes):
        approval = assessment.approved.get(change.id)
        if change.kind in _GROUPS and approval is None:
            groups.setdefault((change.kind, detail(change) or ""), []).append(change)
        elif change.reason == ONLY_CODE and approval is None:
            elsewhere.append(change)
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
                text = f"; {'each ' if len(members) > 1 else ''}with the note “{_text(words)}”" if words else ""
                yield f"-   {title}: {subjects}{text}"
    if elsewhere:
        yield from ["", "In no message exchanged between the two revisions; only code must change:", ""]
        yield from map(_head, elsewhere)


def _sorted(changes: Sequence[Change]) -> list[Change]:
    return sorted(changes, key=lambda change: (owner(change), change.subject))


def _head(change: Change) -> str:
    extra = detail(change, longest=None)
    # Who sends a method, and how, is said in words; other details are types and values.
    shown = None if extra is None else _text(extra) if is_in_words(change) else _code(extra)
    return f"-   {_code(change.subject)}: {_text(kind_words(change))}{'' if shown is None else f', {shown}'}"


def _effect(assessment: Assessment, change: Change) -> Iterator[str]:
    """Yield the indented paragraphs below a change: who breaks and why, what to do, where, and an example."""
    for affected, reason in effect_words(effects(assessment, change)):
        yield from ["", f"{_MARGIN}*{affected.capitalize()}*: {_text(reason)}"]
    yield from ["", f"{_MARGIN}{_text(change.hint)}"] if change.hint else []
    if list(change.methods) not in ([], [change.subject]):
        yield from ["", f"{_MARGIN}In {', '.join(map(_code, change.methods))}."]
    if change.inherited_by:
        yield from ["", f"{_MARGIN}Also changes {', '.join(map(_code, change.inherited_by))}."]
    witness = assessment.witness(change)
    if witness is not None:
        example = f"{_MARGIN * 2}{visible(witness_message(witness))}"
        yield from ["", f"{_MARGIN}{_text(witness_sentence(witness))}", "", example]
    approval = assessment.approved.get(change.id)
    if approval is not None:
        yield from ["", f"{_MARGIN}Approved: {_text(approval)}"]


def _text(text: str) -> str:
    """Return Markdown that shows a text in one line, without markup but for the code in it."""
    parts = code_spans(text)
    return "".join(_code(part) if is_code else _SPECIAL.sub(r"\\\1", visible(part)) for is_code, part in parts)


def _code(text: str) -> str:
    """Return a text as code in backticks, more of them than it contains in a row."""
    shown = visible(text)
    fence = "`" * (max((len(each) for each in re.findall("`+", shown)), default=0) + 1)
    blank = " " if "`" in shown[:1] + shown[-1:] else ""
    return f"{fence}{blank}{shown}{blank}{fence}"
