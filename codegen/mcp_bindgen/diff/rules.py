"""The rules that give changes their verdicts, as a table."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve, frozen

from mcp_bindgen.diff.changes import PAIRINGS, Pairing, Verdict, Verdicts, worst
from mcp_bindgen.ir.protocol import Side


@frozen
class Weights:
    """The effect of a change on messages, whichever side sends them."""

    old_to_new: Verdict
    """An old sender with a new receiver."""
    new_to_old: Verdict
    """A new sender with an old receiver."""


HARMLESS = Weights("compatible", "compatible")


@frozen
class Rule:
    """One row of the table."""

    id: str
    weights: Weights
    api: Verdict
    """The verdict for code written against the generated types of the old revision, once they are generated anew."""
    explanation: str
    """The reason in one line."""


_B: Verdict = "breaking"
_R: Verdict = "risky"
_C: Verdict = "compatible"

_TABLE: tuple[tuple[str, Verdict, Verdict, Verdict, str], ...] = (
    ("field-added-required", _B, _C, _B, "An old sender does not send it, but a new receiver requires it."),
    ("field-added-optional", _C, _C, _C, "Receivers ignore unknown members and accept the absence of optional ones."),
    ("field-removed-required", _C, _B, _B, "A new sender does not send it, but an old receiver requires it."),
    ("field-removed-optional", _R, _C, _B, "A new receiver silently ignores what an old sender sends there."),
    (
        "field-removed-now-open",
        _C,
        _R,
        _B,
        "An index signature still allows it, but a new sender may omit it or send another value there.",
    ),
    ("field-became-required", _B, _C, _B, "An old sender may omit it, but a new receiver requires it."),
    ("field-became-optional", _C, _R, _B, "A new sender may omit it, but an old receiver requires it."),
    ("type-widened", _C, _R, _B, "A new sender may send values that an old receiver does not accept."),
    ("type-narrowed", _B, _C, _B, "An old sender may send values that a new receiver no longer accepts."),
    ("type-replaced", _B, _B, _B, "Neither side accepts the values of the other revision."),
    ("type-equivalent", _C, _C, _C, "It is written differently, but accepts the same messages."),
    ("union-member-added", _C, _R, _R, "A new sender may send an alternative that an old receiver does not know."),
    ("union-member-removed", _B, _C, _B, "An old sender may send an alternative that a new receiver refuses."),
    ("enum-value-added", _C, _R, _R, "A new sender may send a value that an old receiver does not know."),
    ("enum-value-removed", _B, _C, _B, "An old sender may send a value that a new receiver refuses."),
    ("open-enum-value-added", _C, _C, _C, "Any string was valid before; one more has a meaning."),
    ("open-enum-value-removed", _C, _C, _C, "Any string is still valid; one of them is no longer listed."),
    ("openness-changed", _C, _C, _C, "Receivers ignore unknown members, with or without an index signature."),
    ("constraint-changed", _C, _C, _C, "Constraints limit what senders should send; receivers need not enforce them."),
    ("method-added", _C, _R, _C, "A new sender may call it, but an old receiver does not know it."),
    ("method-removed", _B, _C, _B, "An old sender may call it, but a new receiver does not know it."),
    ("notification-added", _C, _C, _C, "An old receiver ignores it, and a new one does not wait for it."),
    ("notification-removed", _C, _R, _B, "An old receiver may wait for it in vain; an old sender expects no response."),
    (
        "notification-requested",
        _C,
        _R,
        _C,
        "An old receiver may wait for it in vain; a new sender sends it only to receivers that request it.",
    ),
    (
        "direction-changed",
        _C,
        _C,
        _R,
        "Judged as removed for the side that no longer sends it, and as added for the side that now sends it.",
    ),
    (
        "method-embedded",
        _B,
        _R,
        _B,
        "The message is now sent inside another one instead of as a separate request, or the reverse.",
    ),
    ("type-removed", _C, _C, _B, "Messages do not contain names of types."),
    ("type-renamed", _C, _C, _B, "Messages do not contain names of types."),
    ("type-redefined", _C, _C, _B, "The name now means another type; judged by the messages that contain it."),
    ("type-added", _C, _C, _C, "Messages do not contain names of types."),
    ("constant-removed", _C, _C, _B, "Messages do not contain names of constants."),
    ("constant-added", _C, _C, _C, "Messages do not contain names of constants."),
    ("constant-changed", _C, _C, _C, "If a type contains the value, the change of that type shows the effect."),
    ("deprecated-added", _C, _C, _C, "It still works, but a later revision may remove it."),
    ("deprecated-removed", _C, _C, _C, "It works as before."),
    ("doc-changed", _C, _C, _C, "Only the documentation changed."),
)

RULES: Mapping[str, Rule] = {
    name: Rule(name, Weights(old_to_new, new_to_old), api, explanation)
    for name, old_to_new, new_to_old, api, explanation in _TABLE
}
"""By id, in the order of the contract."""

ANNOTATION_RULES = frozenset({"constraint-changed", "deprecated-added", "deprecated-removed", "doc-changed"})
"""Rules about texts that accompany messages without changing them."""


def in_pairing(by_side: Mapping[Side, Weights], pairing: Pairing) -> dict[Side, Weights]:
    """Return the effects in one pairing, in which the old peer sends to the new one and receives from it."""
    old = "client" if pairing == "old_client_new_server" else "server"
    found: dict[Side, Weights] = {}
    for side, weights in by_side.items():
        left = evolve(weights, new_to_old="compatible") if side == old else evolve(weights, old_to_new="compatible")
        if left != HARMLESS:
            found[side] = left
    return found


def verdicts_of(by_side: Mapping[Side, Weights], api: Verdict) -> Verdicts:
    """Return the verdicts for the effects on the messages of each side that sends them."""
    return Verdicts(_worst(in_pairing(by_side, PAIRINGS[0])), _worst(in_pairing(by_side, PAIRINGS[1])), api)


def _worst(by_side: Mapping[Side, Weights]) -> Verdict:
    found: list[Verdict] = [verdict for each in by_side.values() for verdict in (each.old_to_new, each.new_to_old)]
    return worst(*found)
