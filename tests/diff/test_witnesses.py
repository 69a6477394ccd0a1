"""The witnesses of the bundled revisions behave as claimed, by the model and by the emitted decoders."""

from __future__ import annotations

import itertools
import json
import re
from functools import cache
from typing import Any

import pytest
from attrs import frozen
from checkout import REVISIONS
from mcp_bindgen import catalog, diff
from mcp_bindgen.diff.changes import PAIRINGS, Pairing
from mcp_bindgen.diff.witnesses import WitnessSearch
from mcp_bindgen.diff.witnesses.routes import Direction
from mcp_bindings_runtime.errors import DecodeError
from support.packages import package
from support.revisions import HANDSHAKE, STATELESS

PAIRS = [*itertools.pairwise(REVISIONS), (REVISIONS[0], REVISIONS[-1])]


@frozen
class Shown:
    """A verdict that is not ``compatible``, and its witness."""

    old: str
    new: str
    change: diff.Change
    pairing: Pairing
    witness: diff.Witness | None

    def __str__(self) -> str:
        return f"{self.old} {self.new} {self.change.id} {self.pairing}"

    @property
    def sending(self) -> str:
        """The revision of the sender."""
        assert self.witness is not None
        return self.old if (self.pairing == "old_client_new_server") == (self.witness.sender == "client") else self.new

    @property
    def receiving(self) -> str:
        """The revision of the receiver."""
        return self.new if self.sending == self.old else self.old


@cache
def verdicts() -> list[Shown]:
    found: list[Shown] = []
    for old, new in PAIRS:
        before, after = catalog.load(old), catalog.load(new)
        witnesses = WitnessSearch(before, after)
        for change in diff.compare(before, after).changes:
            shown = witnesses.of(change)
            found += [
                Shown(old, new, change, pairing, shown.get(pairing))
                for pairing in PAIRINGS
                if getattr(change.verdicts, pairing) != "compatible"
            ]
    return found


def test_there_are_as_many_as_there_are():
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for each in verdicts():
        outcome = each.witness.outcome if each.witness else "none"
        of_pair = counts.setdefault((each.old, each.new), {})
        of_pair[outcome] = of_pair.get(outcome, 0) + 1
    known = {pair: found for pair, found in COUNTS.items() if pair in PAIRS}
    assert {pair: counts[pair] for pair in known} == known


COUNTS: dict[tuple[str, str], dict[str, int]] = {
    ("2024-11-05", "2025-03-26"): {"refused": 8},
    ("2025-03-26", "2025-06-18"): {"refused": 6, "unanswered": 1},
    ("2025-06-18", "2025-11-25"): {"refused": 13, "unanswered": 8, "ignored": 1, "none": 1},
    ("2025-11-25", "2026-07-28"): {"refused": 18, "unanswered": 19, "ignored": 2, "none": 12},
    ("2024-11-05", "2026-07-28"): {"refused": 18, "unanswered": 10, "none": 10},
}
"""Verdicts of pairs by the outcome of their witness; of pairs with a later revision nobody counted them."""

WAITS = "it never comes"
NO_MESSAGE = {
    "* notification_removed:*": WAITS,
    "* method_embedded:notifications/* old_client_new_server": WAITS,
    "* direction_changed:notifications/progress new_client_old_server": WAITS,
    "* method_removed:initialize new_client_old_server": WAITS,
    "* field_became_optional:JSONRPCErrorResponse.id *": "the decoders tolerate more than the text asks",
}
"""Verdicts that no message shows, each with its reason; ``*`` stands for anything."""


def fits(pattern: str, text: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text) is not None


def test_every_verdict_has_a_witness_or_a_reason():
    missing = [str(each) for each in verdicts() if each.witness is None]
    assert [each for each in missing if not any(fits(pattern, each) for pattern in NO_MESSAGE)] == []


@pytest.mark.parametrize("pattern", NO_MESSAGE)
def test_every_reason_is_needed(pattern: str):
    assert [str(each) for each in verdicts() if each.witness is None and fits(pattern, str(each))]


def is_met(change: diff.Change, old: str, new: str) -> bool:
    """Whether a message has the subject where its receiver looks for it, as the ways of the witnesses have it."""
    before, after = catalog.load(old), catalog.load(new)
    owners = {change.subject, change.subject.rpartition(".")[0], *change.inherited_by}
    return any(
        owners & direction.routes.keys() or any(start.answers == change.subject for start in direction.starts)
        for side in change.sent_by
        for direction in (Direction(side, before, after), Direction(side, after, before))
    )


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_what_is_elsewhere_is_not_met(old: str, new: str):
    changes = diff.compare(catalog.load(old), catalog.load(new)).changes
    nowhere = [
        change for change in changes if change.reason.startswith("No message exchanged between the two revisions")
    ]
    # Both revisions send it, but in other places.
    elsewhere = [change for change in nowhere if change.sent_by]
    assert bool(elsewhere) == (old in HANDSHAKE and new in STATELESS), "no other step puts types in other places"
    assert [change.id for change in elsewhere if is_met(change, old, new)] == []
    assert {change.level for change in elsewhere} <= {"compatible"}


def decoded(revision: str, witness: diff.Witness) -> tuple[Any, DecodeError | None]:
    """What the emitted decoder of a revision makes of a message, or why it refuses it."""
    mcp = package(revision)
    results = {} if witness.answers is None else mcp.results({1: witness.answers})
    try:
        return mcp.module.decode(json.dumps(witness.message), sender=witness.sender, results=results), None
    except DecodeError as refusal:
        return None, refusal


def test_the_emitted_decoders_agree():
    wrong: list[str] = []
    for each in verdicts():
        witness = each.witness
        if witness is None:
            continue
        _, refusal = decoded(each.sending, witness)
        if refusal is not None:
            wrong.append(f"{each}: its sender refuses {witness.message}: {refusal}")
        typed, refusal = decoded(each.receiving, witness)
        if (refusal is not None) != (witness.outcome == "refused"):
            wrong.append(f"{each}: {witness.outcome}, but {refusal or typed}: {witness.message}")
        elif refusal is not None and refusal.keys != witness.place:
            wrong.append(f"{each}: refused at {refusal.keys}, not at {witness.place}: {witness.message}")
        elif witness.outcome == "unanswered" and type(typed).__name__ != "JSONRPCRequest":
            wrong.append(f"{each}: it is a {type(typed).__name__}: {witness.message}")
    assert wrong == []


def test_what_is_ignored_is_declared_by_nobody_who_reads_it():
    for each in verdicts():
        witness = each.witness
        if witness is not None and witness.outcome == "ignored":
            typed, _ = decoded(each.receiving, witness)
            mcp = package(each.receiving)
            if witness.answers is not None:
                typed = typed.result
            *above, key = witness.place[1:] if witness.answers is not None else witness.place
            holder = mcp.part(typed, tuple(above))
            assert mcp.attribute(mcp.path_of(holder), str(key)) is None, str(each)
            assert key in holder.extra
