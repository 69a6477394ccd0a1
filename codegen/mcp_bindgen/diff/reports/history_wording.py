"""What every report of a history says in the same words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from mcp_bindgen.describe.history import Span
from mcp_bindgen.diff.assessment import Assessment
from mcp_bindgen.diff.changes import VERDICTS, Change, Difference
from mcp_bindgen.diff.reports.wording import counted, detail, kind_words
from mcp_bindgen.diff.timeline.history import Chapter, History, State

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


class Step(NamedTuple):
    """A chapter, and how the changes in it are judged."""

    chapter: Chapter
    assessment: Assessment
    """Of its changes, since the revision before."""
    before: str | None
    """The revision before; None for the oldest."""
    names: frozenset[str | None]
    """What the subject is called here, and in the revision before."""


def steps(history: History) -> Iterator[Step]:
    """The chapters, each with the one before it."""
    first = history.chapters[0]
    yield Step(first, Assessment(difference=Difference(first.revision, first.revision, ())), None, frozenset())
    for old, new in pairwise(history.chapters):
        assessment = Assessment(difference=Difference(old.revision, new.revision, new.changes))
        yield Step(new, assessment, old.revision.revision, frozenset({old.name, new.name}))


def title(history: History) -> str:
    """When there is something to tell: ``2025-06-18 and later; changed in 2025-11-25``."""
    bundled = tuple(each.revision.revision for each in history.chapters)
    changed = [each.revision.revision for each in history.chapters if each.state in {"changed", "renamed"}]
    words = Span(history.having, bundled).words
    return f"{words}; changed in {', '.join(changed)}" if changed else words


def state_words(chapter: Chapter, history: History) -> str:
    """``appeared``, ``renamed: it was ResourceReference``, ``unchanged (deprecated)``."""
    words = _STATES[chapter.state]
    if chapter.renamed_from is not None:
        words += f": {chapter.renamed_from} is now {chapter.name}"
    elif chapter.name is not None and chapter.state in SHOWN and chapter.name != history.subject:
        words += f" as {chapter.name}"
    told = {change.kind for change in chapter.changes}
    if chapter.deprecated is not None and "deprecated_added" not in told:
        words += " (deprecated)"
    return words


def ordered(step: Step) -> list[Change]:
    """The changes of a step: those of the subject itself, then those inside it, the worst first."""
    return sorted(
        step.chapter.changes,
        key=lambda change: (change.subject not in step.names, -VERDICTS.index(change.level)),
    )


def change_words(change: Change, step: Step) -> tuple[str | None, str]:
    """What changed, unless that is the subject itself, and how: ``Tool.title``, ``new field: string``."""
    own = change.subject in step.names
    # What the subject is was said already.
    extra = None if own and step.chapter.state in SHOWN else detail(change)
    return None if own else change.subject, f"{kind_words(change)}{'' if extra is None else f': {extra}'}"


def further_words(chapter: Chapter) -> str:
    """How many more changes there are, which only the messages contain."""
    return f"{counted(chapter.further, 'more change')} in the types that its messages contain:"


def further_command(history: History, step: Step, typed: Mapping[str, str]) -> list[str]:
    """The words of the command that shows these. ``typed``: what to type for revisions that are not bundled."""
    sides = [typed.get(each, each) for each in (step.before or "", step.chapter.revision.revision)]
    return ["mcp-codegen", "diff", *sides, "--method", history.subject]
