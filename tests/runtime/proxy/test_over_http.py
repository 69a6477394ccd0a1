"""A proxy over HTTP."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.proxy import client_sessions
from mcp_bindings_runtime.proxy.backend_server import BackendServer
from mcp_bindings_runtime.proxy.server import Proxy
from support.backends import connection_to, write_backend
from support.echo_server import echo_server
from support.raw_http_client import Wire, call, endpoint, modern, request
from support.revisions import HANDSHAKE
from support.scripted_peers import PATIENCE, eventually

LATEST = HANDSHAKE[-1]


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_client_without_session_cancels_behind_by_leaving(revision):
    server, seen = echo_server(revision)
    # A request that takes too long is cancelled, too, but later.
    backend = BackendServer(connection_to(server), revisions=[revision], timeout=10 * PATIENCE)
    with closing(Proxy([backend])) as proxy, endpoint(proxy.server, keepalive=0.1) as wire:
        message, headers = modern(call(1, n=7, hold=True))
        stream = wire.stream(message, **headers)
        eventually(lambda: seen.numbers == [7])
        stream.close()
        eventually(lambda: seen.cancelled == [7])


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_client_without_session_cancels_a_call_that_it_has_answered_a_question_of(revision):
    server, seen = echo_server(revision)
    backend = BackendServer(connection_to(server), revisions=[revision], timeout=10 * PATIENCE)
    with closing(Proxy([backend])) as proxy, endpoint(proxy.server, keepalive=0.1) as wire:
        message, headers = modern(call(1, hold=True, ask=0), {"roots": {}})
        asked = wire.post(message, **headers).response["result"]
        roots = {"roots": [{"uri": "file:///r", "name": "r"}]}
        answers = {
            "inputResponses": dict.fromkeys(asked["inputRequests"], roots),
            "requestState": asked["requestState"],
        }
        stream = wire.stream({**message, "id": 2, "params": {**message["params"], **answers}}, **headers)
        stream.close()
        eventually(lambda: seen.ended == 1)


def test_a_client_without_session_has_one_session_with_the_server():
    opened = []
    connect = connection_to(echo_server(LATEST)[0])

    def open_transport() -> Any:
        opened.append(connect())
        return opened[-1]

    backend = BackendServer(open_transport, revisions=[LATEST], timeout=PATIENCE)
    contacts = len(opened)
    with closing(Proxy([backend])) as proxy, endpoint(proxy.server) as wire:
        message, headers = modern(call(1, n=7))
        assert wire.post(message, **headers).text == "7"
        assert len(opened) == contacts + 1


# Sessions that are not used any more, and those of too many clients.


def process_of(wire: Wire, **headers: str) -> int:
    """Return the process of the server that answers."""
    message = request("tools/call", 1, {"name": "process", "arguments": {}})
    if "Mcp-Session-Id" not in wire.headers:
        message, headers = modern(message)
    return int(wire.post(message, **headers).text)


def has_ended(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look often for sessions that are not used any more."""
    monkeypatch.setattr(client_sessions, "_LOOK", 0.05)


@pytest.mark.usefixtures("quick")
def test_the_server_of_a_client_that_has_left_ends(tmp_path: Path) -> None:
    backend = BackendServer(connection_to(write_backend(tmp_path, "demo", LATEST)), timeout=PATIENCE)
    with closing(Proxy([backend])) as proxy, endpoint(proxy.server) as wire:
        other = Wire(wire.port)
        other.initialize(LATEST)
        stays = process_of(other)
        wire.initialize(LATEST)
        process = process_of(wire)
        assert wire.ask("DELETE").status == 204
        eventually(lambda: has_ended(process))
        assert process_of(other) == stays


@pytest.mark.usefixtures("quick")
def test_the_server_of_a_client_without_session_ends_some_time_after_its_last_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_sessions, "IDLE_SECONDS", 0.1)
    backend = BackendServer(connection_to(write_backend(tmp_path, "demo", LATEST)), timeout=PATIENCE)
    with closing(Proxy([backend])) as proxy, endpoint(proxy.server) as wire:
        process = process_of(wire)
        eventually(lambda: has_ended(process))
        assert process_of(wire) != process


def test_one_address_leaves_sessions_with_the_server_to_others() -> None:
    backend = BackendServer(connection_to(echo_server(LATEST)[0]), timeout=PATIENCE, sessions=4)
    with closing(Proxy([backend])) as proxy, endpoint(proxy.server) as wire:
        clients = [Wire(wire.port) for _ in range(4)]
        for each in clients:
            each.initialize(LATEST)
        assert [each.post(call(1, n=1)).text for each in clients[:3]] == ["1"] * 3
        error = clients[3].post(call(1, n=1)).response["error"]
        assert error["data"]["reason"] == (
            "the proxy has 3 sessions of this client or address with the server behind; no more are allowed"
        )


def test_a_session_of_requests_long_ago_makes_room() -> None:
    server, seen = echo_server(LATEST)
    backend = BackendServer(connection_to(server), timeout=PATIENCE, sessions=2)
    with closing(Proxy([backend])) as proxy, endpoint(proxy.server, keepalive=0.1) as wire:
        for number in range(5):
            info = {"name": f"client {number}", "version": "1"}
            message, headers = modern(call(1, n=number), **{"io.modelcontextprotocol/clientInfo": info})
            assert wire.post(message, **headers).text == str(number)
        message, headers = modern(call(1, n=7, hold=True))
        wire.stream(message, **headers)
        eventually(lambda: seen.running == 1)
        wire.initialize(LATEST)
        assert wire.post(call(1, n=8)).text == "8"
        assert seen.running == 1
        seen.go.set()
