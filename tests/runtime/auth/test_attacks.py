"""Attacks on clients that use OAuth, each with its refusal (Security Best Practices; RFC 9700)."""

from __future__ import annotations

import copy
import json
import logging
import socket
import threading
import traceback
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from queue import SimpleQueue
from typing import Any

import pytest
from mcp_bindings import ClientCredentials, FileTokens, MemoryTokens, OAuth, OAuthError, PendingAuthorization
from mcp_bindings_runtime.auth import fetcher as fetcher_module
from mcp_bindings_runtime.auth.authorization_code import begin_authorization, finish_authorization
from mcp_bindings_runtime.auth.client_identity import ClientIdentity
from mcp_bindings_runtime.auth.discovery import discover
from mcp_bindings_runtime.auth.fetcher import Fetcher
from mcp_bindings_runtime.auth.flow import Flow, FlowRequest, FlowResponse, run_flow
from mcp_bindings_runtime.auth.loopback_listener import LoopbackListener
from mcp_bindings_runtime.auth.rules import NEGOTIATED
from mcp_bindings_runtime.auth.token_credentials import RateLimit
from mcp_bindings_runtime.auth.token_request import Grant
from mcp_bindings_runtime.auth.urls import covers
from mcp_bindings_runtime.errors import Challenge, HttpError, McpError, UsageError
from mcp_bindings_runtime.http.client.credentials import ConnectionSettings
from mcp_bindings_runtime.http.client.exchange import Exchange

SERVER = "https://mcp.example/mcp"
ISSUER = "https://as.example"
RESOURCE_METADATA = "https://mcp.example/.well-known/oauth-protected-resource/mcp"
SERVER_METADATA = "https://as.example/.well-known/oauth-authorization-server"
SECRET = "s3cr3t-value"

HONEST: Mapping[str, Any] = {
    RESOURCE_METADATA: {"resource": SERVER, "authorization_servers": [ISSUER]},
    SERVER_METADATA: {
        "issuer": ISSUER,
        "authorization_endpoint": f"{ISSUER}/authorize",
        "token_endpoint": f"{ISSUER}/token",
        "registration_endpoint": f"{ISSUER}/register",
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
    },
    f"{ISSUER}/token": {"access_token": SECRET, "token_type": "Bearer", "refresh_token": f"{SECRET}-2"},
}


class Network:
    """Answers the requests of flows from a table of documents, and keeps the requests."""

    def __init__(self, **changes: Any) -> None:
        self.documents = copy.deepcopy(dict(HONEST))
        self.requests: list[FlowRequest] = []

    def change(self, url: str, **members: Any) -> Network:
        for name, value in members.items():
            if value is None:
                del self.documents[url][name]
            else:
                self.documents[url][name] = value
        return self

    def send(self, request: FlowRequest) -> FlowResponse:
        self.requests.append(request)
        document = self.documents.get(request.url)
        headers = {"content-type": "application/json"}
        if document is None:
            return FlowResponse(404, headers, b"", 0.0)
        return FlowResponse(200, headers, json.dumps(document).encode(), 0.0)

    def run(self, flow: Flow[Any]) -> Any:
        return run_flow(flow, self.send)

    def urls(self) -> list[str]:
        return [each.url for each in self.requests]


CLIENT = ClientIdentity(ISSUER, "me", "none")


def begun(network: Network, **options: Any) -> PendingAuthorization:
    discovery = network.run(discover(SERVER, NEGOTIATED))
    pending: PendingAuthorization = begin_authorization(
        discovery, NEGOTIATED, CLIENT, redirect_uri="http://127.0.0.1:1/callback", scope=None, **options
    )
    return pending


def response_url(pending: PendingAuthorization, **changes: str | None) -> str:
    query = {"state": pending.state, "code": "c0de", "iss": ISSUER, **changes}
    text = "&".join(f"{name}={value}" for name, value in query.items() if value is not None)
    return f"http://127.0.0.1:1/callback?{text}"


def test_an_honest_flow_ends_with_a_token() -> None:
    network = Network()
    pending = begun(network)
    grant = network.run(finish_authorization(response_url(pending), json.loads(json.dumps(pending.record))))
    assert (grant.access_token, grant.issuer, grant.resource) == (SECRET, ISSUER, SERVER)
    body = network.requests[-1].body
    assert body is not None
    assert b"code_verifier=" in body


# Metadata.


def test_metadata_of_another_server_are_refused_before_any_authorization() -> None:
    """A malicious server passes on the metadata of an honest one, to get a token for that."""
    network = Network().change(RESOURCE_METADATA, resource="https://bank.example/mcp")
    with pytest.raises(OAuthError, match="are for another resource"):
        begun(network)
    assert network.urls() == [RESOURCE_METADATA]


@pytest.mark.parametrize(
    ("resource", "expected"),
    [
        ("https://mcp.example/mcp", True),
        ("https://mcp.example/mcp/", True),
        ("https://mcp.example", True),
        ("HTTPS://MCP.example:443/", True),
        ("https://mcp.example/mc", False),
        ("https://mcp.example/mcp/other", False),
        ("http://mcp.example/mcp", False),
        ("https://mcp.example:8443/mcp", False),
        ("https://mcp.example.evil.example/mcp", False),
        ("https://mcp.example@evil.example/mcp", False),
        ("nonsense", False),
    ],
)
def test_a_resource_is_the_server_or_a_parent_of_it(resource: str, expected: bool) -> None:
    assert covers(resource, SERVER) is expected


@pytest.mark.parametrize("issuer", ["https://evil.example", f"{ISSUER}/", "https://AS.example", None])
def test_metadata_of_another_issuer_are_not_used(issuer: str | None) -> None:
    network = Network().change(SERVER_METADATA, issuer=issuer)
    with pytest.raises(OAuthError, match="must name it as issuer"):
        begun(network)


def test_a_challenge_cannot_name_metadata_of_another_origin() -> None:
    network = Network()
    with pytest.raises(OAuthError, match="names metadata of another origin"):
        network.run(discover(SERVER, NEGOTIATED, metadata_url="https://internal.example/secret"))
    assert network.requests == []


@pytest.mark.parametrize("methods", [None, ["plain"]])
def test_pkce_is_not_downgraded(methods: Any) -> None:
    network = Network().change(SERVER_METADATA, code_challenge_methods_supported=methods)
    with pytest.raises(OAuthError, match="does not advertise PKCE with S256"):
        begun(network)
    if methods is None:
        assert "code_challenge_method=S256" in begun(network, without_pkce_metadata=True).url
    else:
        with pytest.raises(OAuthError, match="PKCE"):
            begun(network, without_pkce_metadata=True)


# Authorization responses.


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"state": "another"}, "its `state` is missing or different"),
        ({"state": None}, "its `state` is missing or different"),
        ({"iss": "https://evil.example"}, "its `iss` names another issuer"),
        ({"iss": f"{ISSUER}/"}, "its `iss` names another issuer"),
        ({"iss": None}, "lacks `iss`"),
        ({"code": "c0de&code=other"}, "repeats a parameter"),
        ({"code": None}, "neither a code nor an error"),
        ({"code": None, "error": "access_denied"}, "refused the authorization: access_denied"),
    ],
)
def test_a_response_that_is_not_for_the_request_is_refused(changes: Any, message: str) -> None:
    network = Network()
    pending = begun(network)
    before = len(network.requests)
    with pytest.raises(OAuthError, match=message):
        network.run(finish_authorization(response_url(pending, **changes), pending.record))
    assert len(network.requests) == before


def test_the_error_of_another_issuer_is_not_shown() -> None:
    network = Network()
    pending = begun(network)
    url = response_url(
        pending, iss="https://evil.example", code=None, error="access_denied", error_description="Call+me"
    )
    with pytest.raises(OAuthError) as raised:
        network.run(finish_authorization(url, pending.record))
    assert "Call" not in str(raised.value)
    assert raised.value.error is None


def test_an_unexpected_issuer_is_refused_even_if_none_was_announced() -> None:
    network = Network().change(SERVER_METADATA, authorization_response_iss_parameter_supported=False)
    pending = begun(network)
    with pytest.raises(OAuthError, match="its `iss` names another issuer"):
        network.run(finish_authorization(response_url(pending, iss="https://evil.example"), pending.record))
    assert network.run(finish_authorization(response_url(pending, iss=None), pending.record)).access_token == SECRET


# Requests to hosts that strangers name.


def sent(url: str, server: str = SERVER, **options: Any) -> FlowResponse:
    settings = ConnectionSettings(server, None, None, None, None, 2.0)
    return Fetcher(settings, **options).send(FlowRequest("metadata", "GET", url, {}), Exchange("test"))


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://as.example/metadata", "must be an https URL"),
        ("file:///etc/passwd", "not an http or https URL"),
        ("javascript:alert(1)", "not an http or https URL"),
        ("https://user:password@as.example/", "must not contain a name or a password"),
        ("https://127.0.0.1/", "which is not public"),
        ("https://[::1]/", "which is not public"),
        ("https://169.254.169.254/latest/meta-data", "which is not public"),
        ("https://10.0.0.1/", "which is not public"),
        ("https://[::ffff:10.0.0.1]/", "which is not public"),
        ("https://[64:ff9b::7f00:1]/", "which is not public"),
        ("https://2130706433/", "which is not public"),
        ("https://0.0.0.0/", "which is not public"),
    ],
)
def test_hosts_of_the_internal_network_are_not_asked(url: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def server_is_public(self: Fetcher) -> bool:
        return False

    monkeypatch.setattr(Fetcher, "_server_is_private", server_is_public)
    with pytest.raises(OAuthError, match=message):
        sent(url)


def test_a_name_is_checked_by_its_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(host: str, port: int) -> list[str]:
        return ["93.184.215.14"] if host == "mcp.example" else ["93.184.215.14", "192.168.1.1"]

    monkeypatch.setattr(fetcher_module, "resolve", resolve)
    with pytest.raises(OAuthError, match=r"192\.168\.1\.1, which is not public"):
        sent("https://as.example/")


def test_the_connection_goes_to_the_checked_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """DNS rebinding: the second answer for the name would be an internal address."""
    answers = [["93.184.215.14"], ["127.0.0.1"]]
    connected: list[str] = []

    def resolve(host: str, port: int) -> list[str]:
        return answers.pop(0)

    def connect(address: tuple[str, int], *_: Any, **__: Any) -> socket.socket:
        connected.append(address[0])
        raise ConnectionRefusedError

    monkeypatch.setattr(fetcher_module, "resolve", resolve)
    monkeypatch.setattr("urllib3.util.connection.create_connection", connect)
    with pytest.raises(OAuthError):
        sent("https://rebinding.example/")
    assert connected == ["93.184.215.14"]


def test_link_local_addresses_are_refused_for_local_servers_too() -> None:
    with pytest.raises(OAuthError, match="which is not public"):
        sent("https://169.254.169.254/", "http://127.0.0.1:1/mcp", allow_private=True)


def test_plain_http_is_for_local_servers_only() -> None:
    with pytest.raises(OAuthError, match="cannot be reached"):
        sent("http://127.0.0.1:1/", "http://127.0.0.1:2/mcp")
    with pytest.raises(UsageError, match="not sent over plain HTTP"):
        OAuth().credentials(ConnectionSettings("http://mcp.example/mcp", None, None, None, None, 2.0))


# Tokens.


def credentials_with_token(**options: Any) -> Any:
    store = MemoryTokens()
    grant = Grant(ISSUER, f"{ISSUER}/token", CLIENT, SERVER, SECRET, "Bearer", None, f"{SECRET}-2", None)
    store.put(ISSUER, SERVER, grant.to_json())
    store.put("", SERVER, {"issuer": ISSUER})
    auth = OAuth(store=store, **options)
    return auth.credentials(ConnectionSettings(SERVER, None, None, None, None, 2.0))


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (SERVER, True),
        ("https://mcp.example/messages?session=1", True),
        ("https://evil.example/mcp", False),
        ("http://mcp.example/mcp", False),
        ("https://mcp.example:8443/mcp", False),
    ],
)
def test_a_token_is_sent_to_its_own_origin_only(url: str, expected: bool) -> None:
    headers = credentials_with_token().headers("POST", url, Exchange("test"))
    assert headers == ({"Authorization": f"Bearer {SECRET}"} if expected else {})


def test_a_refusal_of_another_origin_causes_no_login() -> None:
    refusal = HttpError(401, "", url="https://evil.example/")
    renew = credentials_with_token().renewed
    assert renew("POST", "https://evil.example/", Exchange("test"), {}, [refusal]) is None


def test_a_refusal_of_a_token_that_another_thread_has_replaced_causes_no_login() -> None:
    credentials = credentials_with_token(open_url=lambda url: pytest.fail("the user is bothered"))
    current = credentials.headers("POST", SERVER, Exchange("test"))
    refusals = [HttpError(403, "", challenges=[Challenge("Bearer", {"error": "insufficient_scope", "scope": "more"})])]
    assert credentials.renewed("POST", SERVER, Exchange("test"), {"Authorization": "Bearer old"}, refusals) == current


def test_a_client_secret_goes_to_one_authorization_server() -> None:
    auth = OAuth(client_id="me", client_secret=SECRET)
    auth._bind_secret(ISSUER)
    auth._bind_secret(ISSUER)
    with pytest.raises(OAuthError, match=r"the client secret is for https://as\.example"):
        auth._bind_secret("https://evil.example")


def test_a_server_cannot_open_one_page_after_another() -> None:
    limit = RateLimit(2)
    limit.count(SERVER)
    limit.count(SERVER)
    with pytest.raises(OAuthError, match="caused 2 authorizations within a minute"):
        limit.count(SERVER)


# The listener.


def status_of(url: str, **headers: str) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10) as response:
            status: int = response.status
            return status
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code


def test_the_listener_accepts_one_response_of_its_own_host() -> None:
    arrived: SimpleQueue[bool] = SimpleQueue()
    with LoopbackListener() as listener:
        uri = listener.redirect_uri
        assert status_of(f"{uri}?state=s&code=1") == 400
        listener.expect("s", lambda: arrived.put(True))
        assert status_of(f"{uri}?state=other&code=1") == 400
        assert status_of(f"{uri}?code=1") == 400
        assert status_of(f"{uri}?state=s&code=1".replace("/callback", "/other")) == 400
        assert status_of(f"{uri}?state=s&code=1", Host="evil.example") == 421
        assert listener.response_url is None
        assert status_of(f"{uri}?state=s&code=1") == 200
        assert status_of(f"{uri}?state=s&code=2") == 400
        assert listener.response_url == f"{uri}?state=s&code=1"
        # The listener reports the response after it has answered.
        assert arrived.get(timeout=10)
    assert arrived.empty()


def test_a_response_counts_although_the_browser_has_gone() -> None:
    arrived = threading.Event()
    with LoopbackListener() as listener:
        listener.expect("s", arrived.set)
        host, port = listener.host.split(":")
        with socket.create_connection((host, int(port))) as browser:
            browser.sendall(f"GET /callback?state=s&code=1 HTTP/1.1\r\nHost: {listener.host}\r\n\r\n".encode())
        assert arrived.wait(10)


# Secrets.


def texts_of(value: Any) -> str:
    return f"{value!r} {value}"


def test_no_repr_shows_a_secret(tmp_path: Any) -> None:
    network = Network()
    pending = begun(network)
    record = pending.record
    grant = network.run(finish_authorization(response_url(pending), record))
    values = [
        grant,
        CLIENT._replace(client_secret=SECRET),
        network.requests[-1],
        network.send(network.requests[-1]),
        OAuth(client_id="me", client_secret=SECRET),
        ClientCredentials("me", SECRET),
        credentials_with_token(),
        FileTokens(tmp_path / "tokens"),
        pending,
    ]
    shown = " ".join(map(texts_of, values[:-1])) + repr(pending)
    assert SECRET not in shown
    assert record["verifier"] not in shown


@pytest.mark.parametrize("make", [OAuth, ClientCredentials])
def test_a_rejected_secret_is_not_shown(make: Callable[..., Any]) -> None:
    with pytest.raises(UsageError) as raised:
        make(client_id="me", client_secret=SECRET.encode())
    assert SECRET not in str(raised.value)


def test_no_error_and_no_log_message_shows_what_the_token_endpoint_sent(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    network = Network()
    pending = begun(network)
    network.documents[f"{ISSUER}/token"] = {"access_token": [SECRET], "refresh_token": SECRET, "token_type": "Bearer"}
    with pytest.raises(McpError) as raised:
        network.run(finish_authorization(response_url(pending), pending.record))
    shown = "".join(traceback.format_exception(raised.value)) + caplog.text
    assert SECRET not in shown
    assert pending.record["verifier"] not in shown
