"""Servers that require the tokens of the authorization server of the tests, as JWTs or by introspection."""

from __future__ import annotations

import json
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mcp_bindings import Authorization, IntrospectionValidator, JwtValidator
from mcp_bindings_runtime.http.server.http_server import make_server
from support.authorization_server import Client, Judge, authorization_server
from support.ports import port_for_a_server
from support.raw_http_client import Wire, modern, request
from support.scripted_peers import package

KINDS = ["jwt", "introspection"]


def scoped_server(revision: str) -> Any:
    """Return a server whose tools need scopes."""
    server = package(revision).Server("s", "1")

    @server.tool(scopes=["files:read"])
    def read() -> str:
        return "read"

    @server.tool(scopes=["files:read", "files:write"])
    def write() -> str:
        return "written"

    @server.resource("data://who", scopes=["files:read"])
    def who() -> str:
        return "whoever"

    return server


class Site:
    """A protected server and its authorization server."""

    def __init__(self, url: str, issuer: str, judge: Judge) -> None:
        self.url = url
        self.issuer = issuer
        self.judge = judge
        self.asked: list[str] = []
        """The scopes that users were asked for."""

    def visit(self, url: str) -> None:
        """Stand for the user, who agrees to everything."""
        [scope] = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)["scope"]
        self.asked.append(scope)
        with urllib.request.urlopen(url, timeout=20) as response:
            response.read()

    def token(self, resource: str | None = None, scope: str = "files:read") -> str:
        """Return a token of a program."""
        form = {"grant_type": "client_credentials", "resource": resource or self.url, "scope": scope}
        # program:a secret
        headers = {"Authorization": "Basic cHJvZ3JhbTphIHNlY3JldA=="}
        asked = urllib.request.Request(f"{self.issuer}/token", urllib.parse.urlencode(form).encode(), headers)
        with urllib.request.urlopen(asked, timeout=20) as response:
            token: str = json.load(response)["access_token"]
        return token

    def call(self, token: str, tool: str = "read") -> Any:
        """Call a tool with a token."""
        whole, headers = modern(request("tools/call", 1, {"name": tool}))
        return Wire(urllib.parse.urlsplit(self.url).port or 0).post(whole, **headers, Authorization=f"Bearer {token}")


def _machine(client_id: str) -> Client:
    metadata = {"token_endpoint_auth_method": "client_secret_basic", "grant_types": ["client_credentials"]}
    return Client(client_id, "a secret", metadata)


@contextmanager
def protected_site(kind: str, *servers: Any, dpop: Any = None, **options: Any) -> Iterator[Site]:
    """Serve servers that require tokens of a kind; ``dpop`` is for ``Authorization``, ``options`` for the validator."""
    with authorization_server() as (issuer, judge):
        judge.jwts = kind == "jwt"
        judge.clients |= {name: _machine(name) for name in ("mcp-server", "program")}
        validator: Any
        if kind == "jwt":
            validator = JwtValidator(issuer, **{"leeway": 0, **options})
        else:
            validator = IntrospectionValidator(issuer, "mcp-server", "a secret", **{"leeway": 0, **options})
        port = port_for_a_server()
        url = f"http://127.0.0.1:{port}/mcp"
        authorization = Authorization(validator, resource=url, scopes=["files:read"], dpop=dpop)
        with make_server(servers, port=port, path="/mcp", authorization=authorization, grace=1.0):
            yield Site(url, issuer, judge)
