"""What the other side of a connection can make this side keep has limits: requests that wait, and answers to be sent."""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from threading import Event, Thread
from typing import Any

import pytest
from mcp_bindings_runtime.connection import connection as connection_module
from mcp_bindings_runtime.connection import leader_followers
from mcp_bindings_runtime.errors import RequestTimeout
from mcp_bindings_runtime.transports.memory import pair
from support.echo_server import echo_server
from support.revisions import HANDSHAKE
from support.scripted_peers import PATIENCE, Spoken, eventually, package, scripted_client, scripted_server

LATEST = HANDSHAKE[-1]


def hold(peer: Spoken, number: int, **arguments: Any) -> None:
    peer.request("tools/call", number, {"name": "echo", "arguments": {"n": number, "hold": True, **arguments}})


def test_requests_beyond_a_number_that_waits_are_refused(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(leader_followers, "MAX_QUEUED", 20)
    server, seen = echo_server(LATEST, workers=1)
    peer = scripted_client(server)
    peer.introduce(LATEST)
    hold(peer, 1)
    eventually(lambda: seen.running == 1)
    with caplog.at_level(logging.WARNING):
        for number in range(2, 27):
            hold(peer, number)
        refused = [peer.hear() for _ in range(5)]
    assert [each["id"] for each in refused] == [22, 23, 24, 25, 26]
    assert {each["error"]["code"] for each in refused} == {-32603}
    assert {each["error"]["message"] for each in refused} == {"Too busy"}
    assert [each.getMessage() for each in caplog.records if "refused" in each.getMessage()] == [
        "requests are refused, because too many wait: the last is tools/call"
    ]
    # A ping needs no handler.
    peer.request("ping", "seen")
    assert peer.hear()["id"] == "seen"
    seen.go.set()
    assert [peer.hear()["id"] for _ in range(21)] == [*range(1, 22)]
    # There is room again.
    hold(peer, 30)
    assert "result" in peer.hear()
    peer.close()


def test_requests_that_wait_are_counted_in_bytes_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leader_followers, "MAX_QUEUED_SIZE", 10_000)
    server, seen = echo_server(LATEST, workers=1)
    peer = scripted_client(server)
    peer.introduce(LATEST)
    hold(peer, 1)
    eventually(lambda: seen.running == 1)
    # One of any size passes alone.
    hold(peer, 2, padding="x" * 20_000)
    hold(peer, 3)
    assert peer.hear()["error"]["code"] == -32603
    seen.go.set()
    assert [peer.hear()["id"] for _ in range(2)] == [1, 2]
    seen.go.clear()
    hold(peer, 4)
    eventually(lambda: seen.running == 1)
    for number in range(5, 9):
        hold(peer, number, padding="x" * 3000)
    assert peer.hear()["id"] == 8
    seen.go.set()
    assert [peer.hear()["id"] for _ in range(4)] == [4, 5, 6, 7]
    peer.close()


def test_the_requests_of_a_batch_share_its_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leader_followers, "MAX_QUEUED_SIZE", 10_000)
    revision = "2025-03-26"
    server, seen = echo_server(revision, workers=1)
    peer = scripted_client(server)
    peer.introduce(revision)
    arguments = {"hold": True, "padding": "x" * 3000}
    batch = [
        {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": "echo", "arguments": arguments}}
        for number in range(3)
    ]
    peer.transport.send(json.dumps(batch).encode(), PATIENCE)
    eventually(lambda: seen.running == 1)
    seen.go.set()
    assert ["result" in each for each in peer.hear()] == [True] * 3
    peer.close()


def test_a_server_cannot_queue_requests_at_a_client_without_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leader_followers, "MAX_QUEUED", 20)
    mcp = package(LATEST)
    go, begun = Event(), Event()
    heard: list[Any] = []

    def answer(_params: Any, _context: Any) -> Any:
        begun.set()
        assert go.wait(PATIENCE)
        return mcp.ElicitResult(action="cancel")

    def play(peer: Spoken) -> None:
        peer.welcome(LATEST)
        params = {"message": "?", "requestedSchema": {"type": "object", "properties": {}}}
        peer.request("elicitation/create", 0, params)
        assert begun.wait(PATIENCE)
        for number in range(1, 31):
            peer.request("elicitation/create", number, params)
        heard.extend(peer.hear() for _ in range(10))
        go.set()
        heard.extend(peer.hear() for _ in range(21))

    with scripted_server(mcp.Client, play, elicitation=answer, workers=1, limits=False) as (client, _):
        client.connect()
        eventually(lambda: len(heard) == 31)
    assert [each["id"] for each in heard[:10]] == [*range(21, 31)]
    assert {each["error"]["code"] for each in heard[:10]} == {-32603}
    assert [each["id"] for each in heard[10:]] == [*range(21)]


def test_nothing_is_read_while_the_other_side_reads_no_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "MAX_REPLIES", 50)
    server, _ = echo_server(LATEST, timeout=PATIENCE)
    mine, theirs = pair(capacity=1000)
    Thread(target=server.serve, args=(theirs,), name="test-server", daemon=True).start()
    peer = Spoken(mine)
    peer.introduce(LATEST)
    sent = 0
    with suppress(RequestTimeout):
        while sent < 5000:
            mine.send(json.dumps({"jsonrpc": "2.0", "id": sent, "method": "ping"}).encode(), 0.5)
            sent += 1
    # The answers that wait, and the messages in both directions of the transport.
    assert sent < 150
    assert [peer.hear()["id"] for _ in range(sent)] == [*range(sent)]
    peer.request("ping", "last")
    assert peer.hear()["id"] == "last"
    peer.close()
