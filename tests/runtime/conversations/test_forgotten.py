"""A client that nobody closed, and nobody has any more."""

from __future__ import annotations

import gc
import os
from typing import Any

import pytest
from checkout import REVISIONS
from support.echo_server import echo_server
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import environment, eventually, package, program, text_of, threads_of


def forget(kept: list[Any]) -> None:
    """Drops the last reference to a client."""

    def drop() -> None:
        kept.clear()
        gc.collect()

    with pytest.warns(ResourceWarning, match="was never closed; use it in a `with` block"):
        drop()


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("called", [False, True])
def test_it_says_so_and_its_connection_ends(revision: str, called: bool) -> None:
    client: Any = package(revision).Client.in_memory(echo_server(revision)[0])
    client.connect()
    if called:
        assert text_of(client.call_tool("echo", {"n": 1})) == "1"
    connection = client.connection
    kept = [client]
    del client
    forget(kept)
    eventually(lambda: connection.closed)
    eventually(lambda: not threads_of())


def test_one_whose_handlers_know_it_is_found_too() -> None:
    mcp = package(HANDSHAKE[-1])
    kept: list[Any] = [mcp.Client.in_memory(echo_server(HANDSHAKE[-1])[0])]
    kept[0].handler(mcp.methods.LOGGING_MESSAGE)(lambda _params, _context, client=kept[0]: client.ping())
    kept[0].connect()
    forget(kept)
    eventually(lambda: not threads_of())


def test_its_server_ends() -> None:
    revision = HANDSHAKE[-1]
    client: Any = package(revision).Client.stdio(program("echo.py", revision), env=environment())
    client.connect()
    pid = client.connection._transport.pid
    kept = [client]
    del client
    forget(kept)

    def ended() -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        return False

    eventually(ended)
    eventually(lambda: not threads_of())


def test_a_subscription_keeps_its_client() -> None:
    revision = STATELESS[0]
    mcp = package(revision)
    server, _ = echo_server(revision)
    server.handler(mcp.methods.LIST_TOOLS)(
        lambda params, context: mcp.types.ListToolsResult(tools=[], ttl_ms=0, cache_scope="private")
    )
    client: Any = mcp.Client.in_memory(server)
    client.connect()
    changes = client.listen(tools=True)
    connection = client.connection
    del client
    gc.collect()
    server.notify(mcp.methods.TOOL_LIST_CHANGED)
    assert changes.get(timeout=20).key is mcp.methods.TOOL_LIST_CHANGED
    changes.close()
    assert not connection.closed
    kept = [changes]
    del changes
    forget(kept)
    eventually(lambda: not threads_of())


def test_one_that_was_closed_says_nothing(recwarn: pytest.WarningsRecorder) -> None:
    # What earlier tests have forgotten says so now.
    gc.collect()
    recwarn.clear()
    for revision in REVISIONS:
        with package(revision).Client.in_memory(echo_server(revision)[0]):
            pass
        package(revision).Client.in_memory(echo_server(revision)[0])
    gc.collect()
    assert not recwarn.list
    eventually(lambda: not threads_of())
