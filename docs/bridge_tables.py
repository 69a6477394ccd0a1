"""Writes the tables of bridge.md, a feature between each two revisions, from the tests of it; run it as ``nox -s options``.

A cell has the outcome that the tests of ``tests/bridge`` hold the bridge against, over each transport.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
PAGE = FOLDER / "bridge.md"
_TABLES = re.compile(r"<!-- cells -->\n.*<!-- end of cells -->", re.DOTALL)
_WORDS: Mapping[str, str] = {"works": "works", "loss": "**loss**", "refused": "**refused**", "absent": "-"}


def page() -> str:
    """Return the text of the page with the tables that belong there now."""
    tables = "\n".join(_tables())
    return _TABLES.sub(
        lambda _: f"<!-- cells -->\n\n{tables}\n\n<!-- end of cells -->", PAGE.read_text(encoding="utf-8")
    )


def _tables() -> Iterator[str]:
    """Yield a table for each revision of a server, and the notes of all of them."""
    sys.path.insert(0, str(FOLDER.parent / "tests"))
    try:
        revisions: list[str] = import_module("checkout").REVISIONS
        at_server, at_client = import_module("bridge.server_cells"), import_module("bridge.client_cells")
    finally:
        sys.path.pop(0)
    notes: dict[str, int] = {}
    for server in sorted(revisions, reverse=True):
        yield f"### A server of {server}\n"
        yield f"| feature | {' | '.join(f'client of {each}' for each in revisions)} |"
        yield "|---" * (len(revisions) + 1) + "|"
        for feature in at_server.FEATURES:
            sides = [[side.outcome(feature, server, each) for each in revisions] for side in (at_server, at_client)]
            yield f"| {feature} | {' | '.join(_cell(*pair, notes) for pair in zip(*sides, strict=True))} |"
        yield ""
    yield "### Notes to all tables\n"
    yield from (f"{number}. {note[:1].upper()}{note[1:]}." for note, number in notes.items())


def _cell(at_server: Any, at_client: Any, notes: dict[str, int]) -> str:
    """Return the text of a cell; the client's outcome is named if it is another one."""
    text = _text(at_server, notes)
    return text if at_client == at_server else f"{text}; by the client: {_text(at_client, notes)}"


def _text(outcome: Any, notes: dict[str, int]) -> str:
    """Return an outcome in words, with the number of its note."""
    number = f" ({notes.setdefault(outcome.note, len(notes) + 1)})" if outcome.note else ""
    return f"{_WORDS[outcome.kind]}{number}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
