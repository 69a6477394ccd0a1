"""Changes, progress and log messages of a server behind a proxy reach clients without sessions."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import ResponseError
from mcp_bindings_runtime.http.server.http_server import make_server
from mcp_bindings_runtime.proxy import backend_session, followed_changes
from mcp_bindings_runtime.proxy.backend_server import BackendServer
from mcp_bindings_runtime.proxy.change_follower import ChangeFollower
from mcp_bindings_runtime.proxy.server import Proxy
from support.backends import break_backend, connection_to, write_backend
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE, eventually, package, text_of, threads_of

each_revision = pytest.mark.parametrize("revision", REVISIONS)
LATEST = HANDSHAKE[-1]
NEW = STATELESS[-1]
DEMO, KEYED = "file:///demo.txt", "demo://key"
TOOLS_CHANGED, RESOURCES_CHANGED = (f"notifications/{each}/list_changed" for each in ("tools", "resources"))

pytestmark = pytest.mark.skipif(len(REVISIONS) < 2, reason="one revision has no other era")


@pytest.fixture
def start():
    """Starts a proxy before servers, objects or commands, and closes it."""
    made = []

    def make(*servers: Any, names: tuple[str, ...] = ("",)) -> Any:
        backends = [
            BackendServer(connection_to(each), name=name, timeout=PATIENCE)
            for name, each in zip(names, servers, strict=True)
        ]
        made.append(Proxy(backends))
        return made[-1].server

    yield make
    for each in made:
        each.close()
    eventually(lambda: not threads_of())


@contextmanager
def over_http(command: list[str]) -> Iterator[Any]:
    """Yield a client over HTTP of a proxy before a command."""
    proxy = Proxy([BackendServer(connection_to(command), timeout=PATIENCE)])
    try:
        with (
            make_server([proxy.server]) as http,
            package(NEW).Client.http(http.url("/mcp"), timeout=PATIENCE) as client,
        ):
            yield client
    finally:
        proxy.close()


def new_client(server: Any, **options: Any) -> Any:
    return package(NEW).Client.in_memory(server, timeout=PATIENCE, **options)


def shown(change: Any) -> Any:
    return change.params.uri if change.key.name.endswith("updated") else change.key.name


@each_revision
def test_updates_and_list_changes_reach_a_subscription(revision, start, tmp_path):
    server = start(write_backend(tmp_path, "demo", revision))
    with new_client(server) as client, client.listen(tools=True, resources=True, resource=[DEMO, KEYED]) as changes:
        assert sorted(changes.acknowledged.resource_subscriptions) == sorted([DEMO, KEYED])
        client.call_tool("touch", {"uri": DEMO})
        assert shown(changes.get(PATIENCE)) == DEMO
        client.call_tool("change")
        assert {shown(changes.get(PATIENCE)) for _ in range(2)} == {TOOLS_CHANGED, RESOURCES_CHANGED}


@each_revision
def test_a_client_with_a_session_is_told_of_each_change_once(revision, start, monkeypatch):
    # If it takes longer, changes are reported in addition.
    monkeypatch.setattr(followed_changes, "_OPENING", PATIENCE)
    mcp = package(revision)
    server = mcp.Server("changing", "1.0", revisions=[revision])
    server.tool(lambda: "", name="t")
    told: list[Any] = []
    client = package(LATEST).Client.in_memory(start(server), timeout=PATIENCE, on_tools_changed=lambda: told.append(1))
    with client:
        client.list_tools()
        for number in range(5):
            server.tool(lambda: "", name=f"t{number}")
            eventually(lambda number=number: len(told) > number)
            client.list_tools()
        assert len(told) == 5


@each_revision
def test_the_subscription_of_a_client_is_its_own(revision, start, tmp_path):
    server = start(write_backend(tmp_path, "demo", revision))
    with (
        new_client(server, name="first") as first,
        new_client(server, name="second") as second,
        first.listen(resource=[DEMO]) as of_first,
        second.listen(resource=[DEMO, KEYED]) as of_second,
    ):
        # Each client has a process of its own.
        first.call_tool("touch", {"uri": DEMO})
        assert shown(of_first.get(PATIENCE)) == DEMO
        second.call_tool("touch", {"uri": KEYED})
        assert shown(of_second.get(PATIENCE)) == KEYED


def test_a_resource_that_the_server_refuses_is_not_acknowledged(start, tmp_path):
    server = start(write_backend(tmp_path, "demo", LATEST))
    with new_client(server) as client, client.listen(tools=True, resource=[DEMO, "nosuch://x"]) as changes:
        assert changes.acknowledged.resource_subscriptions == [DEMO]
        assert changes.acknowledged.tools_list_changed


def test_a_resource_that_a_server_without_sessions_refuses_is_left_out_and_logged(start, tmp_path, caplog):
    """After a restart, the resources of former subscriptions may not exist any more."""
    with new_client(start(write_backend(tmp_path, "demo", LATEST))) as client:
        followed: list[Any] = []
        follower = ChangeFollower(client, lambda key, params: followed.append(params.uri))
        follower.begin(frozenset({DEMO, "nosuch://x"}))
        client.call_tool("touch", {"uri": DEMO})
        eventually(lambda: followed == [DEMO])
    assert "a server behind does not send updates of nosuch://x any more: it refuses to" in caplog.text
    assert DEMO not in caplog.text


REFUSING = """\
import json
import sys

for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    reply = {"jsonrpc": "2.0", "id": asked["id"]}
    if asked["method"] == "server/discover":
        capabilities = {"tools": {"listChanged": True}}
        reply["result"] = {"supportedVersions": ["REVISION"], "capabilities": capabilities, "resultType": "complete"}
        reply["result"] |= {"ttlMs": 0, "cacheScope": "public"}
    else:
        reply["error"] = {"code": -32603, "message": "not today"}
    print(json.dumps(reply), flush=True)
"""


def test_a_refused_subscription_is_a_warning(tmp_path, caplog):
    """As that of a server that was started again, of which no client is told."""
    program = tmp_path / "refusing.py"
    program.write_text(REFUSING.replace("REVISION", NEW), encoding="utf-8")
    with package(NEW).Client.stdio([sys.executable, str(program)], timeout=PATIENCE) as client:
        ChangeFollower(client, lambda key, params: None).begin(frozenset())
    (found,) = [each for each in caplog.records if "cannot be followed" in each.getMessage()]
    assert (found.levelname, "not today" in found.getMessage()) == ("WARNING", True)


def test_a_server_without_subscriptions_is_not_subscribed_to(start):
    mcp = package(LATEST)
    server = mcp.Server("plain", "1.0", revisions=[LATEST])
    server.tool(lambda: "", name="t")
    with new_client(start(server)) as client, client.listen(tools=True, resource=[DEMO]) as changes:
        assert changes.acknowledged.resource_subscriptions is None


def test_a_server_with_sessions_is_unsubscribed_from_once_nobody_listens(start):
    mcp = package(LATEST)
    server = mcp.Server("demo", "1.0", revisions=[LATEST])
    server.resource(DEMO)(lambda: "notes")
    seen: list[str] = []
    server.handler(mcp.methods.SUBSCRIBE)(lambda params, _: seen.append(f"+{params.uri}"))
    server.handler(mcp.methods.UNSUBSCRIBE)(lambda params, _: seen.append(f"-{params.uri}"))
    with new_client(start(server)) as client:
        with client.listen(resource=[DEMO]):
            assert seen == [f"+{DEMO}"]
        with client.listen(resource=[KEYED]) as changes:
            eventually(lambda: sorted(seen) == sorted([f"+{DEMO}", f"-{DEMO}", f"+{KEYED}"]))
            assert changes.acknowledged.resource_subscriptions == [KEYED]


@each_revision
def test_a_subscription_outlives_the_server(revision, start, tmp_path, monkeypatch):
    monkeypatch.setattr(backend_session, "PAUSES", (0.0, 0.05, 0.1))
    server = start(write_backend(tmp_path, "demo", revision))
    with new_client(server) as client, client.listen(tools=True, resource=[DEMO]) as changes:
        with pytest.raises(ResponseError):
            client.call_tool("die")
        # Both may have changed meanwhile.
        assert {shown(changes.get(PATIENCE)) for _ in range(2)} == {TOOLS_CHANGED, DEMO}
        client.call_tool("touch", {"uri": DEMO})
        assert shown(changes.get(PATIENCE)) == DEMO


def test_a_server_that_cannot_be_used_refuses_a_subscription(start, tmp_path):
    command = write_backend(tmp_path, "demo", LATEST)
    server = start(command)
    break_backend(command)
    with new_client(server) as client, pytest.raises(ResponseError) as caught:
        client.listen(tools=True)
    assert "the server behind cannot be used" in caught.value.data["reason"]


@pytest.mark.parametrize("pair", [(LATEST, LATEST), (NEW, NEW), (LATEST, NEW)], ids="-and-".join)
def test_changes_of_several_servers_reach_a_subscription(pair, start, tmp_path):
    commands = [write_backend(tmp_path, name, each) for name, each in zip(("one", "two"), pair, strict=True)]
    server = start(*commands, names=("one", "two"))
    uris = [f"file:///{name}.txt" for name in ("one", "two")]
    with new_client(server) as client, client.listen(tools=True, resource=[*uris, "nosuch://x"]) as changes:
        assert sorted(changes.acknowledged.resource_subscriptions) == uris
        for name, uri in zip(("one", "two"), uris, strict=True):
            client.call_tool(f"{name}__touch", {"uri": uri})
            assert shown(changes.get(PATIENCE)) == uri
        client.call_tool("two__change")
        assert shown(changes.get(PATIENCE)) == TOOLS_CHANGED


@each_revision
def test_progress_and_log_messages_reach_the_call(revision, start):
    mcp = package(revision)
    server = mcp.Server("talking", "1.0", revisions=[revision])

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        context.log("info", "begun")
        context.log("debug", "unwanted")
        context.progress(1)
        context.progress(2)
        return mcp.types.CallToolResult(content=[mcp.types.TextContent(text="done")])

    logged: list[Any] = []
    reported: list[Any] = []
    with new_client(start(server), log_level="info", on_log=lambda params: logged.append(params.data)) as client:
        result = client.call_tool("t", on_progress=lambda params: reported.append(params.progress))
        assert text_of(result) == "done"
        eventually(lambda: logged == ["begun"])
        assert reported == [1, 2]


@each_revision
def test_changes_arrive_over_http(revision, tmp_path):
    with (
        over_http(write_backend(tmp_path, "demo", revision)) as client,
        client.listen(tools=True, resource=[DEMO]) as changes,
    ):
        assert changes.acknowledged.resource_subscriptions == [DEMO]
        client.call_tool("touch", {"uri": DEMO})
        assert shown(changes.get(PATIENCE)) == DEMO
        client.call_tool("change")
        assert shown(changes.get(PATIENCE)) == TOOLS_CHANGED


def test_a_subscription_is_refused_over_http_with_the_reason(tmp_path):
    command = write_backend(tmp_path, "demo", LATEST)
    with over_http(command) as client:
        break_backend(command)
        with pytest.raises(ResponseError) as caught:
            client.listen(tools=True)
    assert "the server behind cannot be used" in caught.value.data["reason"]
