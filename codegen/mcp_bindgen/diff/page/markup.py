"""HTML that is right by construction: whatever is not ``Html`` already is text, and gets escaped."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable
from typing import Any, TypeAlias
from urllib.parse import quote

from attrs import frozen

_VOID = frozenset({"br", "input", "meta"})

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
"""Characters that do not show, that turn the order of others around, or that no encoding has."""

_IN_SCRIPT = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


@frozen
class Html:
    """Markup."""

    text: str


Content: TypeAlias = Html | str
"""Markup, or text that is to be escaped."""

Attribute: TypeAlias = str | int | bool | None
"""True for an attribute without a value; False and None for none."""


def element(name: str, attributes: dict[str, Attribute] | None = None, /, *content: Content) -> Html:
    """An element with its content."""
    start = name + "".join(_attribute(key, value) for key, value in (attributes or {}).items())
    if name in _VOID:
        return Html(f"<{start}>")
    return Html(f"<{start}>{joined(content).text}</{name}>")


def joined(parts: Iterable[Content], between: str = "") -> Html:
    """Parts one after another."""
    return Html(between.join(part.text if isinstance(part, Html) else escaped(part) for part in parts))


def breakable(path: str) -> Html:
    """A path as code, in lines that break after its dots and slashes where they have to."""
    return element("code", None, joined(re.split(r"(?<=[./])", path), "<wbr>"))


def escaped(text: str) -> str:
    """A text as it stands in HTML, inside and outside of attributes."""
    return html.escape(seen(text))


def seen(text: str) -> str:
    """A text in which what would not be seen is spelled out; it stands for the text all over the page."""
    return _UNSEEN.sub(_spelled, text)


def quoted(text: str) -> str:
    """A text as it stands in an address, after the ``#``."""
    return quote(seen(text), safe="")


def verbatim(name: str, text: str) -> Html:
    """A script or style, whose text is ours and may not be escaped."""
    if re.search(r"</|<!--", text):
        message = f"the text of a {name} may not look like markup"
        raise ValueError(message)
    return Html(f"<{name}>{text}</{name}>")


def data(identity: str, value: Any) -> Html:
    """A script element that holds data, and nothing that could be taken for markup."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":")).translate(_IN_SCRIPT)
    return Html(f'<script type="application/json" id="{escaped(identity)}">{text}</script>')


def _attribute(name: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    return f" {name}" if value is True else f' {name}="{escaped(str(value))}"'


def _spelled(found: re.Match[str]) -> str:
    return f"\\u{ord(found.group()):04x}"
