"""The head of a page: what it may load and run, which is nothing but its own style and script."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path

from mcp_bindgen.diff.page.markup import Html, element, verbatim


def head(title: str, *, script: str | None = None) -> Html:
    """The head. ``script``: the text of the one script that may run."""
    allowed = "'none'" if script is None else _hash(script)
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src {_hash(own('page.css'))}; "
        "base-uri 'none'; form-action 'none'"
    )
    return element(
        "head",
        None,
        element("meta", {"charset": "utf-8"}),
        element("meta", {"http-equiv": "Content-Security-Policy", "content": policy}),
        element("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        element("meta", {"name": "color-scheme", "content": "light dark"}),
        element("title", None, title),
        verbatim("style", own("page.css")),
    )


@cache
def own(name: str) -> str:
    """The text of a file that comes with the page."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
