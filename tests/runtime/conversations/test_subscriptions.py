"""Subscriptions of 2026-07-28, from the client's ``listen`` to the server's ``notify``."""

from __future__ import annotations

import json
import threading
import time
from threading import Event

import pytest
from mcp_bindings_runtime.connection.leader_followers import LeaderFollowers
from mcp_bindings_runtime.errors import ConnectionClosed, RequestTimeout, ResponseError, UsageError
from mcp_bindings_runtime.transports.memory import pair
from support.revisions import LIST_CHANGES, STATELESS, newest
from support.scripted_peers import (
    PATIENCE,
    Piped,
    environment,
    eventually,
    package,
    program,
    scripted_server,
    threads_of,
    times_out,
)

NEW = newest(STATELESS, *LIST_CHANGES)
mcp = package(NEW)
TOOLS, PROMPTS, RESOURCES, UPDATED = (
    mcp.methods.TOOL_LIST_CHANGED,
    mcp.methods.PROMPT_LIST_CHANGED,
    mcp.methods.RESOURCE_LIST_CHANGED,
    mcp.methods.RESOURCE_UPDATED,
)


def telling(*, tools=True, resources=True, prompts=False):
    """A server that declares what it tells of changes of."""
    declared = {}
    if tools:
        declared["tools"] = {"listChanged": True}
    if resources:
        declared["resources"] = {"listChanged": True, "subscribe": True}
    if prompts:
        declared["prompts"] = {"listChanged": True}
    return mcp.Server("s", "1", capabilities=mcp.converter.structure(declared, mcp.types.ServerCapabilities))


def connected(server):
    return mcp.Client.in_memory(server, timeout=PATIENCE)


def updated(uri):
    return mcp.types.ResourceUpdatedNotificationParams(uri=uri)


def test_a_subscriber_hears_what_it_asked_for_and_the_server_has():
    server = telling()
    with (
        connected(server) as client,
        client.listen(tools=True, prompts=True, resource=["file:///a"], timeout=PATIENCE) as changes,
    ):
        acknowledged = changes.acknowledged
        assert acknowledged.tools_list_changed is True
        assert acknowledged.prompts_list_changed is None
        assert acknowledged.resources_list_changed is None
        assert acknowledged.resource_subscriptions == ["file:///a"]
        server.notify(RESOURCES)
        server.notify(UPDATED, updated("file:///b"))
        server.notify(UPDATED, updated("file:///a"))
        server.notify(TOOLS)
        first, second = changes.get(PATIENCE), changes.get(PATIENCE)
        assert (first.key, first.params.uri) == (UPDATED, "file:///a")
        assert second.key is TOOLS
        with pytest.raises(RequestTimeout):
            changes.get(0.01)
        # A wait that was in vain ends nothing.
        server.notify(TOOLS)
        assert changes.get(PATIENCE).key is TOOLS


def test_the_server_tells_only_of_what_can_be_subscribed_to_and_what_it_has_declared():
    server = telling(tools=True, resources=False)
    with connected(server) as client, client.listen(tools=True):
        with pytest.raises(UsageError, match=r"clients cannot subscribe to .*, but only to"):
            server.notify(mcp.methods.LOGGING_MESSAGE, mcp.types.LoggingMessageNotificationParams(level="info", data=1))
        with pytest.raises(UsageError, match="has not declared"):
            server.notify(RESOURCES)


def test_changes_that_say_the_same_are_kept_once_while_nobody_asks():
    server = telling()
    with connected(server) as client, client.listen(tools=True, resource=["file:///a", "file:///b"]) as changes:
        for _ in range(50):
            server.notify(TOOLS)
            server.notify(UPDATED, updated("file:///a"))
            server.notify(UPDATED, updated("file:///b"))
        # What was sent before the answer has been read with it.
        client.request(client.binding.requests["server/discover"])
        assert len(changes._queue) == 3
        found = [changes.get(PATIENCE) for _ in range(3)]
        assert [getattr(each.params, "uri", None) for each in found] == [None, "file:///a", "file:///b"]
        with pytest.raises(RequestTimeout):
            changes.get(0.01)


def test_two_subscriptions_of_one_client_are_apart():
    server = telling()
    with (
        connected(server) as client,
        client.listen(tools=True) as tools,
        client.listen(resources=True, tools=True) as both,
    ):
        server.notify(RESOURCES)
        server.notify(TOOLS)
        assert tools.get(PATIENCE).key is TOOLS
        assert [both.get(PATIENCE).key for _ in range(2)] == [RESOURCES, TOOLS]
        tools.close()
        assert tools.get() is None
        server.notify(TOOLS)
        assert both.get(PATIENCE).key is TOOLS


def test_two_threads_each_wait_for_their_own():
    server = telling()
    heard: dict[str, list[object]] = {"tools": [], "resources": []}
    with connected(server) as client:
        subscriptions = {name: client.listen(**{name: True}) for name in heard}

        def listen(name):
            heard[name].extend(change.key for change in subscriptions[name])

        threads = [threading.Thread(target=listen, args=(name,)) for name in heard]
        for each in threads:
            each.start()
        for _ in range(20):
            server.notify(TOOLS)
            server.notify(RESOURCES)
            assert NEW in client.discover().supported_versions
        server.close()
        for each in threads:
            each.join(PATIENCE)
            assert not each.is_alive()
    assert set(heard["tools"]) == {TOOLS}
    assert set(heard["resources"]) == {RESOURCES}


@pytest.mark.parametrize("kind", ["handler", "iteration"])
def test_while_a_subscription_is_open_a_caller_reads_its_own_answers(kind, monkeypatch):
    """Otherwise another thread reads each answer and wakes the caller, which halves the calls per second."""
    server, readers, heard = telling(), [], []
    handlers = {"on_tools_changed": lambda: heard.append(TOOLS)} if kind == "handler" else {}
    with mcp.Client.in_memory(server, timeout=PATIENCE, **handlers) as client:
        if kind == "iteration":
            changes = client.listen(tools=True)
            thread = threading.Thread(target=lambda: heard.extend(changes))
            thread.start()
        transport = client.connection._transport
        receive = transport.receive

        def record(timeout=None):
            received = receive(timeout)
            readers.append(threading.current_thread())
            return received

        monkeypatch.setattr(transport, "receive", record)
        for _ in range(5):
            # Meanwhile a thread of the connection begins to read; it stops after one answer.
            time.sleep(0.05)
            for _ in range(20):
                client.discover()
        assert readers.count(threading.current_thread()) > len(readers) / 2
        server.notify(TOOLS)
        eventually(lambda: heard)
        if kind == "iteration":
            changes.close()
            thread.join(PATIENCE)
            assert not thread.is_alive()


def test_closing_from_another_thread_ends_the_iteration():
    server = telling()
    with connected(server) as client:
        changes = client.listen(tools=True)
        ended = threading.Event()

        def listen():
            assert list(changes) == []
            ended.set()

        thread = threading.Thread(target=listen)
        thread.start()
        eventually(lambda: client.connection._threads.has_leader)
        time.sleep(0.03)
        changes.close()
        assert ended.wait(PATIENCE)
        thread.join(PATIENCE)
        changes.close()
        # The server keeps nothing of it, and both go on.
        (theirs,) = server._connections
        eventually(lambda: not theirs.session._subscriptions and not theirs.session._running)
        assert NEW in client.discover().supported_versions


def test_the_server_ends_the_stream_in_good_order():
    server = telling()
    with connected(server) as client, client.listen(tools=True) as changes:
        server.notify(TOOLS)
        eventually(lambda: changes._call.notifications)
        server.close()
        assert [change.key for change in changes] == [TOOLS]


def test_a_connection_that_breaks_is_told_to_who_iterates():
    listening = Event()

    def play(spoken):
        spoken.answer(
            spoken.hear(),
            {
                "resultType": "complete",
                "supportedVersions": [NEW],
                "capabilities": {},
                "ttlMs": 0,
                "cacheScope": "private",
            },
        )
        asked = spoken.hear()
        meta = {"io.modelcontextprotocol/subscriptionId": asked["id"]}
        spoken.notify(
            "notifications/subscriptions/acknowledged", {"notifications": {"toolsListChanged": True}, "_meta": meta}
        )
        spoken.notify("notifications/tools/list_changed", {"_meta": meta})
        # Not of this subscription, nor of any.
        spoken.notify("notifications/tools/list_changed", {"_meta": {"io.modelcontextprotocol/subscriptionId": 99}})
        listening.wait(PATIENCE)
        spoken.close()

    with scripted_server(mcp.Client, play) as (client, _):
        client.connect()
        changes = client.listen(tools=True)
        listening.set()
        assert changes.get(PATIENCE).key is TOOLS
        with pytest.raises(ConnectionClosed):
            changes.get(PATIENCE)
        with pytest.raises(ConnectionClosed):
            list(changes)


@pytest.mark.parametrize("answer", ["nothing", "an error"])
def test_a_server_that_does_not_agree(answer):
    heard = []

    def play(spoken):
        spoken.answer(
            spoken.hear(),
            {
                "resultType": "complete",
                "supportedVersions": [NEW],
                "capabilities": {},
                "ttlMs": 0,
                "cacheScope": "private",
            },
        )
        heard.append(spoken.hear())
        if answer == "an error":
            spoken.refuse(heard[0], -32601)
        else:
            heard.append(spoken.hear())

    with scripted_server(mcp.Client, play) as (client, _):
        client.connect()
        if answer == "an error":
            with pytest.raises(ResponseError):
                client.listen(tools=True)
        else:
            times_out(lambda seconds: client.listen(tools=True, timeout=seconds), lambda: len(heard) == 2)
    if answer == "nothing":
        assert heard[1]["params"]["requestId"] == heard[0]["id"]


def test_a_subscription_over_a_pipe_with_other_calls_meanwhile():
    client = mcp.Client.stdio(program("telling.py"), env=environment(), timeout=PATIENCE)
    with client, client.listen(tools=True) as changes:
        for _ in range(5):
            client.call_tool("change", {})
            assert changes.get(PATIENCE).key is TOOLS
    eventually(lambda: not threads_of())


def test_a_subscription_does_not_take_the_place_of_a_worker():
    server = mcp.Server("s", "1", workers=1)
    server.handler(mcp.methods.CALL_TOOL)(lambda params, context: mcp.types.CallToolResult(content=[]))
    with connected(server) as client, client.listen(tools=True), client.listen(tools=True):
        client.call_tool("x", {})


def test_a_server_whose_input_ends_does_not_wait_for_subscriptions():
    with Piped(program("telling.py", "30")) as server:
        meta = {
            "io.modelcontextprotocol/protocolVersion": NEW,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "x", "version": "1"},
        }
        params = {"notifications": {"toolsListChanged": True}, "_meta": meta}
        server.say({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params})
        assert server.hear()["method"] == "notifications/subscriptions/acknowledged"
        assert server.end() == 0


def test_nothing_is_told_on_a_subscription_before_it_is_acknowledged(monkeypatch):
    server = telling()
    mine, theirs = pair()
    connection = server.connect(theirs)
    work = LeaderFollowers.work

    def change_first(threads):
        monkeypatch.setattr(LeaderFollowers, "work", work)
        server.notify(TOOLS)
        threads.work()

    monkeypatch.setattr(LeaderFollowers, "work", change_first)
    meta = {"io.modelcontextprotocol/protocolVersion": NEW, "io.modelcontextprotocol/clientCapabilities": {}}
    params = {"_meta": meta, "notifications": {"toolsListChanged": True}}
    mine.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params}).encode())
    connection.pump(PATIENCE)
    told = [json.loads(mine.receive(PATIENCE))["method"] for _ in range(2)]
    assert told == ["notifications/subscriptions/acknowledged", TOOLS.name]
    server.close()
