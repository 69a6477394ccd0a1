"""A difference for a terminal: by method, then by type, the worst first, with a summary at the end."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence

from attrs import frozen

from mcp_bindgen.diff.assessment import PAIRING_WORDS, Assessment
from mcp_bindgen.diff.changes import VERDICTS, Change, Verdict
from mcp_bindgen.diff.finding_kinds import Kind, is_of_method
from mcp_bindgen.diff.reports.wording import (
    conclusion,
    counted,
    detail,
    effect_words,
    effects,
    headline,
    kind_words,
    listed,
    owner,
    reason_for_no_harm,
    witness_message,
    witness_sentence,
)
from mcp_bindgen.escaping import visible

_NAMES: dict[Kind, str] = {
    "type_added": "new types",
    "type_removed": "removed types",
    "constant_added": "new constants",
    "constant_removed": "removed constants",
}
"""Kinds that are listed by name only, because no message shows them."""

_SEVERAL = "in several methods"
_ANY = "in all messages"
_NOWHERE = "in no message that both revisions know"
_MARGIN = " " * 14
_ALSO = 4
"""Maximum number of further methods or types that are listed."""


def _plain(text: str) -> str:
    return text


def _uncoloured(level: Verdict, text: str) -> str:
    return text


@frozen
class Style:
    """The styles of parts of the text; plain by default."""

    bold: Callable[[str], str] = _plain
    dim: Callable[[str], str] = _plain
    level: Callable[[Verdict, str], str] = _uncoloured


def render(assessment: Assessment, *, width: int = 80, style: Style | None = None) -> str:
    """Return the report."""
    return "\n".join(_Report(assessment, width, style or Style()).lines()) + "\n"


class _Report:
    def __init__(self, assessment: Assessment, width: int, style: Style) -> None:
        self._assessment = assessment
        self._width = max(width, 40)
        self._style = style

    def lines(self) -> Iterator[str]:
        changes = self._assessment.difference.changes
        shown = [change for change in changes if change.kind not in _NAMES]
        sections: dict[str, list[Change]] = {}
        for change in shown:
            sections.setdefault(_section(change), []).append(change)
        for title in sorted(sections, key=lambda title: self._weight(title, sections[title])):
            yield self._style.bold(visible(title))
            for change in self._ordered(title, sections[title]):
                yield from self._change(change)
            yield ""
        names = [change for change in changes if change.kind in _NAMES]
        if names:
            yield self._style.bold("names")
            yield from self._names(names)
            yield ""
        yield from self._summary()

    def _weight(self, title: str, changes: Sequence[Change]) -> tuple[int, int, str]:
        """Return the sort key of a section: methods first, then by the worst change, then by name."""
        last = (_SEVERAL, _ANY, _NOWHERE)
        place = last.index(title) + 1 if title in last else 0
        return place, self._rank(changes), title

    def _rank(self, changes: Iterable[Change]) -> int:
        return -max(VERDICTS.index(self._assessment.level(change)) for change in changes)

    def _ordered(self, title: str, changes: Sequence[Change]) -> list[Change]:
        """Return the changes of the method itself, then of each type, the worst first."""
        types: dict[str, list[Change]] = {}
        for change in changes:
            types.setdefault(owner(change), []).append(change)

        def place(change: Change) -> tuple[bool, int, str, int, str]:
            of_type = self._rank(types[owner(change)])
            return change.subject != title, of_type, owner(change), self._rank([change]), change.id

        return sorted(changes, key=place)

    def _change(self, change: Change) -> Iterator[str]:
        level = self._assessment.level(change)
        approval = self._assessment.approved.get(change.id)
        extra = detail(change)
        head = f"{change.subject}  {kind_words(change)}{'' if extra is None else f': {extra}'}"
        first, *rest = self._wrapped(head)
        mark = self._style.level(level, f"{level:<10}") if approval is None else self._style.dim("approved  ")
        yield f"  {mark}  {first[len(_MARGIN) :]}"
        yield from rest
        if approval is not None:
            yield from map(self._style.dim, self._wrapped(f"Approved: {approval}"))
        elif level != "compatible":
            for affected, reason in effect_words(effects(self._assessment, change)):
                yield from self._wrapped(f"{affected}: {reason}")
            if change.hint is not None:
                yield from map(self._style.dim, self._wrapped(change.hint))
            yield from map(self._style.dim, self._wrapped(_elsewhere(change)))
            witness = self._assessment.witness(change)
            if witness is not None:
                yield from self._wrapped(witness_sentence(witness))
                # In one line, to be copied.
                yield f"{_MARGIN}{visible(witness_message(witness))}"
        else:
            yield from self._wrapped(reason_for_no_harm(change) or "")

    def _names(self, changes: Sequence[Change]) -> Iterator[str]:
        for kind, title in _NAMES.items():
            subjects = [change.subject for change in changes if change.kind == kind]
            if subjects:
                text = f"{title} ({len(subjects)}): {', '.join(subjects)}"
                yield from textwrap.wrap(
                    visible(text),
                    self._width,
                    initial_indent="  ",
                    subsequent_indent="    ",
                    break_on_hyphens=False,
                    break_long_words=False,
                )

    def _wrapped(self, text: str) -> list[str]:
        return textwrap.wrap(
            visible(text),
            self._width,
            initial_indent=_MARGIN,
            subsequent_indent=_MARGIN,
            break_on_hyphens=False,
            break_long_words=False,
        )

    def _summary(self) -> Iterator[str]:
        assessment, difference = self._assessment, self._assessment.difference
        changes = difference.changes
        title = f"{difference.old.revision} -> {difference.new.revision}"
        yield self._style.bold(f"{visible(title)}: {headline(assessment)}")
        if assessment.shown:
            yield from textwrap.wrap(
                visible(assessment.shown), self._width, initial_indent="  ", subsequent_indent="  "
            )
        if not changes:
            return
        for pairing in assessment.pairings:
            row = ", ".join(
                self._style.level(level, f"{number:>3} {level}")
                for level, number in assessment.numbers(pairing).items()
            )
            yield f"  {PAIRING_WORDS[pairing]:<23}{row}"
        yield from self._worst_methods(changes)
        approved = sum(change.id in assessment.approved for change in changes)
        if approved:
            yield f"  {counted(approved, 'change')} approved"
        yield f"  {conclusion(assessment)}"

    def _worst_methods(self, changes: Sequence[Change]) -> Iterator[str]:
        """Yield the methods with the most breaking changes, in a line."""
        found: dict[str, int] = {}
        for change in changes:
            if self._assessment.level(change) == "breaking":
                for method in change.methods:
                    found[method] = found.get(method, 0) + 1
        if found:
            ranked = sorted(found, key=lambda method: (-found[method], method))
            text = listed([f"{method} ({found[method]})" for method in ranked], 8)
            yield from textwrap.wrap(
                visible(f"breaking in {text}"),
                self._width,
                initial_indent="  ",
                subsequent_indent="    ",
                break_on_hyphens=False,
            )


def _section(change: Change) -> str:
    """Return the one method of a change, or the title for several or none."""
    if is_of_method(change.kind):
        return change.subject
    if len(change.methods) == 1:
        return change.methods[0]
    # Envelopes are sent, and belong to no method.
    return _SEVERAL if change.methods else _ANY if change.sent_by else _NOWHERE


def _elsewhere(change: Change) -> str:
    """Return the other methods and types that the change affects."""
    parts: list[str] = []
    if len(change.methods) > 1:
        parts.append(f"in {listed(change.methods, _ALSO)}")
    if change.inherited_by:
        parts.append(f"also changes {listed(change.inherited_by, _ALSO)}")
    return "; ".join(parts)
