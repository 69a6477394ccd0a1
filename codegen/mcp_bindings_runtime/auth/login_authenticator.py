"""Values of ``auth=`` that log a user in, and the identity of their client at an authorization server."""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from ..errors import OAuthError, UsageError
from ..validation import require_positive_integers, require_positive_numbers, require_strings
from .client_identity import ClientIdentity, document_identity, preregistered, register
from .token_authenticator import TokenAuthenticator, TokenOptions, checked_secret

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Unpack

    from .authorization_context import AuthorizationContext
    from .discovery import AuthorizationServer
    from .flow import Flow

_REJECTED: Final = frozenset({"invalid_client", "unauthorized_client"})
"""Errors that mean that the authorization server has forgotten a registered client."""


class LoginOptions(TokenOptions, total=False):
    """Options of all values of ``auth=`` that log a user in."""

    client_id: str | None
    """The client, if it was registered by hand."""
    client_secret: str | None
    """Its secret, which is sent to one authorization server only."""
    client_metadata_url: str | None
    """The URL of the client ID metadata document, which is used where the server supports it."""
    client_name: str
    """The name under which the client registers itself, if it has no other identity; ``mcp-bindings`` by default."""
    login_timeout: float
    """Seconds that the user has to log in; 300 by default."""
    authorizations: int
    """Limit on the logins for one server within a minute; 5 by default."""


class LoginAuthenticator(TokenAuthenticator):
    """An ``auth=`` that logs a user in."""

    _options = LoginOptions
    grant_type: str
    """The grant type to register the client for."""

    def __init__(self, **options: Unpack[LoginOptions]) -> None:
        client_id, client_secret = options.pop("client_id", None), options.pop("client_secret", None)
        metadata_url = options.pop("client_metadata_url", None)
        name: Any = options.pop("client_name", "mcp-bindings")
        login_timeout, authorizations = options.pop("login_timeout", 300.0), options.pop("authorizations", 5)
        require_strings(client_id=client_id, client_metadata_url=metadata_url, client_name=name)
        require_positive_numbers(login_timeout=login_timeout)
        require_positive_integers(authorizations=authorizations)
        if metadata_url is not None:
            _check_metadata_url(metadata_url)
        self._client_id = client_id
        self._client_secret = checked_secret(client_id, client_secret)
        self._client_metadata_url = metadata_url
        self._client_name: str = name
        self._login_timeout = login_timeout
        rest: Any = options
        super().__init__(authorizations=authorizations, **rest)
        self._secret_issuer = self._choice.issuer
        """The authorization server that the client secret is for."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} for {self._client_id or self._client_metadata_url or self._client_name!r}>"

    def _identity(
        self, context: AuthorizationContext, server: AuthorizationServer, redirect_uri: str | None, scope: str | None
    ) -> Flow[ClientIdentity]:
        """Return the client's identity at an authorization server (2025-11-25, Client Registration Approaches)."""
        if self._client_id is not None:
            self._bind_secret(server.issuer)
            return preregistered(server, self._client_id, self._client_secret)
        if self._client_metadata_url is not None and server.metadata_documents:
            return document_identity(server, self._client_metadata_url)
        stored = self._stored_client(server.issuer)
        # A registered client is bound to its redirect URI.
        if stored is not None and stored.get("redirect_uri") == redirect_uri:
            found = ClientIdentity.from_json(stored)
            if found.is_usable(time()):
                return found
        client = yield from register(
            server,
            context.rules,
            client_name=self._client_name,
            grant_type=self.grant_type,
            redirect_uri=redirect_uri,
            scope=scope,
        )
        self.store.put(server.issuer, self._client_key, {**client.to_json(), "redirect_uri": redirect_uri})
        return client

    @property
    def _client_key(self) -> str:
        """The key of the registered client in the store, beside its issuer; clients of other grants have others."""
        return "" if self.grant_type == "authorization_code" else self.grant_type

    def _stored_client(self, issuer: str) -> Mapping[str, Any] | None:
        return self.store.get(issuer, self._client_key)

    def _bind_secret(self, issuer: str) -> None:
        """Use the client secret at one authorization server only: an MCP server could name one of its own later."""
        if self._client_secret is None:
            return
        if self._secret_issuer is None:
            self._secret_issuer = issuer
        if not self._choice.is_same_issuer(issuer, self._secret_issuer):
            text = f"the client secret is for {self._secret_issuer}, and the MCP server now uses {issuer}"
            raise OAuthError(text)

    def forget_client(self, client: ClientIdentity, fault: OAuthError) -> bool:
        """See ``TokenSource.forget_client``."""
        stored = self._stored_client(client.issuer)
        if fault.error not in _REJECTED or stored is None or stored["client_id"] != client.client_id:
            return False
        self.store.put(client.issuer, self._client_key, None)
        return True


def _check_metadata_url(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme != "https" or not parts.hostname or parts.path in {"", "/"} or parts.fragment:
        text = f"`client_metadata_url` must be an https URL with a path, got {url!r}"
        raise UsageError(text)
