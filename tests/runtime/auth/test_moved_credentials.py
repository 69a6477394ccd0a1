"""Credentials in the wrong hands: codes of others, servers that move, redirects, hosts of the internal network."""

from __future__ import annotations

import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from mcp_bindings import ClientCredentials, MemoryTokens, OAuth, OAuthError
from mcp_bindings_runtime.auth import fetcher as fetcher_module
from mcp_bindings_runtime.auth.fetcher import Fetcher
from mcp_bindings_runtime.auth.flow import FlowRequest
from mcp_bindings_runtime.errors import ProtocolError
from mcp_bindings_runtime.http.client.credentials import ConnectionSettings
from mcp_bindings_runtime.http.client.exchange import Exchange
from mcp_bindings_runtime.http.server.authorization import Authorization
from mcp_bindings_runtime.http.server.http_server import make_server
from support.authorization_server import Client, Judge, authorization_server
from support.ports import port_for_a_server
from support.revisions import REVISIONS
from support.scripted_http_server import McpPeer, Request, answer
from support.scripted_peers import PATIENCE, package

NEW = REVISIONS[-1]
CALLBACK = "https://app.example/callback"


class Moving:
    """A protected server, which moves from one authorization server to another."""

    def __init__(self, url: str, judges: dict[str, Judge], guard: Authorization) -> None:
        self.url = url
        self.judges = judges
        self._guard = guard

    def move(self) -> None:
        _, second = self.judges
        self._guard.metadata_document.members["authorization_servers"] = [second]
        for judge in self.judges.values():
            judge.tokens.clear()
            judge.refresh_tokens.clear()

    def client(self, auth: Any) -> Any:
        return package(NEW).Client.http(self.url, auth=auth, timeout=PATIENCE)


@contextmanager
def moving_server() -> Iterator[Moving]:
    server = package(NEW).Server("s", "1")
    server.tool(lambda context: context.principal, name="whoami")
    with authorization_server() as (first, one), authorization_server() as (second, two):
        port = port_for_a_server()
        url = f"http://127.0.0.1:{port}/mcp"
        guard = Authorization(
            lambda token: one.validate(token) or two.validate(token), resource=url, authorization_servers=[first]
        )
        with make_server([server], port=port, path="/mcp", authorization=guard, grace=1.0):
            yield Moving(url, {first: one, second: two}, guard)


def visit(url: str) -> None:
    with urllib.request.urlopen(url, timeout=20) as response:
        response.read()


def redirected(url: str) -> str:
    """Return the URL to which the authorization server redirects the browser."""

    class Stop(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *arguments: Any) -> None:
            return None

    with pytest.raises(urllib.error.HTTPError) as stopped:
        urllib.request.build_opener(Stop).open(url, timeout=20)
    with stopped.value as response:
        location: str = response.headers["Location"]
    return location


def parameter(url: str, name: str) -> str:
    return url.partition(f"{name}=")[2].partition("&")[0]


def test_the_code_of_another_authorization_is_useless() -> None:
    """An attacker puts a code of their own, or one that they have seen, into the response to somebody else."""
    with moving_server() as moving:
        auth = OAuth(redirect_uri=CALLBACK, store=MemoryTokens())
        theirs, mine = auth.begin(moving.url), auth.begin(moving.url)
        code = parameter(redirected(theirs.url), "code")
        honest = redirected(mine.url)
        injected = honest.replace(parameter(honest, "code"), code)
        assert injected != honest
        with pytest.raises(OAuthError, match="invalid_grant"):
            auth.finish(injected, mine.record)
        auth.finish(honest, mine.record)


class Registered(Client):
    """A client that was registered by hand, for any port of the listener."""

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return redirect_uri.startswith("http://127.0.0.1:")


@pytest.mark.parametrize(
    "auth",
    [
        ClientCredentials("robot", "s3cr3t-value"),
        OAuth(client_id="robot", client_secret="s3cr3t-value", open_url=visit),
    ],
    ids=["program", "user"],
)
def test_a_secret_does_not_follow_a_server_to_another_authorization_server(auth: Any) -> None:
    grants = ["client_credentials", "authorization_code", "refresh_token"]
    metadata = {"token_endpoint_auth_method": "client_secret_basic", "grant_types": grants}
    with moving_server() as moving:
        one, two = moving.judges.values()
        for judge in (one, two):
            judge.clients["robot"] = Registered("robot", "s3cr3t-value", metadata)
        with moving.client(auth) as client:
            assert client.call_tool("whoami").text == "ada"
            moving.move()
            with pytest.raises(OAuthError, match=r"does not use the authorization server|the client secret is for"):
                client.call_tool("whoami")
        assert one.forms != []
        assert two.forms == []


def test_a_registration_does_not_follow_a_server_to_another_authorization_server() -> None:
    with moving_server() as moving:
        one, two = moving.judges.values()
        with moving.client(OAuth(open_url=visit)) as client:
            client.call_tool("whoami")
            moving.move()
            assert client.call_tool("whoami").text == "ada"
        assert one.clients.keys().isdisjoint(two.clients)
        assert {form["client_id"] for form in two.forms} == two.clients.keys()


def test_a_token_does_not_follow_a_redirect_to_another_origin() -> None:
    def collect(request: Request) -> Any:
        return None

    with McpPeer(NEW, collect) as other:

        def redirect(request: Request) -> Any:
            return answer(status=307, Location=other.url)

        with McpPeer(NEW, redirect) as peer:
            client = package(NEW).Client.http(peer.url, auth=lambda _: {"Authorization": "Bearer s3cr3t"}, timeout=10)
            with pytest.raises(ProtocolError, match="another origin"):
                client.connect()
        assert other.requests == []


ADDRESSES = {"public.example": "93.184.215.14", "office.example": "10.1.2.3", "local.example": "127.0.0.1"}


@pytest.mark.parametrize(
    ("server", "asked", "options", "allowed"),
    [
        ("public.example", "public.example", {}, True),
        ("public.example", "office.example", {}, False),
        ("public.example", "local.example", {}, False),
        ("public.example", "office.example", {"allow_private": True}, True),
        ("office.example", "office.example", {}, True),
        ("office.example", "public.example", {}, True),
        ("local.example", "office.example", {}, True),
    ],
)
def test_private_addresses_are_for_private_servers_unless_the_user_allows_them(
    server: str, asked: str, options: Any, allowed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    connected: list[str] = []

    def connect(address: tuple[str, int], *_: Any, **__: Any) -> socket.socket:
        connected.append(address[0])
        raise ConnectionRefusedError

    monkeypatch.setattr(fetcher_module, "resolve", lambda host, port: [ADDRESSES[host]])
    monkeypatch.setattr("urllib3.util.connection.create_connection", connect)
    settings = ConnectionSettings(f"https://{server}/mcp", None, None, None, None, 2.0)
    request = FlowRequest("metadata", "GET", f"https://{asked}/", {})
    with pytest.raises(OAuthError, match="cannot be reached" if allowed else "which is not public"):
        Fetcher(settings, **options).send(request, Exchange("test"))
    assert connected == ([ADDRESSES[asked]] if allowed else [])
