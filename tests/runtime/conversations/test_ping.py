"""Ping: answered whatever else goes on, and sent to a server that is silent."""

from __future__ import annotations

import itertools
import time
from threading import Event
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import ConnectionClosed, UsageError
from support.echo_server import echo_server
from support.revisions import HANDSHAKE
from support.scripted_peers import PATIENCE, Spoken, eventually, package, scripted_client, scripted_server, threads_of

each_revision = pytest.mark.parametrize("revision", HANDSHAKE)
LATEST = HANDSHAKE[-1]


def call(spoken: Spoken, number: int, **arguments: Any) -> None:
    spoken.request("tools/call", number, {"name": "echo", "arguments": arguments})


@each_revision
def test_a_server_answers_ping_before_the_handshake(revision):
    spoken = scripted_client(echo_server(revision)[0])
    spoken.request("ping", "early")
    assert spoken.hear() == {"jsonrpc": "2.0", "id": "early", "result": {}}
    spoken.close()


@each_revision
def test_a_server_answers_ping_while_a_handler_is_slow(revision):
    server, seen = echo_server(revision)
    spoken = scripted_client(server)
    spoken.introduce(revision)
    call(spoken, 1, n=1, hold=True)
    eventually(lambda: seen.running)
    spoken.request("ping", 2)
    assert spoken.hear()["id"] == 2
    seen.go.set()
    assert spoken.hear()["id"] == 1
    spoken.close()


@pytest.mark.parametrize("waiting", [0, 3])
def test_a_server_answers_ping_while_all_its_workers_are_busy(waiting):
    server, seen = echo_server(LATEST, workers=2)
    spoken = scripted_client(server)
    spoken.introduce(LATEST)
    for number in range(1, 3 + waiting):
        call(spoken, number, n=number, hold=True)
    eventually(lambda: seen.running == 2)
    spoken.request("ping", "p")
    assert spoken.hear()["id"] == "p"
    assert seen.running == 2
    seen.go.set()
    assert sorted(spoken.hear()["id"] for _ in range(2 + waiting)) == list(range(1, 3 + waiting))
    spoken.close()


@each_revision
def test_a_client_answers_ping_while_it_waits_for_the_handshake(revision):
    answers = []

    def play(spoken):
        asked = spoken.hear()
        spoken.request("ping", "early")
        answers.append(spoken.hear())
        spoken.answer(
            asked, {"protocolVersion": revision, "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}}
        )
        spoken.hear()

    with scripted_server(package(revision).Client, play) as (client, _):
        client.connect()
    assert answers == [{"jsonrpc": "2.0", "id": "early", "result": {}}]


def test_a_client_answers_ping_while_all_its_handlers_are_busy():
    mcp = package(LATEST)
    busy, go = Event(), Event()

    def play(spoken):
        spoken.welcome(LATEST)
        spoken.request("roots/list", 1)
        assert busy.wait(PATIENCE)
        spoken.request("ping", 2)
        assert spoken.hear()["id"] == 2
        go.set()
        assert spoken.hear()["id"] == 1

    with scripted_server(mcp.Client, play, workers=1) as (client, _):

        @client.handler(mcp.methods.LIST_ROOTS)
        def roots(params, context):
            busy.set()
            assert go.wait(PATIENCE)
            return mcp.types.ListRootsResult(roots=[])

        client.connect()
        assert go.wait(PATIENCE)


def test_a_server_that_answers_no_ping_is_left(caplog):
    pings = []

    def play(spoken):
        spoken.welcome(LATEST)
        while True:
            message = spoken.hear()
            pings.append(message["method"])

    with scripted_server(package(LATEST).Client, play, ping=0.05, ping_failures=2) as (client, _):
        client.connect()
        with pytest.raises(ConnectionClosed, match=r"answered none of 2 pings, each within 0\.05 s"):
            client.call_tool("echo", {}, timeout=PATIENCE)
        assert client.connection.closed
    assert pings.count("ping") == 2
    eventually(lambda: not threads_of("mcp-ping"))
    assert [each.getMessage() for each in caplog.records if each.levelname == "WARNING"] == [
        f"ping was not answered in 0.05 s ({number} of 2)" for number in (1, 2)
    ]


class Stubborn:
    """A transport whose other side takes its time to end."""

    def __init__(self, transport: Any) -> None:
        self.transport = transport
        self.may_end = Event()
        self.ended = Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.transport, name)

    def close(self) -> None:
        self.transport.close()
        self.may_end.wait(PATIENCE)
        self.ended.set()


def test_who_waits_for_an_answer_does_not_wait_for_the_end_of_a_server_that_is_left():
    def play(spoken):
        spoken.welcome(LATEST)
        while True:
            spoken.hear()

    with scripted_server(package(LATEST).Client, play, ping=0.05, ping_failures=1) as (client, _):
        client.connect()
        stubborn = client.connection._transport = Stubborn(client.connection._transport)
        with pytest.raises(ConnectionClosed, match="none of 1 pings"):
            client.call_tool("echo", {}, timeout=PATIENCE)
        assert not stubborn.ended.is_set()
        stubborn.may_end.set()
        client.close()
        assert stubborn.ended.is_set()


@pytest.mark.parametrize("answer", ["result", "error"])
def test_a_ping_that_is_answered_counts_from_none_again(answer):
    seen = []

    def play(spoken):
        spoken.welcome(LATEST)
        while True:
            message = spoken.hear()
            if message["method"] == "ping":
                seen.append(message)
                # Every second one stays without an answer, so there are never two failures in a row.
                if len(seen) % 2 and answer == "result":
                    spoken.answer(message, {})
                elif len(seen) % 2:
                    spoken.refuse(message, -32601, "Method not found")

    with scripted_server(package(LATEST).Client, play, ping=0.8, ping_failures=2) as (client, _):
        client.connect()
        # After two failures, the second of which follows a success, there is another ping.
        eventually(lambda: len(seen) >= 5)
        assert not client.connection.closed


def test_no_ping_is_sent_while_messages_come():
    quiet = Event()
    methods: list[str] = []

    def play(spoken):
        spoken.welcome(LATEST, {"logging": {}})
        limit = time.monotonic() + 2.5
        while time.monotonic() < limit:
            spoken.notify("notifications/message", {"level": "info", "data": 1})
            heard = spoken.overhear(0.01)
            if heard is not None:
                methods.append(heard["method"])
        quiet.set()
        assert spoken.hear()["method"] == "ping"

    # A pause of this length between messages that are 10 ms apart is not one of a busy machine.
    with scripted_server(package(LATEST).Client, play, ping=2.0) as (client, _):
        client.connect()
        assert quiet.wait(PATIENCE)
        assert methods == []
        eventually(lambda: client.connection.session._pending)


def test_the_thread_that_pings_ends_with_the_connection():
    for revision in REVISIONS:
        with package(revision).Client.in_memory(echo_server(revision)[0], ping=3600.0):
            assert len(threads_of("mcp-ping")) == 1
        eventually(lambda: not threads_of("mcp-ping"))


def test_where_there_is_no_ping_a_server_is_asked_who_it_is():
    mcp = package(REVISIONS[-1])
    asked = []

    def play(spoken):
        while True:
            message = spoken.hear()
            asked.append(message["method"])
            if len(asked) < 3:
                spoken.answer(
                    message,
                    {
                        "resultType": "complete",
                        "supportedVersions": [REVISIONS[-1]],
                        "capabilities": {},
                        "ttlMs": 0,
                        "cacheScope": "private",
                    },
                )

    with scripted_server(mcp.Client, play, ping=1.0, ping_failures=1) as (client, _):
        client.connect()
        eventually(lambda: client.connection.closed)
    assert asked[:3] == ["server/discover"] * 3


@each_revision
def test_a_handler_pings_the_client(revision):
    mcp = package(revision)
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params, context):
        assert context.ping(timeout=PATIENCE) == mcp.types.EmptyResult()
        return mcp.types.CallToolResult(content=[])

    with mcp.Client.in_memory(server) as client:
        client.call_tool("x")


def test_where_servers_send_no_requests_there_is_no_ping_from_them():
    mcp = package(REVISIONS[-1])
    assert not hasattr(mcp.Context, "ping")
    with pytest.raises(UsageError, match=rf"servers of {REVISIONS[-1]} send no requests, so no ping; leave `ping` out"):
        mcp.Server("s", "1", ping=5.0)


@pytest.mark.parametrize("every", [0.6, 1.2])
def test_pings_are_as_far_apart_as_was_set(every):
    came = []

    def play(spoken):
        spoken.welcome(LATEST)
        while True:
            message = spoken.hear()
            came.append(time.monotonic())
            assert message["method"] == "ping"
            spoken.answer(message, {})

    with scripted_server(package(LATEST).Client, play, ping=every) as (client, _):
        client.connect()
        eventually(lambda: len(came) >= 4)
    # What was received last is the answer, which comes after this side has noted the time.
    assert all(later - earlier >= every for earlier, later in itertools.pairwise(came))


@each_revision
def test_a_client_that_answers_no_ping_is_left(revision, caplog):
    server = package(revision).Server("s", "1", ping=0.05, ping_failures=2)
    spoken = scripted_client(server)
    spoken.introduce(revision)
    heard = [spoken.hear()["method"] for _ in range(4)]
    assert heard == ["ping", "notifications/cancelled"] * 2
    with pytest.raises(ConnectionClosed):
        spoken.hear()
    eventually(lambda: not threads_of("mcp-ping"))
    eventually(lambda: not server._connections)
    assert [each.getMessage() for each in caplog.records if each.levelname == "WARNING"] == [
        f"ping was not answered in 0.05 s ({number} of 2)" for number in (1, 2)
    ]


def test_a_client_is_not_pinged_before_its_handshake_is_over():
    spoken = scripted_client(package(LATEST).Server("s", "1", ping=1.0, ping_failures=1))
    # Long enough for a ping, and for the end of the connection.
    assert spoken.overhear(2.5) is None
    spoken.introduce(LATEST)
    asked = spoken.hear()
    assert asked["method"] == "ping"
    spoken.answer(asked, {})
    assert spoken.hear()["method"] == "ping"
    spoken.close()


def test_a_server_that_is_pumped_has_no_thread_that_pings():
    server = package(LATEST).Server("s", "1", ping=5.0)
    with pytest.raises(UsageError, match=r"`ping` needs another; create the server without `ping`"):
        server.pump()
