"""The parts of a signed JWT (RFC 7515, section 3.1) before its signature is verified: they only select what verifies it."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from typing import Any, Final

_PARTS: Final = 3


def unverified_header(text: str) -> Mapping[str, Any] | None:
    """Return the header of a JWT; None for any other text."""
    return _part(text, 0)


def unverified_claims(text: str) -> Mapping[str, Any] | None:
    """Return the claims of a JWT, which anybody may have written; None for any other text."""
    return _part(text, 1)


def _part(text: str, place: int) -> Mapping[str, Any] | None:
    parts = text.split(".")
    if len(parts) != _PARTS:
        return None
    try:
        found: Any = json.loads(urlsafe_b64decode(parts[place] + "=" * (-len(parts[place]) % 4)))
    except (ValueError, RecursionError):
        return None
    members: Mapping[str, Any] | None = found if found.__class__ is dict else None
    return members
