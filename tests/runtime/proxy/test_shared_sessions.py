"""Several processes of a proxy serve one endpoint; each has servers of its own behind it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from mcp_bindings_runtime.proxy.backend_server import BackendServer
from mcp_bindings_runtime.proxy.server import Proxy
from support.backends import connection_to
from support.echo_server import echo_server
from support.raw_http_client import PLAIN, Stream, Wire, call, endpoint, notification, request
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE, WHO, eventually, package

LATEST = HANDSHAKE[-1]
BEHIND = [LATEST, STATELESS[-1]]
each_behind = pytest.mark.parametrize("behind", BEHIND)


class Watched:
    """A server with resources, which counts the subscriptions to them and logs in its tool."""

    def __init__(self, revision: str) -> None:
        mcp = package(revision)
        self.server = mcp.Server("watched", "1.0", revisions=[revision])
        for name in "ab":
            self.server.resources.add_text(f"test://{name}", name)

        @self.server.handler(mcp.methods.CALL_TOOL)
        def log(params: Any, context: Any) -> Any:
            for level in ("debug", "warning", "critical"):
                context.log(level, level)
            return mcp.types.CallToolResult(content=[])

    def update(self, name: str) -> None:
        self.server.resources.updated(f"test://{name}")


@pytest.fixture
def processes(stores: Any) -> Iterator[Callable[..., list[Wire]]]:
    """Makes an endpoint for each server, with a proxy before it as in a process of its own; returns their clients."""
    with ExitStack() as made:

        def make(*servers: Any) -> list[Wire]:
            wires: list[Wire] = []
            for each in servers:
                behind = each if isinstance(each, list) else [each]
                names = "xyz" if len(behind) > 1 else [""]
                backends = [
                    BackendServer(connection_to(server), name=name, timeout=PATIENCE)
                    for name, server in zip(names, behind, strict=False)
                ]
                proxy = Proxy(backends, shared=True)
                made.callback(proxy.close)
                wires.append(made.enter_context(endpoint(proxy.server, store=stores())))
            for other in wires[1:]:
                other.headers = wires[0].headers
            return wires

        yield make


def level_of(wire: Wire, number: int = 50) -> list[str]:
    """Return the levels of the log messages that a call brings."""
    messages = wire.stream(request("tools/call", number, {"name": "log", "arguments": {}})).messages()
    return [each["params"]["level"] for each in messages if each.get("method") == "notifications/message"]


def updates_up_to(stream: Stream, last: str) -> list[str]:
    """Return the URIs in notifications about resources, up to that of one."""
    found: list[str] = []
    while found[-1:] != [last]:
        found.append(stream.message()["params"]["uri"])
    return found


@each_behind
def test_a_session_goes_on_with_a_session_of_another_process(processes, behind):
    one, seen = echo_server(behind)
    other, elsewhere = echo_server(behind)
    here, there = processes(one, other)
    here.initialize(LATEST, {"roots": {}})
    assert here.post(call(1, n=1)).text == "1"
    assert there.post(call(2, n=2)).text == "2"
    assert (seen.numbers, elsewhere.numbers) == ([1], [2])
    assert here.ask("DELETE").status == 204
    assert there.post(call(3)).status == 404


@each_behind
def test_the_answer_of_a_client_reaches_the_process_whose_server_asks(processes, behind):
    one, seen = echo_server(behind)
    here, there = processes(one, echo_server(behind)[0])
    here.initialize(LATEST, {"roots": {}})
    stream = here.stream(call(9, ask=0))
    asked = stream.message()
    roots = {"roots": [{"uri": "file:///r", "name": "found"}]}
    assert there.post({"jsonrpc": "2.0", "id": asked["id"], "result": roots}).status == 202
    (answered,) = stream.messages()
    assert answered["result"]["content"][0]["text"] == "found"
    # A server without sessions runs its handler again for each round.
    assert seen.ended == (1 if behind == LATEST else 2)


def test_a_session_of_http_with_sse_goes_on_in_another_process(processes):
    here, there = processes(echo_server(LATEST)[0], echo_server(LATEST)[0])
    oldest = HANDSHAKE[0]
    stream = Wire(here.port, "/sse").stream()
    first = stream.next()
    assert first is not None
    path = first.fields["data"]

    def say(wire: Wire, message: Any) -> None:
        assert wire.ask("POST", json.dumps(message).encode(), PLAIN, path).status == 202

    say(here, request("initialize", 1, {"protocolVersion": oldest, "capabilities": {}, "clientInfo": WHO}))
    assert stream.message()["result"]["protocolVersion"] == oldest
    say(there, notification("notifications/initialized"))
    say(there, call(2, n=7))
    assert stream.message()["result"]["content"][0]["text"] == "7"
    stream.close()


@each_behind
def test_the_log_level_holds_in_every_process(processes, behind):
    here, there = processes(Watched(behind).server, Watched(behind).server)
    here.initialize(LATEST)
    assert "result" in here.post(request("logging/setLevel", 1, {"level": "error"})).json
    assert level_of(there) == ["critical"]
    assert "result" in there.post(request("logging/setLevel", 2, {"level": "warning"})).json
    eventually(lambda: level_of(here) == ["warning", "critical"])


@each_behind
def test_subscriptions_hold_in_every_process(processes, behind):
    one, other = Watched(behind), Watched(behind)
    here, there = processes(one.server, other.server)
    here.initialize(LATEST)
    standing = here.stream()
    standing.block()
    assert "result" in here.post(request("resources/subscribe", 1, {"uri": "test://a"})).json
    one.update("a")
    assert updates_up_to(standing, "test://a") == ["test://a"]
    # The next request there subscribes at the server of that process, too.
    there.post(request("tools/list", 2))
    other.update("a")
    assert updates_up_to(standing, "test://a") == ["test://a"]
    # A subscription that begins there begins here, too.
    assert "result" in there.post(request("resources/subscribe", 3, {"uri": "test://b"})).json

    def subscribed_here() -> bool:
        here.post(request("tools/list", 4))
        one.update("b")
        one.update("a")
        return updates_up_to(standing, "test://a") == ["test://b", "test://a"]

    eventually(subscribed_here)


@each_behind
def test_a_subscription_that_ends_in_one_process_ends_in_all(processes, behind):
    one = Watched(behind)
    here, there = processes(one.server, Watched(behind).server)
    here.initialize(LATEST)
    standing = here.stream()
    standing.block()
    for number, name in enumerate("ab"):
        assert "result" in here.post(request("resources/subscribe", number, {"uri": f"test://{name}"})).json
    assert "result" in there.post(request("resources/unsubscribe", 3, {"uri": "test://a"})).json

    def unsubscribed_here() -> bool:
        one.update("a")
        one.update("b")
        return updates_up_to(standing, "test://b") == ["test://b"]

    # The server of this process learns it with the next request, but the client gets nothing more at once.
    eventually(unsubscribed_here)
    here.post(request("tools/list", 4))
    assert unsubscribed_here()


def test_each_of_several_servers_gets_its_own_subscriptions(processes):
    one, other = [Watched(LATEST), echo_server(LATEST)[0]], [Watched(LATEST), echo_server(LATEST)[0]]
    here, there = processes([one[0].server, one[1]], [other[0].server, other[1]])
    here.initialize(LATEST)
    standing = here.stream()
    standing.block()
    assert "result" in here.post(request("resources/subscribe", 1, {"uri": "test://a"})).json
    there.post(request("tools/list", 2))
    other[0].update("a")
    assert updates_up_to(standing, "test://a") == ["test://a"]
