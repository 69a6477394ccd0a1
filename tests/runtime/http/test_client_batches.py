"""Batches of 2025-03-26 as a client sends them over HTTP (Transports: Sending Messages to the Server)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from mcp_bindings import v2025_03_26 as mcp
from mcp_bindings_runtime.errors import ConnectionClosed, ResponseError
from support.echo_server import Seen, echo_server
from support.raw_http_client import endpoint
from support.scripted_peers import PATIENCE, eventually, text_of, threads_of, times_out
from support.tcp_proxy import Cut, Proxy

REVISION = "2025-03-26"


def asked(**arguments: Any) -> Any:
    return mcp.methods.CALL_TOOL, mcp.types.CallToolRequestParams(name="echo", arguments=arguments)


@contextmanager
def client_and_server() -> Iterator[tuple[Any, Seen, Any]]:
    server, seen = echo_server(REVISION)
    with endpoint(server, retry=10) as wire:
        place = f"http://127.0.0.1:{wire.port}/mcp"
        with mcp.Client.http(place, timeout=PATIENCE) as client:
            yield client, seen, wire
    eventually(lambda: not threads_of("mcp-http-answer"))


def test_the_answers_are_those_of_the_requests_in_their_order() -> None:
    with client_and_server() as (client, _, _):
        results = client.batch(asked(n=1), asked(refuse=-32000), asked(n=3))
        assert [text_of(results[0]), text_of(results[2])] == ["1", "3"]
        assert isinstance(results[1], ResponseError)
        assert results[1].code == -32000


def test_a_batch_whose_handlers_ask_and_tell_is_answered_on_a_stream() -> None:
    server, _ = echo_server(REVISION)

    def roots(params: Any, context: Any) -> Any:
        return mcp.types.ListRootsResult(roots=[mcp.types.Root(uri="file:///r", name="found")])

    with endpoint(server, keepalive=0.05) as wire:
        client = mcp.Client.http(f"http://127.0.0.1:{wire.port}/mcp", timeout=PATIENCE)
        client.handler(mcp.methods.LIST_ROOTS)(roots)
        with client:
            results = client.batch(asked(ask=0), asked(n=2, pause=0.2), asked(n=3))
    assert [text_of(each) for each in results] == ["found", "2", "3"]


def test_a_batch_of_notifications_alone_is_accepted() -> None:
    with client_and_server() as (client, _, _):
        params = mcp.types.ProgressNotificationParams(progress_token="nobody's", progress=1)
        assert client.batch(*[(mcp.methods.PROGRESS, params)] * 2) == []
        assert text_of(client.call_tool("echo", {"n": 4})) == "4"


def test_a_batch_that_takes_too_long_is_cancelled_and_the_rest_of_it_is_dropped() -> None:
    with client_and_server() as (client, seen, _):
        times_out(
            lambda seconds: client.batch(asked(n=1), asked(n=2, hold=True), timeout=seconds), lambda: 2 in seen.numbers
        )
        eventually(lambda: set(seen.cancelled) == {2})
        assert text_of(client.call_tool("echo", {"n": 3})) == "3"


def test_a_batch_in_a_session_that_was_lost_is_sent_again_in_a_new_one() -> None:
    with client_and_server() as (client, seen, wire):
        wire.headers["Mcp-Session-Id"] = client.connection._transport._session.id
        assert wire.ask("DELETE").status == 204
        assert [text_of(each) for each in client.batch(asked(n=1), asked(n=2))] == ["1", "2"]
        assert sorted(seen.numbers) == [1, 2]


def test_a_batch_whose_connection_breaks_is_not_sent_again() -> None:
    server, seen = echo_server(REVISION)
    cutting = [False]

    def down(data: bytes) -> Iterator[bytes]:
        if cutting[0]:
            cutting[0] = False
            raise Cut
        yield data

    with (
        endpoint(server) as wire,
        Proxy(wire.port, down=down) as proxy,
        mcp.Client.http(f"http://127.0.0.1:{proxy.port}/mcp", timeout=PATIENCE) as client,
    ):
        cutting[0] = True
        with pytest.raises(ConnectionClosed):
            client.batch(asked(n=1), asked(n=2))
        assert text_of(client.call_tool("echo", {"n": 3})) == "3"
    assert sorted(seen.numbers) == [1, 2, 3]


def test_by_http_and_sse_the_answers_come_on_the_one_stream() -> None:
    server, _ = echo_server(REVISION)
    # What a server of 2024-11-05 has; a client of the revision after it finds that out.
    with endpoint(server) as wire, mcp.Client.http(f"http://127.0.0.1:{wire.port}/sse", timeout=PATIENCE) as client:
        results = client.batch(asked(n=1), asked(n=2))
    assert [text_of(each) for each in results] == ["1", "2"]
