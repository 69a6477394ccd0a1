"""What a client keeps, and what it loses, on a connection whose messages are converted."""

from __future__ import annotations

import logging
import threading
from queue import Queue
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import (
    ConnectionClosed,
    HttpError,
    NotDeclared,
    NotExpressible,
    ProtocolError,
    ResponseError,
)
from support.echo_server import echo_server
from support.revisions import HANDSHAKE, STATELESS, WITH_BATCHES, WITH_PAGE_ERRORS, those_with
from support.scripted_http_server import HttpPeer, answer
from support.scripted_peers import (
    PATIENCE,
    WHO,
    Spoken,
    eventually,
    package,
    scripted_server,
    text_of,
    threads_of,
    times_out,
)

NEW = STATELESS[-1]
LATEST = HANDSHAKE[-1]
WITH_TASKS = those_with(lambda each: bool(each.task_methods))
URI = "file:///notes"
OTHER_ERA = [*((own, NEW) for own in HANDSHAKE), *((NEW, wire) for wire in HANDSHAKE)]
OTHERS = [(own, wire) for own in REVISIONS for wire in REVISIONS if own != wire]
WITHOUT_SESSION = [(own, wire) for own, wire in OTHERS if own in STATELESS]


def connect(own: str, server: Any, **options: Any) -> Any:
    """Return a client of a revision for a server of another one."""
    return package(own).Client.in_memory(server, timeout=PATIENCE, **options)


def new_server(revision: str) -> Any:
    """Return a server with a resource."""
    server = package(revision).Server("s", "1", revisions=[revision])

    @server.resource(URI)
    def notes() -> str:
        return "noted"

    return server


def logging_server(revision: str) -> Any:
    """Return a server with a tool that logs two messages."""
    mcp = package(revision)
    server = mcp.Server("s", "1", logging=True, revisions=[revision])

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        context.log("info", "plain")
        context.log("error", "grave")
        return mcp.types.CallToolResult(content=[])

    return server


@pytest.mark.parametrize(("own", "wire"), OTHERS)
def test_requests_without_a_schema_pass(own: str, wire: str) -> None:
    with connect(own, new_server(wire)) as client, pytest.raises(ResponseError) as caught:
        client.request_raw("acme/price", {"of": "tea"})
    assert caught.value.code == -32601


@pytest.mark.parametrize("wire", [each for each in REVISIONS if each not in WITH_TASKS])
@pytest.mark.parametrize("own", WITH_TASKS)
def test_a_task_is_refused_before_anything_is_sent(own: str, wire: str) -> None:
    mcp = package(own)
    server, seen = echo_server(wire)
    params = mcp.types.CallToolRequestParams(name="echo", task=mcp.types.TaskMetadata())
    with connect(own, server) as client, pytest.raises(NotDeclared, match=r"tasks\.requests\.tools\.call"):
        client.request(mcp.methods.CALL_TOOL, params)
    assert seen.begun == 0


@pytest.mark.parametrize("wire", HANDSHAKE)
def test_what_the_wire_cannot_express_is_refused_before_anything_is_sent(wire: str) -> None:
    heard: list[str] = []

    def play(spoken: Spoken) -> None:
        spoken.refuse(spoken.hear(), -32601, "no")
        asked = spoken.hear()
        spoken.answer(asked, {"protocolVersion": wire, "capabilities": {}, "serverInfo": WHO})
        spoken.hear()
        heard.append(spoken.hear()["method"])

    with scripted_server(package(NEW).Client, play) as (client, _):
        client.connect()
        with pytest.raises(NotExpressible) as caught:
            client.request(client.binding.requests["subscriptions/listen"], listening())
        assert caught.value.method == "subscriptions/listen"
        assert caught.value.reason
        assert caught.value.section
        assert "subscriptions/listen cannot be expressed in" in str(caught.value)
        assert [each.action for each in client.ledger.losses] == ["refused"]
    assert heard == []


def listening() -> Any:
    """Return the params of a subscription."""
    types = package(NEW).types
    meta = types.RequestMetaObject(protocol_version=NEW, client_capabilities=types.ClientCapabilities())
    return types.SubscriptionsListenRequestParams(meta=meta, notifications=types.SubscriptionFilter())


def test_the_revision_and_the_first_loss_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "mcp_bindings")
    with connect(NEW, echo_server(LATEST)[0]) as client:
        for _ in range(3):
            with pytest.raises(NotExpressible):
                client.request(client.binding.requests["subscriptions/listen"], listening())
        assert [*client.ledger.counts.values()] == [3]
    logged = (record for record in caplog.records if record.name == "mcp_bindings.runtime")
    told = [record for record in logged if LATEST in record.getMessage()]
    assert [record.levelname for record in told].count("INFO") == 1
    assert [record.levelname for record in told].count("WARNING") == 1


def test_a_loss_in_a_result_of_the_server_is_logged_as_one_from_the_peer(caplog: pytest.LogCaptureFixture) -> None:
    mcp = package(LATEST)
    server = mcp.Server("s", "1", revisions=[LATEST])

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        return mcp.types.CallToolResult(content=[mcp.types.ResourceLink(uri=URI, name="notes")])

    with connect(HANDSHAKE[0], server) as client:
        client.call_tool("x")
    assert f"tools/call from a peer of {LATEST}: /content/0 was dropped" in caplog.text


def test_nothing_is_logged_of_revisions_that_were_only_tried(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "mcp_bindings")
    for revision in (LATEST, NEW):
        with HttpPeer(lambda request: answer(status=404)) as peer, pytest.raises(HttpError):
            package(revision).Client.http(peer.url, timeout=PATIENCE).connect()
    assert "messages are converted" not in caplog.text


@pytest.mark.parametrize("wire", REVISIONS)
@pytest.mark.parametrize("own", WITH_BATCHES)
def test_a_batch_becomes_single_requests(own: str, wire: str) -> None:
    mcp = package(own)
    server = echo_server(wire)[0]
    calls = [
        (mcp.methods.CALL_TOOL, mcp.types.CallToolRequestParams(name="echo", arguments={"n": each})) for each in (1, 2)
    ]
    bad = (mcp.methods.CALL_TOOL, mcp.types.CallToolRequestParams(name="echo", arguments={"refuse": -5}))
    with connect(own, server) as client:
        first, second, third = client.batch(*calls, bad)
    assert [text_of(first), text_of(second)] == ["1", "2"]
    assert isinstance(third, ResponseError)
    assert third.code == -5


# Clients with a handshake, server without.


@pytest.mark.parametrize("own", HANDSHAKE)
def test_the_log_level_is_sent_with_each_request(own: str) -> None:
    server = logging_server(NEW)

    seen: Queue[Any] = Queue()
    with connect(own, server, on_log=lambda params: seen.put(params.data)) as client:
        client.call_tool("work")
        assert [seen.get(timeout=PATIENCE) for _ in range(2)] == ["plain", "grave"]
        client.set_level("error")
        client.call_tool("work")
        assert seen.get(timeout=PATIENCE) == "grave"
        assert seen.empty()


@pytest.mark.parametrize("own", HANDSHAKE)
def test_a_ping_shows_whether_the_server_is_there(own: str) -> None:
    methods: list[str] = []

    def play(spoken: Spoken) -> None:
        spoken.refuse(spoken.hear(), -32022, "no", {"supported": [NEW], "requested": own})
        while True:
            asked = spoken.hear()
            methods.append(asked["method"])
            spoken.answer(asked, {"resultType": "complete", "supportedVersions": [NEW], "capabilities": {}})

    with scripted_server(package(own).Client, play) as (client, _):
        client.connect()
        client.ping()
    assert methods == ["server/discover", "server/discover"]


@pytest.mark.parametrize("own", HANDSHAKE)
def test_subscriptions_share_one_stream_and_no_change_is_lost(own: str) -> None:
    server = package(NEW).Server("s", "1", revisions=[NEW])
    uris = [f"file:///{each}" for each in "abc"]
    for uri in uris:
        server.resource(uri, name=uri)(lambda: "text")
    seen: Queue[str] = Queue()
    with connect(own, server, on_resource_updated=lambda params: seen.put(params.uri)) as client:
        for number, uri in enumerate(uris, 1):
            client.subscribe(uri)
            for each in uris[:number]:
                server.resources.updated(each)
            assert {seen.get(timeout=PATIENCE) for _ in range(number)} == {*uris[:number]}
        client.unsubscribe(uris[0])
        server.resources.updated(uris[0])
        server.resources.updated(uris[1])
        assert seen.get(timeout=PATIENCE) == uris[1]


@pytest.mark.parametrize("own", HANDSHAKE)
def test_a_handler_that_is_registered_later_opens_the_stream(own: str) -> None:
    server = new_server(NEW)
    server.tools.add(echo)
    seen: Queue[Any] = Queue()
    with connect(own, server) as client:
        client.handles(package(own).methods.TOOL_LIST_CHANGED, lambda params, context: seen.put("changed"))
        server.tools.remove("echo")
        assert seen.get(timeout=PATIENCE) == "changed"


def echo(text: str) -> str:
    """Return the text."""
    return text


def test_a_round_that_no_handler_can_answer_raises() -> None:
    server = echo_server(NEW)[0]
    for own in HANDSHAKE:
        with connect(own, server) as client, pytest.raises(ResponseError):
            client.call_tool("echo", {"ask": 0})


# A client without handshake.


@pytest.mark.parametrize(("own", "wire"), WITHOUT_SESSION)
def test_a_listener_receives_the_changes_of_its_filter(own: str, wire: str) -> None:
    server = new_server(wire)
    server.tools.add(echo)
    with connect(own, server) as client:
        with client.listen(tools=True, resource=[URI]) as changes:
            assert changes.acknowledged.tools_list_changed
            assert changes.acknowledged.resource_subscriptions == [URI]
            server.resources.updated(URI)
            change = changes.get(PATIENCE)
            assert change.params.uri == URI
            assert change.params.meta.subscription_id is not None
            server.tools.remove("echo")
            assert changes.get(PATIENCE).key.name == "notifications/tools/list_changed"
        assert changes.get(PATIENCE) is None
        # The second one for the same resource does not depend on the first.
        with client.listen(resource=[URI]) as one, client.listen(resource=[URI]) as two:
            one.close()
            server.resources.updated(URI)
            assert two.get(PATIENCE).params.uri == URI


@pytest.mark.parametrize(("own", "wire"), WITHOUT_SESSION)
def test_a_listener_may_ask_for_the_changes_of_all_lists(own: str, wire: str) -> None:
    server = new_server(wire)
    server.tools.add(echo)
    server.prompt(echo)
    with connect(own, server) as client, client.listen(tools=True, prompts=True, resources=True) as changes:
        assert changes.acknowledged.resources_list_changed
        server.tools.remove("echo")
        assert changes.get(PATIENCE).key.name == "notifications/tools/list_changed"


@pytest.mark.parametrize(("own", "wire"), WITHOUT_SESSION)
def test_a_listener_receives_the_changes_of_parts_of_its_resource(own: str, wire: str) -> None:
    server = new_server(wire)
    with connect(own, server) as client, client.listen(resource=[URI]) as changes:
        server.resources.updated(f"{URI}/first", about=URI)
        assert changes.get(PATIENCE).params.uri == f"{URI}/first"


@pytest.mark.parametrize("wire", HANDSHAKE)
def test_a_subscription_that_cannot_be_opened_leaves_none_at_the_server(wire: str) -> None:
    mcp, server, go, seen = package(wire), new_server(wire), threading.Event(), list[str]()

    @server.handler(mcp.methods.SUBSCRIBE)
    def subscribe(params: Any, _context: Any) -> None:
        seen.append(params.uri)
        if params.uri != URI:
            go.wait(PATIENCE)

    server.handler(mcp.methods.UNSUBSCRIBE)(lambda params, _: seen.append(f"not {params.uri}"))
    with connect(NEW, server) as client:
        uris = [URI, "file:///slow"]
        times_out(lambda seconds: client.listen(resource=uris, timeout=seconds), lambda: uris[1] in seen)
        eventually(lambda: f"not {URI}" in seen)
        go.set()


@pytest.mark.parametrize(("own", "wire"), WITHOUT_SESSION)
def test_a_listener_ends_with_the_connection(own: str, wire: str) -> None:
    server = new_server(wire)
    client = connect(own, server)
    with client, client.listen(resources=True) as changes:
        server.close()
        if wire in STATELESS:
            # It ends its subscriptions before.
            assert changes.get(PATIENCE) is None
            return
        with pytest.raises(ConnectionClosed):
            changes.get(PATIENCE)


@pytest.mark.parametrize(("own", "wire"), WITHOUT_SESSION)
def test_handlers_of_changes_are_called(own: str, wire: str) -> None:
    server = new_server(wire)
    server.tools.add(echo)
    seen: Queue[Any] = Queue()
    options = {"on_tools_changed": lambda: seen.put("tools"), "on_resource_updated": lambda each: seen.put(each.uri)}
    with connect(own, server, **options) as client:
        server.tools.remove("echo")
        assert seen.get(timeout=PATIENCE) == "tools"
        client.subscribe(URI)
        server.resources.updated(URI)
        assert seen.get(timeout=PATIENCE) == URI
        client.unsubscribe(URI)
        server.tools.add(echo)
        assert seen.get(timeout=PATIENCE) == "tools"


@pytest.mark.parametrize("wire", HANDSHAKE)
def test_discover_describes_the_session(wire: str) -> None:
    with connect(NEW, new_server(wire)) as client:
        found = client.discover()
        assert found.supported_versions == [NEW]
        assert found.meta.server_info.name == "s"
        assert found.capabilities.resources is not None


@pytest.mark.parametrize(("own", "wire"), WITHOUT_SESSION)
def test_log_messages_are_wanted_by_their_level(own: str, wire: str) -> None:
    server = logging_server(wire)

    seen: Queue[Any] = Queue()
    mcp = package(own)
    with connect(own, server, on_log=lambda params: seen.put(params.data)) as client:
        client.call_tool("work")
        client.connection.wire.drain(PATIENCE)
    assert seen.empty()
    with connect(own, server, on_log=lambda params: seen.put(params.data)) as client:
        level = client.meta().__replace__(log_level="error")
        client.request(mcp.methods.CALL_TOOL, mcp.types.CallToolRequestParams(name="work", meta=level))
        assert seen.get(timeout=PATIENCE) == "grave"
        assert seen.empty()


@pytest.mark.parametrize("wire", HANDSHAKE)
def test_a_question_outside_a_call_is_answered(wire: str) -> None:
    answers: Queue[Any] = Queue()

    def play(spoken: Spoken) -> None:
        spoken.refuse(spoken.hear(), -32601, "no")
        asked = spoken.hear()
        spoken.answer(asked, {"protocolVersion": wire, "capabilities": {}, "serverInfo": WHO})
        spoken.hear()
        spoken.request("roots/list", 7)
        answers.put(spoken.hear())
        spoken.hear()

    with scripted_server(package(NEW).Client, play, roots=["/tmp"]) as (client, _):
        client.connect()
        assert answers.get(timeout=PATIENCE)["result"]["roots"][0]["uri"] == "file:///tmp"


@pytest.mark.parametrize("action", ["accept", "decline"])
def test_pages_that_come_first_are_shown_and_the_call_is_repeated(action: str) -> None:
    calls: list[str] = []
    (wire,) = WITH_PAGE_ERRORS

    def play(spoken: Spoken) -> None:
        spoken.refuse(spoken.hear(), -32601, "no")
        asked = spoken.hear()
        spoken.answer(asked, {"protocolVersion": wire, "capabilities": {"tools": {}}, "serverInfo": WHO})
        spoken.hear()
        page = {"mode": "url", "elicitationId": "1", "url": "https://pay.example/", "message": "Pay"}
        spoken.refuse(spoken.hear(), -32042, "first pay", {"elicitations": [page]})
        asked = spoken.hear()
        calls.append(asked["method"])
        spoken.answer(asked, {"content": [{"type": "text", "text": "paid"}]})
        spoken.hear()

    types = package(NEW).types
    seen: list[str] = []

    def visit(params: Any, context: Any) -> Any:
        seen.append(params.url)
        return types.ElicitResult(action=action)

    with scripted_server(package(NEW).Client, play, elicitation_url=visit) as (client, _):
        client.connect()
        if action == "accept":
            assert text_of(client.call_tool("x")) == "paid"
            assert calls == ["tools/call"]
        else:
            with pytest.raises(ResponseError) as caught:
                client.call_tool("x")
            # 2026-07-28 reserves the code -32042.
            assert caught.value.code == -32603
    assert seen == ["https://pay.example/"]


@pytest.mark.parametrize("wire", HANDSHAKE)
def test_results_are_not_cached(wire: str) -> None:
    server = new_server(wire)
    server.tools.add(echo)
    with connect(NEW, server, cache=True) as client:
        assert len(list(client.list_tools())) == 1
        server.tools.remove("echo")
        assert list(client.list_tools()) == []


@pytest.mark.parametrize("own", STATELESS)
@pytest.mark.parametrize("wire", STATELESS)
def test_results_are_cached_as_a_server_without_handshake_says(own: str, wire: str) -> None:
    mcp, server = package(wire), new_server(wire)
    server.tools.add(echo)
    server.cache(mcp.methods.LIST_TOOLS, ttl_ms=60_000)
    changed = threading.Event()
    with connect(own, server, cache=True) as client:
        assert len(list(client.list_tools())) == 1
        server.tools.remove("echo")
        assert len(list(client.list_tools())) == 1
    with connect(own, server, cache=True, on_tools_changed=changed.set) as client:
        assert list(client.list_tools()) == []
        server.tools.add(echo)
        assert changed.wait(PATIENCE)
        assert len(list(client.list_tools())) == 1


@pytest.mark.parametrize("own", STATELESS)
@pytest.mark.parametrize("wire", STATELESS)
def test_the_client_counts_the_rounds_of_a_call_without_session(own: str, wire: str) -> None:
    mcp = package(wire)
    server = mcp.Server("s", "1", revisions=[wire])

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        answers = [context.sample(f"Number {each}", max_tokens=each + 1) for each in range(int(params.name))]
        return mcp.types.CallToolResult(content=[mcp.types.TextContent(text=" ".join(answers))])

    types = package(own).types

    def sample(params: Any, context: Any) -> Any:
        content = types.TextContent(text=f"<{params.max_tokens}>")
        return types.CreateMessageResult(role="assistant", model="m", content=content)

    with connect(own, server, sampling=sample, rounds=2) as client:
        assert text_of(client.call_tool("2")) == "<1> <2>"
        with pytest.raises(ProtocolError, match="more than 2 times"):
            client.call_tool("3")


@pytest.mark.parametrize(("own", "wire"), OTHERS)
def test_handlers_know_the_revision_of_the_server(own: str, wire: str) -> None:
    mcp = package(own)
    seen: list[Any] = []

    def roots(params: Any, context: Any) -> Any:
        seen.append((context.peer_revision, context.ledger is client.ledger, context.client is client))
        return mcp.types.ListRootsResult(roots=[mcp.types.Root(uri="file:///r", name="mine")])

    client = connect(own, echo_server(wire)[0])
    client.handles(mcp.methods.LIST_ROOTS, roots)
    with client:
        assert text_of(client.call_tool("echo", {"ask": 0})) == "mine"
        assert seen[-1] == (wire, True, True)


# The end.


@pytest.mark.parametrize(("own", "wire"), [(LATEST, HANDSHAKE[0]), *OTHER_ERA[:1], *OTHER_ERA[-1:]])
def test_a_client_that_nobody_uses_any_more_ends(own: str, wire: str) -> None:
    clients = [connect(own, echo_server(wire)[0])]
    clients[0].connect()
    with pytest.warns(ResourceWarning, match="was never closed") as caught:
        clients.clear()
    assert len(caught) == 1
    eventually(lambda: not threads_of())


@pytest.mark.parametrize(("own", "wire"), OTHER_ERA)
def test_a_closed_connection_says_so(own: str, wire: str) -> None:
    client = connect(own, echo_server(wire)[0])
    with client:
        client.call_tool("echo", {})
    assert not client.connected
    with pytest.raises(ConnectionClosed):
        client.call_tool("echo", {})
    eventually(lambda: not threads_of())
