"""Metadata of a distribution that depend on the address of the repository, one setting of ``pyproject.toml``.

An index page shows the README alone, so its links to files must be absolute. As long as the address is empty, there are no
project addresses, and links to files become plain text.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:)([^)#\s]+)(#[^)\s]*)?\)")


def project_urls(repository: str) -> dict[str, str]:
    """Return the addresses of the project, none if ``repository`` is empty."""
    if not repository:
        return {}
    return {
        "Repository": repository,
        "Documentation": f"{repository}/blob/main/docs/index.md",
        "Changelog": f"{repository}/blob/main/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }


def index_page(readme: str, repository: str) -> str:
    """Return the README for a page that has no other file: links to files are absolute, or plain text without an address."""

    def replace(link: re.Match[str]) -> str:
        image, text, path, fragment = link.group(1), link.group(2), link.group(3), link.group(4) or ""
        if not repository:
            return "" if image else text
        return f"{image}[{text}]({repository}/{'raw' if image else 'blob'}/main/{path}{fragment})"

    return _LINK.sub(replace, readme)


class ProjectMetadata(MetadataHookInterface):
    """Sets ``readme`` and ``urls``."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the fields of ``[project]`` that are declared as dynamic."""
        repository = self.config["repository"].rstrip("/")
        readme = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": index_page(readme, repository)}
        metadata["urls"] = project_urls(repository)
