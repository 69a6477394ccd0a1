"""Navigation, link to the repository, and ``llms.txt`` with a line for each page; MkDocs calls this for the site."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

ROOT = Path(__file__).resolve().parents[1]
REVISIONS = "revisions/index.md"
"""Page that links to the pages on changes between revisions."""


def repository(root: Path = ROOT) -> str:
    """Return the address of the repository, the setting of ``pyproject.toml``; empty if there is none."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    address: str = project["tool"]["hatch"]["metadata"]["hooks"]["custom"]["repository"]
    return address


def with_revisions(nav: object, docs: Path) -> Any:
    """Return a navigation in which the pages on changes between revisions follow their index, in its order."""
    if isinstance(nav, Mapping):
        return {title: with_revisions(below, docs) for title, below in nav.items()}
    if not isinstance(nav, list):
        return nav
    entries = [with_revisions(entry, docs) for entry in nav]
    if any(isinstance(entry, Mapping) and REVISIONS in entry.values() for entry in nav):
        links = re.findall(
            r"^\| \[([^]]+)\]\(([\w-]+\.md)\)", (docs / REVISIONS).read_text(encoding="utf-8"), re.MULTILINE
        )
        entries += [{title: f"revisions/{file}"} for title, file in links]
    return entries


def pages(nav: object) -> Iterator[tuple[str, str]]:
    """Yield the title and the path of each page of a navigation, in order."""
    for entry in nav if isinstance(nav, list) else [nav]:
        if isinstance(entry, Mapping):
            for title, below in entry.items():
                if isinstance(below, str):
                    yield title, below
                else:
                    yield from pages(below)


def summary(text: str) -> str:
    """Return the first sentence of a page in Markdown, without markup; empty if the page begins with something else."""
    paragraphs = re.sub(r"```.*?```", "", text, flags=re.DOTALL).split("\n\n")
    prose = next((each for each in paragraphs if re.match(r"\s*[\w`\[*]", each)), "")
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(prose.split()))
    return re.split(r"(?<=\.) ", plain, maxsplit=1)[0]


def llms_text(config: Mapping[str, Any], docs: Path) -> str:
    """Return the index of the documentation for language models (llmstxt.org)."""
    lines = [f"# {config['site_name']}", "", f"> {config['site_description']}", "", "## Documentation", ""]
    for title, path in pages(config["nav"]):
        about = summary((docs / path).read_text(encoding="utf-8")) if (docs / path).is_file() else ""
        lines.append(f"- [{title}]({path.removesuffix('.md')}.html){': ' if about else ''}{about}")
    return "\n".join(lines) + "\n"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Complete the navigation, and set the link to the repository, if it has an address."""
    config.nav = with_revisions(config.nav, Path(config.docs_dir))
    config.repo_url = repository() or None
    return config


def on_post_build(config: MkDocsConfig) -> None:
    """Write ``llms.txt`` beside the pages."""
    Path(config.site_dir, "llms.txt").write_text(llms_text(config, Path(config.docs_dir)), encoding="utf-8")
