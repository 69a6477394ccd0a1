"""Bases of classes in the reference: only those that readers can look up. MkDocs calls this for the HTML of each page."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

OWN = "mcp_bindings"
"""Beginning of the names of this project's packages."""
HIDDEN = {"typing.Generic"}
"""Bases from elsewhere that say nothing to readers."""

_BASES = re.compile(r'<p class="doc doc-class-bases">\s*Bases: (.*?)</p>', re.DOTALL)
_BASE = re.compile(r"<code>.*?</code>", re.DOTALL)
_PATH = re.compile(r'identifier="([^"]*)"')
_DIRECTIVE = re.compile(r"^::: (\S+)$", re.MULTILINE)


def on_page_content(content: str, **_: Any) -> str:
    """Return the HTML of a page without the bases that the reference does not document."""
    return without_internal_bases(content, documented_paths())


@cache
def documented_paths() -> frozenset[str]:
    """Return the paths of the modules, classes and functions that the pages of the reference document."""
    pages = (Path(__file__).parent / "reference").glob("*.md")
    return frozenset(path for page in pages for path in _DIRECTIVE.findall(page.read_text(encoding="utf-8")))


def without_internal_bases(page: str, documented: frozenset[str]) -> str:
    """Return HTML in which a class names the bases that are documented, and those from elsewhere."""

    def is_shown(base: str) -> bool:
        found = _PATH.search(base)
        path = found[1] if found else ""
        module, _, name = path.rpartition(".")
        if not path.startswith(OWN):
            return path not in HIDDEN
        return not name.startswith("_") and not documented.isdisjoint({path, module})

    def shown(match: re.Match[str]) -> str:
        bases = [base for base in _BASE.findall(match[1]) if is_shown(base)]
        return f'<p class="doc doc-class-bases">Bases: {", ".join(bases)}</p>' if bases else ""

    return _BASES.sub(shown, page)
