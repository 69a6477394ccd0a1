"""Writes the pages of this folder from the bundled schemas and from ``notes.toml``; run it as ``nox -s revisions``."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any

from attrs import frozen
from mcp_bindgen import catalog, diff
from mcp_bindgen.describe.nearest import nearest_names
from mcp_bindgen.diff.assessment import Assessment
from mcp_bindgen.diff.changes import VERDICTS
from mcp_bindgen.diff.reports import markdown
from mcp_bindgen.diff.reports.wording import counted, kind_words
from mcp_bindgen.errors import BindgenError

FOLDER = Path(__file__).resolve().parent
NOTES = FOLDER / "notes.toml"

_NAMES: frozenset[diff.Kind] = frozenset({"type_added", "type_removed", "constant_added", "constant_removed"})
"""Kinds of changes whose names are self-explanatory."""


@frozen
class Step:
    """Two revisions, with notes on the changes between them."""

    old: str
    new: str
    about: str
    prose: Sequence[str] = ()
    """Changes in the official changelog that no schema shows."""
    unmentioned: Mapping[str, str] | None = None
    """Ids of changes missing in the official changelog, each with a note; None without a changelog."""

    @property
    def title(self) -> str:
        """Title of the page."""
        return f"{self.old} to {self.new}"

    @property
    def file(self) -> str:
        """File name of the page."""
        return f"{self.old}-to-{self.new}.md"


def pages(notes: Mapping[str, Any]) -> dict[str, str]:
    """Return the text of each page by its file name.

    Raise `BindgenError` for steps that are not those between the bundled revisions, and for a note on a change that does not
    exist.
    """
    steps = [Step(**each) for each in notes["steps"]]
    _check(steps)
    found = [(step, _assessed(step)) for step in steps]
    texts = {step.file: _text(_page(step, assessment)) for step, assessment in found}
    return {"index.md": _text(_index(notes["index"], found)), **texts}


def _check(steps: Sequence[Step]) -> None:
    known = catalog.revisions()
    wanted = dict.fromkeys([*pairwise(known), (known[0], known[-1])])
    for number, (expected, step) in enumerate(zip_longest(wanted, steps), 1):
        if expected is None or step is None or expected != (step.old, step.new):
            right = "no more entries" if expected is None else f"the one from {expected[0]} to {expected[1]}"
            found = "none" if step is None else step.title
            message = (
                f"{NOTES.name}: entry {number} of [[steps]] must be {right}, found {found}; "
                "there is one for each two revisions that follow one another, and the last is from the oldest to the newest"
            )
            raise BindgenError(message)


def _assessed(step: Step) -> Assessment:
    old, new = catalog.load(step.old), catalog.load(step.new)
    difference = diff.with_witnesses(diff.compare(old, new), old, new)
    ids = [change.id for change in difference.changes]
    for each in step.unmentioned or ():
        if each not in ids:
            near = " or ".join(nearest_names(each, ids)) or "another"
            message = f"{NOTES.name}: from {step.title} no change has the id {each!r}; did you mean {near}?"
            raise BindgenError(message)
    return Assessment(difference=difference)


def _index(words: Mapping[str, str], found: Sequence[tuple[Step, Assessment]]) -> Iterator[str]:
    yield "# Changes between revisions"
    yield ""
    yield words["about"].strip()
    yield ""
    yield "| revisions | breaking | risky | compatible | not in the official changelog |"
    yield "|---|--:|--:|--:|--:|"
    for step, assessment in found:
        numbers = " | ".join(str(number) for number in assessment.numbers().values())
        silent = "" if step.unmentioned is None else len(step.unmentioned)
        yield f"| [{step.title}]({step.file}) | {numbers} | {silent} |"
    yield ""
    yield "## How to read these pages"
    yield ""
    yield words["reading"].strip()


def _page(step: Step, assessment: Assessment) -> Iterator[str]:
    yield f"# {step.title}"
    yield ""
    yield step.about.strip()
    yield ""
    changes = counted(len(assessment.difference.changes), "change")
    how = "[how to read this page](index.md#how-to-read-these-pages)"
    yield f"The comparison of the bundled schemas found {changes}; see {how}."
    yield ""
    yield from markdown.counts(assessment)
    if step.unmentioned is not None:
        yield from _unmentioned(step, step.unmentioned, assessment)
    if step.prose:
        yield from ["", "## Only in the changelog", "", *(f"- {each}" for each in step.prose)]
    for level in reversed(VERDICTS):
        found = [change for change in assessment.difference.changes if assessment.level(change) == level]
        if found:
            yield from ["", f"## {level.capitalize()} ({len(found)})"]
            yield from _by_kind(assessment, found) if level == "compatible" else _whole(assessment, found)


def _unmentioned(step: Step, notes: Mapping[str, str], assessment: Assessment) -> Iterator[str]:
    changelog = f"[official changelog](https://modelcontextprotocol.io/specification/{step.new}/changelog)"
    yield from ["", "## Not in the official changelog", ""]
    if not notes:
        yield f"None: the {changelog} mentions all changes that are visible in messages."
        return
    yield f"These changes are visible in messages, but the {changelog} does not mention them:"
    yield ""
    yield "| subject | change | verdict | note |"
    yield "|---|---|---|---|"
    changes = {change.id: change for change in assessment.difference.changes}
    for each, note in notes.items():
        change = changes[each]
        yield f"| {markdown.code(change.subject)} | {markdown.what(change)} | {assessment.level(change)} | {note} |"


def _whole(assessment: Assessment, changes: Sequence[diff.Change]) -> Iterator[str]:
    yield ""
    yield from markdown.table(assessment, changes, reasons=True, longest=None)


def _by_kind(assessment: Assessment, changes: Sequence[diff.Change]) -> Iterator[str]:
    """Yield the parts of a table that would be too long; for names, a list of additions and removals is enough."""
    kinds: dict[str, list[diff.Change]] = {}
    for change in changes:
        kinds.setdefault(kind_words(change), []).append(change)
    for words, found in sorted(kinds.items()):
        yield from ["", f"### {words.capitalize()} ({len(found)})"]
        if found[0].kind in _NAMES:
            yield from ["", f"{', '.join(markdown.code(change.subject) for change in found)}."]
        else:
            yield from _whole(assessment, found)


def _text(lines: Iterator[str]) -> str:
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the pages that changed, delete the pages of no step, and print the names of all."""
    try:
        texts = pages(tomllib.loads(NOTES.read_text(encoding="utf-8")))
    except BindgenError as fault:
        sys.exit(f"error: {fault}")
    for stale in sorted(file for file in FOLDER.glob("*.md") if file.name not in texts):
        stale.unlink()
        sys.stdout.write(f"deleted  {stale.name}\n")
    for name, text in texts.items():
        file = FOLDER / name
        same = file.is_file() and file.read_text(encoding="utf-8") == text
        if not same:
            file.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{'unchanged' if same else 'written'}  {name}\n")


if __name__ == "__main__":
    main()
