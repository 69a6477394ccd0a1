"""Media types in headers: ``Content-Type`` and ``Accept`` (RFC 9110, sections 8.3.1 and 12.5.1)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

JSON: Final = "application/json"
SSE: Final = "text/event-stream"

_NAME = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_TYPE = re.compile(rf"\s*({_NAME})/({_NAME})\s*")
_PARAMETER = re.compile(rf';\s*(?:({_NAME})=(?:({_NAME})|"((?:[^"\\]|\\.)*)"))?\s*')
_COMMA = re.compile(r"\s*,\s*")
_WEIGHT = re.compile(r"(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)")


@lru_cache(maxsize=256)
def is_json(content_type: str) -> bool:
    """Return whether a ``Content-Type`` is JSON in UTF-8."""
    found = _parse(content_type, 0)
    if found is None:
        return False
    essence, parameters, end = found
    return essence == JSON and end == len(content_type) and parameters.get("charset", "utf-8").lower() == "utf-8"


@lru_cache(maxsize=256)
def accepts(accept: str, media: str) -> bool:
    """Return whether an ``Accept`` header accepts a media type; the most specific matching range decides."""
    best, accepted, at = -1, False, 0
    while at < len(accept):
        found = _parse(accept, at)
        if found is None:
            return False
        essence, parameters, at = found
        rank = _rank(essence, media)
        if rank > best:
            weight = parameters.get("q", "1")
            best, accepted = rank, bool(_WEIGHT.fullmatch(weight)) and float(weight) > 0
        comma = _COMMA.match(accept, at)
        if comma is None:
            return accepted and at == len(accept)
        at = comma.end()
    return accepted


def _rank(essence: str, media: str) -> int:
    """Return the specificity with which a range matches a media type; -1 if it does not."""
    if essence == media:
        return 2
    if essence == f"{media.partition('/')[0]}/*":
        return 1
    return 0 if essence == "*/*" else -1


def _parse(text: str, at: int) -> tuple[str, dict[str, str], int] | None:
    """Return the media type or range at an index, its parameters, and the index of its end; None if there is none."""
    found = _TYPE.match(text, at)
    if found is None:
        return None
    parameters: dict[str, str] = {}
    end = found.end()
    while (parameter := _PARAMETER.match(text, end)) is not None:
        end = parameter.end()
        name, plain, quoted = parameter.groups()
        if name is not None:
            parameters.setdefault(name.lower(), plain if plain is not None else re.sub(r"\\(.)", r"\1", quoted))
    return f"{found[1]}/{found[2]}".lower(), parameters, end
