"""Access tokens for a program of its own, without a user: the client credentials grant (RFC 6749, section 4.4)."""

from __future__ import annotations

from collections.abc import Mapping
from secrets import token_urlsafe
from time import time
from typing import TYPE_CHECKING, Any, Final

from ..distribution import install_command
from ..errors import OAuthError, UsageError
from ..validation import require_instance
from .authorization_context import AuthorizationContext
from .client_identity import ClientIdentity, preregistered
from .discovery import Discovery
from .token_authenticator import TokenAuthenticator, TokenOptions, checked_secret
from .token_request import Grant, TokenTarget, request_tokens

if TYPE_CHECKING:
    from typing import Unpack

_PER_MINUTE: Final = 60
_LIFETIME: Final = 300
"""Seconds for which the signed assertion of a client without a user is valid."""
_JWT_BEARER: Final = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


class MachineAuthenticator(TokenAuthenticator):
    """An ``auth=`` of a registered client that needs no user."""

    def __init__(self, client_id: str, client_secret: str | None = None, **options: Unpack[TokenOptions]) -> None:
        require_instance("client_id", client_id, str, "a str")
        super().__init__(authorizations=_PER_MINUTE, **options)
        self._client_id = client_id
        self._client_secret = checked_secret(client_id, client_secret)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} for {self._client_id!r}>"

    def discover(self, context: AuthorizationContext) -> tuple[Discovery, str | None]:
        """Return the authorization server, which stays the same, and the scopes to request."""
        discovery, scope = context.run(self._discover(context))
        if self._choice.issuer is None:
            self._choice = self._choice._replace(issuer=discovery.server.issuer)
        return discovery, scope

    def target(self, context: AuthorizationContext, discovery: Discovery, client: ClientIdentity) -> TokenTarget:
        """Return the recipient of a token request."""
        server = discovery.server
        if server.token_endpoint is None:
            text = f"{server.issuer} has no token endpoint"
            raise OAuthError(text)
        return TokenTarget(server.issuer, server.token_endpoint, client, discovery.resource, context.proof_key)


class ClientCredentials(MachineAuthenticator):
    """Gets tokens for a program without a user, for ``Client.http(url, auth=ClientCredentials("id", "secret"))``.

    Instead of a secret, the client may have a ``private_key`` in PEM format, with which it signs a JWT
    (``private_key_jwt``, RFC 7523). This needs the extra ``oauth``. The client sends its credentials to one
    authorization server only: ``issuer`` or, by default, the first that the MCP server names. Raises ``UsageError`` for
    an invalid argument.
    """

    def __init__(
        self,
        client_id: str,
        client_secret: str | None = None,
        *,
        private_key: str | None = None,
        algorithm: str = "ES256",
        **options: Unpack[TokenOptions],
    ) -> None:
        super().__init__(client_id, client_secret, **options)
        if (client_secret is None) == (private_key is None):
            text = "pass either `client_secret` or `private_key`"
            raise UsageError(text)
        self._key = None if private_key is None else _key_of(private_key, algorithm)
        self._algorithm = algorithm

    def obtain(self, context: AuthorizationContext) -> Grant:
        """See ``TokenAuthenticator.obtain``."""
        discovery, scope = self.discover(context)
        server = discovery.server
        form = {"grant_type": "client_credentials"}
        if scope is not None:
            form["scope"] = scope
        assertion: Mapping[str, str] | None = None
        if self._key is None:
            client = preregistered(server, self._client_id, self._client_secret)
        else:
            client = ClientIdentity(server.issuer, self._client_id, "private_key_jwt")
            assertion = {"client_assertion_type": _JWT_BEARER, "client_assertion": self._assertion(server.issuer)}
        target = self.target(context, discovery, client)
        return context.run(request_tokens(target, form, scope=scope, assertion=assertion))

    def _assertion(self, issuer: str) -> str:
        from joserfc import jwt

        now = int(time())
        claims: dict[str, Any] = {
            "iss": self._client_id,
            "sub": self._client_id,
            "aud": issuer,
            "iat": now,
            "exp": now + _LIFETIME,
            "jti": token_urlsafe(16),
        }
        key: Any = self._key
        return jwt.encode({"alg": self._algorithm, "typ": "JWT"}, claims, key, algorithms=[self._algorithm])


def _key_of(text: Any, algorithm: str) -> Any:
    """Return a private key. Raise ``UsageError`` if it is invalid, or cannot be used for an algorithm."""
    try:
        from joserfc import jwt
        from joserfc.errors import JoseError
        from joserfc.jwk import import_key
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in {"joserfc", "cryptography"}:
            raise
        message = f"a private key needs joserfc, which is not installed: {install_command('oauth')}"
        raise UsageError(message) from None
    kind: Any = {"ES": "EC", "RS": "RSA", "PS": "RSA"}.get(algorithm[:2])
    if kind is None or not isinstance(text, str):
        message = f"`private_key` must be a str in PEM format, and `algorithm` such as 'ES256', got {algorithm!r}"
        raise UsageError(message)
    # Its overloads are for constants.
    read: Any = import_key
    try:
        key: Any = read(text, kind)
        # Keys and algorithms that do not fit are found by using them.
        jwt.encode({"alg": algorithm}, {}, key, algorithms=[algorithm])
    except (JoseError, ValueError):
        # The cause may quote the key.
        message = f"`private_key` must be a private {kind} key in PEM format that can be used for {algorithm!r}"
        raise UsageError(message) from None
    return key
