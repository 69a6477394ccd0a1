"""``Caller``: the authenticated sender of a request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf
from types import MappingProxyType
from typing import Any, Final

from ..validation import require_instance, require_list, require_mappings, require_strings

_NO_CLAIMS: Final[Mapping[str, Any]] = MappingProxyType({})


class Caller:
    """The authenticated sender of a request, as the validator of its access token describes it.

    ``principal`` identifies it: sessions, tasks and rate limits belong to it. ``scopes`` are those of the token; None if
    they are not known, and then nothing that needs a scope is allowed. ``claims`` are the claims of the token, or what
    introspection says about it. ``client_id`` is the OAuth client. ``expires_at`` is a Unix time in seconds. Raises
    ``UsageError`` for a value of another type.
    """

    __slots__ = ("claims", "client_id", "expires_at", "principal", "scopes")

    def __init__(
        self,
        principal: str,
        *,
        scopes: Iterable[str] | None = None,
        claims: Mapping[str, Any] | None = None,
        client_id: str | None = None,
        expires_at: float | None = None,
    ) -> None:
        require_instance("principal", principal, str, "a str")
        require_mappings(claims=claims)
        require_strings(client_id=client_id)
        if scopes is not None:
            require_list("scopes", scopes, "files:read", str)
        self.principal = principal
        self.scopes = None if scopes is None else frozenset(scopes)
        self.claims = MappingProxyType(dict(claims)) if claims else _NO_CLAIMS
        self.client_id = client_id
        self.expires_at = expires_at

    def __repr__(self) -> str:
        # Claims may be personal data.
        scopes = "unknown scopes" if self.scopes is None else f"scopes {' '.join(sorted(self.scopes)) or 'none'}"
        return f"<Caller {self.principal!r}, {scopes}>"


def as_caller(value: Caller | str) -> Caller:
    """Return a caller, made from its principal for a str. Raise ``UsageError`` for another value."""
    if isinstance(value, Caller):
        return value
    require_instance("caller", value, str, "a Caller, or the principal as a str")
    return Caller(value)


def principal_of(caller: Caller | None) -> str | None:
    """Return the principal of a caller; None if the sender is not authenticated."""
    return None if caller is None else caller.principal


def expiry_of(caller: Caller | None) -> float:
    """Return the Unix time at which the token of a caller expires; infinite if it does not."""
    return inf if caller is None or caller.expires_at is None else caller.expires_at
