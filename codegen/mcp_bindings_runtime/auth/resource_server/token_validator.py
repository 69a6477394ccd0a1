"""``TokenValidator``: what the validators of access tokens have in common, and the errors that they raise."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from time import time
from typing import Any, Final

from ...errors import McpError, UsageError
from ...session.caller import Caller
from ...validation import require_booleans, require_instance, require_list, require_seconds
from ..urls import check_scheme
from .token_cache import TokenCache

_SEPARATE: Final = "client:"
"""Begins the principal of a token without a subject, so that no user can have the same."""


class InvalidToken(McpError):
    """Raised by validators for an access token that is not valid. The reason goes to the client and the log."""


class InvalidProof(McpError):
    """Raised for a DPoP proof that is not valid (RFC 9449). The reason goes to the client and the log."""


class ValidatorUnavailable(McpError):
    """Raised by validators that cannot decide, because the authorization server does not answer. Clients may try again."""


class TokenValidator(ABC):
    """Validates the access tokens of one authorization server, the ``issuer``. Thread-safe.

    ``audience`` is the value, or the values, of ``aud`` of which a token must have one: the ``resource`` of
    ``Authorization`` unless set. ``any_audience=True`` accepts tokens that were issued for other servers, whose operators
    can then use them here (RFC 9068, section 4). ``leeway`` is the tolerance for clocks in seconds.
    """

    def __init__(
        self,
        issuer: str,
        *,
        audience: str | Sequence[str] | None = None,
        any_audience: bool = False,
        leeway: float = 30.0,
    ) -> None:
        require_instance("issuer", issuer, str, "the URL of the authorization server")
        check_issuer(issuer)
        require_booleans(any_audience=any_audience)
        require_seconds(leeway=leeway)
        audiences: Sequence[str] | None = [audience] if isinstance(audience, str) else audience
        if audiences is not None:
            require_list("audience", audiences, "https://example.com/mcp", str)
            if not audiences or any_audience:
                text = "`audience` must hold a value, and must be left out with `any_audience`"
                raise UsageError(text)
        self.issuer = issuer
        self._audiences = None if audiences is None else frozenset(audiences)
        self._any_audience = any_audience
        self._leeway = leeway

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.issuer}>"

    lifetime: float
    """Limit in seconds on the time for which a valid token is not validated again."""
    introspects = False
    """Whether the authorization server is asked about each token, and so learns it."""

    @property
    def issuers(self) -> list[str]:
        """The authorization server, as the list of ``authorization_servers``."""
        return [self.issuer]

    def for_resource(self, resource: str, *, bound: bool = False) -> TokenCache:
        """Return a cache of the callers with valid tokens for a resource; see ``check_for``."""
        return TokenCache(self.check_for(resource, bound=bound), self.lifetime)

    def check_for(self, resource: str, *, bound: bool) -> Callable[[str], Caller]:
        """Return the function that returns the caller with a valid token for a resource.

        With ``bound`` the token must be bound to a key, and else must not. It raises ``InvalidToken`` or
        ``ValidatorUnavailable``.
        """
        audiences = frozenset({resource}) if self._audiences is None else self._audiences

        def check(token: str) -> Caller:
            caller = self.validate(token, audiences)
            if not bound:
                check_bearer(caller)
            return caller

        return check

    @abstractmethod
    def validate(self, token: str, audiences: frozenset[str]) -> Caller:
        """Return the caller with a token for one of these audiences. Raise ``InvalidToken`` or ``ValidatorUnavailable``."""

    def caller(self, claims: dict[str, Any], audiences: frozenset[str]) -> Caller:
        """Return the caller with these claims, which the authorization server vouches for. Raise ``InvalidToken``."""
        if not self._any_audience and not audiences & _texts(claims.get("aud")):
            text = "the access token is for another server"
            raise InvalidToken(text)
        now = time()
        expires_at, not_before = claims.get("exp"), claims.get("nbf")
        if expires_at is not None and not (_is_time(expires_at) and now < expires_at + self._leeway):
            text = "the access token has expired"
            raise InvalidToken(text)
        if not_before is not None and not (_is_time(not_before) and now >= not_before - self._leeway):
            text = "the access token is not valid yet"
            raise InvalidToken(text)
        subject = _text(claims.get("sub"))
        client_id = _text(claims.get("client_id")) or _text(claims.get("azp"))
        principal = subject or (client_id and f"{_SEPARATE}{client_id}")
        if not principal:
            text = "the access token has neither a subject nor a client"
            raise InvalidToken(text)
        scopes = _scopes(claims.get("scope")) | _scopes(claims.get("scp"))
        expiry = None if expires_at is None else expires_at + self._leeway
        return Caller(principal, scopes=scopes, claims=claims, client_id=client_id, expires_at=expiry)


def check_issuer(issuer: str) -> None:
    """Raise ``UsageError`` for what cannot be the URL of an authorization server."""
    try:
        check_scheme(issuer, "`issuer`", loopback=True)
    except McpError as fault:
        text = f"`issuer` must be the URL of the authorization server, such as 'https://login.example.com': {fault}"
        raise UsageError(text) from None


def check_bearer(caller: Caller) -> None:
    """Raise ``InvalidToken`` for a bearer token that is bound to a key.

    Accepting it would undo its protection (RFC 9449, section 7.2; RFC 8705, section 3).
    """
    if is_bound(caller):
        text = "the access token is bound to a key, and must not be sent as a bearer token"
        raise InvalidToken(text)


def is_bound(caller: Caller) -> bool:
    """Return whether the token of a caller is bound to a key."""
    return "cnf" in caller.claims


def _texts(value: Any) -> frozenset[str]:
    values = value if value.__class__ is list else [value]
    return frozenset(each for each in values if each.__class__ is str)


def _text(value: Any) -> str | None:
    return value if value.__class__ is str and value else None


def _scopes(value: Any) -> frozenset[str]:
    """Return the scopes in a text with blanks, or in a list."""
    return frozenset(value.split()) if value.__class__ is str else _texts(value) - {""}


def _is_time(value: Any) -> bool:
    return value.__class__ in (int, float)
