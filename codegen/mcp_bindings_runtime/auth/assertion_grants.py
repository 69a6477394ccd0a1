"""Access tokens for assertions of another issuer: workload identity, and enterprise-managed authorization (RFC 7523)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ..errors import OAuthError
from ..validation import require_callable, require_instance
from .authorization_context import AuthorizationContext
from .client_credentials import MachineAuthenticator
from .client_identity import ClientIdentity, preregistered
from .flow import Flow, error_response, json_object, post_form, run_flow, text_of
from .token_authenticator import TokenOptions
from .token_request import Grant, authenticate_client, request_tokens

if TYPE_CHECKING:
    from typing import Unpack

_JWT_BEARER: Final = "urn:ietf:params:oauth:grant-type:jwt-bearer"
_TOKEN_EXCHANGE: Final = "urn:ietf:params:oauth:grant-type:token-exchange"  # noqa: S105  # the name of a grant type
_ID_JAG: Final = "urn:ietf:params:oauth:token-type:id-jag"
_ID_TOKEN: Final = "urn:ietf:params:oauth:token-type:id_token"  # noqa: S105  # the name of a token type


class WorkloadIdentity(MachineAuthenticator):
    """Gets tokens for a workload, by a JWT from its platform, such as a projected token of Kubernetes (SEP-1933).

    ``assertion`` returns the JWT. It is called each time the client requests a token, because platforms renew the JWT.
    If the authorization server refuses the JWT, the client does not try again.
    """

    def __init__(
        self,
        client_id: str,
        *,
        assertion: Callable[[], str],
        **options: Unpack[TokenOptions],
    ) -> None:
        require_callable("assertion", assertion, ())
        super().__init__(client_id, **options)
        self._assertion = assertion

    def obtain(self, context: AuthorizationContext) -> Grant:
        """See ``TokenAuthenticator.obtain``."""
        discovery, scope = self.discover(context)
        client = ClientIdentity(discovery.server.issuer, self._client_id, "none")
        form = {"grant_type": _JWT_BEARER, "assertion": self._assertion().strip()}
        if scope is not None:
            form["scope"] = scope
        return context.run(request_tokens(self.target(context, discovery, client), form, scope=scope))


class EnterpriseAuthorization(MachineAuthenticator):
    """Gets tokens for a user whom an enterprise has logged in: enterprise-managed authorization (SEP-990).

    The function ``id_token`` returns the ID token of the user. The identity provider at ``idp_token_endpoint``
    exchanges the ID token for an assertion (ID-JAG). The authorization server of the MCP server exchanges the assertion
    for an access token. ``client_id`` and ``client_secret`` are for the authorization server, ``idp_client_id`` and
    ``idp_client_secret`` for the identity provider. The authorization server is ``issuer`` or, by default, the first
    that the MCP server names.
    """

    def __init__(
        self,
        client_id: str,
        client_secret: str | None = None,
        *,
        idp_token_endpoint: str,
        idp_client_id: str,
        idp_client_secret: str | None = None,
        id_token: Callable[[], str],
        **options: Unpack[TokenOptions],
    ) -> None:
        require_instance("idp_token_endpoint", idp_token_endpoint, str, "a str")
        require_instance("idp_client_id", idp_client_id, str, "a str")
        require_callable("id_token", id_token, ())
        super().__init__(client_id, client_secret, **options)
        self._id_token = id_token
        self._idp_token_endpoint = idp_token_endpoint
        method = "none" if idp_client_secret is None else "client_secret_basic"
        self._idp_client = ClientIdentity(idp_token_endpoint, idp_client_id, method, idp_client_secret)

    def obtain(self, context: AuthorizationContext) -> Grant:
        """See ``TokenAuthenticator.obtain``."""
        discovery, scope = self.discover(context)
        server = discovery.server
        body = {
            "grant_type": _TOKEN_EXCHANGE,
            "requested_token_type": _ID_JAG,
            "audience": server.issuer,
            "subject_token": self._id_token().strip(),
            "subject_token_type": _ID_TOKEN,
        }
        if discovery.resource is not None:
            body["resource"] = discovery.resource
        if scope is not None:
            body["scope"] = scope
        # The program has named the provider, so it may have any address.
        fetcher = context.fetcher.for_trusted(self._idp_token_endpoint)
        assertion = run_flow(self._exchange(body), lambda request: fetcher.send(request, context.exchange))
        client = preregistered(server, self._client_id, self._client_secret)
        form = {"grant_type": _JWT_BEARER, "assertion": assertion}
        if scope is not None:
            form["scope"] = scope
        return context.run(request_tokens(self.target(context, discovery, client), form, scope=scope))

    def _exchange(self, body: dict[str, str]) -> Flow[str]:
        """Return the assertion for an ID token (RFC 8693, section 2)."""
        headers = authenticate_client(self._idp_client, body)
        response = yield post_form("token exchange", self._idp_token_endpoint, body, headers)
        what = f"the token exchange at {self._idp_token_endpoint.partition('?')[0]}"
        if response.status != 200:
            raise error_response(response, what)
        members = json_object(response, what)
        assertion = text_of(members, "access_token")
        if assertion is None or text_of(members, "issued_token_type") != _ID_JAG:
            text = f"{what} returned no assertion of the type {_ID_JAG}"
            raise OAuthError(text)
        return assertion
