"""Places where tokens must not arrive: recordings, logs, other servers, and hosts that metadata name."""

from __future__ import annotations

import json
import logging
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from mcp_bindings import MemoryTokens, OAuth, OAuthError
from mcp_bindings_runtime.auth import fetcher as fetcher_module
from mcp_bindings_runtime.auth.fetcher import Fetcher
from mcp_bindings_runtime.auth.flow import FlowRequest, FlowResponse, get_json, post_form
from mcp_bindings_runtime.auth.rules import rules_of
from mcp_bindings_runtime.auth.stored_grants import stored_grant
from mcp_bindings_runtime.http.client.credentials import ConnectionSettings
from mcp_bindings_runtime.http.client.exchange import Exchange
from support.authorization_server import authorization_server, protected_server
from support.revisions import REVISIONS, facts
from support.scripted_peers import PATIENCE, package

HTTP_REVISIONS = [each for each in REVISIONS if not package(each).revision.FACTS.only_sse]


@pytest.mark.parametrize("revision", HTTP_REVISIONS)
def test_no_recording_and_no_log_contains_a_token(
    revision: str, tmp_path: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    mcp = package(revision)
    server = mcp.Server("s", "1")
    server.tool(lambda context: context.principal, name="whoami")
    pages: list[str] = []

    def visit(url: str) -> None:
        pages.append(url)
        with urllib.request.urlopen(url, timeout=20) as response:
            response.read()

    record, store = tmp_path / "session.jsonl", MemoryTokens()
    with authorization_server() as (issuer, judge), protected_server(server, issuer, judge) as url:
        auth = OAuth(open_url=visit, store=store)
        with mcp.Client.http(url, auth=auth, record=record, timeout=PATIENCE) as client:
            assert client.call_tool("whoami").text == "ada"
            # A refresh, too.
            judge.tokens.clear()
            assert client.call_tool("whoami").text == "ada"
        grant = stored_grant(store, url)
    assert grant is not None
    assert grant.refresh_token is not None
    secrets = [grant.access_token, grant.refresh_token]
    secrets += [
        form[name] for form in judge.forms for name in ("code", "code_verifier", "refresh_token") if name in form
    ]
    recorded = record.read_text(encoding="utf-8")
    assert "whoami" in recorded
    assert [each for each in secrets if each in recorded or each in caplog.text] == []
    assert "Authorization" not in recorded


def test_the_token_of_one_server_is_not_used_for_another() -> None:
    """The servers share an origin, an authorization server and a store."""
    with authorization_server() as (issuer, judge):
        server = package(REVISIONS[-1]).Server("s", "1")
        server.tool(lambda context: context.principal, name="whoami")
        store = MemoryTokens()

        def visit(url: str) -> None:
            with urllib.request.urlopen(url, timeout=20) as response:
                response.read()

        auth = OAuth(open_url=visit, store=store)
        with protected_server(server, issuer, judge) as url:
            with package(REVISIONS[-1]).Client.http(url, auth=auth, timeout=PATIENCE) as client:
                client.call_tool("whoami")
            other = f"{url}/other"
            credentials = auth.credentials(ConnectionSettings(other, None, None, None, None, 2.0))
            assert credentials.headers("POST", other, Exchange("test")) == {}


# Requests to the hosts that metadata name.


class Redirecting(BaseHTTPRequestHandler):
    server: Any

    def do_GET(self) -> None:
        self.server.requests.append(
            (self.command, self.path, self.rfile.read(int(self.headers["Content-Length"] or 0)))
        )
        location = self.server.locations.get(self.path)
        self.send_response(200 if location is None else 307)
        if location is not None:
            self.send_header("Location", location)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_: Any) -> None:
        """Write nothing."""


@contextmanager
def redirecting() -> Iterator[Any]:
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), Redirecting)
    server.requests, server.locations = [], {}
    server.origin = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def send(request: FlowRequest) -> FlowResponse:
    settings = ConnectionSettings("http://127.0.0.1:1/mcp", None, None, None, None, 2.0)
    return Fetcher(settings).send(request, Exchange("test"))


def test_metadata_may_move_within_their_origin_only() -> None:
    with redirecting() as server, redirecting() as other:
        server.locations.update({"/here": "/there", "/away": f"{other.origin}/metadata", "/loop": "/loop"})
        assert send(get_json("metadata", f"{server.origin}/here")).status == 200
        for path in ("/away", "/loop"):
            with pytest.raises(OAuthError, match="redirects to another origin, or too often"):
                send(get_json("metadata", f"{server.origin}{path}"))
        assert other.requests == []
        assert len(server.requests) < 10


def test_a_token_request_follows_no_redirect() -> None:
    with redirecting() as server, redirecting() as other:
        server.locations.update({"/token": f"{other.origin}/token", "/here": "/there"})
        form = {"grant_type": "refresh_token", "refresh_token": "s3cr3t-value"}
        for path in ("/token", "/here"):
            assert send(post_form("token request", f"{server.origin}{path}", form, {})).status == 307
        assert other.requests == []
        assert [path for _, path, _ in server.requests] == ["/token", "/here"]


MCP = "https://mcp.example/mcp"
AS = "https://as.example"
INTERNAL = "https://internal.example"


class Documents:
    """Stands for the connections to all hosts: those with a public address answer."""

    def __init__(self, **members: Any) -> None:
        self.asked: list[str] = []
        self.documents: dict[str, Any] = {
            "https://mcp.example/.well-known/oauth-protected-resource/mcp": {
                "resource": MCP,
                "authorization_servers": [members.pop("authorization_server", AS)],
            },
            f"{AS}/.well-known/oauth-authorization-server": {
                "issuer": AS,
                "authorization_endpoint": f"{AS}/authorize",
                "token_endpoint": f"{AS}/token",
                "registration_endpoint": f"{AS}/register",
                "code_challenge_methods_supported": ["S256"],
                **members,
            },
            f"{AS}/register": {"client_id": "me", "token_endpoint_auth_method": "none"},
        }

    def stand_in(self, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
        """Answer the requests of fetchers, after their checks; the internal host has the address."""

        def resolve(host: str, port: int) -> list[str]:
            return [address] if host == "internal.example" else ["93.184.215.14"]

        def send_to(fetcher: Fetcher, parts: Any, request: FlowRequest, exchange: Exchange) -> Any:
            fetcher._addresses(parts)
            self.asked.append(parts.geturl())
            document = self.documents.get(parts.geturl())
            return 200 if document else 404, {}, json.dumps(document).encode()

        monkeypatch.setattr(fetcher_module, "resolve", resolve)
        monkeypatch.setattr(Fetcher, "_send_to", send_to)


def log_in() -> None:
    auth = OAuth(redirect_uri="https://app.example/callback")
    pending = auth.begin(MCP)
    auth.finish(f"https://app.example/callback?state={pending.state}&code=c", pending.record)


@pytest.mark.parametrize("name", ["authorization_server", "registration_endpoint", "token_endpoint"])
@pytest.mark.parametrize("address", ["10.0.0.1", "127.0.0.1", "169.254.169.254", "fd00::1", "::ffff:192.168.0.1"])
def test_no_member_of_the_metadata_leads_into_the_internal_network(
    name: str, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name of the host is an ordinary one; its address is checked once it is resolved."""
    documents = Documents(**{name: f"{INTERNAL}/x"})
    documents.stand_in(monkeypatch, address)
    with pytest.raises(OAuthError, match=r"internal\.example has the address .* which is not public"):
        log_in()
    assert not any("internal" in each for each in documents.asked)


def test_a_login_page_must_be_https(monkeypatch: pytest.MonkeyPatch) -> None:
    """The browser of the user opens it; it does not have to be public."""
    for page, message in (("javascript:alert(1)", "not an http"), ("http://as.example/a", "must be an https URL")):
        Documents(authorization_endpoint=page).stand_in(monkeypatch, "10.0.0.1")
        with pytest.raises(OAuthError, match=message):
            log_in()


def test_clients_share_a_login_only_if_the_same_rules_hold_for_them() -> None:
    """The rules of 2025-03-26 for authorization servers are weaker, for example on PKCE."""
    auth = OAuth()

    def credentials(found: Any) -> Any:
        return auth.credentials(ConnectionSettings("https://mcp.example/mcp", found, None, None, None, 2.0))

    by_rules = {rules_of(facts(revision)): credentials(facts(revision)) for revision in REVISIONS}
    assert len(set(map(id, by_rules.values()))) == len(by_rules) > 1
    for revision in REVISIONS:
        assert credentials(facts(revision)) is by_rules[rules_of(facts(revision))]
    assert credentials(None) not in by_rules.values()
