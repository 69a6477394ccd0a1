"""Page templates and their values: escaped text, with invisible characters spelled out."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from typing import Any
from urllib.parse import quote

from mcp_bindgen import templates

_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
"""Characters that do not show, that reverse the order of others, or that no encoding has."""


def fill(template: str, /, **values: Any) -> str:
    """Return a template of ``templates/diff_page`` filled in."""
    environment = templates.environment(autoescape=True, finalize=_finalize)
    return environment.get_template(f"diff_page/{template}").render(**values)


def spelled_out(text: str) -> str:
    """Return a text with its invisible characters as escapes, which stands for the text all over the page."""
    return _INVISIBLE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def fragment(text: str) -> str:
    """Return a text as it stands in the fragment of an address, after the ``#``."""
    return quote(spelled_out(text), safe="")


def filter_link(**chosen: str) -> str:
    """Return a link to the page with some of its filters set."""
    return "#?" + "&".join(f"{name}={fragment(value)}" for name, value in chosen.items())


def breakable(path: str) -> list[str]:
    """Return the parts of a path between which a line may break: after dots and slashes."""
    return re.split(r"(?<=[./])", path)


@cache
def content_security_policy(*, script: bool) -> str:
    """Return the policy of a page, which allows its own style and, if it has one, its own script."""
    allowed = _digest("page.js") if script else "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_digest('page.css')}; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(name: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(fill(name).encode()).digest()).decode()}'"


def _finalize(value: Any) -> Any:
    # Markup is a subclass of str, and is left alone.
    return spelled_out(value) if type(value) is str else value
