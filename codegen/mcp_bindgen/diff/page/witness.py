"""The witness of a change: who sends which message, how the receiver reacts, and the line that shows it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias, cast

from attrs import frozen

from mcp_bindgen.diff.changes import Witness
from mcp_bindgen.diff.page.wording import PAIRINGS
from mcp_bindgen.diff.reports.wording import OUTCOMES

Path: TypeAlias = tuple[str | int, ...]

_MARGIN = "  "


@frozen
class JsonLine:
    """A line of the message."""

    indent: str
    text: str
    is_marked: bool


@frozen
class WitnessView:
    """A witness for the template."""

    sentence: str
    answers: str | None
    """The method of the request that the message answers."""
    lines: tuple[JsonLine, ...]

    @property
    def is_response(self) -> bool:
        """The message answers a request."""
        return self.answers is not None


def witness_view(witness: Witness) -> WitnessView:
    """Return the witness of a change for the template."""
    receiver = "client" if witness.sender == "server" else "server"
    sentence = (
        f"{PAIRINGS[witness.pairing][0]}: the {witness.sender} sends this, "
        f"and the {receiver} {OUTCOMES[witness.outcome]}"
    )
    marked = _nearest(witness.message, witness.place)
    lines = tuple(_line(text, marked=bool(path) and path == marked) for path, text in _lines(witness.message))
    return WitnessView(sentence, witness.answers, lines)


def _line(text: str, *, marked: bool) -> JsonLine:
    bare = text.lstrip(" ")
    return JsonLine(text[: len(text) - len(bare)], bare, marked)


def _nearest(message: Any, place: Path) -> Path:
    """Return the path of a place, or of the nearest value around it that exists."""
    for depth, step in enumerate(place):
        inside = _parts(message)
        if step not in inside:
            return place[:depth]
        message = inside[step]
    return place


def _lines(value: Any, path: Path = (), start: str = "", end: str = "") -> Iterator[tuple[Path, str]]:
    """Yield the lines of indented JSON, each with the path of the value that begins in it."""
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
