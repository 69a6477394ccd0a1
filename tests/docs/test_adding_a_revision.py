"""The files that ``docs/adding-a-revision.md`` lists are those that a made-up revision needs."""

from __future__ import annotations

import re
import runpy

import pytest
from checkout import REVISIONS, ROOT

PAGE = (ROOT / "docs" / "adding-a-revision.md").read_text(encoding="utf-8")
NEXT = runpy.run_path(str(ROOT / "tests" / "next_revision" / "__main__.py"))
MOST = 8


def tables() -> list[list[str]]:
    """Return the first columns of the tables of files, as written."""
    section = PAGE.partition("## Files to edit")[2].partition("\n## ")[0]
    return [re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE) for table in section.split("| file |")[1:]]


@pytest.mark.skipif(NEXT["NEW"] in REVISIONS, reason="this checkout has the made-up revision")
def test_the_files_to_edit_are_those_that_a_made_up_revision_needs():
    always, sometimes = tables()
    named = {file.replace("PREVIOUS", REVISIONS[-1]).replace("REVISION", NEXT["NEW"]) for file in always}
    written = NEXT["written_by_hand"](ROOT).keys()
    assert named <= written <= named.union(sometimes)


def test_there_are_few_files_to_edit():
    assert sum(map(len, tables())) <= MOST


def test_the_files_that_some_revisions_need_exist():
    _, sometimes = tables()
    assert [file for file in sometimes if not (ROOT / file).is_file()] == []
