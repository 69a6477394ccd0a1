"""Authorization by API keys, for endpoints without an authorization server."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any, Final

from ...auth.scopes import NO_SCOPES, ScopeImplications, scope_set
from ...errors import UsageError
from ...logs import write_log
from ...session.caller import Caller
from ...validation import require_callable, require_instance
from .authorization import MissingScope
from .responses import Rejection

_SHORTEST: Final = 16
"""Least number of characters of a key."""
_LONGEST: Final = 16 * 1024
"""Limit on the characters of a header that contains an API key."""
_NAME: Final = re.compile(r"[A-Za-z0-9-]+")
_MISTAKE: Final = "`keys` must map each key, a str, to the caller's principal or Caller, or be a function that finds it"
_AUTHORIZATION: Final = "authorization"
_BEARER: Final = "bearer "


class ApiKeys:
    """Requires an API key with every request. There is no authorization server, so clients cannot log in.

    ``keys`` maps each key to a ``Caller``, or to the principal of the caller. It may also be a function that returns a
    ``Caller`` or a principal for a key, or None for an unknown key. The function may raise ``MissingScope`` for a key
    that lacks a scope.

    ``header`` is the name of the header with the key. In the header ``Authorization``, the key follows the word
    ``Bearer``; any other header contains only the key. Every request needs the ``required_scopes``. ``implied_scopes``
    maps a scope to the scopes that it includes. Raises ``UsageError`` for arguments that are not valid, and for a key
    of fewer than 16 characters.
    """

    metadata_document = None
    """None: metadata (RFC 9728) name authorization servers, and there is none."""

    def __init__(
        self,
        keys: Mapping[str, Caller | str] | Callable[[str], Caller | str | None],
        *,
        header: str = "Authorization",
        required_scopes: Iterable[str] = (),
        implied_scopes: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        require_instance("header", header, str, "a str")
        if not _NAME.fullmatch(header):
            text = f"`header` must be the name of a header, such as 'X-API-Key', got {header!r}"
            raise UsageError(text)
        self.required_scopes = scope_set("required_scopes", required_scopes)
        """The scopes that every request needs."""
        self._implications = ScopeImplications(implied_scopes)
        if callable(keys):
            require_callable("keys", keys, ("key",))
            self._find: Callable[[str], Caller | str | None] = keys
        else:
            self._find = _lookup(keys)
        self._is_bearer = header.lower() == _AUTHORIZATION
        self._field = f"HTTP_{header.upper().replace('-', '_')}"
        self._way = f"{header}: Bearer ..." if self._is_bearer else f"{header}: ..."
        # A response with status 401 needs a challenge (RFC 9110, section 11.6.1); for other headers no scheme is registered.
        self._scheme = "Bearer" if self._is_bearer else "ApiKey"

    def caller(self, environ: Mapping[str, Any]) -> Caller:
        """Return the sender of a request. Raise ``Rejection`` (401, 403)."""
        key = self._key(environ.get(self._field) or "")
        try:
            found = self._find(key) if key else None
        except MissingScope as error:
            raise _lacking(error.scope) from None
        if found is not None:
            return Caller(found) if isinstance(found, str) else found
        if not key:
            text = f"the API key is missing; send it as '{self._way}'"
            raise self._rejection(text)
        text = "the API key is unknown"
        write_log("info", "a request is answered with 401: %s", text)
        raise self._rejection(text, error="invalid_token")

    def require(self, caller: Caller | None, needed: frozenset[str] = NO_SCOPES) -> None:
        """Raise ``Rejection`` (403) for a caller without these scopes and those of every request."""
        needed = self.required_scopes | needed
        granted = (caller.scopes if caller is not None else None) or NO_SCOPES
        if needed and not self._implications.cover(granted, needed):
            raise _lacking(" ".join(sorted(needed)))

    def _key(self, value: str) -> str:
        """Return the key in the value of the header; empty if there is none."""
        value = value.strip()
        if len(value) > _LONGEST:
            return ""
        if not self._is_bearer:
            return value
        return value[len(_BEARER) :].strip() if value[: len(_BEARER)].lower() == _BEARER else ""

    def _rejection(self, reason: str, *, error: str = "") -> Rejection:
        detail = f' error="{error}", error_description="{reason}"' if error and self._is_bearer else ""
        return Rejection(401, reason, headers=[("WWW-Authenticate", self._scheme + detail)])


def _lookup(keys: Any) -> Callable[[str], Caller | str | None]:
    """Return a function that finds a key by its digest: the time it takes says nothing about similar keys."""
    if not hasattr(keys, "items"):
        raise UsageError(_MISTAKE)
    callers: dict[bytes, Caller | str] = {}
    for key, caller in keys.items():
        # Keys are secrets: no error shows one.
        if not isinstance(key, str) or not isinstance(caller, (Caller, str)):
            raise UsageError(_MISTAKE)
        if len(key) < _SHORTEST:
            text = f"an API key must have at least {_SHORTEST} characters, got {len(key)}; run: openssl rand -hex 32"
            raise UsageError(text)
        callers[_digest(key)] = caller
    return lambda key: callers.get(_digest(key))


def _digest(key: str) -> bytes:
    return sha256(key.encode(errors="replace")).digest()


def _lacking(scope: str) -> Rejection:
    return Rejection(403, f"this request needs an API key with the scope {scope}")
