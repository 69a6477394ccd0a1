"""``IntrospectionValidator``: asks the authorization server about access tokens (RFC 7662)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ...errors import UsageError
from ...session.caller import Caller
from ...validation import require_booleans, require_instance, require_seconds, require_strings
from ..client_identity import SECRET_METHODS, ClientIdentity
from ..flow import Flow, json_object, post_form
from ..token_request import authenticate_client
from .issuer_connection import IssuerConnection
from .token_validator import InvalidToken, TokenValidator, ValidatorUnavailable

_OK: Final = 200


class IntrospectionValidator(TokenValidator):
    """Asks the authorization server about each token. Pass it to ``Authorization``. Needs the extra ``http``.

    ``client_id`` and ``client_secret`` are the credentials of this server at the authorization server, and
    ``auth_method`` is the way to send them. ``url`` is the introspection endpoint. By default, the validator reads it
    from the metadata of the issuer. A valid token is remembered for ``lifetime`` seconds, but not beyond its expiry. A
    token that is revoked meanwhile is still accepted.

    ``audience`` is a value or a list of values; ``aud`` of a token must contain one of them. The default is the
    ``resource`` of ``Authorization``. ``any_audience=True`` accepts tokens that were issued for other servers, whose
    operators can then use them here. ``leeway`` is the tolerance for clocks, in seconds. With ``allow_private`` a
    public issuer may name an endpoint at a private address. Raises ``UsageError`` for an argument that is not valid.
    """

    introspects = True

    def __init__(
        self,
        issuer: str,
        client_id: str,
        client_secret: str,
        *,
        url: str | None = None,
        auth_method: str = "client_secret_basic",
        audience: str | Sequence[str] | None = None,
        any_audience: bool = False,
        leeway: float = 30.0,
        lifetime: float = 30.0,
        allow_private: bool = False,
    ) -> None:
        super().__init__(issuer, audience=audience, any_audience=any_audience, leeway=leeway)
        require_instance("client_id", client_id, str, "a str")
        secret: Any = client_secret
        if not isinstance(secret, str):
            # The value is not shown.
            text = "`client_secret` must be a str"
            raise UsageError(text)
        require_strings(url=url)
        require_seconds(lifetime=lifetime)
        require_booleans(allow_private=allow_private)
        if auth_method not in SECRET_METHODS:
            text = f"`auth_method` must be one of {', '.join(SECRET_METHODS)}, got {auth_method!r}"
            raise UsageError(text)
        self.lifetime = lifetime
        self._url = url
        self._identity = ClientIdentity(issuer, client_id, auth_method, client_secret)
        self._connection = IssuerConnection(issuer, allow_private=allow_private)

    def validate(self, token: str, audiences: frozenset[str]) -> Caller:
        """See ``TokenValidator.validate``."""
        members = self._connection.run(self._introspect(token))
        if members.get("active") is not True:
            text = "the access token is invalid, expired or revoked"
            raise InvalidToken(text)
        if members.get("iss") not in {None, self.issuer}:
            text = "the access token is of another issuer"
            raise InvalidToken(text)
        return self.caller(members, audiences)

    def _introspect(self, token: str) -> Flow[dict[str, Any]]:
        url = self._url or (yield from self._connection.endpoint("introspection_endpoint"))
        body = {"token": token, "token_type_hint": "access_token"}
        headers = authenticate_client(self._identity, body)
        response = yield post_form("introspection", url, body, headers)
        if response.status != _OK:
            text = f"the introspection at {self.issuer} was answered with HTTP status {response.status}"
            raise ValidatorUnavailable(text)
        return json_object(response, "the answer to an introspection")
