"""Check that the reference shows each member that a page lists. MkDocs calls this for the HTML of each page.

mkdocstrings ignores names that it does not know, and members without a docstring.
"""

from __future__ import annotations

import logging
import re
from typing import Any

_DIRECTIVE = re.compile(r"^::: (\S+)\n    options:\n((?:      .*\n?)*)", re.MULTILINE)
_LISTED = re.compile(r"^      (?:inherited_)?members: \[(.*)\]", re.MULTILINE)
_log = logging.getLogger(f"mkdocs.plugins.{__name__}")


def on_page_content(content: str, page: Any, **_: Any) -> str:
    """Return the HTML unchanged; warn about members that it lacks, which fails a strict build."""
    for name in missing(page.markdown, content):
        _log.warning(f"{page.file.src_uri}: {name} is listed and not shown; give it a docstring, or correct the name")
    return content


def missing(source: str, content: str) -> list[str]:
    """Return the paths of members that the source of a page lists and its HTML does not show."""
    listed = (
        f"{path}.{name.strip()}"
        for path, options in _DIRECTIVE.findall(source)
        for names in _LISTED.findall(options)
        for name in names.split(",")
    )
    return [path for path in listed if f'id="{path}"' not in content]
