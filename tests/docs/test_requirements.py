"""The tables of the specification's rules: each row has a test that there is, or a reason."""

from __future__ import annotations

import ast
import functools
import re
import runpy
from pathlib import Path

import pytest
from checkout import REVISIONS, ROOT
from mcp_bindgen.errors import BindgenError

FOLDER = ROOT / "docs" / "requirements"
WRITER = runpy.run_path(str(FOLDER / "pages.py"))
PAGES = WRITER["read"]()
FULL = """
page = "server/tools"
[[rule]]
revisions = ["2025-06-18"]
section = "Errors | more"
level = "MUST"
who = "server"
rule = "It holds."
reason = "One <reason>."
"""


@functools.cache
def named_in(file: Path) -> frozenset[str]:
    found: set[str] = set()
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found.update(f"{node.name}::{each.name}" for each in node.body if isinstance(each, ast.FunctionDef))
    return frozenset(name for name in found if "test_" in name)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_row_names_is_a_test(page):
    dangling = []
    for rule in page.rules:
        for each in rule.test:
            file, _, name = each.partition("::")
            if not (ROOT / file).is_file() or name not in named_in(ROOT / file):
                dangling.append(each)
    assert dangling == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_rule_stands_once(page):
    seen = [(rule.section, rule.rule, revision) for rule in page.rules for revision in rule.revisions]
    assert sorted({each for each in seen if seen.count(each) > 1}) == []


def test_files_about_one_page_make_one_page(tmp_path):
    for name in ("server-tools.toml", "server-tools-names.toml"):
        (tmp_path / name).write_text(FULL, encoding="utf-8")
    (page,) = WRITER["read"](tmp_path)
    assert len(page.rules) == 2


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('["2025-06-18"]', '["2025-06-19"]', "rule 1: no revision '2025-06-19' is known"),
        ('["2025-06-18"]', "[]", "revisions are missing"),
        ('"MUST"', '"CAN"', "must be one of MUST, MUST NOT, SHOULD, SHOULD NOT, MAY"),
        ('"server"\nrule', '"host"\nrule', "must be one of client, server, both"),
        ("It holds.", "It holds", "ends without a full stop"),
        ('reason = "One <reason>."', "", "give either a test or a reason"),
        ("reason =", 'test = "tests/x.py::test_y"\nreason =', "give either a test or a reason"),
        ("section =", "chapter =", "there is no 'section'"),
        ("page =", "pages =", "must have page, and tables named rule"),
        ("page =", "page", "server-tools.toml: "),
        ("server/tools", "server/prompts", "its name begins with server-prompts"),
    ],
)
def test_a_row_that_is_none_is_told(tmp_path, old, new, said):
    assert old in FULL
    (tmp_path / "server-tools.toml").write_text(FULL.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(BindgenError, match=re.escape(said)):
        WRITER["read"](tmp_path)


def test_each_page_has_one_of_the_site():
    texts = WRITER["texts"](PAGES)
    assert len(texts) == len(PAGES) + 1
    assert all(f"({page.file})" in texts["index.md"] for page in PAGES)
    up = "This page is a part of the [rules of the specification](index.md)."
    assert all(texts[page.file].splitlines()[2] == up for page in PAGES)


def test_the_site_shows_rows_and_counts_them(tmp_path):
    (tmp_path / "server-tools.toml").write_text(FULL, encoding="utf-8")
    texts = WRITER["texts"](WRITER["read"](tmp_path))
    counts = " | ".join("0 of 1" if revision == "2025-06-18" else "" for revision in REVISIONS)
    assert f"| [server/tools](server-tools.md) | {counts} |\n" in texts["index.md"]
    row = "| Errors \\| more | server | MUST | It holds. | all | One &lt;reason>. |\n"
    assert row in texts["server-tools.md"]


def test_a_reason_links_to_other_pages():
    assert [rule.reason for page in PAGES for rule in page.rules if "docs/" in rule.reason] == []
