"""Authorization servers that differ from the standards: refused by default, accepted by an option of that name."""

from __future__ import annotations

import json
import ssl
import subprocess
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from mcp_bindings import ClientCredentials, OAuth, OAuthError
from mcp_bindings_runtime.auth.authorization_code import begin_authorization, finish_authorization
from mcp_bindings_runtime.auth.client_identity import ClientIdentity
from mcp_bindings_runtime.auth.discovery import ServerChoice, discover
from mcp_bindings_runtime.auth.flow import Flow, FlowRequest, FlowResponse, run_flow
from mcp_bindings_runtime.auth.rules import NEGOTIATED
from mcp_bindings_runtime.auth.urls import authorization_server_urls
from mcp_bindings_runtime.errors import UsageError

SERVER = "https://mcp.example/mcp"
ISSUER = "https://as.example/tenant"


class Provider:
    """An authorization server that may name its issuer in two ways."""

    def __init__(self, *, named: str = ISSUER, **members: Any) -> None:
        self.forms: list[dict[str, list[str]]] = []
        self.documents: dict[str, Any] = {
            "https://mcp.example/.well-known/oauth-protected-resource/mcp": {
                "resource": SERVER,
                "authorization_servers": [ISSUER],
            },
            authorization_server_urls(ISSUER)[0]: {
                "issuer": named,
                "authorization_endpoint": f"{ISSUER}/authorize",
                "token_endpoint": f"{ISSUER}/token",
                "code_challenge_methods_supported": ["S256"],
                **members,
            },
            f"{ISSUER}/token": {"access_token": "token", "token_type": "Bearer"},
        }

    def send(self, request: FlowRequest) -> FlowResponse:
        if request.body is not None:
            self.forms.append(parse_qs(request.body.decode()))
        document = self.documents.get(request.url)
        return FlowResponse(200 if document else 404, {}, json.dumps(document).encode(), 0.0)

    def run(self, flow: Flow[Any]) -> Any:
        return run_flow(flow, self.send)

    def log_in(self, choice: ServerChoice, *, iss: str | None = None, **options: Any) -> dict[str, list[str]]:
        """Return the query of the authorization request, after a whole login."""
        discovery = self.run(discover(SERVER, NEGOTIATED, choice=choice))
        pending = begin_authorization(
            discovery,
            NEGOTIATED,
            ClientIdentity(ISSUER, "me", "none"),
            redirect_uri="http://127.0.0.1:1/",
            scope="api://app/.default",
            exact_issuer=not choice.without_exact_issuer,
            **options,
        )
        sent = "" if iss is None else f"&iss={iss}"
        url = f"http://127.0.0.1:1/?state={pending.state}&code=c0de{sent}"
        self.run(finish_authorization(url, json.loads(json.dumps(pending.record))))
        return parse_qs(urlsplit(pending.url).query)


STRICT = ServerChoice()


def test_entra_gets_a_scope_and_no_resource() -> None:
    """AADSTS9010010: the resource does not match the scope. Its metadata do not mention PKCE, either."""
    entra = Provider(code_challenge_methods_supported=None)
    with pytest.raises(OAuthError, match="pass `without_pkce_metadata=True`"):
        entra.log_in(STRICT)
    query = entra.log_in(ServerChoice(without_resource_parameter=True), without_pkce_metadata=True)
    assert "resource" not in query
    assert all("resource" not in form for form in entra.forms)
    assert query["scope"] == ["api://app/.default"]
    # PKCE is used all the same.
    assert query["code_challenge_method"] == ["S256"]
    assert "code_verifier" in entra.forms[-1]
    # By default the authorization server is told.
    assert Provider().log_in(STRICT)["resource"] == [SERVER]


def test_a_resource_that_is_not_the_url_is_named_by_the_user() -> None:
    provider = Provider()
    metadata = provider.documents["https://mcp.example/.well-known/oauth-protected-resource/mcp"]
    metadata["resource"] = "api://app"
    with pytest.raises(OAuthError, match="pass `resource=` if you trust it"):
        provider.log_in(STRICT)
    assert provider.log_in(ServerChoice(resource="api://app"))["resource"] == ["api://app"]


LENIENT = ServerChoice(without_exact_issuer=True)


def test_a_slash_in_the_metadata_of_an_issuer_counts_unless_the_user_says_otherwise() -> None:
    provider = Provider(named=f"{ISSUER}/")
    with pytest.raises(OAuthError, match="pass `without_exact_issuer=True`"):
        provider.log_in(STRICT)
    provider.log_in(LENIENT)
    other = Provider(named="https://evil.example/tenant")
    for choice in (STRICT, LENIENT):
        with pytest.raises(OAuthError, match="must name it as issuer") as raised:
            other.log_in(choice)
        assert "without_exact_issuer" not in str(raised.value)


def test_a_slash_in_a_response_counts_unless_the_user_says_otherwise() -> None:
    with pytest.raises(OAuthError, match="its `iss` names another issuer"):
        Provider().log_in(STRICT, iss=f"{ISSUER}/")
    Provider().log_in(LENIENT, iss=f"{ISSUER}/")
    for issuer in ("https://evil.example/tenant", f"{ISSUER}2", f"{ISSUER}/other"):
        with pytest.raises(OAuthError, match="its `iss` names another issuer"):
            Provider().log_in(LENIENT, iss=issuer)


def test_an_issuer_that_the_user_names_may_lack_its_slash() -> None:
    with pytest.raises(OAuthError, match="does not use the authorization server"):
        Provider().log_in(ServerChoice(issuer=f"{ISSUER}/"))
    Provider().log_in(ServerChoice(issuer=f"{ISSUER}/", without_exact_issuer=True))


@pytest.mark.parametrize("make", [OAuth, lambda **options: ClientCredentials("me", "secret", **options)])
@pytest.mark.parametrize("name", ["without_resource_parameter", "without_exact_issuer", "dpop", "allow_private"])
def test_an_override_is_a_boolean(make: Any, name: str) -> None:
    with pytest.raises(UsageError, match=f"`{name}` must be"):
        make(**{name: "yes"})


# The connection of `begin` and `finish`.


class Metadata(BaseHTTPRequestHandler):
    server: Any

    def do_GET(self) -> None:
        self.server.paths.append(self.path)
        origin = self.server.origin
        documents = {
            "/.well-known/oauth-protected-resource/mcp": {
                "resource": f"{origin}/mcp",
                "authorization_servers": [origin],
            },
            "/.well-known/oauth-authorization-server": {
                "issuer": origin,
                "authorization_endpoint": f"{origin}/authorize",
                "token_endpoint": f"{origin}/token",
                "code_challenge_methods_supported": ["S256"],
            },
        }
        document = documents.get(urlsplit(self.path).path)
        body = json.dumps(document or {}).encode()
        self.send_response(200 if document else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Write nothing."""


def served(handler: Any, context: ssl.SSLContext | None = None) -> Any:
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.paths = []
    scheme = "http"
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        scheme = "https"
    server.origin = f"{scheme}://localhost:{server.server_port}"
    server.thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    server.thread.start()
    return server


def stop(server: Any) -> None:
    server.shutdown()
    server.server_close()
    server.thread.join()


def web() -> OAuth:
    return OAuth(client_id="me", redirect_uri="https://app.example/callback")


def test_begin_uses_the_certificates_of_the_program(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names]
    subprocess.run([*command, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = served(Metadata, context)
    try:
        url = f"{server.origin}/mcp"
        trusting = ssl.create_default_context(cafile=str(certificate))
        assert web().begin(url, tls=trusting).url.startswith(f"{server.origin}/authorize")
        with pytest.raises(OAuthError, match="certificate"):
            web().begin(url)
    finally:
        stop(server)


def test_begin_and_finish_use_the_proxy_of_the_program() -> None:
    # As a proxy, it answers for another host.
    proxy = served(Metadata)
    proxy_url, proxy.origin = proxy.origin, "http://localhost:9"
    try:
        pending = web().begin("http://localhost:9/mcp", proxy=proxy_url)
        assert proxy.paths == [
            "http://localhost:9/.well-known/oauth-protected-resource/mcp",
            "http://localhost:9/.well-known/oauth-authorization-server",
        ]
        answer = f"https://app.example/callback?state={pending.state}&code=c"
        with pytest.raises(OAuthError, match="status 501"):
            # It has no tokens, and says so.
            web().finish(answer, pending.record, proxy=proxy_url)
        with pytest.raises(OAuthError, match="cannot be reached"):
            web().finish(answer, pending.record)
        with pytest.raises(UsageError, match="proxy_headers"):
            web().begin("http://localhost:9/mcp", proxy_headers={"a": "b"})
    finally:
        stop(proxy)
