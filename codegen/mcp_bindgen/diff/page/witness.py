"""The witness of a change, to unfold: who sends which message, what becomes of it, and the line in which that shows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias, cast

from mcp_bindgen.diff.changes import Witness
from mcp_bindgen.diff.page.markup import Content, Html, element, joined
from mcp_bindgen.diff.page.wording import PAIRINGS
from mcp_bindgen.diff.reports.wording import OUTCOMES

Path: TypeAlias = tuple[str | int, ...]

_MARGIN = "  "


def witness(found: Witness) -> Html:
    """The witness of a change."""
    title = PAIRINGS[found.pairing][0]
    receiver = "client" if found.sender == "server" else "server"
    told = f"{title}: the {found.sender} sends this, and the {receiver} {OUTCOMES[found.outcome]}"
    asked: list[Content] = [" (it answers ", element("code", None, found.answers), ")"] if found.answers else []
    summary = element("summary", None, element("b", None, "Witness"), f" {told}", *asked)
    marked = _nearest(found.message, found.place)
    lines = (_line(text, marked=path == marked and bool(path)) for path, text in _lines(found.message))
    code = element("pre", {"tabindex": 0}, element("code", None, joined(lines, "\n")))
    return element("details", {"class": "witness"}, summary, code)


def _line(text: str, *, marked: bool) -> Html | str:
    if not marked:
        return text
    bare = text.lstrip(" ")
    return joined([" " * (len(text) - len(bare)), element("mark", None, bare)])


def _nearest(message: Any, place: Path) -> Path:
    """The place, or what is around it where nothing is there: what is missing shows in what lacks it."""
    for depth, step in enumerate(place):
        inside = _parts(message)
        if step not in inside:
            return place[:depth]
        message = inside[step]
    return place


def _lines(value: Any, path: Path = (), start: str = "", end: str = "") -> Iterator[tuple[Path, str]]:
    """Each line of a JSON text in the usual layout, with the path of what begins in it."""
    margin = _MARGIN * len(path)
    parts = _parts(value)
    if not parts:
        yield path, f"{margin}{start}{json.dumps(value, ensure_ascii=False)}{end}"
        return
    is_object = isinstance(value, dict)
    yield path, margin + start + ("{" if is_object else "[")
    for number, (key, part) in enumerate(parts.items(), 1):
        name = f"{json.dumps(key, ensure_ascii=False)}: " if is_object else ""
        yield from _lines(part, (*path, key), name, "," if number < len(parts) else "")
    yield (), margin + ("}" if is_object else "]") + end


def _parts(value: Any) -> Mapping[str | int, Any]:
    if isinstance(value, dict):
        return cast("Mapping[str | int, Any]", value)
    if isinstance(value, list):
        return dict(enumerate(cast("Sequence[Any]", value)))
    return {}
