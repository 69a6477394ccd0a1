"""The site has every page in its navigation, an index for language models, and one link to the repository."""

from __future__ import annotations

import itertools
import re
import runpy
from pathlib import Path

import yaml
from checkout import REVISIONS, ROOT

SITE = runpy.run_path(str(ROOT / "docs" / "site_files.py"))
CONFIG = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
CONFIG["nav"] = SITE["with_revisions"](CONFIG["nav"], ROOT / "docs")
NAVIGATION = [path for _, path in SITE["pages"](CONFIG["nav"])]


def test_every_page_is_in_the_navigation_once() -> None:
    docs = ROOT / "docs"
    there = {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")}
    generated = {"requirements/index.md"}
    assert sorted(NAVIGATION) == sorted(there | generated)


def test_the_pages_on_changes_follow_their_index_from_the_oldest_revision_on() -> None:
    titles = [title for title, path in SITE["pages"](CONFIG["nav"]) if path.startswith("revisions/")]
    steps = [f"{old} to {new}" for old, new in [*itertools.pairwise(REVISIONS), (REVISIONS[0], REVISIONS[-1])]]
    assert titles == ["All revisions", *steps]


def test_the_index_for_language_models_describes_each_page() -> None:
    lines = SITE["llms_text"](CONFIG, ROOT / "docs").splitlines()
    assert lines[0] == "# mcp-bindings"
    entries = [line for line in lines if line.startswith("- [")]
    assert [re.search(r"\((.+)\.html\)", line)[1] for line in entries] == [
        path.removesuffix(".md") for path in NAVIGATION
    ]
    testing = "Test a server in memory: a test then takes milliseconds and needs neither a process nor a port."
    assert f"- [Testing](testing.html): {testing}" in entries


def test_the_summary_is_the_first_sentence_without_markup() -> None:
    page = "# Title\n\n```python\nx = 1\n```\n\nRead [the\nguide](guide.md) first. Then go on.\n"
    assert SITE["summary"](page) == "Read the guide first."
    assert SITE["summary"]("# Title\n\n| a |\n|---|\n") == ""


def test_the_link_to_the_repository_has_one_setting(tmp_path: Path) -> None:
    assert "repo_url" not in CONFIG
    (tmp_path / "pyproject.toml").write_text(
        '[tool.hatch.metadata.hooks.custom]\nrepository = "https://git.example.com/x"\n', encoding="utf-8"
    )
    assert SITE["repository"](tmp_path) == "https://git.example.com/x"
