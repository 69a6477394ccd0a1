"""2026-07-28 over HTTP: requests that stand alone, their headers, refusals with their statuses, subscriptions."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from mcp_bindings import connect
from mcp_bindings_runtime.errors import HttpError, UnsupportedRevision
from support.echo_server import echo_server
from support.raw_http_client import NEW, Wire, call, endpoint, modern, notification, request
from support.revisions import HANDSHAKE
from support.scripted_peers import PATIENCE, eventually, package

mcp = package(NEW)
LATEST = HANDSHAKE[-1]
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


def send(wire: Wire, message, *, drop=(), headers=None, **meta):
    """A request with its headers, of which some are left out or others."""
    whole, named = modern(message, **meta)
    named = {name: value for name, value in named.items() if name not in drop} | (headers or {})
    return wire.post(whole, **named)


def open_stream(wire: Wire, message, **meta):
    whole, named = modern(message, **meta)
    return wire.stream(whole, **named)


def test_a_call_needs_no_session():
    server, _ = echo_server(NEW)
    with endpoint(server) as wire:
        answer = send(wire, call(7, n=5))
        assert (answer.status, answer.json["id"], answer.text) == (200, 7, "5")
        assert "mcp-session-id" not in answer.headers


def test_what_is_sent_before_the_answer_makes_it_a_stream_without_ids():
    server, _ = echo_server(NEW)
    with endpoint(server) as wire:
        stream = open_stream(wire, call(1, n=2, progress=2), progressToken="t")
        event = stream.next()
        assert set(event.fields) == {"event", "data"}
        assert event.json["params"] == {"progressToken": "t", "progress": 1}
        messages = stream.messages()
        assert [each["method"] for each in messages[:-1]] == ["notifications/progress"]
        assert messages[-1]["result"]["resultType"] == "complete"


def test_discover_tells_all_revisions_of_the_endpoint():
    servers = [echo_server(each)[0] for each in [*HANDSHAKE, NEW]]
    with endpoint(*servers) as wire:
        found = send(wire, request("server/discover", 1)).json["result"]
        assert found["supportedVersions"] == sorted([*HANDSHAKE, NEW], reverse=True)


def test_sessions_of_older_clients_are_ignored_where_there_are_none():
    server, _ = echo_server(NEW)
    with endpoint(server) as wire:
        answer = send(wire, call(n=1), headers={"Mcp-Session-Id": "x", "Last-Event-ID": "0.1"})
        assert answer.text == "1"
        assert "mcp-session-id" not in answer.headers
        for method in ("GET", "DELETE"):
            refused = wire.ask(method, headers={"Accept": "text/event-stream"})
            assert (refused.status, refused.headers["allow"]) == (405, "POST")


def test_both_eras_are_served_at_one_endpoint():
    old, old_seen = echo_server(LATEST)
    new, new_seen = echo_server(NEW)
    with endpoint(old, new) as wire:
        wire.initialize(LATEST)
        assert wire.post(call(n=1)).text == "1"
        assert (old_seen.begun, new_seen.begun) == (1, 0)
        assert send(wire, call(n=2)).text == "2"
        assert send(Wire(wire.port), call(n=3)).text == "3"
        assert (old_seen.begun, new_seen.begun) == (1, 2)


@pytest.mark.parametrize(
    ("method", "status", "code"),
    [
        ("initialize", 404, -32601),
        ("ping", 404, -32601),
        ("logging/setLevel", 404, -32601),
        ("resources/subscribe", 404, -32601),
        ("unknown/method", 404, -32601),
        ("tools/list", 404, -32601),
    ],
)
def test_a_method_that_is_not_served_is_not_found(method, status, code):
    server, _ = echo_server(NEW)
    old, _ = echo_server(LATEST)
    for servers in ([server], [server, old]):
        with endpoint(*servers) as wire:
            refused = send(wire, request(method, "x"))
            assert (refused.status, refused.code, refused.json["id"]) == (status, code, "x")


OFFER = {"protocolVersion": LATEST, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}


def test_initialize_of_an_earlier_client_is_refused_with_the_revisions_that_are_served():
    server, _ = echo_server(NEW)
    with endpoint(server) as wire:
        refused = wire.post(request("initialize", 1, OFFER))
        assert (refused.status, refused.code) == (400, -32020)
        assert refused.json["error"]["data"]["supported"] == [NEW]
        assert NEW in refused.json["error"]["message"]


def test_a_client_that_knows_http_with_sse_alone_shows_which_revision_is_served():
    with endpoint(echo_server(NEW)[0]) as wire:
        client = package(HANDSHAKE[0]).Client.http(f"http://127.0.0.1:{wire.port}/mcp", revisions=[HANDSHAKE[0]])
        with pytest.raises(HttpError, match=f"405.*this server supports {NEW}"):
            client.connect()


@pytest.mark.parametrize("revision", HANDSHAKE[1:])
def test_a_client_of_an_earlier_revision_is_told_which_one_is_served(revision):
    with endpoint(echo_server(NEW)[0]) as wire:
        client = package(revision).Client.http(f"http://127.0.0.1:{wire.port}/mcp", revisions=[revision])
        with pytest.raises(UnsupportedRevision) as caught:
            client.connect()
        assert caught.value.supported == (NEW,)
        with connect.http(f"http://127.0.0.1:{wire.port}/mcp", revisions=[revision, NEW]) as client:
            assert client.binding.revision == NEW


def test_initialize_that_names_this_revision_is_not_found_and_begins_no_session():
    servers = [echo_server(each)[0] for each in (NEW, LATEST)]
    with endpoint(*servers) as wire:
        refused = send(wire, request("initialize", 1, OFFER))
        assert (refused.status, refused.code) == (404, -32601)
        assert refused.json["error"]["data"]["supported"] == [NEW, LATEST]
        assert "mcp-session-id" not in refused.headers
        assert send(wire, request("initialize", 1, OFFER), drop=["MCP-Protocol-Version"]).code == -32020


@pytest.mark.parametrize("missing", ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"])
def test_a_header_that_is_missing_is_a_mismatch(missing):
    server, seen = echo_server(NEW)
    with endpoint(server) as wire:
        refused = send(wire, call(3), drop=[missing])
        assert (refused.status, refused.code, refused.json["id"]) == (400, -32020, 3)
        assert missing in refused.json["error"]["message"]
        assert seen.begun == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MCP-Protocol-Version", LATEST),
        ("Mcp-Method", "Tools/Call"),
        ("Mcp-Name", "Echo"),
        ("Mcp-Name", "=?base64?!?="),
        ("Mcp-Name", "=?base64?b3RoZXI=?="),
    ],
)
def test_a_header_that_says_something_else_is_a_mismatch(name, value):
    server, seen = echo_server(NEW)
    with endpoint(server) as wire:
        refused = send(wire, call(3), headers={name: value})
        assert (refused.status, refused.code, refused.json["id"]) == (400, -32020, 3)
        assert seen.begun == 0


@pytest.mark.parametrize(
    "headers", [{"Mcp-Name": "=?base64?ZWNobw==?="}, {"mcp-name": " echo "}, {"MCP-METHOD": "tools/call"}]
)
def test_a_header_may_be_written_otherwise(headers):
    server, _ = echo_server(NEW)
    with endpoint(server) as wire:
        assert (
            send(wire, call(n=3), drop=["Mcp-Name" if "ame" in str(headers) else "Mcp-Method"], headers=headers).text
            == "3"
        )


@pytest.mark.parametrize("version", ["v999.0.0", LATEST])
def test_a_revision_that_is_not_spoken_is_refused_with_those_that_are(version):
    server, _ = echo_server(NEW)
    with endpoint(server) as wire:
        key = "io.modelcontextprotocol/protocolVersion"
        refused = send(wire, call(3), headers={"MCP-Protocol-Version": version}, **{key: version})
        assert (refused.status, refused.code, refused.json["id"]) == (400, -32022, 3)
        assert refused.json["error"]["data"] == {"supported": [NEW], "requested": version}


def test_metadata_that_is_missing_is_an_invalid_request():
    server, _ = echo_server(NEW)
    with endpoint(server) as wire:
        for params in (None, {}, {"_meta": {}}, {"_meta": {"io.modelcontextprotocol/protocolVersion": NEW}}):
            headers = {"MCP-Protocol-Version": NEW, "Mcp-Method": "tools/list"}
            refused = wire.post(request("tools/list", 4, params), **headers)
            assert (refused.status, refused.code, refused.json["id"]) == (400, -32602, 4)


def test_a_capability_that_is_missing_is_a_bad_request():
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.CALL_TOOL)
    def ask(params, context):
        context.list_roots()

    with endpoint(server) as wire:
        refused = send(wire, call(1))
        assert (refused.status, refused.code) == (400, -32021)
        assert refused.json["error"]["data"]["requiredCapabilities"] == {"roots": {}}
        asked = send(wire, call(1), capabilities={"roots": {}}).json["result"]
        assert asked["resultType"] == "input_required"


def test_an_error_of_the_handler_is_an_answer():
    server, _ = echo_server(NEW)
    with endpoint(server) as wire:
        answer = send(wire, call(1, refuse=-32602))
        assert (answer.status, answer.code) == (200, -32602)


def test_clients_send_no_responses():
    server, _ = echo_server(NEW)
    with endpoint(server) as wire:
        refused = wire.post({"jsonrpc": "2.0", "id": 1, "result": {}}, MCP_Protocol_Version=NEW)
        assert refused.status == 400
        assert "id" not in refused.json
        accepted = wire.post(notification("notifications/cancelled", {"requestId": 1}))
        assert (accepted.status, accepted.body) == (202, b"")


def test_who_hangs_up_has_cancelled():
    server, seen = echo_server(NEW)
    with endpoint(server, keepalive=0.05) as wire:
        stream = open_stream(wire, call(1, n=9, hold=True))
        assert stream.block() == [":"]
        stream.close()
        eventually(lambda: seen.cancelled == [9])


def test_a_log_message_is_sent_to_who_asks_for_it():
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.CALL_TOOL)
    def speak(params, context):
        context.log("info", "heard")
        return mcp.CallToolResult(content=[])

    with endpoint(server) as wire:
        assert send(wire, call(1)).status == 200
        level = {"io.modelcontextprotocol/logLevel": "info"}
        said, answer = open_stream(wire, call(1), **level).messages()
        assert said["params"]["data"] == "heard"
        assert answer["id"] == 1


def listening_server():
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.LIST_TOOLS)
    def list_tools(params, context):
        return mcp.ListToolsResult(tools=[], ttl_ms=0, cache_scope="private")

    return server


def test_a_subscription_is_acknowledged_and_hears_what_it_asked_for():
    server = listening_server()
    with endpoint(server) as wire:
        wanted = {"notifications": {"toolsListChanged": True, "promptsListChanged": True}}
        stream = open_stream(wire, request("subscriptions/listen", "mine", wanted))
        other = open_stream(wire, request("subscriptions/listen", "other", {"notifications": {}}))
        first = stream.message()
        assert first["method"] == "notifications/subscriptions/acknowledged"
        assert first["params"]["notifications"] == {"toolsListChanged": True}
        assert other.message()["params"]["notifications"] == {}
        server.notify(mcp.methods.TOOL_LIST_CHANGED)
        changed = stream.message()
        assert changed["method"] == "notifications/tools/list_changed"
        assert {each["params"]["_meta"][SUBSCRIPTION] for each in (first, changed)} == {"mine"}
        server.close()
        # The end is told, and what the other did not ask for has not come.
        assert [each["id"] for each in stream.messages() if "result" in each] == ["mine"]
        assert [each["id"] for each in other.messages() if "result" in each] == ["other"]


def test_a_log_message_goes_on_the_stream_of_its_request_and_on_no_subscription():
    server = listening_server()

    @server.handler(mcp.methods.CALL_TOOL)
    def speak(params, context):
        context.log("info", "heard")
        server.notify(mcp.methods.TOOL_LIST_CHANGED)
        return mcp.CallToolResult(content=[])

    level = {"io.modelcontextprotocol/logLevel": "debug"}
    with endpoint(server) as wire:
        wanted = {"notifications": {"toolsListChanged": True}}
        subscription = open_stream(wire, request("subscriptions/listen", "mine", wanted), **level)
        assert subscription.message()["method"] == "notifications/subscriptions/acknowledged"
        said, answer = open_stream(wire, call(1), **level).messages()
        assert (said["method"], answer["id"]) == ("notifications/message", 1)
        assert subscription.message()["method"] == "notifications/tools/list_changed"
        server.close()
        rest = subscription.messages()
        assert [each["id"] for each in rest if "result" in each] == ["mine"]
        assert "notifications/message" not in {each.get("method") for each in rest}


def test_what_is_for_subscribers_does_not_come_on_the_stream_of_a_call():
    server = listening_server()
    go = threading.Event()

    @server.handler(mcp.methods.CALL_TOOL)
    def work(params, context):
        context.progress(1)
        assert go.wait(PATIENCE)
        return mcp.CallToolResult(content=[])

    with endpoint(server) as wire:
        wanted = {"notifications": {"toolsListChanged": True}}
        subscribed = open_stream(wire, request("subscriptions/listen", "mine", wanted))
        subscribed.message()
        stream = open_stream(wire, call(1), progressToken="t")
        assert stream.message()["method"] == "notifications/progress"
        server.notify(mcp.methods.TOOL_LIST_CHANGED)
        assert subscribed.message()["method"] == "notifications/tools/list_changed"
        go.set()
        assert [each.get("id") for each in stream.messages()] == [1]


def test_a_subscription_that_is_hung_up_on_is_forgotten(caplog):
    server = listening_server()
    with endpoint(server, keepalive=0.05, threads=4, streams=1) as wire:
        wanted = {"notifications": {"toolsListChanged": True}}
        stream = open_stream(wire, request("subscriptions/listen", 1, wanted))
        stream.message()
        assert send(wire, request("subscriptions/listen", 2, wanted)).status == 503
        assert "1 streams are open, which is the limit; further ones are refused" in caplog.text
        stream.close()
        eventually(lambda: not server._connections)
        open_stream(wire, request("subscriptions/listen", 3, wanted)).message()


def region_server():
    server = mcp.Server("s", "1")
    schema = {
        "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "n": {"type": "integer", "x-mcp-header": "Count"},
        }
    }

    @server.tool(input_schema={"type": "object", **schema})
    def place(**arguments: object) -> str:
        """Says where."""
        return str(arguments.get("region"))

    return server


def listing_server():
    """The same with handlers of its own, which list it on a second page."""
    server = mcp.Server("s", "1")
    mirrored = {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "n": {"type": "integer", "x-mcp-header": "Count"},
    }
    tool = mcp.converter.structure(
        {"name": "place", "inputSchema": {"type": "object", "properties": mirrored}}, mcp.Tool
    )

    @server.handler(mcp.methods.LIST_TOOLS)
    def list_tools(params, context):
        second = params is not None and params.cursor == "second"
        more = {} if second else {"next_cursor": "second"}
        return mcp.ListToolsResult(tools=[tool] if second else [], ttl_ms=0, cache_scope="private", **more)

    @server.handler(mcp.methods.CALL_TOOL)
    def call_tool(params, context):
        return mcp.CallToolResult(content=[mcp.TextContent(text=str(params.arguments.get("region")))])

    return server


def at(**arguments):
    return request("tools/call", 1, {"name": "place", "arguments": arguments})


@pytest.mark.parametrize(
    ("arguments", "headers", "good"),
    [
        ({"region": "eu"}, {"Mcp-Param-Region": "eu"}, True),
        ({"region": "eu"}, {"mcp-param-REGION": "=?base64?ZXU=?="}, True),
        ({"region": "h\u00e9"}, {"Mcp-Param-Region": "=?base64?aMOp?="}, True),
        ({}, {}, True),
        ({"region": None}, {}, True),
        ({"n": 42}, {"Mcp-Param-Count": "42.0"}, True),
        ({"n": 42}, {"Mcp-Param-Count": "42.5"}, False),
        ({"region": "eu"}, {}, False),
        ({"region": "eu"}, {"Mcp-Param-Region": "us"}, False),
        ({"region": "eu"}, {"Mcp-Param-Region": "EU"}, False),
        ({"region": "eu"}, {"Mcp-Param-Region": "=?base64?!?="}, False),
        ({"region": "h\u00e9"}, {"Mcp-Param-Region": "h\u00e9"}, False),
        ({}, {"Mcp-Param-Region": "eu"}, False),
    ],
)
@pytest.mark.parametrize("make", [region_server, listing_server])
def test_an_annotated_argument_is_repeated_in_its_header(make, arguments, headers, good):
    with endpoint(make()) as wire:
        answer = send(wire, at(**arguments), headers=headers)
        if good:
            assert (answer.status, "result" in answer.json) == (200, True)
        else:
            assert (answer.status, answer.code, answer.json["id"]) == (400, -32020, 1)


def test_a_list_that_takes_long_leaves_threads_to_other_requests():
    """The server lists its tools for a call, to know the headers of the tool."""
    server, release, listing = mcp.Server("s", "1"), threading.Event(), []

    @server.handler(mcp.methods.LIST_TOOLS)
    def list_tools(params, context):
        listing.append(context.source)
        release.wait(3 * PATIENCE)
        return mcp.ListToolsResult(tools=[], ttl_ms=0, cache_scope="private")

    server.handler(mcp.methods.CALL_TOOL)(lambda params, context: mcp.CallToolResult(content=[]))
    with endpoint(server, threads=2, handlers=4) as wire, ThreadPoolExecutor(20) as pool:
        try:
            calls = [pool.submit(send, wire, at()) for _ in range(20)]
            eventually(lambda: len(listing) + sum(each.done() for each in calls) == 20)
            assert {each.result().status for each in calls if each.done()} == {503}
            assert send(wire, request("server/discover", 1)).status == 200
        finally:
            release.set()
    assert set(listing) == {"127.0.0.1"}
