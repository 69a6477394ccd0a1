"""Search for the witness of a change: tries candidate messages and keeps the smallest that shows it."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Sequence
from functools import cached_property

from attrs import evolve
from mcp_bindings_runtime.codec.type_tables import Path

from mcp_bindgen.diff.assessment import PAIRINGS_OF, Perspective
from mcp_bindgen.diff.changes import PAIRINGS, Change, Difference, Outcome, Pairing, Verdict, Witness, worst
from mcp_bindgen.diff.witnesses.candidates import Candidate, Candidates
from mcp_bindgen.diff.witnesses.message_checker import Json, Observation
from mcp_bindgen.diff.witnesses.routes import Direction
from mcp_bindgen.diff.witnesses.value_generator import NoValueError
from mcp_bindgen.ir.protocol import Protocol, Side

MAX_REPAIRS = 100
"""Maximum number of members added to a message so that its receiver has no other reason to refuse it."""


def with_witnesses(
    difference: Difference, old: Protocol, new: Protocol, perspective: Perspective = "both"
) -> Difference:
    """Return the difference with a witness for each change that is not harmless, if a message shows it.

    ``perspective`` selects the pairings that the witnesses are about.
    """
    found = WitnessSearch(old, new, PAIRINGS_OF[perspective])
    return evolve(difference, changes=tuple(evolve(each, witness=found.worst(each)) for each in difference.changes))


class WitnessSearch:
    """Searches witnesses of the changes between two revisions, in some pairings."""

    def __init__(self, old: Protocol, new: Protocol, pairings: Sequence[Pairing] = PAIRINGS) -> None:
        self._old, self._new = old, new
        self._pairings = pairings
        self._candidates = Candidates(old, new)
        self._directions: dict[tuple[Side, bool], Direction] = {}

    def worst(self, change: Change) -> Witness | None:
        """Return the witness of the worse of the two verdicts, or of the other one if that has none."""
        found = self.of(change)
        verdicts: dict[Pairing, Verdict] = {each: _verdict(change, each) for each in found}
        return next((found[each] for each in found if verdicts[each] == worst(*verdicts.values())), None)

    def of(self, change: Change) -> dict[Pairing, Witness]:
        """Return a witness for each verdict that is not ``compatible``, if a message shows it."""
        found: dict[Pairing, Witness] = {}
        for pairing in self._pairings:
            if _verdict(change, pairing) != "compatible":
                shown = [each for one in self._pairing(pairing, change) for each in self._shown(change, one, pairing)]
                if shown:
                    found[pairing] = min(shown, key=_size)
        return found

    def _pairing(self, pairing: Pairing, change: Change) -> Iterator[Direction]:
        """Yield the directions of a pairing: each side sends by its own revision."""
        old_side: Side = "client" if pairing == "old_client_new_server" else "server"
        new_side: Side = "server" if old_side == "client" else "client"
        for side, is_old in ((old_side, True), (new_side, False)):
            if side in change.sent_by:
                yield self._direction(side, is_old=is_old)

    def _direction(self, side: Side, *, is_old: bool) -> Direction:
        if (side, is_old) not in self._directions:
            pair = (self._old, self._new) if is_old else (self._new, self._old)
            self._directions[side, is_old] = Direction(side, *pair)
        return self._directions[side, is_old]

    def _shown(self, change: Change, direction: Direction, pairing: Pairing) -> Iterator[Witness]:
        for message in self._candidates.unanswered(change, direction):
            yield Witness(pairing, direction.side, message, "unanswered", place=("method",))
        for candidate in self._candidates.of(change, direction):
            trial = _Trial(direction, candidate)
            shown = trial.outcome
            if shown is not None:
                outcome, place = shown
                message, answers = trial.message, candidate.route.start.answers
                yield Witness(pairing, direction.side, message, outcome, answers=answers, place=place)


class _Trial:
    """A test of one candidate."""

    def __init__(self, direction: Direction, candidate: Candidate) -> None:
        self._direction = direction
        self._candidate = candidate
        self._start = candidate.route.start
        self._place = candidate.place

    @property
    def message(self) -> Json:
        """The whole message."""
        return self._start.message(self._value)

    @cached_property
    def outcome(self) -> tuple[Outcome, Path] | None:
        """The receiver's reaction and the place that shows it; None if it is not what the candidate expects."""
        try:
            value = self._value
        except NoValueError:
            return None
        if not self._direction.sender.accepts(self._start.sent, value):
            return None
        observations = list(self._direction.receiver.observations(self._start.read, value))
        violations = [each for each in observations if each.what != "ignored"]
        below = self._start.below
        if violations:
            is_shown_there = all(map(self._is_at_place, violations)) and "refused" in self._candidate.outcomes
            return ("refused", (*below, *violations[0].path)) if is_shown_there else None
        ignored = [each for each in observations if each.what == "ignored" and self._is_at_place(each)]
        if not ignored or "ignored" not in self._candidate.outcomes:
            return None
        return "ignored", (*below, *ignored[0].path)

    def _is_at_place(self, observation: Observation) -> bool:
        return observation.path[: len(self._place)] == self._place

    @cached_property
    def _value(self) -> Json:
        """The value at the start of the message, with all members that its receiver requires elsewhere."""
        direction = self._direction
        value = copy.deepcopy(self._candidate.route.filled(direction.generator, self._candidate.value))
        for _ in range(MAX_REPAIRS):
            violations = direction.receiver.violations(self._start.read, value)
            missing = next(
                (each for each in violations if each.field is not None and not self._is_at_place(each)), None
            )
            if missing is None or missing.field is None:
                break
            _insert(value, missing.path, direction.receiving_generator.member(missing.field))
        return value


def _insert(value: Json, path: Path, part: Json) -> None:
    *above, key = path
    for each in above:
        value = value[each]
    value[key] = copy.deepcopy(part)


def _verdict(change: Change, pairing: Pairing) -> Verdict:
    verdicts = change.verdicts
    return verdicts.old_client_new_server if pairing == "old_client_new_server" else verdicts.new_client_old_server


def _size(witness: Witness) -> tuple[bool, int, str]:
    text = json.dumps(witness.message)
    return witness.outcome == "ignored", len(text), text
