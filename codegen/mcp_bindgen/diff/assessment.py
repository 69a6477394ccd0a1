"""A difference assessed: seen from one side, against a threshold, without the approved changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from attrs import field, frozen

from mcp_bindgen.diff.changes import VERDICTS, Change, Difference, Pairing, Verdict, Witness, worst

Perspective: TypeAlias = Literal["client", "server", "both"]
"""The side that has the old revision."""

Threshold: TypeAlias = Literal["breaking", "risky", "any", "none"]

PAIRING_WORDS: Mapping[Pairing, str] = {
    "old_client_new_server": "old client, new server",
    "new_client_old_server": "new client, old server",
}
"""The pairings in words."""

PAIRINGS_OF: Mapping[Perspective, tuple[Pairing, ...]] = {
    "client": ("old_client_new_server",),
    "server": ("new_client_old_server",),
    "both": ("old_client_new_server", "new_client_old_server"),
}
"""The pairings of each perspective."""

_LEAST: Mapping[Threshold, Verdict] = {"breaking": "breaking", "risky": "risky", "any": "compatible"}


def at_least(level: Verdict, least: Verdict) -> bool:
    """Return whether a level is as bad as another one, or worse."""
    return VERDICTS.index(level) >= VERDICTS.index(least)


def level_from(change: Change, perspective: Perspective) -> Verdict:
    """Return the worst verdict of a change in the pairings of a perspective."""
    found: list[Verdict] = [verdict(change, pairing) for pairing in PAIRINGS_OF[perspective]]
    return worst(*found)


def verdict(change: Change, pairing: Pairing) -> Verdict:
    """Return the verdict of a change in one pairing."""
    both = change.verdicts
    return both.old_client_new_server if pairing == "old_client_new_server" else both.new_client_old_server


def reason_in(change: Change, pairings: Sequence[Pairing]) -> str:
    """Return who breaks in some pairings, and why."""
    if len(pairings) != 1:
        return change.reason
    both = change.reasons
    only = both.old_client_new_server if pairings[0] == "old_client_new_server" else both.new_client_old_server
    return only or change.reason


@frozen(kw_only=True)
class Assessment:
    """A difference with the options by which it is assessed."""

    difference: Difference
    perspective: Perspective = "both"
    fail_on: Threshold = "breaking"
    approved: Mapping[str, str] = field(factory=dict[str, str])
    """The reasons of approved changes, by id."""
    shown: str | None = None
    """A sentence about the changes that are listed; None if all are."""

    @property
    def pairings(self) -> tuple[Pairing, ...]:
        """The pairings of the perspective."""
        return PAIRINGS_OF[self.perspective]

    def level(self, change: Change) -> Verdict:
        """Return the worst verdict of a change in these pairings."""
        return level_from(change, self.perspective)

    def reason(self, change: Change) -> str:
        """Return who breaks in these pairings, and why."""
        return reason_in(change, self.pairings)

    def witness(self, change: Change) -> Witness | None:
        """Return the witness of a change, if it is about one of these pairings."""
        found = change.witness
        return found if found is not None and found.pairing in self.pairings else None

    def fails(self, change: Change) -> bool:
        """Return whether a change is at or above the threshold and not approved."""
        if self.fail_on == "none" or change.id in self.approved:
            return False
        return at_least(self.level(change), _LEAST[self.fail_on])

    @property
    def failing(self) -> tuple[Change, ...]:
        """The changes because of which the comparison fails."""
        return tuple(change for change in self.difference.changes if self.fails(change))

    def numbers(self, pairing: Pairing | None = None) -> dict[Verdict, int]:
        """Return the number of changes at each level, the worst first: in one pairing, or in those of the perspective."""
        changes = self.difference.changes
        levels = [self.level(change) if pairing is None else verdict(change, pairing) for change in changes]
        return {level: levels.count(level) for level in reversed(VERDICTS)}
