"""Wording that all reports share: the kind of a change, its texts, and the pairings that it affects."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from mcp_bindgen.diff.assessment import PAIRING_WORDS, Assessment, reason_in, verdict
from mcp_bindgen.diff.changes import VERDICTS, Change, Outcome, Pairing, Verdict, Witness
from mcp_bindgen.diff.finding_kinds import KINDS
from mcp_bindgen.diff.rules import HARMLESS, RULES
from mcp_bindgen.ir.protocol import OTHER_SIDE

OUTCOMES: Mapping[Outcome, str] = {
    "refused": "refuses it",
    "ignored": "ignores a part of it",
    "unanswered": "does not accept requests with this method, so there is no result",
}
"""The reaction of the receiver of a witness, by its outcome."""

LEVELS: Mapping[Verdict, str] = {
    "breaking": (
        "The new peer refuses or misreads a message that the old peer already sends, or the new peer must send a message "
        "that the old peer refuses."
    ),
    "risky": (
        "The effect depends on what the programs use. The new peer may send something that the old peer refuses or does "
        "not know, may ignore something optional that the old peer sends, or may never send something that the old peer "
        "waits for."
    ),
    "compatible": "Everything else, such as a new optional field, which old peers ignore.",
}
"""The meaning of each level, the worst first."""

SCOPE = (
    "Only the schemas were compared. Changes of transports, authorization and behaviour that only the text of the "
    "specification describes are not listed."
)

LONGEST = 60
"""Maximum length of a type's text in one line; the rest is cut off."""

_NOW_OPEN = "field-removed-now-open"


def kind_words(change: Change) -> str:
    """Return the kind of a change in words: ``new required field``, ``value removed``."""
    if change.kind == "field_added" and change.required:
        return "new required field"
    if change.rule == _NOW_OPEN:
        return "no longer declared"
    if change.kind == "method_result_changed":
        return "new result" if change.rule.endswith("-added") else "result removed"
    return KINDS[change.kind].label


def detail(change: Change, *, longest: int | None = LONGEST) -> str | None:
    """Return the member, or the text before and after, in one line; None if the subject is enough.

    ``longest``: the maximum length of a type's text; None for no limit.
    """
    if change.member is not None:
        return _short(change.member, longest)
    if change.kind == "type_renamed":
        return change.new
    if change.rule == _NOW_OPEN:
        return f"any value is allowed (was {_quoted(_short(change.old, longest))})"
    if KINDS[change.kind].shows_both_texts:
        most = None if is_in_words(change) else longest
        return f"{_short(change.old, most)} -> {_short(change.new, most)}"
    if change.kind.startswith("field_"):
        # A field that became required or optional is shown as in the new revision.
        return _short(change.old if change.new is None else change.new, longest)
    if change.kind == "deprecated_added" and change.new:
        return " ".join(change.new.split())
    return None


def is_in_words(change: Change) -> bool:
    """Return whether the detail of a change is a phrase, in which code is in backticks, not a type or a value."""
    return KINDS[change.kind].is_in_words or change.rule == _NOW_OPEN


def code_spans(text: str) -> Iterator[tuple[bool, str]]:
    """Yield the parts of a sentence, each with whether it is code, which stands in backticks."""
    for number, part in enumerate(_BACKTICKS.split(text)):
        if part:
            yield number % 2 == 1, part


_BACKTICKS = re.compile("`([^`]+)`")


def affected(assessment: Assessment, change: Change, level: Verdict) -> str:
    """Return the pairings in which a change is at its level: ``old client, new server``."""
    found = _pairings(assessment, change, level)
    return PAIRING_WORDS[found[0]] if len(found) == 1 else "both pairings"


def reason_at_level(assessment: Assessment, change: Change, level: Verdict) -> str:
    """Return the reason of a change in the pairings in which it is at its level."""
    return reason_in(change, _pairings(assessment, change, level))


class Effect(NamedTuple):
    """The effect of a change in one pairing, or the same in both."""

    level: Verdict
    affected: str
    """``old client, new server``, or ``both pairings``."""
    reason: str


def effects(assessment: Assessment, change: Change) -> list[Effect]:
    """Return the effects of a change in the pairings in which it is not compatible, the worst first."""
    found = {verdict(change, each) for each in assessment.pairings}
    return [
        Effect(level, affected(assessment, change, level), reason_at_level(assessment, change, level))
        for level in reversed(VERDICTS)
        if level != "compatible" and level in found
    ]


def effect_words(effects: Sequence[Effect]) -> Iterator[tuple[str, str]]:
    """Yield the pairing and the reason of each effect; a level follows the pairing unless it is that of the change."""
    for number, each in enumerate(effects):
        yield f"{each.affected} ({each.level})" if number else each.affected, each.reason


def reason_for_no_harm(change: Change) -> str | None:
    """Return why a change is compatible, if others of its rule are not: a new required field that may be absent."""
    harmless = change.level != "compatible" or RULES[change.rule].weights == HARMLESS
    return None if harmless else change.reason


def _pairings(assessment: Assessment, change: Change, level: Verdict) -> list[Pairing]:
    return [pairing for pairing in assessment.pairings if verdict(change, pairing) == level]


def witness_sentence(witness: Witness) -> str:
    """Return who sends the message of a witness, and how the receiver reacts."""
    sender, receiver = witness.sender, OTHER_SIDE[witness.sender]
    old = witness.pairing.startswith(f"old_{sender}") or witness.pairing.endswith(f"old_{sender}")
    ages = ("An old", "a new") if old else ("A new", "an old")
    answer = f" in response to {witness.answers}" if witness.answers else ""
    return f"{ages[0]} {sender} may send this{answer}, and {ages[1]} {receiver} {OUTCOMES[witness.outcome]}:"


def witness_message(witness: Witness) -> str:
    """Return the message of a witness as a line of JSON."""
    return json.dumps(witness.message, ensure_ascii=False)


def owner(change: Change) -> str:
    """Return the type or method of a subject: ``Widget`` for ``Widget.size``."""
    if "/" in change.subject.partition("[")[0]:
        return change.subject
    return change.subject.partition("[")[0].partition(".")[0]


def counted(number: int, noun: str) -> str:
    """Return ``1 change``, ``2 changes``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def listed(names: Sequence[str], most: int | None) -> str:
    """Return some names, and the number of further ones; None for all."""
    more = 0 if most is None else len(names) - most
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:most])} and {more} more"


def verdict_counts(numbers: Mapping[Verdict, int]) -> str:
    """Return ``3 breaking, 1 risky, 20 compatible``."""
    return ", ".join(f"{number} {level}" for level, number in numbers.items())


def headline(assessment: Assessment) -> str:
    """Return the number of changes, in total and by level: ``24 changes, 3 breaking, 1 risky, 20 compatible``."""
    changes = assessment.difference.changes
    if not changes:
        return "no changes"
    return f"{counted(len(changes), 'change')}, {verdict_counts(assessment.numbers())}"


def conclusion(assessment: Assessment) -> str:
    """Return whether the comparison fails: ``3 changes fail with --fail-on breaking``."""
    if assessment.fail_on == "none":
        return "no change fails with --fail-on none"
    counting = len(assessment.failing)
    if not counting:
        return f"passes with --fail-on {assessment.fail_on}"
    verb = "fails" if counting == 1 else "fail"
    return f"{counted(counting, 'change')} {verb} with --fail-on {assessment.fail_on}"


def _short(text: str | None, longest: int | None) -> str:
    if text is None:
        return "none"
    return text if longest is None or len(text) <= longest else f"{text[: longest - 2]} …"


def _quoted(text: str) -> str:
    return text if "`" in text else f"`{text}`"
