"""A server behind a proxy cannot be told from the server itself."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import ResponseError
from mcp_bindings_runtime.proxy.backend_server import BackendServer
from mcp_bindings_runtime.proxy.server import Proxy
from support.backends import connection_to
from support.concurrent_calls import answers_roots
from support.conversation import converse
from support.echo_server import echo_server
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE, eventually, package, program, text_of, threads_of, times_out

each_revision = pytest.mark.parametrize("revision", REVISIONS)
LATEST = HANDSHAKE[-1]


@pytest.fixture
def proxied():
    """Makes a proxy before a server object or the command of a server, and closes it."""
    made = []

    def make(server: Any, **options: Any) -> Any:
        proxy = Proxy([BackendServer(connection_to(server), timeout=PATIENCE, **options)])
        made.append(proxy)
        return proxy.server

    yield make
    for each in made:
        each.close()
    eventually(lambda: not threads_of())


@each_revision
def test_a_conversation_through_a_proxy_is_that_with_the_server(revision, proxied):
    mcp = package(revision)
    server, _ = echo_server(revision, instructions="Echo.")
    received = []
    for each in (server, proxied(server, revisions=[revision])):
        client = mcp.Client.in_memory(each, timeout=PATIENCE)
        answers_roots(client, revision)
        received.append(converse(client))
    assert received[0] == received[1]


@pytest.mark.parametrize("behind", STATELESS)
@each_revision
def test_a_server_without_handshake_asks_a_client_of_each_revision(revision, behind, proxied):
    server, seen = echo_server(behind)
    client = package(revision).Client.in_memory(proxied(server), timeout=PATIENCE, revisions=[revision])
    answers_roots(client, revision)
    with client:
        assert text_of(client.call_tool("echo", {"ask": 0})) == "root 0"
    assert seen.begun == 2


@each_revision
def test_each_client_has_a_process_of_its_own_and_is_asked_by_it(revision, proxied):
    mcp = package(revision)
    server = proxied(program("echo.py", revision), revisions=[revision])

    def talk(n: int) -> tuple[str, str]:
        client = mcp.Client.in_memory(server, name=f"client {n}", timeout=PATIENCE)
        root = mcp.types.Root(uri="file:///r", name=f"root of {n}")
        client.handles(mcp.methods.LIST_ROOTS, lambda *_: mcp.types.ListRootsResult(roots=[root]))
        with client:
            return text_of(client.call_tool("echo", {"n": n})), text_of(client.call_tool("echo", {"ask": 0}))

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(talk, range(3))) == [(str(n), f"root of {n}") for n in range(3)]


@each_revision
def test_a_cancelled_request_is_cancelled_behind(revision, proxied):
    mcp = package(revision)
    server, seen = echo_server(revision)
    with mcp.Client.in_memory(proxied(server, revisions=[revision]), timeout=PATIENCE) as client:
        times_out(
            lambda seconds: client.call_tool("echo", {"n": 7, "hold": True}, timeout=seconds), lambda: 7 in seen.numbers
        )
        eventually(lambda: seen.cancelled == [7])


@each_revision
def test_changes_and_log_messages_reach_the_client(revision, proxied):
    mcp = package(revision)
    server = mcp.Server("changing", "1.0")
    server.tool(lambda: "", name="change")

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        if params.name == "change":
            server.tools.remove("change")
        context.log("info", params.name)
        return mcp.types.CallToolResult(content=[])

    logged: list[Any] = []
    changed = threading.Event()
    client = mcp.Client.in_memory(
        proxied(server, revisions=[revision]),
        timeout=PATIENCE,
        log_level="info",
        on_log=logged.append,
        on_tools_changed=changed.set,
    )
    with client:
        client.call_tool("hello")
        eventually(lambda: [each.data for each in logged] == ["hello"])
        client.call_tool("change")
        assert changed.wait(PATIENCE)


def test_clients_beyond_the_limit_are_refused_until_one_leaves(proxied):
    server = proxied(echo_server(LATEST)[0], sessions=1)
    mcp = package(LATEST)
    with mcp.Client.in_memory(server, timeout=PATIENCE) as first, mcp.Client.in_memory(server) as second:
        assert text_of(first.call_tool("echo", {"n": 1})) == "1"
        with pytest.raises(ResponseError, match="Too busy"):
            second.call_tool("echo", {"n": 2})
        first.close()

        def answered() -> bool:
            try:
                return text_of(second.call_tool("echo", {"n": 2})) == "2"
            except ResponseError:
                return False

        eventually(answered)


def test_tasks_for_which_a_server_asks_clients_are_not_declared_to_it(proxied):
    mcp = package(LATEST)
    server = mcp.Server("demo", "1.0", revisions=[LATEST])
    declared: list[Any] = []

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        declared.append(context.peer_capabilities)
        return mcp.types.CallToolResult(content=[])

    tasks = mcp.MemoryTasks()
    client = mcp.Client.in_memory(
        proxied(server, revisions=[LATEST]), timeout=PATIENCE, tasks=tasks, sampling=lambda params, context: None
    )
    with client:
        assert client.capabilities.tasks is not None
        client.call_tool("t")
    assert declared[0].sampling is not None
    assert declared[0].tasks is None
