"""What every report of a history says in the same words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from mcp_bindgen.describe.history import Span
from mcp_bindgen.diff.assessment import Assessment
from mcp_bindgen.diff.changes import VERDICTS, Change, Difference
from mcp_bindgen.diff.reports.wording import counted, detail, kind_words
from mcp_bindgen.diff.timeline.history import History, HistoryEntry, State

_STATES: Mapping[State, str] = {
    "absent": "not there",
    "first": "there",
    "appeared": "appeared",
    "returned": "came back",
    "unchanged": "unchanged",
    "changed": "changed",
    "renamed": "renamed",
    "went": "gone",
}

SHOWN: frozenset[State] = frozenset({"first", "appeared", "returned"})
"""States in which the text of the subject is news."""

QUIET: frozenset[State] = frozenset({"absent", "unchanged"})
"""States in which nothing happened."""


class AssessedEntry(NamedTuple):
    """A entry, and how the changes in it are judged."""

    entry: HistoryEntry
    assessment: Assessment
    """Of its changes, since the revision before."""
    before: str | None
    """The revision before; None for the oldest."""
    names: frozenset[str | None]
    """What the subject is called here, and in the revision before."""


def assessed_entries(history: History) -> Iterator[AssessedEntry]:
    """The entries, each with the one before it."""
    first = history.entries[0]
    yield AssessedEntry(first, Assessment(difference=Difference(first.revision, first.revision, ())), None, frozenset())
    for old, new in pairwise(history.entries):
        assessment = Assessment(difference=Difference(old.revision, new.revision, new.changes))
        yield AssessedEntry(new, assessment, old.revision.revision, frozenset({old.name, new.name}))


def title(history: History) -> str:
    """When there is something to tell: ``2025-06-18 and later; changed in 2025-11-25``."""
    bundled = tuple(each.revision.revision for each in history.entries)
    changed = [each.revision.revision for each in history.entries if each.state in {"changed", "renamed"}]
    words = Span(history.having, bundled).words
    return f"{words}; changed in {', '.join(changed)}" if changed else words


def state_words(entry: HistoryEntry, history: History) -> str:
    """``appeared``, ``renamed: it was ResourceReference``, ``unchanged (deprecated)``."""
    words = _STATES[entry.state]
    if entry.renamed_from is not None:
        words += f": {entry.renamed_from} is now {entry.name}"
    elif entry.name is not None and entry.state in SHOWN and entry.name != history.subject:
        words += f" as {entry.name}"
    kinds = {change.kind for change in entry.changes}
    if entry.deprecated is not None and "deprecated_added" not in kinds:
        words += " (deprecated)"
    return words


def ordered(assessed: AssessedEntry) -> list[Change]:
    """The changes of a assessed: those of the subject itself, then those inside it, the worst first."""
    return sorted(
        assessed.entry.changes,
        key=lambda change: (change.subject not in assessed.names, -VERDICTS.index(change.level)),
    )


def change_words(change: Change, assessed: AssessedEntry) -> tuple[str | None, str]:
    """What changed, unless that is the subject itself, and how: ``Tool.title``, ``new field: string``."""
    own = change.subject in assessed.names
    # What the subject is was said already.
    extra = None if own and assessed.entry.state in SHOWN else detail(change)
    return None if own else change.subject, f"{kind_words(change)}{'' if extra is None else f': {extra}'}"


def further_words(entry: HistoryEntry) -> str:
    """How many more changes there are, which only the messages contain."""
    return f"{counted(entry.further, 'more change')} in the types that its messages contain:"


def further_command(history: History, assessed: AssessedEntry, typed: Mapping[str, str]) -> list[str]:
    """The words of the command that shows these. ``typed``: what to type for revisions that are not bundled."""
    sides = [typed.get(each, each) for each in (assessed.before or "", assessed.entry.revision.revision)]
    return ["mcp-codegen", "diff", *sides, "--method", history.subject]
