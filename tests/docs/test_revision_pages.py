"""The pages in docs/revisions/ are what would be written now, and what people say there is of changes that there are."""

from __future__ import annotations

import copy
import itertools
import re
import runpy
import tomllib
from typing import Any

import pytest
from checkout import REVISIONS, ROOT
from mcp_bindgen import catalog, diff
from mcp_bindgen.errors import BindgenError

FOLDER = ROOT / "docs" / "revisions"
NOTES = tomllib.loads((FOLDER / "notes.toml").read_text(encoding="utf-8"))
WRITER = runpy.run_path(str(FOLDER / "pages.py"))
PAIRS = [*itertools.pairwise(REVISIONS), (REVISIONS[0], REVISIONS[-1])]


@pytest.fixture(scope="module")
def written() -> dict[str, str]:
    return WRITER["pages"](NOTES)


def test_the_pages_are_what_would_be_written_now(written):
    found = {page.name: page.read_text(encoding="utf-8") for page in FOLDER.glob("*.md")}
    assert found.keys() == written.keys(), "run: nox -s revisions"
    assert [name for name in written if found[name] != written[name]] == [], "run: nox -s revisions"


def test_there_is_a_page_for_each_step_and_for_the_whole_way(written):
    assert list(written) == ["index.md", *(f"{old}-to-{new}.md" for old, new in PAIRS)]


def test_the_index_leads_to_every_page(written):
    assert "revisions/index.md" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert re.findall(r"\]\(([\w-]+\.md)\)", written["index.md"]) == [name for name in written if name != "index.md"]


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_a_page_has_every_change(written, old, new):
    page = written[f"{old}-to-{new}.md"]
    changes = diff.compare(catalog.load(old), catalog.load(new)).changes
    code = WRITER["markdown"].code
    assert [change.id for change in changes if code(change.subject) not in page] == []
    _, *levels = re.split(r"^## (?:Breaking|Risky|Compatible) ", page, flags=re.MULTILINE)
    rows = sum(len(re.findall(r"^\| <code>", level, re.MULTILINE)) for level in levels)
    names = sum(line.count("<code>") for level in levels for line in level.splitlines() if line.startswith("<code>"))
    assert rows + names == len(changes)


@pytest.mark.parametrize("place", [0, -2, -1])
def test_a_missing_step_is_named(place):
    lacking: dict[str, Any] = copy.deepcopy(NOTES)
    step = lacking["steps"].pop(place)
    with pytest.raises(BindgenError, match=f"must be the one from {step['old']} to {step['new']}, found"):
        WRITER["pages"](lacking)


def test_a_step_too_many_is_named():
    doubled = {**NOTES, "steps": [*NOTES["steps"], NOTES["steps"][0]]}
    with pytest.raises(BindgenError, match="must be no more entries, found 2024-11-05 to 2025-03-26"):
        WRITER["pages"](doubled)


def test_a_note_on_a_change_that_is_none_is_told():
    stale: dict[str, Any] = copy.deepcopy(NOTES)
    stale["steps"][1]["unmentioned"]["field_added:Annotations.lastModifed"] = ""
    said = (
        "2025-03-26 to 2025-06-18 no change has the id 'field_added:Annotations.lastModifed'; did you mean field_added:"
    )
    with pytest.raises(BindgenError, match=re.escape(said)):
        WRITER["pages"](stale)


def test_a_note_is_shown_beside_the_verdict(written):
    page = written["2025-03-26-to-2025-06-18.md"]
    note = NOTES["steps"][1]["unmentioned"]["union_member_added:PromptMessage.content:ResourceLink"]
    start = "| <code>PromptMessage.content</code> | new alternative<br><code>ResourceLink</code> | risky"
    assert f"{start} | {note} |\n" in page
