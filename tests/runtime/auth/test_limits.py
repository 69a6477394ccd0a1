"""Limits of clients that use OAuth."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from types import MappingProxyType
from typing import Any

import pytest
from mcp_bindings import ClientCredentials, MemoryTokens, OAuth
from mcp_bindings_runtime.auth import client_credentials, fetcher, flow, token_credentials
from mcp_bindings_runtime.auth.client_identity import ClientIdentity
from mcp_bindings_runtime.auth.fetcher import Fetcher
from mcp_bindings_runtime.auth.flow import FlowRequest, FlowResponse
from mcp_bindings_runtime.auth.token_request import Grant
from mcp_bindings_runtime.errors import Challenge, HttpError, OAuthError, RequestTimeout
from mcp_bindings_runtime.http.client.credentials import ConnectionSettings
from mcp_bindings_runtime.http.client.exchange import Exchange
from support.scripted_peers import PATIENCE

SERVER = "https://mcp.example/mcp"
ISSUER = "https://as.example"


@contextmanager
def metadata_server(body: bytes, go: Event, headers: Mapping[str, str] = MappingProxyType({})) -> Iterator[str]:
    """The URL of a server that answers with a body when the event is set."""
    sent = {"Content-Length": str(len(body)), **headers}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            go.wait(PATIENCE)
            self.send_response(200)
            for name, value in sent.items():
                self.send_header(name, value)
            self.end_headers()
            with suppress(OSError):
                self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            go.set()
            server.shutdown()
            thread.join()


def fetch(url: str) -> FlowResponse:
    settings = ConnectionSettings(url, None, None, None, None, 2.0)
    return Fetcher(settings).send(FlowRequest("metadata", "GET", url, {}), Exchange("test"))


def failure_of(url: str) -> str:
    with pytest.raises(OAuthError) as raised:
        fetch(url)
    return str(raised.value)


def test_a_response_is_read_up_to_a_number_of_bytes() -> None:
    go = Event()
    go.set()
    with metadata_server(b"a" * fetcher._LIMIT, go) as url:
        assert len(fetch(url).body) == fetcher._LIMIT
    with metadata_server(b"a" * 20 * fetcher._LIMIT, go) as url:
        assert (
            failure_of(url)
            == f"metadata: {url}: a message of 1310720 bytes or more was skipped: the limit is 65536 bytes"
        )


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({"Content-Encoding": "gzip"}, "the body has the content coding 'gzip', "),
        ({"Content-Length": "many"}, "Content-Length must be a number of bytes, got 'many'"),
    ],
)
def test_a_response_that_cannot_be_read_is_named_with_its_url(headers: dict[str, str], reason: str) -> None:
    go = Event()
    go.set()
    with metadata_server(b"{}", go, headers) as url:
        assert failure_of(url).startswith(f"metadata: {url}: {reason}")


def test_a_request_has_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetcher, "_SECONDS", 0.1)
    with metadata_server(b"late", Event()) as url, pytest.raises(RequestTimeout):
        fetch(url)


def test_the_text_of_a_server_is_cut() -> None:
    error = flow.oauth_error("token", "e" * 1000, "d" * 100_000)
    assert len(str(error)) < 3 * flow._SHOWN


def credentials() -> Any:
    store = MemoryTokens()
    client = ClientIdentity(ISSUER, "me", "none")
    grant = Grant(ISSUER, f"{ISSUER}/token", client, SERVER, "token", "Bearer", None, "refresh", None)
    store.put(ISSUER, SERVER, grant.to_json())
    store.put("", SERVER, {"issuer": ISSUER})
    return OAuth(store=store).credentials(ConnectionSettings(SERVER, None, None, None, None, 2.0))


def test_one_request_replaces_so_many_tokens() -> None:
    refusals = [HttpError(401, "") for _ in range(token_credentials._REPLACEMENTS + 1)]
    assert credentials().renewed("POST", SERVER, Exchange("test"), {}, refusals) is None


def test_one_request_asks_for_more_scopes_so_often() -> None:
    challenge = Challenge("Bearer", {"error": "insufficient_scope", "scope": "more"})
    refusals = [HttpError(403, "", challenges=[challenge]) for _ in range(token_credentials._STEP_UPS + 1)]
    assert credentials().renewed("POST", SERVER, Exchange("test"), {}, refusals) is None


def test_an_assertion_is_valid_for_minutes() -> None:
    jwk = pytest.importorskip("joserfc.jwk", reason="needs joserfc; run: pip install 'mcp-bindings[oauth]'")
    key = jwk.ECKey.generate_key("P-256", private=True).as_pem(private=True).decode()
    auth = ClientCredentials("me", private_key=key)
    made = auth.credentials(ConnectionSettings(SERVER, None, None, None, None, 2.0))
    maker = next(each for each in (auth, made, *vars(made).values()) if hasattr(each, "_assertion"))
    payload = maker._assertion(ISSUER).split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(payload + "=="))
    assert claims["exp"] - claims["iat"] == client_credentials._LIFETIME
