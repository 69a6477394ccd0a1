"""Content of types that the revision does not declare: the rest of a result is not lost for it."""

from __future__ import annotations

import json

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.codec.unknown_content import UnknownContent, unstructure_result
from mcp_bindings_runtime.errors import DecodeError, ToolFailed
from support.revisions import STATELESS, WITH_TASKS, those_with
from support.scripted_peers import PATIENCE, package, scripted_server

LINK = {"type": "resource_link", "uri": "file:///a.txt", "name": "a.txt"}
HOLOGRAM = {"type": "hologram", "data": [1, None]}
TEXT = {"type": "text", "text": "done"}

each_revision = pytest.mark.parametrize("revision", REVISIONS)
without_links = pytest.mark.parametrize("revision", those_with(lambda each: "ResourceLink" not in each.content_blocks))


def asked(revision, result, ask):
    """What a client makes of the result with which a server answers."""

    def play(peer):
        if revision not in STATELESS:
            peer.answer(peer.hear(), WELCOME | {"protocolVersion": revision})
            peer.hear()
        else:
            result["resultType"] = "complete"
        peer.answer(peer.hear(), result)

    options = {"discover": False} if revision in STATELESS else {}
    with scripted_server(package(revision).Client, play, **options) as (client, _):
        client.connect()
        return client.binding, ask(client)


WELCOME = {"capabilities": {"tools": {}, "prompts": {}}, "serverInfo": {"name": "s", "version": "1"}}


@without_links
def test_a_link_from_a_server_of_an_older_revision_does_not_lose_the_call(revision, caplog):
    result = {"content": [TEXT, LINK]}
    binding, called = asked(revision, result, lambda client: client.call_tool("x"))
    text, link = called.content
    assert text == package(revision).TextContent(text="done")
    assert isinstance(link, UnknownContent)
    assert (link.type, link) == ("resource_link", LINK)
    assert unstructure_result(binding, called) == result
    (said,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert said.startswith('tools/call: $.content[1].type: found "resource_link", expected one of "text"')
    assert said.endswith(f"({revision}); kept as JSON")


@each_revision
def test_content_of_an_unknown_type_is_kept_in_every_revision(revision):
    result = {"content": [HOLOGRAM, TEXT, HOLOGRAM], "isError": True}
    binding, called = asked(revision, result, lambda client: client.call_tool("x"))
    assert [block.type for block in called.content] == ["hologram", "text", "hologram"]
    assert unstructure_result(binding, called) == result
    with pytest.raises(ToolFailed, match=r"^done$"):
        called.raise_for_error()


@each_revision
def test_content_of_an_unknown_type_is_kept_in_a_prompt(revision):
    messages = [{"role": "user", "content": HOLOGRAM}, {"role": "assistant", "content": TEXT, "x": 1}]
    result = {"messages": messages, "description": "d"}
    binding, prompt = asked(revision, result, lambda client: client.get_prompt("x"))
    assert prompt.messages[0].content == HOLOGRAM
    assert unstructure_result(binding, prompt) == result


@each_revision
@pytest.mark.parametrize(
    "result",
    [
        {"content": [HOLOGRAM, {"type": "text"}]},
        {"content": [{"type": 5}]},
        {"content": [{"text": "x"}]},
        {"content": [HOLOGRAM], "isError": "no"},
        {"content": [{"type": "resource", "resource": {"uri": 5}}]},
        {"content": HOLOGRAM},
    ],
    ids=json.dumps,
)
def test_what_does_not_fit_otherwise_is_refused(revision, result):
    with pytest.raises(DecodeError):
        asked(revision, result, lambda client: client.call_tool("x"))


@each_revision
def test_decoding_stays_strict(revision):
    mcp = package(revision)
    extra = {"resultType": "complete"} if revision in STATELESS else {}
    value = {"content": [HOLOGRAM], **extra}
    with pytest.raises(DecodeError, match=r'type: found "hologram"'):
        mcp.decode_result(mcp.methods.CALL_TOOL, value)
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "result": value})
    with pytest.raises(DecodeError, match=r'type: found "hologram"'):
        mcp.decode(line, results={1: mcp.methods.CALL_TOOL})


def test_a_task_that_ends_with_unknown_content_has_its_result():
    stamp = {"createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttl": None}

    def play(peer):
        capabilities = {"tools": {}, "tasks": {"requests": {"tools": {"call": {}}}}}
        peer.answer(peer.hear(), WELCOME | {"protocolVersion": "2025-11-25", "capabilities": capabilities})
        peer.hear()
        peer.answer(peer.hear(), {"task": {"taskId": "t", "status": "working", **stamp}})
        peer.answer(peer.hear(), {"content": [HOLOGRAM]})

    with scripted_server(package("2025-11-25").Client, play) as (client, _):
        client.connect()
        task = client.call_tool_as_task("x")
        assert repr(task) == "<TaskHandle tools/call 't': working>"
        assert task.result(PATIENCE).content == [HOLOGRAM]


@pytest.mark.parametrize("peer", REVISIONS)
@each_revision
def test_a_server_passes_content_on_that_it_does_not_know_itself(revision, peer):
    """As a gateway does, also between revisions."""
    mcp = package(revision)
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.CALL_TOOL)
    def look(params, context):
        return mcp.CallToolResult(content=[UnknownContent(HOLOGRAM), mcp.TextContent(text="done")])

    @server.handler(mcp.methods.GET_PROMPT)
    def ask(params, context):
        return mcp.GetPromptResult(messages=[mcp.PromptMessage(role="user", content=UnknownContent(HOLOGRAM))])

    with package(peer).Client.in_memory(server, timeout=PATIENCE) as client:
        first, second = client.call_tool("look").content
        assert (first, second.text) == (HOLOGRAM, "done")
        (message,) = client.get_prompt("ask").messages
        assert message.content == HOLOGRAM


@each_revision
@pytest.mark.parametrize("value", [UnknownContent(HOLOGRAM), [UnknownContent(HOLOGRAM)]], ids=["one", "list"])
def test_a_tool_returns_unknown_content_as_any_other(revision, value):
    mcp = package(revision)
    server = mcp.Server("s", "1")
    server.tool(lambda: value, name="look", description="Look.")
    server.prompt(lambda: value, name="ask", description="Ask.")
    with mcp.Client.in_memory(server, timeout=PATIENCE) as client:
        (block,) = client.call_tool("look").content
        assert block == HOLOGRAM
        (message,) = client.get_prompt("ask").messages
        assert message.content == HOLOGRAM


@each_revision
def test_an_unknown_block_that_is_not_json_is_an_error_of_the_tool(revision):
    mcp = package(revision)
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.CALL_TOOL)
    def look(params, context):
        return mcp.CallToolResult(content=[UnknownContent(HOLOGRAM | {"data": object()})])

    with mcp.Client.in_memory(server, timeout=PATIENCE) as client:
        result = client.call_tool("look")
    assert result.is_error
    assert result.text.startswith("The tool's result cannot be sent: ")


@pytest.mark.parametrize("peer", WITH_TASKS)
@pytest.mark.parametrize("revision", WITH_TASKS)
def test_a_task_passes_content_on_that_its_server_does_not_know(revision, peer):
    mcp = package(revision)
    server = mcp.Server("s", "1", tasks=mcp.MemoryTasks(tools={"look": "optional"}))
    blocks = [UnknownContent(HOLOGRAM), UnknownContent(HOLOGRAM | {"data": object()})]

    @server.handler(mcp.methods.CALL_TOOL)
    def look(params, context):
        return mcp.CallToolResult(content=[blocks[params.arguments["of"]], mcp.TextContent(text="done")])

    options = {"tasks": True} if peer in STATELESS else {}
    with package(peer).Client.in_memory(server, timeout=PATIENCE, **options) as client:
        first, second = client.call_tool_as_task("look", {"of": 0}).result(PATIENCE).content
        assert (first, second.text) == (HOLOGRAM, "done")
        result = client.call_tool_as_task("look", {"of": 1}).result(PATIENCE)
        assert result.is_error
        assert result.text.startswith("The tool's result cannot be sent: ")
