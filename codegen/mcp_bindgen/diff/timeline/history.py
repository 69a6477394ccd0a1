"""The history of a type, field, method or constant, revision by revision."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal, TypeAlias

from attrs import evolve, frozen

from mcp_bindgen.describe.lookup import Lookup
from mcp_bindgen.describe.nearest import enumerated, nearest_names
from mcp_bindgen.describe.revision_span import Span
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
"""``first``: the oldest revision has it; ``renamed``: only its name changed; ``went``: removed in this revision;
``absent``: not yet added, or removed before."""


_ROOT = re.compile(r"[^.\[:]+")


@frozen(kw_only=True)
class HistoryEntry:
    """The state of a subject in one revision, and the changes since the revision before."""

    revision: Revision
    state: State
    name: str | None
    """The subject in this revision; None if it does not exist."""
    text: str | None
    """TypeScript text; for a method its senders and results. None if the subject does not exist."""
    deprecated: str | None
    """The text of the deprecation, possibly empty; None if it is not deprecated."""
    renamed_from: str | None
    """The name in the revision before, if it was another one."""
    changes: tuple[Change, ...]
    """The changes since the revision before that concern the subject."""
    further: int
    """For a method: the number of further changes, in the types that its messages contain."""

    @property
    def is_still_allowed(self) -> bool:
        """The subject is a field that the revision no longer declares, but allows with any value."""
        return self.state == "went" and any(each.rule == "field-removed-now-open" for each in self.changes)


@frozen
class History:
    """One subject through several revisions."""

    subject: str
    """The name in the newest revision that has the subject."""
    kind: TargetKind
    entries: tuple[HistoryEntry, ...]
    """One for each revision, the oldest first."""

    @property
    def span(self) -> Span:
        """The revisions that have the subject."""
        revisions = tuple(each.revision.revision for each in self.entries)
        return Span(self.having, revisions, is_still_allowed=any(each.is_still_allowed for each in self.entries))

    def span_from(self, revision: str) -> Span:
        """Return the same with the names that the subject has in other revisions than this one."""
        here = next(place for place, each in enumerate(self.entries) if each.revision.revision == revision)
        names: dict[str, list[int]] = {}
        for place, each in enumerate(self.entries):
            if each.name is not None and each.name != self.entries[here].name:
                names.setdefault(each.name, []).append(place)
        dates = [each.revision.revision for each in self.entries]
        words = (
            (name, f"until {dates[places[-1]]}" if places[-1] < here else f"since {dates[places[0]]}")
            for name, places in names.items()
        )
        return evolve(self.span, names=tuple(words))

    @property
    def having(self) -> tuple[str, ...]:
        """The revisions that have the subject."""
        return tuple(each.revision.revision for each in self.entries if each.name is not None)


def history(protocols: Sequence[Protocol], subject: str) -> History:
    """Return the history of a subject in some revisions, the oldest first.

    ``subject`` is a type, a field as a path of wire names, a method, a constant or a Python name of one of these; an
    alternative may follow after a colon: ``CallToolResult.content:AudioContent``. If revisions use a name for different
    things, the newest one decides. Renames are followed if the comparison of two revisions proves them. Raise BindgenError
    if no revision has the subject.
    """
    return Timeline(protocols).history(subject)


class Timeline:
    """Revisions, the oldest first, with the changes from each to the next; makes many histories."""

    def __init__(self, protocols: Sequence[Protocol]) -> None:
        self._protocols = tuple(protocols)
        self._lookups = [Lookup(protocol) for protocol in protocols]
        self._steps = [RevisionStep(old, new) for old, new in pairwise(protocols)]

    def history(self, subject: str, *, revision: str | None = None) -> History:
        """Return the history of a subject, as the function ``history`` does.

        ``revision``: the one that decides what the subject means; by default the newest that has it.
        """
        anchor, target = self._anchor(subject, revision)
        targets = self._followed(subject, anchor, target)
        return History(target.subject, target.kind, tuple(_entries(self._protocols, self._steps, targets)))

    def _anchor(self, subject: str, revision: str | None) -> tuple[int, Target]:
        """Return the newest revision that has a subject, or the given one, and its target there."""
        found = [
            (place, target)
            for place, lookup in reversed(list(enumerate(self._lookups)))
            if revision in {None, lookup.protocol.revision} and (target := target_of(subject, lookup)) is not None
        ]
        # A wire name takes precedence over a Python name.
        named = [each for each in found if each[1].kind != "field" and each[1].subject == subject]
        if found:
            return (named or found)[0]
        for lookup in reversed(self._lookups):
            known = alternatives_of(subject, lookup)
            if known is not None:
                raise _no_alternative(subject, *known)
        raise unknown_among(subject, self._lookups)

    def _followed(self, subject: str, anchor: int, target: Target) -> list[Target | None]:
        """Return the target in each revision: by its matches, and by its last name if it reappears."""
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
            # The field may go on under another owner, but not under the one that was asked for.
            return None
        return step.forward(target)

    def _under_same_name(self, place: int, known: Target) -> Target | None:
        return known if exists(self._protocols[place], known) else None


def _no_alternative(subject: str, whole: str, known: Sequence[str]) -> BindgenError:
    word = subject.rpartition(":")[2]
    near = nearest_names(word, known)
    hint = f"did you mean {enumerated(near)}?" if near else f"use one of {', '.join(known)}"
    return BindgenError(f"{whole} has no alternative {word!r}; {hint}")


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
