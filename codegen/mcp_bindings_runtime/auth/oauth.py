"""OAuth by the authorization code grant: the user logs in in a browser (Authorization, Authorization Flow)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypedDict

from ..errors import OAuthError, UsageError
from ..http.client.credentials import ConnectionSettings
from ..http.client.exchange import Exchange
from ..http.client.options import HttpClientOptions
from ..validation import require_booleans, require_callable, require_strings
from .authorization_code import PendingAuthorization, begin_authorization, finish_authorization
from .authorization_context import AuthorizationContext
from .client_identity import ClientIdentity
from .flow import Flow
from .login_authenticator import LoginAuthenticator, LoginOptions
from .loopback_listener import LoopbackListener, open_browser
from .proof_key import ProofKey
from .rules import rules_of
from .stored_grants import save_grant
from .token_request import Grant
from .urls import canonical_resource, check_scheme, is_loopback

if TYPE_CHECKING:
    from ssl import SSLContext
    from typing import Unpack


class ConnectionOptions(TypedDict, total=False):
    """Options of ``begin`` and ``finish``: the way to reach the servers, as for ``Client.http``."""

    tls: SSLContext | None
    proxy: str | None
    proxy_headers: Mapping[str, str] | None
    connect_timeout: float


class OAuth(LoginAuthenticator):
    """Logs a user in, for ``Client.http(url, auth=OAuth())``: the authorization code grant with PKCE.

    When the server refuses a request with 401, ``open_url`` shows the user the login page of the authorization server.
    A listener on the loopback interface receives the response. The tokens are kept in ``store``, by default in memory.

    A client that was registered by hand has a ``client_id``, and perhaps a ``client_secret``. Any other client
    identifies itself by ``client_metadata_url`` if the authorization server supports client ID metadata documents.
    Otherwise it registers itself under ``client_name``.

    In a web program, pass a URL of the program as ``redirect_uri``, and call ``begin`` and ``finish``.
    ``without_pkce_metadata`` accepts an authorization server that does not advertise PKCE. ``options`` are those of
    ``LoginOptions``. Raises ``UsageError`` for an invalid argument.
    """

    grant_type = "authorization_code"

    def __init__(
        self,
        *,
        redirect_uri: str | None = None,
        open_url: Callable[[str], object] = open_browser,
        without_pkce_metadata: bool = False,
        **options: Unpack[LoginOptions],
    ) -> None:
        require_strings(redirect_uri=redirect_uri)
        require_callable("open_url", open_url, ("url",))
        require_booleans(without_pkce_metadata=without_pkce_metadata)
        super().__init__(**options)
        self._redirect_uri = redirect_uri
        self._open_url = open_url
        self._without_pkce_metadata = without_pkce_metadata
        self._last_redirect_uri: str | None = None

    # In two steps, for web programs.

    def begin(
        self, url: str, *, scope: str | None = None, **connection: Unpack[ConnectionOptions]
    ) -> PendingAuthorization:
        """Begin the authorization for the MCP server at a URL.

        Redirect the user to the ``url`` of the returned object. Keep its ``record`` on the server of your web program,
        for this user, and pass it to ``finish``. ``scope`` are the scopes to request, separated by blanks. If the MCP
        server has refused a request, the header ``WWW-Authenticate`` of its response may name the scopes to pass.
        ``tls``, ``proxy``, ``proxy_headers`` and ``connect_timeout`` are the options of ``Client.http``. Raise
        ``OAuthError``, and the exceptions of a call over HTTP.
        """
        if self._redirect_uri is None:
            text = "`begin` needs the URL that receives the response; pass it as `redirect_uri=`"
            raise UsageError(text)
        context = self._context(url, scope, connection)
        return self._begin(context, self._redirect_uri)

    def finish(self, redirect_url: str, record: Mapping[str, Any], **connection: Unpack[ConnectionOptions]) -> None:
        """Finish an authorization: get the tokens and store them.

        ``redirect_url`` is the whole URL that the user's browser requested after the login. ``record`` is the attribute
        ``record`` of the object that ``begin`` returned. The two methods may run in different processes, if their
        ``OAuth`` objects have the same options. Raise ``OAuthError`` if the response in the URL does not belong to the
        record.
        """
        context = self._context(record["server_url"], None, connection)
        save_grant(self.store, record["server_url"], context.run(finish_authorization(redirect_url, record)))

    def _context(self, url: str, scope: str | None, connection: ConnectionOptions) -> AuthorizationContext:
        chosen = HttpClientOptions(**connection)
        server = ConnectionSettings(
            canonical_resource(url), None, chosen.tls, chosen.proxy, chosen.proxy_headers, chosen.connect_timeout
        )
        return AuthorizationContext(
            server_url=server.url,
            rules=rules_of(None),
            metadata_url=None,
            scope=scope,
            before=None,
            wider=False,
            exchange=Exchange("the authorization"),
            fetcher=self._fetcher(server),
            proof_key=ProofKey.generate() if self.binds_tokens else None,
        )

    # In one step, behind a client.

    def obtain(self, context: AuthorizationContext) -> Grant:
        """See ``TokenSource.obtain``. The time that the user needs does not count against the deadline."""
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
        discovery, scope = yield from self._discover(context)
        client = yield from self._identity(context, discovery.server, redirect_uri, scope)
        return begin_authorization(
            discovery,
            context.rules,
            client,
            redirect_uri=redirect_uri,
            scope=scope,
            proof_key=context.proof_key,
            exact_issuer=not self._choice.without_exact_issuer,
            without_pkce_metadata=self._without_pkce_metadata,
        )
