"""The README on an index page: its links hold there, or are plain text as long as the repository has no address."""

from __future__ import annotations

import re
import runpy
import tomllib

import pytest
from checkout import ROOT

REPOSITORY = "https://git.example.com/team/mcp-bindings"
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def metadata() -> dict[str, object]:
    return runpy.run_path(str(ROOT / "hatch_build.py"))


def targets(text: str) -> list[str]:
    return re.findall(r"\]\(([^)]+)\)", text)


def test_every_link_is_absolute_if_the_repository_has_an_address(metadata) -> None:
    page = metadata["index_page"](README, REPOSITORY)
    assert f"[Tutorial]({REPOSITORY}/blob/main/docs/tutorial.md)" in page
    assert f"({REPOSITORY}/raw/main/docs/charts/overview.svg)" in page
    assert [target for target in targets(page) if not target.startswith("https://")] == []
    assert len(targets(page)) == len(targets(README))


def test_without_an_address_links_to_files_are_plain_text(metadata) -> None:
    page = metadata["index_page"](README, "")
    assert "| Tutorial |" in page
    assert [target for target in targets(page) if not target.startswith("https://")] == []
    assert "overview.svg" not in page


def test_addresses_of_the_project_follow_from_one_setting(metadata) -> None:
    assert metadata["project_urls"]("") == {}
    assert all(url.startswith(REPOSITORY) for url in metadata["project_urls"](REPOSITORY).values())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "urls" not in project["project"]
    assert project["tool"]["hatch"]["metadata"]["hooks"]["custom"].keys() == {"repository"}
