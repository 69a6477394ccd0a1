"""A real authorization server, by Authlib in a Flask program on 127.0.0.1, and an MCP server that it protects.

It has RFC 8414 metadata, dynamic registration (RFC 7591), the authorization code grant with PKCE (RFC 7636), refresh tokens
with rotation, client credentials, the device grant (RFC 8628), ``iss`` in its responses (RFC 9207), and revocation
(RFC 7009). Its user agrees to everything at once.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from types import SimpleNamespace
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import ClientMixin, grants
from authlib.oauth2.rfc6750 import BearerTokenGenerator
from authlib.oauth2.rfc7591 import ClientRegistrationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc9207.parameter import IssuerParameter
from flask import Flask, jsonify, request
from mcp_bindings import Authorization
from mcp_bindings_runtime.http.server.http_server import make_server as make_mcp_server
from support.device_grant import register_device_grant
from support.issued_tokens import register_tokens
from support.revocation import register_revocation

METHODS = ["client_secret_basic", "client_secret_post", "none"]


class Client(ClientMixin):
    def __init__(self, client_id: str, client_secret: str, metadata: Any) -> None:
        self.client_id = client_id
        self.client_secret = client_secret
        self.metadata = metadata

    def get_client_id(self):
        return self.client_id

    def get_default_redirect_uri(self):
        return self.metadata["redirect_uris"][0]

    def get_allowed_scope(self, scope):
        return scope or ""

    def check_redirect_uri(self, redirect_uri):
        return redirect_uri in self.metadata["redirect_uris"]

    def check_client_secret(self, client_secret):
        return self.client_secret == client_secret

    def check_endpoint_auth_method(self, method, endpoint):
        return method == self.metadata["token_endpoint_auth_method"]

    def check_response_type(self, response_type):
        return response_type == "code"

    def check_grant_type(self, grant_type):
        return grant_type in self.metadata["grant_types"]


class Judge:
    """The state of the authorization server. Tests read what clients have requested, and revoke tokens."""

    def __init__(self) -> None:
        self.clients: dict[str, Client] = {}
        self.codes: dict[str, Any] = {}
        self.tokens: dict[str, Any] = {}
        """Access tokens that are valid."""
        self.refresh_tokens: dict[str, Any] = {}
        self.lifetime = 3600
        self.jwts = False
        """Whether access tokens are JWTs."""
        self.requests: Counter[str] = Counter()
        """Requests by path, token requests by grant type."""
        self.forms: list[dict[str, str]] = []
        """The token requests."""
        self.replayed = 0
        """Refresh tokens that were used twice."""
        self.device_codes: dict[str, Any] = {}
        self.device_lifetime = 600
        self.entered: dict[str, bool] = {}
        """User codes that the user has entered, each with whether the user agreed."""
        self.slow_downs: list[bool] = []
        """Whether the next token requests come too early, the last first."""
        self.before_refresh: Callable[[], object] = lambda: None
        """Called before a token is refreshed."""
        self.down = False
        """Whether the token endpoint answers with status 503."""
        self.revokes = True
        """Whether the metadata name a revocation endpoint."""
        self.before_revocation: Callable[[], object] = lambda: None
        """Called before a token is revoked."""

    def validate(self, token: str) -> str | None:
        found = self.tokens.get(token)
        return "ada" if found is not None and found["expires_at"] > time.time() else None

    def save_token(self, token: dict[str, Any], oauth_request: Any) -> None:
        entry = {**token, "client": oauth_request.client, "expires_at": time.time() + token["expires_in"]}
        entry["resource"] = oauth_request.payload.data.get("resource")
        self.tokens[token["access_token"]] = entry
        if "refresh_token" in token:
            self.refresh_tokens[token["refresh_token"]] = SimpleNamespace(
                scope=token.get("scope", ""),
                client=oauth_request.client,
                token=token["refresh_token"],
                check_client=lambda client: client is oauth_request.client,
            )


def application(judge: Judge, issuer: str) -> Flask:
    app = Flask("judge")
    app.logger.disabled = True
    server = AuthorizationServer(app, judge.clients.get, judge.save_token)

    class CodeGrant(grants.AuthorizationCodeGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = METHODS

        def save_authorization_code(self, code, request):
            data = request.payload.data
            judge.codes[code] = SimpleNamespace(
                client_id=request.client.client_id,
                redirect_uri=data["redirect_uri"],
                scope=request.scope or "",
                code_challenge=data.get("code_challenge"),
                code_challenge_method=data.get("code_challenge_method"),
                get_redirect_uri=lambda: data["redirect_uri"],
                get_scope=lambda: request.scope or "",
            )

        def query_authorization_code(self, code, client):
            found = judge.codes.get(code)
            return found if found is not None and found.client_id == client.client_id else None

        def delete_authorization_code(self, authorization_code):
            judge.codes = {key: each for key, each in judge.codes.items() if each is not authorization_code}

        def authenticate_user(self, authorization_code):
            return "ada"

    class Refresh(grants.RefreshTokenGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = METHODS
        INCLUDE_NEW_REFRESH_TOKEN = True

        def authenticate_refresh_token(self, refresh_token):
            found = judge.refresh_tokens.pop(refresh_token, None)
            judge.replayed += found is None
            return found and SimpleNamespace(
                scope=found.scope, check_client=lambda client: client is found.client, get_scope=lambda: found.scope
            )

        def authenticate_user(self, refresh_token):
            return "ada"

        def revoke_old_credential(self, refresh_token):
            """It was removed when it was used."""

    class ClientCredentials(grants.ClientCredentialsGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = METHODS[:2]

    class Registration(ClientRegistrationEndpoint):
        def authenticate_token(self, request):
            return True

        def get_server_metadata(self):
            return {}

        def save_client(self, client_info, client_metadata, request):
            made = Client(client_info["client_id"], client_info["client_secret"], client_metadata)
            judge.clients[made.client_id] = made
            return made

    class Issuer(IssuerParameter):
        def get_issuer(self):
            return issuer

    server.register_grant(CodeGrant, [CodeChallenge(required=True)])
    server.register_grant(Refresh)
    server.register_grant(ClientCredentials)
    server.register_endpoint(Registration)
    server.register_extension(Issuer())
    register_device_grant(server, judge, issuer, METHODS)
    generator = BearerTokenGenerator(
        lambda *_, **__: f"access-{time.monotonic_ns()}",
        lambda *_, **__: f"refresh-{time.monotonic_ns()}",
        lambda *_: judge.lifetime,
    )
    register_tokens(app, server, judge, issuer, generator)
    register_revocation(app, server, judge, METHODS)

    @app.before_request
    def count():
        judge.requests[request.path] += 1

    @app.get("/.well-known/oauth-authorization-server")
    def metadata():
        endpoint = {"revocation_endpoint": f"{issuer}/revoke"} if judge.revokes else {}
        return jsonify(
            **endpoint,
            issuer=issuer,
            authorization_endpoint=f"{issuer}/authorize",
            token_endpoint=f"{issuer}/token",
            registration_endpoint=f"{issuer}/register",
            device_authorization_endpoint=f"{issuer}/device_authorization",
            introspection_endpoint=f"{issuer}/introspect",
            jwks_uri=f"{issuer}/jwks",
            response_types_supported=["code"],
            grant_types_supported=["authorization_code", "refresh_token", "client_credentials"],
            token_endpoint_auth_methods_supported=METHODS,
            code_challenge_methods_supported=["S256"],
            authorization_response_iss_parameter_supported=True,
        )

    @app.get("/authorize")
    def authorize():
        grant = server.get_consent_grant(end_user="ada")
        return server.create_authorization_response(grant_user="ada", grant=grant)

    @app.post("/token")
    def token():
        judge.forms.append(request.form.to_dict())
        judge.requests[request.form["grant_type"]] += 1
        if request.form["grant_type"] == "refresh_token":
            judge.before_refresh()
        if judge.down:
            return "", 503
        return server.create_token_response()

    @app.post("/device_authorization")
    def device_authorization():
        return server.create_endpoint_response("device_authorization")

    @app.post("/register")
    def register():
        return server.create_endpoint_response("client_registration")

    return app


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Write nothing."""


@contextmanager
def authorization_server(gate: Callable[[Any, str], Any] | None = None) -> Iterator[tuple[str, Judge]]:
    """Serve an authorization server, behind a ``gate``, during the block; yield its issuer and its state."""
    logging.getLogger("authlib").setLevel(logging.CRITICAL)
    judge = Judge()
    served = make_server("127.0.0.1", 0, None, handler_class=_Quiet)
    issuer = f"http://127.0.0.1:{served.server_port}"
    app = application(judge, issuer)
    served.set_app(app if gate is None else gate(app, issuer))
    thread = Thread(target=served.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield issuer, judge
    finally:
        served.shutdown()
        served.server_close()
        thread.join()


@contextmanager
def protected_server(server: Any, issuer: str, judge: Judge, **options: Any) -> Iterator[str]:
    """Serve an MCP server that requires tokens of an authorization server; yield its URL."""
    from support.ports import port_for_a_server

    port = port_for_a_server()
    url = f"http://127.0.0.1:{port}/mcp"
    guard = Authorization(judge.validate, resource=url, authorization_servers=[issuer], **options)
    with make_mcp_server([server], port=port, path="/mcp", authorization=guard, grace=1.0):
        yield url
