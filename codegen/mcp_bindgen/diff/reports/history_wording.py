"""Wording that the reports of a history share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from mcp_bindgen.diff.assessment import Assessment
from mcp_bindgen.diff.changes import VERDICTS, Change, Difference
from mcp_bindgen.diff.reports.wording import counted, detail, kind_words
from mcp_bindgen.diff.timeline.history import History, HistoryEntry, State

_STATES: Mapping[State, str] = {
    "absent": "absent",
    "first": "present",
    "appeared": "added",
    "returned": "added again",
    "unchanged": "unchanged",
    "changed": "changed",
    "renamed": "renamed",
    "went": "removed",
}

SHOWN: frozenset[State] = frozenset({"first", "appeared", "returned"})
"""States in which the text of the subject is new."""

QUIET: frozenset[State] = frozenset({"absent", "unchanged"})
"""States in which nothing happened."""


class AssessedEntry(NamedTuple):
    """An entry of a history, with the assessment of its changes."""

    entry: HistoryEntry
    assessment: Assessment
    """The assessment of the changes since the revision before."""
    before: str | None
    """The revision before; None for the oldest."""
    names: frozenset[str | None]
    """The names of the subject in this revision and in the one before."""


def assessed_entries(history: History) -> Iterator[AssessedEntry]:
    """Yield the entries with their assessments."""
    first = history.entries[0]
    yield AssessedEntry(first, Assessment(difference=Difference(first.revision, first.revision, ())), None, frozenset())
    for old, new in pairwise(history.entries):
        assessment = Assessment(difference=Difference(old.revision, new.revision, new.changes))
        yield AssessedEntry(new, assessment, old.revision.revision, frozenset({old.name, new.name}))


def title(history: History) -> str:
    """Return the span and the changes: ``2025-06-18 and later; changed in 2025-11-25``."""
    changed = [each.revision.revision for each in history.entries if each.state in {"changed", "renamed"}]
    words = history.span.words
    return f"{words}; changed in {', '.join(changed)}" if changed else words


def state_words(entry: HistoryEntry, history: History) -> str:
    """Return the state: ``added``, ``renamed: A is now B``, ``unchanged (deprecated)``."""
    words = "no longer declared" if entry.is_still_allowed else _STATES[entry.state]
    if entry.renamed_from is not None:
        words += f": {entry.renamed_from} is now {entry.name}"
    elif entry.name is not None and entry.state in SHOWN and entry.name != history.subject:
        words += f" as {entry.name}"
    kinds = {change.kind for change in entry.changes}
    if entry.deprecated is not None and "deprecated_added" not in kinds:
        words += " (deprecated)"
    return words


def ordered(assessed: AssessedEntry) -> list[Change]:
    """Return the changes of the subject itself, then those inside it, the worst first."""
    return sorted(
        assessed.entry.changes,
        key=lambda change: (change.subject not in assessed.names, -VERDICTS.index(change.level)),
    )


def change_words(change: Change, assessed: AssessedEntry) -> tuple[str | None, str]:
    """Return what changed, None for the subject itself, and how: ``Tool.title``, ``new field``."""
    return None if change.subject in assessed.names else change.subject, kind_words(change)


def change_detail(change: Change, assessed: AssessedEntry) -> str | None:
    """Return the detail of a change; None if the text of the subject is shown already, or if it has none."""
    is_shown = change.subject in assessed.names and assessed.entry.state in SHOWN
    return None if is_shown else detail(change)


def further_words(entry: HistoryEntry) -> str:
    """Return the number of further changes, in the types of the messages."""
    noun = "more change" if entry.changes else "change"
    return f"{counted(entry.further, noun)} in the types of its messages; run:"


def further_command(history: History, assessed: AssessedEntry, typed: Mapping[str, str]) -> list[str]:
    """Return the command that shows these. ``typed``: arguments for revisions that are not bundled."""
    sides = [typed.get(each, each) for each in (assessed.before or "", assessed.entry.revision.revision)]
    return ["mcp-codegen", "diff", *sides, "--method", history.subject]
