"""What ends a call over HTTP before its answer: another thread that cancels it, and its deadline wherever it waits."""

from __future__ import annotations

import json
import threading
import time
from random import Random
from threading import Event, Thread
from typing import Any

import pytest
from mcp_bindings_runtime.client.transport_factories import open_http
from mcp_bindings_runtime.errors import CallCancelled, RequestTimeout
from mcp_bindings_runtime.http.client.options import HttpClientOptions
from support.echo_server import echo_server
from support.raw_http_client import endpoint
from support.revisions import HANDSHAKE, STATELESS, facts
from support.scripted_http_server import Cut, HttpPeer, McpPeer, Request, answer, called, chunk, head, result
from support.scripted_peers import PATIENCE, eventually, package, text_of

STREAMABLE = [each for each in HANDSHAKE if not facts(each).only_sse]
LATEST = HANDSHAKE[-1]
NEWEST = STATELESS[-1]
each_revision = pytest.mark.parametrize("revision", [*STREAMABLE, NEWEST])
each_session = pytest.mark.parametrize("revision", STREAMABLE)


def client_of(peer: HttpPeer, revision: str, **options: Any) -> Any:
    return package(revision).Client.http(peer.url, **{"timeout": PATIENCE, **options})


def url_of(wire: Any) -> str:
    return f"http://127.0.0.1:{wire.port}/mcp"


def posted(peer: HttpPeer, method: str) -> list[Any]:
    """The messages of a method that have come."""
    return [each.json for each in peer.requests if each.method == "POST" and each.json.get("method") == method]


@each_revision
@pytest.mark.parametrize("begun", [False, True], ids=["no headers", "an open stream"])
def test_a_started_call_is_cancelled(revision: str, begun: bool) -> None:
    asked, ended = Event(), Event()

    def play(request: Request) -> Any:
        if request.method != "POST" or request.json.get("method") != "tools/call":
            return None
        if request.json["params"]["name"] == "quick":
            return answer(result(request, called("ok")))
        return hold()

    def hold() -> Any:
        # That the client is gone shows in that nothing can be sent any more.
        try:
            if begun:
                yield head()
            asked.set()
            while not peer.over.wait(0.01):
                yield chunk(b": still here\n\n") if begun else b""
        finally:
            ended.set()
        raise Cut

    with McpPeer(revision, play) as peer, client_of(peer, revision) as client:
        call = client.start(client.call_tool, "slow")
        assert asked.wait(PATIENCE)
        began = time.monotonic()
        assert call.cancel("the user has left")
        with pytest.raises(CallCancelled, match="the user has left"):
            call.result(PATIENCE)
        assert time.monotonic() - began < PATIENCE / 2
        if begun:
            assert ended.wait(PATIENCE)
        eventually(lambda: not started_calls())
        if revision in STATELESS:
            # The end of the connection says it, and can say no more.
            assert not posted(peer, "notifications/cancelled")
        else:
            (told,) = posted(peer, "notifications/cancelled")
            assert told["params"] == {"requestId": posted(peer, "tools/call")[0]["id"], "reason": "the user has left"}
        assert text_of(client.call_tool("quick")) == "ok"
        # The caller may go on before the thread that reads has forgotten the call.
        eventually(lambda: not client.connection.calls)
        assert not client.connection.session._pending


def started_calls() -> list[Thread]:
    return [each for each in threading.enumerate() if each.name == "mcp-call"]


@each_revision
def test_a_call_is_answered_or_cancelled_at_any_moment(revision: str) -> None:
    server, _ = echo_server(revision)
    random = Random(13)
    with endpoint(server) as wire, package(revision).Client.http(url_of(wire), timeout=PATIENCE) as client:
        for number in range(60):
            call = client.start(client.call_tool, "echo", {"n": number})
            time.sleep(random.random() * 0.004)
            if call.cancel():
                with pytest.raises(CallCancelled):
                    call.result(PATIENCE)
            else:
                assert text_of(call.result(PATIENCE)) == str(number)
        assert text_of(client.call_tool("echo", {"n": "after"})) == "after"
        eventually(lambda: not client.connection.calls and not client.connection.session._pending)


def server_that_waits_for_a_cancellation(mcp: Any) -> tuple[Any, Event, list[str | None]]:
    """Return a server, an event that a call of a tool runs, and the reasons for which such calls were cancelled."""
    server = mcp.Server("s", "1")
    running, seen = Event(), []

    @server.handler(mcp.methods.CALL_TOOL)
    def call_tool(params: Any, context: Any) -> Any:
        running.set()
        eventually(lambda: context.cancelled)
        seen.append(context.cancel_reason)
        return mcp.CallToolResult(content=[])

    return server, running, seen


@each_session
def test_the_handler_of_a_cancelled_call_sees_the_reason(revision: str) -> None:
    mcp = package(revision)
    server, running, seen = server_that_waits_for_a_cancellation(mcp)
    with endpoint(server) as wire, mcp.Client.http(url_of(wire), timeout=PATIENCE) as client:
        call = client.start(client.call_tool, "x")
        assert running.wait(PATIENCE)
        assert call.cancel("the user has left")
        eventually(lambda: seen == ["the user has left"])


def test_the_handler_whose_client_has_closed_the_connection_sees_that() -> None:
    mcp = package(NEWEST)
    server, running, seen = server_that_waits_for_a_cancellation(mcp)
    with endpoint(server) as wire, mcp.Client.http(url_of(wire), timeout=PATIENCE) as client:
        call = client.start(client.call_tool, "x")
        assert running.wait(PATIENCE)
        assert call.cancel()
        eventually(lambda: seen == ["the client has closed the connection"])


# Deadlines.


@each_session
def test_a_call_that_renews_its_session_keeps_its_deadline(revision: str) -> None:
    """The session is lost, and the server does not answer when a new one is begun."""
    lost, renewing = Event(), Event()

    def play(request: Request) -> Any:
        if request.method != "POST" or not lost.is_set():
            return None
        return silence() if request.json.get("method") == "initialize" else answer(status=404)

    def silence() -> Any:
        renewing.set()
        peer.over.wait(PATIENCE * 2)
        yield b""
        raise Cut

    with McpPeer(revision, play) as peer, client_of(peer, revision) as client:
        lost.set()
        patient = client.start(client.call_tool, "patient")
        assert renewing.wait(PATIENCE)
        # One that waits for the other's session, and one that begins one by itself.
        for _ in range(2):
            began = time.monotonic()
            with pytest.raises(RequestTimeout):
                client.call_tool("x", timeout=0.3)
            assert time.monotonic() - began < PATIENCE / 2
            patient.cancel()
            eventually(lambda: not started_calls())


@each_revision
def test_a_request_that_is_aborted_before_it_is_sent_is_not_sent(revision: str) -> None:
    with McpPeer(revision) as peer:
        transport: Any = open_http(peer.url, HttpClientOptions(), facts=package(revision).Client.binding.facts)
        transport.abort(1)
        for number in (1, 2):
            meta = {"_meta": {"io.modelcontextprotocol/protocolVersion": revision}} if revision in STATELESS else {}
            params = {"name": "x", **meta}
            message = {"jsonrpc": "2.0", "id": number, "method": "prompts/get", "params": params}
            transport.send(json.dumps(message).encode(), PATIENCE)
        assert json.loads(transport.receive(PATIENCE))["id"] == 2
        transport.close()
        assert [each["id"] for each in posted(peer, "prompts/get")] == [2]
