"""A history for a terminal: one section a revision, with its changes."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import groupby

from mcp_bindgen.diff.changes import Change
from mcp_bindgen.diff.reports.history_wording import (
    QUIET,
    SHOWN,
    AssessedEntry,
    assessed_entries,
    change_detail,
    change_words,
    further_command,
    further_words,
    ordered,
    state_words,
    title,
)
from mcp_bindgen.diff.reports.text import Style
from mcp_bindgen.diff.reports.wording import effect_words, effects
from mcp_bindgen.diff.timeline.history import History
from mcp_bindgen.escaping import visible

_LEVEL = 12
"""Columns of the verdict of a change."""

_MOST = 3
"""Maximum number of lines of the subject's text."""


def render(
    history: History, *, width: int = 80, style: Style | None = None, typed: Mapping[str, str] | None = None
) -> str:
    """Return the report. ``typed``: arguments for revisions that are not bundled, such as the path of a file."""
    return "\n".join(_Report(history, max(width, 50), style or Style(), typed or {}).lines()) + "\n"


class _Report:
    def __init__(self, history: History, width: int, style: Style, typed: Mapping[str, str]) -> None:
        self._history = history
        self._width = width
        self._style = style
        self._typed = typed
        names = [visible(entry.revision.revision) for entry in history.entries]
        # A label that is longer than a date has a line of its own.
        self._margin = min(max(map(len, names)), 12) + 2

    def lines(self) -> Iterator[str]:
        history = self._history
        yield f"{self._style.bold(visible(history.subject))}  {self._style.dim(history.kind)}"
        yield from textwrap.wrap(title(history), self._width)
        yield ""
        for assessed in assessed_entries(history):
            yield from self._entry(assessed)

    def _entry(self, assessed: AssessedEntry) -> Iterator[str]:
        entry = assessed.entry
        words = state_words(entry, self._history)
        if entry.state in SHOWN:
            words += f": {entry.text}"
        first, *rest = self._wrapped(words, self._margin, _MOST)
        name = visible(entry.revision.revision)
        if len(name) + 2 > self._margin:
            yield self._style.bold(name)
            yield first
        elif entry.state in QUIET:
            yield self._style.dim(f"{name:<{self._margin}}{first[self._margin :]}")
        else:
            yield f"{self._style.bold(f'{name:<{self._margin}}')}{first[self._margin :]}"
        yield from rest
        yield from self._changes(assessed)
        if entry.further:
            yield from map(self._style.dim, self._wrapped(further_words(entry), self._margin))
            command = shlex.join(further_command(self._history, assessed, self._typed))
            # In one line, to be copied.
            yield self._style.dim(f"{' ' * self._margin}  {visible(command)}")

    def _changes(self, assessed: AssessedEntry) -> Iterator[str]:
        """Yield the changes; a reason that several share is printed once, below them."""
        inner = self._margin + _LEVEL
        for why, changes in groupby(ordered(assessed), key=partial(_why, assessed)):
            for change in changes:
                level = assessed.assessment.level(change)
                subject, how = change_words(change, assessed)
                extra = change_detail(change, assessed)
                how += "" if extra is None else f": {extra}"
                first, *rest = self._wrapped(how if subject is None else f"{self._fitted(subject)}  {how}", inner)
                yield f"{' ' * self._margin}{self._style.level(level, f'{level:<{_LEVEL}}')}{first[inner:]}"
                yield from rest
            for line in why:
                yield from self._wrapped(line, inner)

    def _fitted(self, subject: str) -> str:
        """Return a subject that is longer than a line with a break before its quoted names."""
        return subject if len(subject) <= self._width - self._margin - _LEVEL else subject.replace("[", " [")

    def _wrapped(self, text: str, margin: int, most: int | None = None) -> list[str]:
        return textwrap.wrap(
            visible(text),
            self._width,
            initial_indent=" " * margin,
            subsequent_indent=" " * margin,
            break_on_hyphens=False,
            break_long_words=False,
            max_lines=most,
            placeholder=" …",
        )


def _why(assessed: AssessedEntry, change: Change) -> list[str]:
    """Return who breaks, and why; nothing if nobody does."""
    return [f"{affected}: {reason}" for affected, reason in effect_words(effects(assessed.assessment, change))]
