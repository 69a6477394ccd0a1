"""Scopes of access tokens: what a client may do (RFC 6749, section 3.3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from ..errors import UsageError
from ..validation import require_list, require_mappings

NO_SCOPES: Final[frozenset[str]] = frozenset()

_TOKEN: Final = re.compile(r"[!#-\[\]-~]+")
_OFFLINE: Final = "offline_access"


def scope_set(name: str, scopes: Iterable[str]) -> frozenset[str]:
    """Return the scopes of an argument. Raise ``UsageError`` for what is not a list of scopes, and for ``offline_access``.

    A client asks for ``offline_access`` on its own account; a server must not require it (Authorization, Refresh Tokens).
    """
    if not scopes:
        return NO_SCOPES
    require_list(name, scopes, "files:read", str)
    found = frozenset(scopes)
    wrong = next((each for each in found if not _TOKEN.fullmatch(each)), None)
    shown = f"`{name}`" if name.isidentifier() else name
    if wrong is not None:
        text = f"{shown}: a scope is printable ASCII without blanks, quotes and backslashes, got {wrong!r}"
        raise UsageError(text)
    if _OFFLINE in found:
        text = f"{shown} must not hold {_OFFLINE!r}, which says nothing about what a token is for; leave it out"
        raise UsageError(text)
    return found


class ScopeImplications:
    """Scopes that include others: ``{"files:write": ["files:read"]}``. Raises ``UsageError`` for anything else."""

    def __init__(self, implied: Mapping[str, Iterable[str]] | None = None) -> None:
        require_mappings(implied_scopes=implied)
        self._implied = {each: scope_set("implied_scopes", more) for each, more in (implied or {}).items()}
        scope_set("implied_scopes", list(self._implied))

    def cover(self, granted: frozenset[str], needed: frozenset[str]) -> bool:
        """Return whether the granted scopes include the needed ones, directly or by implication."""
        return needed <= granted or (bool(self._implied) and needed <= self._closure(granted))

    def _closure(self, granted: frozenset[str]) -> set[str]:
        found: set[str] = set()
        waiting = [*granted]
        while waiting:
            each = waiting.pop()
            if each not in found:
                found.add(each)
                waiting.extend(self._implied.get(each, ()))
        return found
