"""A difference for a pull request: counts, then a table for each level, those of lower levels folded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mcp_bindgen.diff.assessment import PAIRING_WORDS, Assessment
from mcp_bindgen.diff.changes import VERDICTS, Change, Verdict
from mcp_bindgen.diff.reports.wording import (
    LONGEST,
    code_spans,
    counted,
    detail,
    effect_words,
    effects,
    is_in_words,
    kind_words,
    listed,
    owner,
    reason_for_no_harm,
    verdict_counts,
    witness_message,
    witness_sentence,
)
from mcp_bindgen.escaping import visible

_MARKS = {ord(char): f"&#{ord(char)};" for char in '\\`*_[]{}<>|~&$!"'}
_MENTIONS = {ord("@"): "&#64;&#8203;", ord("#"): "&#35;&#8203;"}
"""Prevents notifications and issue links: an invisible space follows the character."""

_LINKS = re.compile(r"www(?=\.)|://")
_NAMED = 4
"""Maximum number of methods, and of types, that are named for one change."""

_LONGEST = 60_000
"""Maximum number of characters; GitHub accepts comments of at most 65,536."""


def render(assessment: Assessment) -> str:
    """Return the report; if it is too long for a comment, the least severe levels are only counted."""
    left_out: list[Verdict] = []
    for level in VERDICTS:
        text = "\n".join(_lines(assessment, left_out)) + "\n"
        if len(text) <= _LONGEST:
            return text
        left_out.append(level)
    return "\n".join(_lines(assessment, left_out)) + "\n"


def _lines(assessment: Assessment, left_out: Sequence[Verdict]) -> Iterator[str]:
    difference = assessment.difference
    changes = difference.changes
    old, new = prose(difference.old.revision), prose(difference.new.revision)
    if not changes:
        yield f"### {old} → {new}: no changes"
        return
    yield f"### {old} → {new}: {verdict_counts(assessment.numbers())}"
    yield ""
    yield from counts(assessment)
    yield ""
    yield from [prose(assessment.shown), ""] if assessment.shown else []
    yield _verdict(assessment)
    for level in reversed(VERDICTS):
        found = [change for change in changes if assessment.level(change) == level]
        if found:
            yield ""
            yield from _section(assessment, level, found, fits=level not in left_out)


def counts(assessment: Assessment) -> Iterator[str]:
    """Yield the lines of a table: the number of changes at each level, by pairing."""
    yield "| programs | breaking | risky | compatible |"
    yield "|---|--:|--:|--:|"
    for pairing in assessment.pairings:
        yield f"| {PAIRING_WORDS[pairing]} | {' | '.join(str(number) for number in assessment.numbers(pairing).values())} |"


def _verdict(assessment: Assessment) -> str:
    if assessment.fail_on == "none":
        return "No change fails with `--fail-on none`."
    counting = len(assessment.failing)
    approved = sum(change.id in assessment.approved for change in assessment.difference.changes)
    approvals = f" {counted(approved, 'change')} approved." if approved else ""
    if not counting:
        return f"Passes with `--fail-on {assessment.fail_on}`.{approvals}"
    return f"**{counted(counting, 'change')}** at or above `--fail-on {assessment.fail_on}`.{approvals}"


def _section(assessment: Assessment, level: Verdict, changes: Sequence[Change], *, fits: bool) -> Iterator[str]:
    title = f"{level.capitalize()} ({len(changes)})"
    if not fits:
        yield f"**{title}**: too many to show here; run `mcp-codegen diff` to see them."
        return
    yield f"<details{' open' if level == 'breaking' else ''}>"
    yield f"<summary><b>{title}</b></summary>"
    yield ""
    yield from table(assessment, changes, reasons=level != "compatible")
    yield ""
    yield "</details>"


def table(
    assessment: Assessment, changes: Sequence[Change], *, reasons: bool, longest: int | None = LONGEST
) -> Iterator[str]:
    """Yield the lines of a table of changes, by subject; ``reasons``: add who breaks, and why.

    ``longest``: the maximum length of a type's text; None for no limit, also on the number of names in a list.
    """
    yield "| subject | change | effect |" if reasons else "| subject | change |"
    yield "|---|---|---|" if reasons else "|---|---|"
    for change in sorted(changes, key=lambda change: (owner(change), change.subject)):
        yield _row(assessment, change, reasons=reasons, longest=longest)


def _row(assessment: Assessment, change: Change, *, reasons: bool, longest: int | None) -> str:
    cells = [code(change.subject), what(change, longest=longest)]
    approval = assessment.approved.get(change.id)
    if reasons:
        found = list(effect_words(effects(assessment, change)))
        parts = [f"<i>{affected}</i>: {prose(reason)}" for affected, reason in found] or [prose(change.reason)]
        parts += [prose(change.hint)] if change.hint else []
        most = _NAMED if longest is not None else None
        if list(change.methods) not in ([], [change.subject]):
            parts.append(f"<i>in</i> {listed([*map(code, change.methods)], most)}")
        if change.inherited_by:
            parts.append(f"<i>also changes</i> {listed([*map(code, change.inherited_by)], most)}")
        witness = assessment.witness(change)
        if witness is not None:
            summary = f"<summary>{witness_sentence(witness)}</summary>"
            parts.append(f"<details>{summary}{code(witness_message(witness))}</details>")
        cells.append("<br>".join(parts))
    else:
        reason = reason_for_no_harm(change)
        cells[-1] += "" if reason is None else f"<br>{prose(reason)}"
    if approval is not None:
        cells[-1] += f"<br>✓ <i>approved</i>: {prose(approval)}"
    return f"| {' | '.join(cells)} |"


def what(change: Change, *, longest: int | None = LONGEST) -> str:
    """Return the kind of a change, with the texts before and after."""
    extra = detail(change, longest=longest)
    shown = None if extra is None else prose(extra) if is_in_words(change) else code(extra)
    return f"{kind_words(change)}{'' if shown is None else f'<br>{shown}'}"


def prose(text: str) -> str:
    """Return Markdown that shows a text in one line, without links, mentions or markup but for the code in it."""
    parts = code_spans(text)
    return "".join(
        code(part) if is_code else _unlinked(visible(part).translate({**_MARKS, **_MENTIONS}))
        for is_code, part in parts
    )


def code(text: str) -> str:
    """Return a text as code in one line; not in backticks, which in a table cannot hold every text."""
    return f"<code>{_unlinked(visible(text).translate(_MARKS))}</code>"


def _unlinked(text: str) -> str:
    return _LINKS.sub(lambda match: "&#119;ww" if match[0] == "www" else "&#58;//", text)
