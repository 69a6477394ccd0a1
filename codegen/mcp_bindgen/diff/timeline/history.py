"""Tells what became of one thing, revision by revision."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal, TypeAlias

from attrs import frozen

from mcp_bindgen.describe.lookup import Lookup
from mcp_bindgen.describe.nearest import nearest_names
from mcp_bindgen.describe.suggest import unknown_among
from mcp_bindgen.diff.changes import Change, Revision
from mcp_bindgen.diff.timeline.revision_step import RevisionStep
from mcp_bindgen.diff.timeline.targets import (
    Target,
    TargetKind,
    about,
    alternatives_of,
    exists,
    is_gone,
    target_of,
    text_of,
)
from mcp_bindgen.errors import BindgenError
from mcp_bindgen.ir.protocol import Protocol

State: TypeAlias = Literal["absent", "first", "appeared", "returned", "unchanged", "changed", "renamed", "went"]
"""``first``: the oldest revision has it already; ``renamed``: nothing but its name changed; ``went``: it is gone from
here on; ``absent``: not there yet, or gone before."""


_ROOT = re.compile(r"[^.\[:]+")


@frozen(kw_only=True)
class HistoryEntry:
    """What one revision did to a subject."""

    revision: Revision
    state: State
    name: str | None
    """The subject in this revision; None where it does not exist."""
    text: str | None
    """What it is there, in TypeScript; for a method who sends it and what answers it. None where it does not exist."""
    deprecated: str | None
    """The text of the deprecation, possibly empty; None: not deprecated."""
    renamed_from: str | None
    """What it was called in the revision before, where that was something else."""
    changes: tuple[Change, ...]
    """The changes since the revision before that concern it."""
    further: int
    """For a method: how many more there are, in the types that its messages contain."""


@frozen
class History:
    """One thing through some revisions."""

    subject: str
    """By the name that the newest revision gives it that knows what was asked for."""
    kind: TargetKind
    entries: tuple[HistoryEntry, ...]
    """One for each revision, the oldest first."""

    @property
    def having(self) -> tuple[str, ...]:
        """The revisions that have it."""
        return tuple(each.revision.revision for each in self.entries if each.name is not None)


def history(protocols: Sequence[Protocol], subject: str) -> History:
    """What became of a subject in some revisions, the oldest first.

    ``subject`` is a type, a field on a path of wire names, a method, a constant or a Python name of one of these; after
    a colon one of the alternatives may follow: ``CallToolResult.content:AudioContent``. Names that changed are followed
    where the comparison of two revisions proves it. Raises BindgenError where no revision knows the subject.
    """
    return Timeline(protocols).history(subject)


class Timeline:
    """Some revisions, the oldest first, and what changes from each to the next; for many histories."""

    def __init__(self, protocols: Sequence[Protocol]) -> None:
        self._protocols = tuple(protocols)
        self._lookups = [Lookup(protocol) for protocol in protocols]
        self._steps = [RevisionStep(old, new) for old, new in pairwise(protocols)]

    def history(self, subject: str) -> History:
        """The same as the function of this name."""
        anchor, target = self._anchor(subject)
        targets = self._followed(subject, anchor, target)
        return History(target.subject, target.kind, tuple(_entries(self._protocols, self._steps, targets)))

    def _anchor(self, subject: str) -> tuple[int, Target]:
        """The newest revision that knows a subject, and what it is there."""
        found = [
            (place, target)
            for place, lookup in reversed(list(enumerate(self._lookups)))
            if (target := target_of(subject, lookup)) is not None
        ]
        # The name of something comes before what some revision calls so in Python.
        named = [each for each in found if each[1].kind != "field" and each[1].subject == subject]
        if found:
            return (named or found)[0]
        for lookup in reversed(self._lookups):
            known = alternatives_of(subject, lookup)
            if known is not None:
                raise _no_alternative(subject, *known)
        raise unknown_among(subject, self._lookups)

    def _followed(self, subject: str, anchor: int, target: Target) -> list[Target | None]:
        """What the target is in each revision: by its matches, and by its last name where it comes back."""
        found: dict[int, Target | None] = {anchor: target}
        here: Target | None = target
        known = target
        for place in range(anchor + 1, len(self._protocols)):
            here = self._under_same_name(place, known) if here is None else self._forward(place, subject, here)
            known = here or known
            found[place] = here
        here = known = target
        for place in range(anchor - 1, -1, -1):
            here = self._under_same_name(place, known) if here is None else self._steps[place].back(here)
            known = here or known
            found[place] = here
        return [found[place] for place in range(len(self._protocols))]

    def _forward(self, place: int, subject: str, target: Target) -> Target | None:
        step = self._steps[place - 1]
        root = _ROOT.match(subject)
        if not (root and step.renames(root[0])) and is_gone(subject, self._lookups[place]):
            # The same field may live on elsewhere; who asks by this way is reported that it goes no further.
            return None
        return step.forward(target)

    def _under_same_name(self, place: int, known: Target) -> Target | None:
        return known if exists(self._protocols[place], known) else None


def _no_alternative(subject: str, whole: str, known: Sequence[str]) -> BindgenError:
    word = subject.rpartition(":")[2]
    near = nearest_names(word, known)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}"
    return BindgenError(f"no alternative {word!r} of {whole}; {hint}")


def _entries(
    protocols: Sequence[Protocol], steps: Sequence[RevisionStep], targets: Sequence[Target | None]
) -> Iterator[HistoryEntry]:
    for place, (protocol, target) in enumerate(zip(protocols, targets, strict=True)):
        before = targets[place - 1] if place else None
        changes: tuple[Change, ...] = ()
        further = 0
        if place and (before or target):
            changes = steps[place - 1].changes(before, target)
        if before and target:
            further = _further(steps[place - 1], target, changes)
        renamed = before is not None and target is not None and before.subject != target.subject
        yield HistoryEntry(
            revision=Revision(protocol.revision, protocol.source),
            state=_state(place, targets, changes, renamed=renamed),
            name=target.subject if target else None,
            text=text_of(protocol, target) if target else None,
            deprecated=about(protocol, target).deprecated if target else None,
            renamed_from=before.subject if before and renamed else None,
            changes=changes,
            further=further,
        )


def _state(place: int, targets: Sequence[Target | None], changes: Sequence[Change], *, renamed: bool) -> State:
    if targets[place] is None:
        return "went" if place and targets[place - 1] is not None else "absent"
    if not place:
        return "first"
    if targets[place - 1] is None:
        return "returned" if any(targets[:place]) else "appeared"
    return "changed" if changes else "renamed" if renamed else "unchanged"


def _further(step: RevisionStep, target: Target, changes: Sequence[Change]) -> int:
    if target.kind != "method" or target.member is not None:
        return 0
    reported = {change.id for change in changes}
    return sum(change.id not in reported for change in step.in_messages(target.name))
