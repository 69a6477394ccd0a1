"""Documentation comments: their text, and the constraints in their tags."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Literal

from mcp_bindgen.ir.documentation import NO_DOC, Doc
from mcp_bindgen.ir.protocol import About, Constraints
from mcp_bindgen.ir.types import Position
from mcp_bindgen.resolve.faults import Faults

_NOTHING = About()
_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?([eE][+-]?[0-9]{1,3})?")
_COUNT = re.compile(r"[0-9]{1,9}")


def about(doc: Doc) -> About:
    """Return the text and the tags for people."""
    if doc is NO_DOC:
        return _NOTHING
    return About(
        doc=doc.text or None,
        deprecated=doc.tag("deprecated"),
        since=doc.tag("since"),
        internal=doc.tag("internal") is not None,
    )


def constraints(
    doc: Doc, position: Position, number: Literal["integer", "float"] | None, faults: Faults
) -> Constraints:
    """Return the constraints in the tags of a property; a malformed tag is a fault."""
    if not doc.tags and number is None:
        return Constraints()

    def read(name: str, parse: Callable[[str], float | None], wanted: str) -> float | None:
        text = doc.tag(name)
        if text is None:
            return None
        value = parse(text.strip())
        if value is None:
            faults.add(position, f"@{name} must be {wanted}, got {text.strip()!r}")
        return value

    count = read("maxItems", _count, "an integer >= 0")
    return Constraints(
        minimum=read("minimum", _number, "a number"),
        maximum=read("maximum", _number, "a number"),
        max_items=None if count is None else int(count),
        format=_word(doc, position, faults),
        number=number,
    )


def _word(doc: Doc, position: Position, faults: Faults) -> str | None:
    text = doc.tag("format")
    if text is None:
        return None
    if len(text.split()) != 1:
        faults.add(position, f"@format must be the name of a format, got {text.strip()!r}")
    return text.strip()


def _number(text: str) -> float | None:
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    if not math.isfinite(value):
        return None
    return int(text) if text.lstrip("-").isdecimal() else value


def _count(text: str) -> float | None:
    return int(text) if _COUNT.fullmatch(text) else None
