"""``IssuerRouter``: validates the access tokens of several authorization servers, each by the validator of its issuer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from ...errors import UsageError
from ...session.caller import Caller
from ...validation import require_list
from .jwt_parts import unverified_claims
from .token_cache import TokenCache
from .token_validator import InvalidToken, TokenValidator


class IssuerRouter:
    """Chooses the validator by the issuer that a token names, which that validator verifies. Thread-safe.

    A token that is not a JWT goes to the validator that introspects tokens; there may be one of these only, because each
    would learn the tokens of the others. Users of different issuers may have the same name, so the principal is the issuer
    and the name, with a blank between them. Raises ``UsageError`` for validators that cannot be told apart.
    """

    def __init__(self, validators: Sequence[TokenValidator]) -> None:
        require_list("validate", validators, "a JwtValidator", TokenValidator)
        self._validators = {each.issuer: each for each in validators}
        if not validators or len(self._validators) < len(validators):
            text = "`validate` must hold one validator for each issuer"
            raise UsageError(text)
        opaque = [each for each in validators if each.introspects]
        if len(opaque) > 1:
            names = ", ".join(each.issuer for each in opaque)
            text = (
                f"`validate` may hold one IntrospectionValidator only, got those of {names}: each would get all tokens"
            )
            raise UsageError(text)
        self._opaque = opaque[0] if opaque else None
        self.lifetime = min(each.lifetime for each in validators)
        """Limit in seconds on the time for which a valid token is not validated again."""

    @property
    def issuers(self) -> list[str]:
        """The authorization servers."""
        return [*self._validators]

    def for_resource(self, resource: str, *, bound: bool = False) -> TokenCache:
        """See ``TokenValidator.for_resource``."""
        checks = {issuer: each.check_for(resource, bound=bound) for issuer, each in self._validators.items()}
        return TokenCache(partial(self._validate, checks), self.lifetime)

    def _validate(self, checks: dict[str, Callable[[str], Caller]], token: str) -> Caller:
        claims = unverified_claims(token)
        issuer = None if claims is None else claims.get("iss")
        if issuer is None and self._opaque is not None:
            issuer = self._opaque.issuer
        check = checks.get(issuer) if isinstance(issuer, str) else None
        if check is None or not isinstance(issuer, str):
            text = "the access token names none of the issuers of this server"
            raise InvalidToken(text)
        found = check(token)
        return Caller(
            f"{issuer} {found.principal}",
            scopes=found.scopes,
            claims=found.claims,
            client_id=found.client_id,
            expires_at=found.expires_at,
        )
