"""Streams that are open when the token of their client expires: they end, and the client opens them with its next token."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Queue
from threading import Thread
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from mcp_bindings import Authorization, Caller, OAuth
from mcp_bindings_runtime.http.server import event_stream
from mcp_bindings_runtime.http.server.http_server import make_server as make_mcp_server
from support.authorization_server import authorization_server
from support.ports import port_for_a_server
from support.protected_sites import Site
from support.raw_http_client import NEW, Stream, Wire, endpoint, modern, request
from support.revisions import HANDSHAKE
from support.scripted_peers import PATIENCE, package

LATEST = HANDSHAKE[-1]
RESOURCE = "https://mcp.example/mcp"


class Tokens:
    """Accepts every token of a user, until a time."""

    def __init__(self) -> None:
        self.expires_at = time.time() + 3600

    def __call__(self, token: str) -> Caller:
        return Caller(token, expires_at=self.expires_at)

    def authorization(self) -> Authorization:
        return Authorization(self, resource=RESOURCE, authorization_servers=["https://as.example"])


def changing_server(revision: str) -> Any:
    server = package(revision).Server("s", "1")
    server.tool(lambda: "", name="first")
    return server


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Write nothing."""


@contextmanager
def below_wsgi(server: Any, **options: Any) -> Iterator[Wire]:
    """Serve an endpoint by another WSGI server, whose thread waits for events."""
    app = server.wsgi_app(path="/mcp", threads=4, **options)
    with make_server("127.0.0.1", 0, app, handler_class=_Quiet) as served:
        thread = Thread(target=served.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield Wire(served.server_port)
        served.shutdown()
        thread.join(PATIENCE)


def opened(wire: Wire, revision: str) -> Stream:
    """Open a stream for changes; its client has a token."""
    wire.add({"Authorization": "Bearer ada"})
    if revision == LATEST:
        wire.initialize(LATEST)
        return wire.stream()
    wanted = {"notifications": {"toolsListChanged": True}}
    whole, headers = modern(request("subscriptions/listen", "mine", wanted))
    stream = wire.stream(whole, **headers)
    assert stream.message()["method"] == "notifications/subscriptions/acknowledged"
    return stream


@pytest.mark.parametrize("revision", [LATEST, NEW])
@pytest.mark.parametrize("serving", [endpoint, below_wsgi])
def test_an_idle_stream_ends_with_the_token_of_its_client(
    serving: Any, revision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = Tokens()
    with serving(changing_server(revision), authorization=tokens.authorization(), keepalive=0.1) as wire:
        stream = opened(wire, revision)
        for _ in range(2):
            assert stream.block() == [":"]
        later = tokens.expires_at
        monkeypatch.setattr(event_stream, "time", lambda: later)
        assert stream.messages() == []
        stream.close()


@pytest.mark.parametrize("revision", [LATEST, NEW])
def test_no_event_is_sent_after_the_token_has_expired(revision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens, server = Tokens(), changing_server(revision)
    with endpoint(server, authorization=tokens.authorization(), keepalive=60.0) as wire:
        stream = opened(wire, revision)
        server.tool(lambda: "", name="second")
        assert stream.message()["method"] == "notifications/tools/list_changed"
        later = time.time() + 7200
        monkeypatch.setattr(event_stream, "time", lambda: later)
        server.tool(lambda: "", name="third")
        assert stream.messages() == []


@pytest.mark.parametrize("revision", [LATEST, NEW])
def test_a_client_goes_on_with_its_next_token(revision: str) -> None:
    heard: Queue[int] = Queue()
    server = changing_server(revision)
    with authorization_server() as (issuer, judge):
        judge.lifetime = 3
        port = port_for_a_server()
        site = Site(f"http://127.0.0.1:{port}/mcp", issuer, judge)

        def whose(token: str) -> Caller | None:
            user = judge.validate(token)
            return user and Caller(user, scopes=["a"], expires_at=judge.tokens[token]["expires_at"])

        guard = Authorization(whose, resource=site.url, authorization_servers=[issuer], scopes=["a"])
        serving = make_mcp_server([server], port=port, path="/mcp", authorization=guard, keepalive=0.2, grace=1.0)
        auth, on_change = OAuth(open_url=site.visit), lambda: heard.put(1)
        with serving, package(revision).Client.http(site.url, auth=auth, on_tools_changed=on_change) as client:
            client.list_tools()
            first = set(judge.tokens)
            ends_at = time.monotonic() + PATIENCE
            while len(judge.tokens) == len(first) or heard.empty():
                # The stream is opened again with a new token, and then changes are heard again.
                assert time.monotonic() < ends_at
                time.sleep(0.2)
                if len(judge.tokens) > len(first):
                    server.tool(lambda: "", name=f"tool-{time.monotonic_ns()}")
        assert judge.requests["/authorize"] == 1
