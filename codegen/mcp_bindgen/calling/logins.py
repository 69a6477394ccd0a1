"""Logins at servers: tokens in a file of the user, which every command uses for the server that they are for."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple

from mcp_bindings_runtime.auth.device_login import DeviceLogin, print_code
from mcp_bindings_runtime.auth.fetcher import Fetcher
from mcp_bindings_runtime.auth.flow import run_flow
from mcp_bindings_runtime.auth.oauth import OAuth
from mcp_bindings_runtime.auth.revocation import revocation_endpoint, revoke_token, tokens_to_revoke
from mcp_bindings_runtime.auth.stored_grants import forget_grant, stored_grant
from mcp_bindings_runtime.auth.token_authenticator import TokenAuthenticator
from mcp_bindings_runtime.auth.token_store import FileTokens
from mcp_bindings_runtime.auth.urls import canonical_resource, is_loopback
from mcp_bindings_runtime.errors import McpError, OAuthError
from mcp_bindings_runtime.http.client.credentials import ConnectionSettings
from mcp_bindings_runtime.http.client.exchange import Exchange
from mcp_bindings_runtime.http.client.options import HttpClientOptions
from mcp_bindings_runtime.http.client.wire import check_url

from mcp_bindgen.calling.connection import NAME, Server, open_client

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Literal

    from mcp_bindings_runtime.auth.authorization_context import AuthorizationContext
    from mcp_bindings_runtime.auth.device_authorization import DeviceCode
    from mcp_bindings_runtime.auth.flow import FlowRequest, FlowResponse
    from mcp_bindings_runtime.auth.login_authenticator import LoginOptions
    from mcp_bindings_runtime.auth.revocation import TokenTypeHint
    from mcp_bindings_runtime.auth.token_request import Grant

    from mcp_bindgen.calling.connection import Options, RegisteredClient

REVOCATION_TIME: Final = 10.0
"""Seconds in which an authorization server has to revoke the tokens of a login that ends."""


class StoredLogin(TokenAuthenticator):
    """An ``auth=`` with the tokens of an earlier login at a URL, which are refreshed. Nobody is logged in."""

    def __init__(self, url: str, tokens: Path) -> None:
        super().__init__(authorizations=1, store=FileTokens(tokens))
        self.binding_advice = f"run: {NAME} call --login {url} --dpop"

    def obtain(self, context: AuthorizationContext) -> Grant:
        """Raise ``OAuthError`` with the command that logs in."""
        url, before = context.server_url, context.before
        if before is None and context.metadata_url is None:
            # Some servers of 2025-03-26 can be logged in at all the same.
            message = (
                f"{url} requires credentials, and names no authorization server; pass --header 'X-API-Key: …' or "
                f"--token-env NAME, or try: {NAME} call --login {url}"
            )
            raise OAuthError(message)
        if not context.wider:
            what = "requires a login" if before is None else "no longer accepts the login"
            message = f"{url} {what}; run: {NAME} call --login {url}"
            raise OAuthError(message)
        held = before.scope if before is not None else None
        wanted = " ".join(dict.fromkeys(f"{held or ''} {context.scope or ''}".split()))
        message = f"{url} requires more scopes than the login has; run: {NAME} call --login {url} --scope '{wanted}'"
        raise OAuthError(message)


def accepts_tokens(url: str) -> bool:
    """Return whether tokens may be sent to a URL: over https, or to this machine."""
    try:
        return url.startswith("https:") or is_loopback(url)
    except OAuthError:
        return False


def log_in(
    url: str,
    tokens: Path,
    client: RegisteredClient,
    options: Options,
    *,
    open_url: Callable[[str], object],
    device: bool,
    dpop: bool,
    scope: str | None,
) -> Literal["new", "old", "unnecessary"]:
    """Log a user in at a server, by a page that ``open_url`` opens, or with ``device`` by a code for another device.

    With ``dpop`` the tokens are bound to a key. A login without one, or with another ``scope``, is replaced. Return whether
    the login is new, was there already, or is not required. Raise as ``open_client``.
    """
    check_url(url)
    store = FileTokens(tokens)
    resource = canonical_resource(url)
    if scope is not None:
        forget_grant(store, resource)
    shown: list[str] = []

    def show_url(page: str) -> None:
        shown.append(page)
        open_url(page)

    def show_code(code: DeviceCode) -> None:
        shown.append(code.user_code)
        print_code(code)

    choices: LoginOptions = {
        "client_id": client.id,
        "client_secret": client.secret,
        "client_name": NAME,
        "scope": scope,
        "store": store,
        "dpop": dpop,
    }
    auth = DeviceLogin(show_code=show_code, **choices) if device else OAuth(open_url=show_url, **choices)
    auth.binding_advice = "pass --dpop"
    with open_client(Server(url=url, auth=auth), options) as connected:
        # Some servers let everyone connect.
        if connected.binding.declares(connected.server_capabilities, "tools"):
            connected.request(connected.binding.requests["tools/list"])
    if stored_grant(store, resource) is None:
        return "unnecessary"
    return "new" if shown else "old"


def log_out(url: str, tokens: Path) -> LogOut:
    """Remove the tokens for a server, and revoke them if the authorization server offers that (RFC 7009).

    Raise ``UsageError`` for an invalid URL.
    """
    check_url(url)
    store, resource = FileTokens(tokens), canonical_resource(url)
    grant = forget_grant(store, resource)
    if grant is None:
        return LogOut(None, [], [], None)
    chosen = HttpClientOptions()
    server = ConnectionSettings(
        resource, None, chosen.tls, chosen.proxy, chosen.proxy_headers, connect_timeout=REVOCATION_TIME / 2
    )
    fetcher, exchange = Fetcher(server), Exchange("the revocation", monotonic() + REVOCATION_TIME)
    revoked: list[TokenTypeHint] = []
    remaining, failure = tokens_to_revoke(grant), None

    def send(request: FlowRequest) -> FlowResponse:
        return fetcher.send(request, exchange)

    try:
        endpoint = run_flow(revocation_endpoint(grant), send)
        while remaining and endpoint is not None:
            run_flow(revoke_token(endpoint, grant, *remaining[0]), send)
            revoked.append(remaining.pop(0)[0])
    except McpError as fault:
        failure = str(fault)
    return LogOut(grant.issuer, revoked, [hint for hint, _ in remaining], failure)


class LogOut(NamedTuple):
    """The result of ``log_out``."""

    issuer: str | None
    """The authorization server of the removed tokens; None if there were none."""
    revoked: list[TokenTypeHint]
    """The tokens that were revoked."""
    remaining: list[TokenTypeHint]
    """The tokens that were not revoked."""
    failure: str | None
    """The reason for which a token could not be revoked; None if all were, or if the server does not offer it."""
