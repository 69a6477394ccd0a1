"""What a difference comes to for whoever asked: seen from one side, against a threshold, without what is approved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from attrs import field, frozen

from mcp_bindgen.diff.changes import VERDICTS, Change, Difference, Pairing, Verdict, Witness, worst

Perspective: TypeAlias = Literal["client", "server", "both"]
"""Which side is the old one."""

Threshold: TypeAlias = Literal["breaking", "risky", "any", "none"]

PAIRING_WORDS: Mapping[Pairing, str] = {
    "old_client_new_server": "old client, new server",
    "new_client_old_server": "new client, old server",
}
"""The pairings, and what to call them."""

_SEEN: Mapping[Perspective, tuple[Pairing, ...]] = {
    "client": ("old_client_new_server",),
    "server": ("new_client_old_server",),
    "both": ("old_client_new_server", "new_client_old_server"),
}

_LEAST: Mapping[Threshold, Verdict] = {"breaking": "breaking", "risky": "risky", "any": "compatible"}


def at_least(level: Verdict, least: Verdict) -> bool:
    """Whether a level is as bad as another one, or worse."""
    return VERDICTS.index(level) >= VERDICTS.index(least)


def level_from(change: Change, perspective: Perspective) -> Verdict:
    """The worst that a change does in the pairings in which that side is the old one."""
    found: list[Verdict] = [verdict(change, pairing) for pairing in _SEEN[perspective]]
    return worst(*found)


def verdict(change: Change, pairing: Pairing) -> Verdict:
    """What a change does in one pairing."""
    both = change.verdicts
    return both.old_client_new_server if pairing == "old_client_new_server" else both.new_client_old_server


def reason_in(change: Change, pairings: Sequence[Pairing]) -> str:
    """Who breaks in some pairings, and why."""
    if len(pairings) != 1:
        return change.reason
    both = change.reasons
    only = both.old_client_new_server if pairings[0] == "old_client_new_server" else both.new_client_old_server
    return only or change.reason


@frozen(kw_only=True)
class Assessment:
    """A difference, and how to look at it."""

    difference: Difference
    perspective: Perspective = "both"
    fail_on: Threshold = "breaking"
    approved: Mapping[str, str] = field(factory=dict[str, str])
    """The reasons why changes are fine, by id."""

    @property
    def pairings(self) -> tuple[Pairing, ...]:
        """The pairings that are looked at."""
        return _SEEN[self.perspective]

    def level(self, change: Change) -> Verdict:
        """How bad a change is in these pairings."""
        return level_from(change, self.perspective)

    def reason(self, change: Change) -> str:
        """Who breaks in these pairings, and why."""
        return reason_in(change, self.pairings)

    def witness(self, change: Change) -> Witness | None:
        """The message that shows what a change means, if it is one of these pairings in which it does."""
        found = change.witness
        return found if found is not None and found.pairing in self.pairings else None

    def fails(self, change: Change) -> bool:
        """Whether a change is at or above the threshold, and nobody approved it."""
        if self.fail_on == "none" or change.id in self.approved:
            return False
        return at_least(self.level(change), _LEAST[self.fail_on])

    @property
    def failing(self) -> tuple[Change, ...]:
        """The changes because of which the comparison fails."""
        return tuple(change for change in self.difference.changes if self.fails(change))

    def numbers(self, pairing: Pairing | None = None) -> dict[Verdict, int]:
        """How many changes there are of each level, the worst first: in one pairing, or in all that are looked at."""
        changes = self.difference.changes
        levels = [self.level(change) if pairing is None else verdict(change, pairing) for change in changes]
        return {level: levels.count(level) for level in reversed(VERDICTS)}
