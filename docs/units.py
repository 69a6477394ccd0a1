"""Numbers stay on one line with their units; MkDocs calls this for the HTML of each page."""

from __future__ import annotations

import re
from typing import Any

UNITS = ("%", "s", "ms", "µs", "KiB", "MiB", "GiB", "KB", "MB", "MB/s")

_LITERAL_OR_TAG = re.compile(r"(<pre.*?</pre>|<code.*?</code>|<svg.*?</svg>|<[^>]*>)", re.DOTALL)
_BLANK = re.compile(rf"(?<=\d)\s(?=(?:{'|'.join(UNITS)})(?![\w/]))")


def on_page_content(content: str, **_: Any) -> str:
    """Return the HTML of a page with a no-break space between a number and its unit."""
    parts = _LITERAL_OR_TAG.split(content)
    parts[::2] = [_BLANK.sub("\N{NO-BREAK SPACE}", part) for part in parts[::2]]
    return "".join(parts)
