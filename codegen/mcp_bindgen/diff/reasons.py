"""Sentences for changes: who breaks and why, and advice if there is any."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from mcp_bindgen.diff.finding_kinds import KINDS
from mcp_bindgen.diff.findings import Finding
from mcp_bindgen.diff.rules import HARMLESS, RULES, Weights
from mcp_bindgen.ir.protocol import OTHER_SIDE, Side

_LONGEST = 60
"""Maximum length of a type's text in a sentence."""


class _Texts(NamedTuple):
    """Sentences for an old sender with a new receiver, for a new sender with an old receiver, and for harmless changes.

    ``{s}`` is the sender, ``{r}`` the receiver.
    """

    forward: str
    backward: str
    harmless: str = ""


_NAME = "Messages do not contain names of types"
_CONSTANT = "Messages do not contain names of constants"

_TEXTS: Mapping[str, _Texts] = {
    "field-added-required": _Texts("An old {s} does not send it, but a new {r} requires it", ""),
    "field-added-optional": _Texts("", "", "An old {r} ignores it, and a new {r} accepts its absence"),
    "field-removed-required": _Texts("", "A new {s} no longer sends it, but an old {r} requires it"),
    "field-removed-optional": _Texts("An old {s} may send it, but a new {r} silently ignores it", ""),
    "field-removed-now-open": _Texts(
        "", "A new {s} may omit it or send another value there, which an old {r} does not expect"
    ),
    "field-became-required": _Texts("An old {s} may omit it, but a new {r} requires it", ""),
    "field-became-optional": _Texts("", "A new {s} may omit it, but an old {r} requires it"),
    "type-widened": _Texts("", "A new {s} may send values other than {old}, but an old {r} accepts no others"),
    "type-narrowed": _Texts("An old {s} may send values other than {new}, but a new {r} accepts no others", ""),
    "type-replaced": _Texts(
        "An old {s} sends {old}, which a new {r} does not accept",
        "a new {s} sends {new}, which an old {r} does not accept",
    ),
    "type-equivalent": _Texts("", "", "It is written differently, but accepts the same messages"),
    "union-member-added": _Texts("", "A new {s} may send {member}, which an old {r} does not know"),
    "union-member-removed": _Texts("An old {s} may send {member}, which a new {r} no longer accepts", ""),
    "enum-value-added": _Texts("", "A new {s} may send {member}, which an old {r} does not know"),
    "enum-value-removed": _Texts("An old {s} may send {member}, which a new {r} no longer accepts", ""),
    "open-enum-value-added": _Texts("", "", "Any string was valid before; now {member} has a meaning"),
    "open-enum-value-removed": _Texts("", "", "Any string is still valid; {member} is no longer listed"),
    "openness-changed": _Texts("", "", "Receivers ignore unknown members, with or without an index signature"),
    "constraint-changed": _Texts("", "", "It limits what a {s} should send; a {r} accepts the same values as before"),
    "method-added": _Texts("", "A new {s} may call it, but an old {r} does not know it"),
    "method-removed": _Texts("An old {s} may call it, but a new {r} does not know it", ""),
    "notification-added": _Texts("", "", "An old {r} ignores it, and a new {r} does not wait for it"),
    "notification-removed": _Texts("", "An old {r} may wait for it, but a new {s} never sends it"),
    "notification-requested": _Texts(
        "",
        "An old {r} may wait for it, but a new {s} sends it {new}",
        "A new {s} sends it {new}, and an old {r} accepts it there",
    ),
    "method-embedded": _Texts(
        "An old {s} sends it {old}, where a new {r} does not expect it",
        "a new {s} sends it {new}, where an old {r} does not expect it",
    ),
    "type-removed": _Texts("", "", f"{_NAME}, but code that uses it must change"),
    "type-renamed": _Texts("", "", f"{_NAME}, but code that uses it must call it {{new}}"),
    "type-redefined": _Texts(
        "An old {s} may send values that a new {r} does not accept, because the name now means another type",
        "a new {s} may send values that an old {r} does not accept, because the name now means another type",
        "The name now means another type, but each side accepts the messages of the other",
    ),
    "type-added": _Texts("", "", _NAME),
    "constant-removed": _Texts("", "", f"{_CONSTANT}, but code that uses it must change"),
    "constant-added": _Texts("", "", _CONSTANT),
    "constant-changed": _Texts("", "", f"{_CONSTANT}; its value changed from {{old}} to {{new}}"),
    "deprecated-added": _Texts("", "", "It still works, but a later revision may remove it"),
    "deprecated-removed": _Texts("", "", "It works as before, and its removal is no longer announced"),
    "doc-changed": _Texts("", "", "Only the documentation changed"),
}

_HINTS: Mapping[str, str] = {
    "field-added-required": "Always send it: receivers of the old revision ignore it.",
    "field-became-required": "Always send it: receivers of the old revision accept it too.",
    "field-removed-required": "Keep sending it to {r}s of the old revision.",
    "field-removed-optional": "Do not rely on it until the {r}'s revision is known.",
    "field-became-optional": "Keep sending it to {r}s of the old revision.",
    "type-narrowed": "Send only values that both revisions accept.",
    "type-widened": "Send only values that both revisions accept until the {r}'s revision is known.",
    "type-replaced": "Find out the {r}'s revision before sending it.",
    "union-member-added": "Send it only to {r}s of the new revision.",
    "enum-value-added": "Send it only to {r}s of the new revision.",
    "union-member-removed": "Send another alternative, or find out the {r}'s revision first.",
    "method-added": "Call it only on {r}s of the new revision.",
    "method-removed": "Call it only on {r}s of the old revision, or handle the error.",
    "notification-removed": "Do not wait for it.",
    "notification-requested": "Request it from {s}s of the new revision.",
    "method-embedded": "Find out the {r}'s revision, and send it in the way of that revision.",
}


_RESULT_HINTS: Mapping[str, str] = {
    "union-member-added": "Return it only to {r}s of the new revision.",
    "union-member-removed": "Return another result, or find out the {r}'s revision first.",
}

_RESULTS: Mapping[str, _Texts] = {
    "union-member-added": _Texts("", "A new {s} may return {member}, which an old {r} does not know"),
    "union-member-removed": _Texts("An old {s} may return {member}, which a new {r} no longer accepts", ""),
}
"""The same for results of a method."""


_NOWHERE = "No message exchanged between the two revisions contains it"
ONLY_CODE = f"{_NOWHERE}; only code must change."
"""The reason of changes that concern generated types only."""


def reason(finding: Finding, by_side: Mapping[Side, Weights]) -> str:
    """Return who breaks and why, in one sentence."""
    words = _substitutions(finding, _affected(by_side) or by_side)
    if finding.kind == "direction_changed":
        return _direction(finding)
    rule = RULES[finding.rule]
    if not by_side and (rule.weights != HARMLESS or finding.weights is not None):
        return ONLY_CODE if rule.api == "breaking" else f"{_NOWHERE}."
    if finding.reason is not None:
        return _filled(finding.reason, words)
    tolerance = finding.tolerance
    if tolerance is not None and by_side and not _affected(by_side):
        return _filled(tolerance.reason, words)
    texts = _RESULTS[finding.rule] if finding.kind == "method_result_changed" else _TEXTS[finding.rule]
    forward = any(weights.old_to_new != "compatible" for weights in by_side.values())
    backward = any(weights.new_to_old != "compatible" for weights in by_side.values())
    used = [text for text, applies in ((texts.forward, forward), (texts.backward, backward)) if text and applies]
    text = _filled("; ".join(used) or texts.harmless, words)
    if tolerance is not None and (sender := OTHER_SIDE[tolerance.side]) in by_side:
        tolerated = _filled(tolerance.reason, {**words, "s": sender, "r": tolerance.side})
        text = f"{text}; {tolerated[:1].lower()}{tolerated[1:].removesuffix('.')}"
    return f"{text[:1].upper()}{text[1:]}."


def hint(finding: Finding, by_side: Mapping[Side, Weights]) -> str | None:
    """Return advice; None if nothing breaks or there is none."""
    weights = list(by_side.values())
    if all(each == HARMLESS for each in weights):
        return None
    if finding.hint is not None or finding.weights is not None:
        return finding.hint
    if finding.rule == "enum-value-removed":
        return _other_values(finding)
    text = (_RESULT_HINTS if finding.kind == "method_result_changed" else _HINTS).get(finding.rule)
    return None if text is None else _filled(text, _substitutions(finding, _affected(by_side)))


def _affected(by_side: Mapping[Side, Weights]) -> dict[Side, Weights]:
    """Return the senders whose messages break or may break something."""
    return {side: weights for side, weights in by_side.items() if weights != HARMLESS}


def _other_values(finding: Finding) -> str:
    left = finding.new or ""
    if len(left) <= _LONGEST and left.startswith('"'):
        return f"Send {left.replace(' | ', ' or ')}, or find out the receiver's revision first."
    return "Send another value, or find out the receiver's revision first."


def _direction(finding: Finding) -> str:
    """Return which side no longer sends it and which now does."""
    before, after = set((finding.old or "").split(" and ")), set((finding.new or "").split(" and "))
    parts = [f"a new {side} no longer sends it" for side in sorted(before - after)]
    parts += [
        f"an old {OTHER_SIDE[side]} does not expect it" for side, _ in finding.by_side or () if side in after - before
    ]
    text = ", and ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."


def _substitutions(finding: Finding, by_side: Mapping[Side, Weights]) -> dict[str, str]:
    sides = list(by_side)
    one = sides[0] if len(sides) == 1 else None
    in_words = KINDS[finding.kind].is_in_words
    return {
        "s": one or "peer",
        "r": OTHER_SIDE[one] if one else "peer",
        "old": (finding.old or "") if in_words else _code(finding.old, "those of the old type"),
        "new": (finding.new or "") if in_words else _code(finding.new, "those of the new type"),
        "member": _code(finding.member, "it"),
    }


def _code(text: str | None, otherwise: str) -> str:
    """Return a type in backticks, which reports show as code; a string has quotes of its own."""
    if text is None or len(text) > _LONGEST:
        return otherwise
    return text if "`" in text or _STRING.fullmatch(text) else f"`{text}`"


def _filled(text: str, words: Mapping[str, str]) -> str:
    # Not str.format(): texts of a schema may have braces.
    return _PLACE.sub(lambda match: words[match[1]], text)


_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')

_PLACE = re.compile(r"\{(s|r|old|new|member)\}")
