"""The tokens of the authorization server of the tests: JWTs (RFC 9068), its keys, and introspection (RFC 7662)."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

from authlib.oauth2.rfc7662 import IntrospectionEndpoint
from authlib.oauth2.rfc9068 import JWTBearerTokenGenerator
from flask import Flask, jsonify, request
from joserfc.jwk import ECKey


class _User(str):
    """A user, by name."""

    __slots__ = ()

    def get_user_id(self):
        return str(self)


def register_tokens(app: Flask, server: Any, judge: Any, issuer: str, generator: Any) -> None:
    """Issue JWTs if the judge says so, else opaque tokens; serve the keys, and answer introspection for all."""
    key = ECKey.generate_key("P-256", {"kid": "judge", "use": "sig"})

    class Jwts(JWTBearerTokenGenerator):
        def get_jwks(self):
            return key

        def get_audiences(self, client, user, scope):
            return request.form.get("resource", client.get_client_id())

        def access_token_generator(self, client, grant_type, user, scope):
            return super().access_token_generator(client, grant_type, user and _User(user), scope or "")

    jwts = Jwts(issuer, "ES256", lambda *_, **__: f"refresh-{time.monotonic_ns()}", lambda *_: judge.lifetime)

    def generate(*arguments, **options):
        return (jwts if judge.jwts else generator)(*arguments, **options)

    server.register_token_generator("default", generate)

    class Introspection(IntrospectionEndpoint):
        CLIENT_AUTH_METHODS = ("client_secret_basic",)

        def check_permission(self, token, client, request):
            return client.client_id == "mcp-server"

        def query_token(self, token_string, token_type_hint):
            found = judge.tokens.get(token_string)
            if found is None:
                return None
            return SimpleNamespace(
                **found, is_expired=lambda: found["expires_at"] <= time.time(), is_revoked=lambda: False
            )

        def introspect_token(self, token):
            claims = {"client_id": token.client.client_id, "aud": token.resource, "iss": issuer}
            return {**claims, "scope": getattr(token, "scope", ""), "sub": "ada", "exp": int(token.expires_at)}

    server.register_endpoint(Introspection)

    @app.get("/jwks")
    def jwks():
        return jsonify(keys=[key.as_dict(private=False)])

    @app.post("/introspect")
    def introspect():
        return server.create_endpoint_response("introspection")
