"""Functions that hear of changes: the same in every revision, by whatever way the changes come."""

from __future__ import annotations

import gc
import warnings
import weakref
from functools import partial
from queue import Empty, Queue

import pytest
from checkout import REVISIONS
from mcp_bindings import connect
from mcp_bindings_runtime.client import change_feed as standing
from mcp_bindings_runtime.errors import ProtocolError, UsageError
from support.connected_clients import serving
from support.raw_http_client import endpoint
from support.revisions import HANDSHAKE, LIST_CHANGES, STATELESS, newest, those_with_methods
from support.scripted_peers import PATIENCE, eventually, package, scripted_client, scripted_server, threads_of

NEW = newest(STATELESS, *LIST_CHANGES)
mcp = package(NEW)
DISCOVERED = {
    "resultType": "complete",
    "supportedVersions": [NEW],
    "capabilities": {"tools": {"listChanged": True}, "resources": {"subscribe": True}},
    "ttlMs": 0,
    "cacheScope": "private",
}
LISTS = ("tools", "prompts", "resources")
each_revision = pytest.mark.parametrize("revision", REVISIONS)


def changing_lists(revision):
    """The lists of whose changes the revision tells."""
    return [name for name, method in zip(LISTS, LIST_CHANGES, strict=True) if revision in those_with_methods(method)]


def hearing(revision=NEW):
    """Functions for all changes, and what they have heard."""
    heard = Queue()
    return heard, {
        **{f"on_{name}_changed": partial(heard.put, name) for name in changing_lists(revision)},
        "on_resource_updated": lambda params: heard.put(params.uri),
    }


def changing(revision):
    """A server with one of each, and what changes them."""
    server = serving(revision, revisions=[revision])
    server.resources.add_text("test://a", "a")
    server.resources.add_text("test://b", "b")
    server.prompts.add(lambda: "", "p")
    server.tools.add(lambda: "", "t")
    return server


def change(server):
    server.tools.add(lambda: "", "more")
    server.prompts.add(lambda: "", "more")
    server.resources.add_text("test://more", "")
    server.resources.updated("test://b")
    server.resources.updated("test://a")


def nothing_more(heard):
    with pytest.raises(Empty):
        heard.get(timeout=0.02)


@each_revision
def test_the_same_functions_hear_of_changes_in_every_revision(revision):
    server = changing(revision)
    heard, functions = hearing(revision)
    with connect.in_memory(server, timeout=PATIENCE, **functions) as client:
        assert client.binding.revision == revision
        client.subscribe("test://a")
        change(server)
        expected = [*changing_lists(revision), "test://a"]
        assert [heard.get(timeout=PATIENCE) for _ in expected] == expected
        client.unsubscribe("test://a")
        server.resources.updated("test://a")
        server.tools.remove("more")
        assert heard.get(timeout=PATIENCE) == "tools"
        nothing_more(heard)
    eventually(lambda: not threads_of())


@each_revision
def test_a_function_may_come_late_and_may_ask(revision):
    server = changing(revision)
    heard = Queue()
    package_ = package(revision)
    with package_.Client.in_memory(server, timeout=PATIENCE) as client:

        @client.handler(package_.methods.TOOL_LIST_CHANGED)
        def look(params, context):
            heard.put([tool.name for tool in client.list_tools()])

        # By its answer the server has seen the end of the handshake, where there is one.
        assert [tool.name for tool in client.list_tools()] == ["t"]
        server.tools.remove("t")
        assert heard.get(timeout=PATIENCE) == []


def test_nothing_is_opened_for_what_the_server_does_not_tell_of():
    server = mcp.Server("s", "1")
    _, functions = hearing()
    with mcp.Client.in_memory(server, timeout=PATIENCE, **functions) as client:
        (theirs,) = server._connections
        assert not theirs.session._subscriptions
        with pytest.raises(UsageError, match=r"did not agree to a subscription to test://a"):
            client.subscribe("test://a")
        client.unsubscribe("test://a")
    with mcp.Client.in_memory(server, timeout=PATIENCE, discover=False, **functions) as client:
        # Nobody knows yet; the server agrees to nothing of it.
        assert client.connected
        with pytest.raises(UsageError, match=r"did not agree to a subscription"):
            client.subscribe("test://a")


def test_who_subscribes_without_a_function_is_told():
    with (
        mcp.Client.in_memory(changing(NEW), timeout=PATIENCE) as client,
        pytest.raises(UsageError, match="pass `on_resource_updated`"),
    ):
        client.subscribe("test://a")


def test_there_is_one_stream_however_many_resources(monkeypatch):
    monkeypatch.setattr(standing, "PAUSE", 0.01)
    server = changing(NEW)
    heard, functions = hearing()
    with mcp.Client.in_memory(server, timeout=PATIENCE, **functions) as client:
        (theirs,) = server._connections
        for uri in ("test://a", "test://b", "test://a"):
            client.subscribe(uri)
        eventually(lambda: len(theirs.session._subscriptions) == 1)
        change(server)
        found = [heard.get(timeout=PATIENCE) for _ in range(5)]
        assert found == ["tools", "prompts", "resources", "test://b", "test://a"]
        with client.listen(tools=True) as changes:
            server.tools.remove("more")
            assert changes.get(PATIENCE).key is mcp.methods.TOOL_LIST_CHANGED
            assert heard.get(timeout=PATIENCE) == "tools"
        # A stream that was replaced has not broken.
        nothing_more(heard)


def acknowledged(peer, asked):
    meta = {"io.modelcontextprotocol/subscriptionId": asked["id"]}
    filters = asked["params"]["notifications"]
    peer.notify("notifications/subscriptions/acknowledged", {"notifications": filters, "_meta": meta})
    return meta


def test_a_stream_that_ends_is_opened_again_and_all_is_told_anew(monkeypatch):
    monkeypatch.setattr(standing, "PAUSE", 0.01)
    seen, go_on = Queue(), Queue()

    def play(peer):
        peer.answer(peer.hear(), DISCOVERED)
        for _ in range(2):
            asked = peer.hear()
            seen.put(asked["params"]["notifications"])
            acknowledged(peer, asked)
            go_on.get(timeout=PATIENCE)
            peer.notify("notifications/cancelled", {"requestId": asked["id"]})
        asked = peer.hear()
        acknowledged(peer, asked)
        go_on.get(timeout=PATIENCE)

    heard, functions = hearing()
    with scripted_server(mcp.Client, play, **functions) as (client, _):
        client.connect()
        for _ in range(2):
            assert seen.get(timeout=PATIENCE) == {"toolsListChanged": True}
            nothing_more(heard)
            go_on.put(None)
            # What has changed meanwhile nobody knows.
            assert heard.get(timeout=PATIENCE) == "tools"
        go_on.put(None)
    eventually(lambda: not threads_of())


@pytest.mark.parametrize("code", [-32601, -32603])
def test_a_server_that_takes_no_subscription_can_be_used_all_the_same(code):
    def play(peer):
        peer.answer(peer.hear(), DISCOVERED)
        asked = peer.hear()
        assert asked["method"] == "subscriptions/listen"
        peer.refuse(asked, code)
        peer.answer(peer.hear(), DISCOVERED)

    _, functions = hearing()
    with scripted_server(mcp.Client, play, **functions) as (client, _):
        client.connect()
        assert client.discover().supported_versions[0] == NEW
    eventually(lambda: not threads_of())


def test_a_server_that_ends_the_stream_without_agreeing_to_anything_is_told_of(monkeypatch):
    monkeypatch.setattr(standing, "PAUSE", PATIENCE)

    def play(peer):
        peer.answer(peer.hear(), DISCOVERED)
        for _ in range(2):
            asked = peer.hear()
            meta = {"io.modelcontextprotocol/subscriptionId": asked["id"]}
            peer.answer(asked, {"resultType": "complete", "_meta": meta})

    _, functions = hearing()
    with scripted_server(mcp.Client, play, **functions) as (client, _):
        client.connect()
        with pytest.raises(ProtocolError, match="before it acknowledged the subscription"):
            client.subscribe("test://a")
    eventually(lambda: not threads_of())


def test_a_server_that_does_not_answer_is_asked_again_while_the_client_is_used(monkeypatch):
    monkeypatch.setattr(standing, "PAUSE", 0.01)
    done = Queue()

    def play(peer):
        peer.answer(peer.hear(), DISCOVERED)
        first = peer.hear()
        assert peer.hear()["params"]["requestId"] == first["id"]
        again = peer.hear()
        meta = acknowledged(peer, again)
        peer.notify("notifications/tools/list_changed", {"_meta": meta})
        done.get(timeout=PATIENCE)

    heard, functions = hearing()
    with scripted_server(mcp.Client, play, **{**functions, "timeout": 1.0}) as (client, _):
        client.connect()
        assert heard.get(timeout=PATIENCE) == "tools"
        done.put(None)
    eventually(lambda: not threads_of())


def test_a_client_that_starts_its_server_anew_hears_of_the_new_one():
    server = changing(NEW)
    heard, functions = hearing()
    with mcp.Client.in_memory(server, timeout=PATIENCE, restart=True, **functions) as client:
        client.subscribe("test://a")
        client._connection._transport.close()
        eventually(lambda: client._connection.closed)
        assert client.list_tools_page().tools
        server.resources.updated("test://a")
        assert heard.get(timeout=PATIENCE) == "test://a"
    eventually(lambda: not threads_of())


@pytest.mark.parametrize("served", ["own", "all"])
@pytest.mark.parametrize("revision", HANDSHAKE)
def test_changes_before_the_session_is_confirmed_are_announced_when_it_is(revision, served):
    server = serving(revision, revisions=[revision]) if served == "own" else serving(NEW)
    server.tools.add(lambda: "", "first")
    spoken = scripted_client(server)
    params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    spoken.request("initialize", 0, params)
    assert "result" in spoken.hear()
    for name in ("second", "third"):
        server.tools.add(lambda: "", name)
    server.resources.updated("test://a")
    spoken.request("ping", 1)
    assert spoken.hear()["id"] == 1
    spoken.notify("notifications/initialized")
    assert spoken.hear() == {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
    spoken.request("ping", 2)
    assert spoken.hear()["id"] == 2
    spoken.close()
    server.close()


def test_a_forgotten_client_ends():
    server = changing(NEW)
    _, functions = hearing()
    client = mcp.Client.in_memory(server, timeout=PATIENCE, cache=True, **functions)
    client.connect()
    client.subscribe("test://a")
    kept = client.listen(tools=True)
    gone = weakref.ref(client)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        del client, kept
        gc.collect()
        assert gone() is None
    eventually(lambda: not threads_of())


def test_over_http_too():
    server = changing(NEW)
    heard, functions = hearing()
    with (
        endpoint(server) as wire,
        mcp.Client.http(f"http://127.0.0.1:{wire.port}/mcp", timeout=PATIENCE, **functions) as client,
    ):
        client.subscribe("test://a")
        change(server)
        found = {heard.get(timeout=PATIENCE) for _ in range(4)}
        assert found == {"tools", "prompts", "resources", "test://a"}
