"""OAuth by the authorization code grant: the user logs in in a browser (Authorization, Authorization Flow)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from time import time
from typing import Any, Final
from urllib.parse import urlsplit

from ..errors import OAuthError, UsageError
from ..http.client.credentials import ConnectionSettings
from ..http.client.exchange import Exchange
from ..validation import (
    require_booleans,
    require_callable,
    require_instance,
    require_positive_integers,
    require_positive_numbers,
    require_strings,
)
from .authorization_code import PendingAuthorization, begin_authorization, finish_authorization, requested_scope
from .bearer_credentials import AuthorizationContext, TokenAuthenticator, save_grant
from .client_identity import ClientIdentity, document_identity, preregistered, register
from .discovery import Discovery, discover
from .flow import Flow
from .loopback_listener import LoopbackListener, open_browser
from .rules import rules_of
from .token_request import Grant
from .token_store import MemoryTokens, TokenStore
from .urls import canonical_resource, check_scheme, is_loopback

_REJECTED: Final = frozenset({"invalid_client", "unauthorized_client"})
"""Errors that mean that the authorization server has forgotten a registered client."""


class OAuth(TokenAuthenticator):
    """Logs a user in, for ``Client.http(url, auth=OAuth())``: the authorization code grant with PKCE.

    After a refusal of the server (401), ``open_url`` shows the user the page of the authorization server, and a listener on
    the loopback interface receives the response. Tokens are kept in ``store``, in memory unless set.

    The client is ``client_id`` (and ``client_secret``), if it was registered by hand; else ``client_metadata_url``, if the
    server supports client ID metadata documents; else the server registers it under ``client_name``.

    A web program sets ``redirect_uri`` to a URL of its own, and calls ``begin`` and ``finish``.

    Raise ``UsageError`` for an invalid argument.
    """

    def __init__(
        self,
        *,
        client_id: str | None = None,
        client_secret: str | None = None,
        client_metadata_url: str | None = None,
        client_name: str = "mcp-bindings",
        redirect_uri: str | None = None,
        scope: str | None = None,
        issuer: str | None = None,
        resource: str | None = None,
        store: TokenStore | None = None,
        open_url: Callable[[str], object] = open_browser,
        login_timeout: float = 300.0,
        authorizations: int = 5,
        allow_private: bool = False,
        without_pkce_metadata: bool = False,
    ) -> None:
        require_strings(client_id=client_id, client_metadata_url=client_metadata_url, client_name=client_name)
        require_strings(redirect_uri=redirect_uri, scope=scope, issuer=issuer, resource=resource)
        require_callable("open_url", open_url, ("url",))
        require_positive_numbers(login_timeout=login_timeout)
        require_positive_integers(authorizations=authorizations)
        require_booleans(allow_private=allow_private, without_pkce_metadata=without_pkce_metadata)
        if store is not None:
            require_instance("store", store, TokenStore, "a TokenStore")
        secret: Any = client_secret
        if secret is not None and (client_id is None or not isinstance(secret, str)):
            # The value is not shown.
            text = "`client_secret` must be a str, and needs `client_id`"
            raise UsageError(text)
        if client_metadata_url is not None:
            _check_metadata_url(client_metadata_url)
        super().__init__(store or MemoryTokens(), allow_private=allow_private, authorizations=authorizations)
        self._client_id = client_id
        self._client_secret = client_secret
        self._client_metadata_url = client_metadata_url
        self._client_name = client_name
        self._redirect_uri = redirect_uri
        self._scope = scope
        self._issuer = issuer
        self._resource = resource
        self._open_url = open_url
        self._login_timeout = login_timeout
        self._without_pkce_metadata = without_pkce_metadata
        self._secret_issuer = issuer
        """The authorization server that the client secret is for."""
        self._last_redirect_uri: str | None = None

    def __repr__(self) -> str:
        return f"<OAuth for {self._client_id or self._client_metadata_url or self._client_name!r}>"

    # In two steps, for web programs.

    def begin(self, url: str, *, scope: str | None = None) -> PendingAuthorization:
        """Begin the authorization for the MCP server at a URL: send the user to ``url`` of what is returned.

        Store its ``record`` on the server, for this user, and pass it to ``finish``. ``scope`` are the scopes to request, as
        in the challenge of the server. Raise ``OAuthError``.
        """
        if self._redirect_uri is None:
            text = "`begin` needs the URL that receives the response; pass it as `redirect_uri=`"
            raise UsageError(text)
        context = self._context(url, scope)
        return self._begin(context, self._redirect_uri)

    def finish(self, redirect_url: str, record: Mapping[str, Any]) -> None:
        """Finish an authorization: store the tokens for the response in ``redirect_url``, the whole URL of the request.

        It may run in another process than ``begin``. Raise ``OAuthError`` if the response is not for the record.
        """
        context = self._context(record["server_url"], None)
        save_grant(self.store, record["server_url"], context.run(finish_authorization(redirect_url, record)))

    def _context(self, url: str, scope: str | None) -> AuthorizationContext:
        server = ConnectionSettings(canonical_resource(url), None, None, None, None, 10.0)
        exchange = Exchange("the authorization")
        return AuthorizationContext(
            server_url=server.url,
            rules=rules_of(None),
            metadata_url=None,
            scope=scope,
            before=None,
            wider=False,
            exchange=exchange,
            fetcher=self._fetcher(server),
        )

    # In one step, behind a client.

    def obtain(self, context: AuthorizationContext) -> Grant:
        """See ``TokenAuthenticator.obtain``. The time that the user needs does not count against the deadline."""
        if self._redirect_uri is not None and not is_loopback(self._redirect_uri):
            text = f"{context.server_url} needs the authorization of the user; call `begin` and `finish` of OAuth"
            raise OAuthError(text)
        with context.exchange.pause(self._login_timeout):
            response_url, record = self._log_in(context)
            try:
                return context.run(finish_authorization(response_url, record))
            except OAuthError as fault:
                if not self.forget_client(ClientIdentity.from_json(record["client"]), fault):
                    raise
            response_url, record = self._log_in(context)
            return context.run(finish_authorization(response_url, record))

    def _log_in(self, context: AuthorizationContext) -> tuple[str, Mapping[str, Any]]:
        """Return the authorization response, and the record of its request."""
        with self._listener() as listener:
            pending = self._begin(context, listener.redirect_uri)
            event = context.exchange.new_event()
            if event is None:
                raise context.exchange.closed()
            listener.expect(pending.state, event.set)
            self._open_url(pending.url)
            if listener.response_url is None:
                event.wait(context.exchange.remaining() or -1)
            if context.exchange.ended:
                raise context.exchange.closed()
            if listener.response_url is None:
                text = f"no authorization response arrived within {self._login_timeout:g} s"
                raise OAuthError(text)
        return listener.response_url, pending.record

    def _listener(self) -> LoopbackListener:
        if self._redirect_uri is None and self._last_redirect_uri is not None:
            # A registered client is bound to it.
            with suppress(OAuthError):
                return LoopbackListener(self._last_redirect_uri)
        listener = LoopbackListener(self._redirect_uri)
        self._last_redirect_uri = listener.redirect_uri
        return listener

    def _begin(self, context: AuthorizationContext, redirect_uri: str) -> PendingAuthorization:
        pending = context.run(self._begin_flow(context, redirect_uri))
        # The user's browser opens it.
        check_scheme(pending.url, "the authorization endpoint", loopback=is_loopback(context.server_url))
        return pending

    def _begin_flow(self, context: AuthorizationContext, redirect_uri: str) -> Flow[PendingAuthorization]:
        discovery = yield from discover(
            context.server_url,
            context.rules,
            metadata_url=context.metadata_url,
            issuer=self._issuer,
            resource=self._resource,
        )
        before = context.before.scope if context.wider and context.before is not None else None
        scope = self._scope or requested_scope(context.scope, discovery, before)
        client = yield from self._identity(context, discovery, redirect_uri, scope)
        return begin_authorization(
            discovery,
            context.rules,
            client,
            redirect_uri=redirect_uri,
            scope=scope,
            without_pkce_metadata=self._without_pkce_metadata,
        )

    def _identity(
        self, context: AuthorizationContext, discovery: Discovery, redirect_uri: str, scope: str | None
    ) -> Flow[ClientIdentity]:
        """Return the client's identity at an authorization server (2025-11-25, Client Registration Approaches)."""
        server = discovery.server
        if self._client_id is not None:
            self._bind_secret(server.issuer)
            return preregistered(server, self._client_id, self._client_secret)
        if self._client_metadata_url is not None and server.metadata_documents:
            return document_identity(server, self._client_metadata_url)
        stored = self.store.get(server.issuer, "")
        if stored is not None and stored.get("redirect_uri") == redirect_uri:
            found = ClientIdentity.from_json(stored)
            if found.is_usable(time()):
                return found
        client = yield from register(
            server, context.rules, client_name=self._client_name, redirect_uri=redirect_uri, scope=scope
        )
        self.store.put(server.issuer, "", {**client.to_json(), "redirect_uri": redirect_uri})
        return client

    def _bind_secret(self, issuer: str) -> None:
        """Use the client secret at one authorization server only: an MCP server could name one of its own later."""
        if self._client_secret is None:
            return
        if self._secret_issuer is None:
            self._secret_issuer = issuer
        if self._secret_issuer != issuer:
            text = f"the client secret is for {self._secret_issuer}, and the MCP server now uses {issuer}"
            raise OAuthError(text)

    def forget_client(self, client: ClientIdentity, fault: OAuthError) -> bool:
        """See ``TokenAuthenticator.forget_client``."""
        stored = self.store.get(client.issuer, "")
        if fault.error not in _REJECTED or stored is None or stored["client_id"] != client.client_id:
            return False
        self.store.put(client.issuer, "", None)
        return True


def _check_metadata_url(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme != "https" or not parts.hostname or parts.path in {"", "/"} or parts.fragment:
        text = f"`client_metadata_url` must be an https URL with a path, got {url!r}"
        raise UsageError(text)
