"""``JwtValidator``: validates access tokens that are JWTs (RFC 9068, section 4; RFC 8725)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ...errors import UsageError
from ...session.caller import Caller
from ...validation import require_booleans, require_instance, require_list, require_strings
from ..flow import Flow, get_json, json_object
from .issuer_connection import IssuerConnection
from .jwt_parts import unverified_header
from .key_set import ALGORITHMS, KeySet, require_joserfc
from .token_validator import InvalidToken, TokenValidator, ValidatorUnavailable

_LIFETIME: Final = 300.0
"""Seconds for which a valid JWT is accepted again without another validation."""
_TYPES: Final = ("at+jwt", "JWT")


class JwtValidator(TokenValidator):
    """Validates the JWTs of an authorization server. Pass it to ``Authorization``. Needs the extra ``oauth``.

    The public keys are the key set ``jwks``, or the key set at ``jwks_url``. By default, the validator reads the URL of
    the key set from the metadata of the issuer. Keys from a URL are fetched again after an hour, and when a token names
    an unknown key, but at most once in ten seconds.

    A token must have an expiry, and its claim ``iss`` must be exactly ``issuer``. ``algorithms`` are the signature
    algorithms to accept, ``types`` the values of the header ``typ``. ``audience`` is a value or a list of values; the
    claim ``aud`` of a token must contain one of them. The default is the ``resource`` of ``Authorization``.
    ``any_audience=True`` accepts tokens that were issued for other servers, whose operators can then use them here.
    ``leeway`` is the tolerance for clocks, in seconds. With ``allow_private`` a public issuer may name keys at a
    private address. Raises ``UsageError`` for an argument that is not valid, and if joserfc is missing.
    """

    lifetime = _LIFETIME

    def __init__(
        self,
        issuer: str,
        *,
        jwks_url: str | None = None,
        jwks: Mapping[str, Any] | None = None,
        audience: str | Sequence[str] | None = None,
        any_audience: bool = False,
        algorithms: Sequence[str] | None = None,
        types: Sequence[str] = _TYPES,
        leeway: float = 30.0,
        allow_private: bool = False,
    ) -> None:
        super().__init__(issuer, audience=audience, any_audience=any_audience, leeway=leeway)
        require_strings(jwks_url=jwks_url)
        require_list("types", types, "at+jwt", str)
        require_booleans(allow_private=allow_private)
        require_joserfc("JwtValidator")
        chosen = ALGORITHMS if algorithms is None else tuple(algorithms)
        wrong = next((each for each in chosen if each not in ALGORITHMS), None)
        if wrong is not None or not chosen:
            text = f"`algorithms` must be among {', '.join(ALGORITHMS)}, which have a public key, got {wrong!r}"
            raise UsageError(text)
        self._algorithms = frozenset(chosen)
        self._types = frozenset(each.lower() for each in types)
        self._jwks_url = jwks_url
        self._connection = IssuerConnection(issuer, allow_private=allow_private)
        if jwks is None:
            self._keys = KeySet(self._load)
        elif jwks_url is None:
            require_instance("jwks", jwks, Mapping, "a JSON Web Key Set, which is a dict")
            self._keys = KeySet(None, _keys_of(jwks))
            if not self._keys:
                text = "`jwks` has no public key for signatures (RFC 7517)"
                raise UsageError(text)
        else:
            text = "pass `jwks` or `jwks_url`, not both"
            raise UsageError(text)

    def _load(self) -> Sequence[Any]:
        return self._connection.run(self._fetch())

    def _fetch(self) -> Flow[Sequence[Any]]:
        url = self._jwks_url or (yield from self._connection.endpoint("jwks_uri"))
        response = yield get_json("key set", url)
        if response.status != 200:
            text = f"the key set at {url} was answered with HTTP status {response.status}"
            raise ValidatorUnavailable(text)
        return _keys_of(json_object(response, "a key set"))

    def validate(self, token: str, audiences: frozenset[str]) -> Caller:
        """See ``TokenValidator.validate``."""
        claims = self._verified(token)
        if claims.get("iss") != self.issuer:
            text = "the access token is of another issuer"
            raise InvalidToken(text)
        if claims.get("exp") is None:
            text = "the access token has no expiry"
            raise InvalidToken(text)
        return self.caller(claims, audiences)

    def _verified(self, token: str) -> dict[str, Any]:
        """Return the claims of a JWT whose signature is right. Raise ``InvalidToken``."""
        from joserfc import jwt
        from joserfc.errors import JoseError

        header = unverified_header(token)
        if header is None:
            text = "the access token is not a JWT"
            raise InvalidToken(text)
        algorithm, kid, kind = header.get("alg"), header.get("kid"), header.get("typ")
        if algorithm.__class__ is not str or algorithm not in self._algorithms:
            text = "the signature algorithm of the access token is not accepted"
            raise InvalidToken(text)
        if not isinstance(kind, str) or kind.lower().removeprefix("application/") not in self._types:
            # Other JWTs of the same server, such as those of a log-out, must not pass for access tokens.
            text = "the type of the access token is not accepted"
            raise InvalidToken(text)
        for key in self._keys.find(kid if kid.__class__ is str else None, algorithm):
            try:
                claims: dict[str, Any] = jwt.decode(token, key, algorithms=[algorithm]).claims
            except (JoseError, ValueError, TypeError):
                continue
            return claims
        text = "the signature of the access token is not valid"
        raise InvalidToken(text)


def _keys_of(document: Mapping[str, Any]) -> Sequence[Any]:
    keys: Any = document.get("keys")
    return keys if keys.__class__ is list else ()
