"""``TokenIssuer``: access tokens for the tests of a server that requires them, without an authorization server."""

from __future__ import annotations

from collections.abc import Iterable
from time import time
from typing import Any, Final

from .jwt_validator import JwtValidator
from .key_set import require_joserfc

_LIFETIME: Final = 3600
_ALGORITHM: Final = "ES256"


class TokenIssuer:
    """Issues JWTs (RFC 9068) with a key that exists in this object only. For tests. Needs the extra ``oauth``."""

    def __init__(self, issuer: str = "https://issuer.example") -> None:
        require_joserfc("TokenIssuer")
        from joserfc.jwk import ECKey

        self.issuer = issuer
        """The value of ``iss``."""
        self._key = ECKey.generate_key("P-256", {"kid": "tests"})

    def __repr__(self) -> str:
        return f"<TokenIssuer {self.issuer}>"

    @property
    def jwks(self) -> dict[str, Any]:
        """The key set with the public key (RFC 7517)."""
        return {"keys": [{**self._key.as_dict(private=False), "kid": "tests"}]}

    def validator(self, **options: Any) -> JwtValidator:
        """Return a validator that accepts the tokens of this issuer; ``options`` are those of ``JwtValidator``."""
        chosen: dict[str, Any] = {"jwks": self.jwks, **options}
        return JwtValidator(self.issuer, **chosen)

    def token(
        self,
        subject: str,
        *,
        resource: str,
        scopes: Iterable[str] = (),
        expires_in: float = _LIFETIME,
        claims: dict[str, Any] | None = None,
        header: dict[str, Any] | None = None,
    ) -> str:
        """Return a token of a user for the server at ``resource``.

        ``expires_in`` is in seconds; pass a negative number to get an expired token. ``claims`` are added to the claims
        of the token, and ``header`` to the header of the token. They replace members of the same name; a member with
        the value None is omitted.
        """
        from joserfc import jwt

        now = int(time())
        usual = {
            "iss": self.issuer,
            "sub": subject,
            "aud": resource,
            "scope": " ".join(scopes),
            "client_id": "tests",
            "iat": now,
            "exp": now + int(expires_in),
        }
        head = {"alg": _ALGORITHM, "typ": "at+jwt", "kid": "tests", **(header or {})}
        return jwt.encode(_present(head), _present({**usual, **(claims or {})}), self._key)


def _present(members: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}
