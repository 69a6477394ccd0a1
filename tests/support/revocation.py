"""The revocation endpoint of the authorization server of the tests (RFC 7009)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from authlib.oauth2.rfc7009 import RevocationEndpoint
from flask import Flask


def register_revocation(app: Flask, server: Any, judge: Any, methods: list[str]) -> None:
    """Let clients revoke their tokens."""

    class Revocation(RevocationEndpoint):
        CLIENT_AUTH_METHODS = tuple(methods)

        def query_token(self, token_string, token_type_hint):
            refreshing = judge.refresh_tokens.get(token_string)
            if refreshing is not None:
                return refreshing
            found = judge.tokens.get(token_string)
            return found and SimpleNamespace(
                client=found["client"], token=token_string, check_client=lambda client: client is found["client"]
            )

        def revoke_token(self, token, request):
            judge.tokens.pop(token.token, None)
            judge.refresh_tokens.pop(token.token, None)

    server.register_endpoint(Revocation)

    @app.post("/revoke")
    def revoke():
        judge.before_revocation()
        if judge.down:
            return "", 503
        return server.create_endpoint_response("revocation")
