"""Clients of whatever revision is agreed on: what all revisions share is typed, and the rest after a look at which it is."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, assert_type

from mcp_bindings import connect, serve, v2024_11_05, v2025_03_26, v2025_06_18, v2025_11_25, v2026_07_28
from mcp_bindings_runtime.client.any_client import AnyClient

server = v2025_06_18.Server("demo", "1.0")


@server.tool
def add(a: int, b: int) -> int:
    return a + b


@server.prompt
def p() -> str:
    return "Hello!"


server.resources.add_text("file:///a", "A file.")


def use(client: AnyClient) -> list[str]:
    names = [tool.name for tool in client.list_tools()]
    result = client.call_tool("add", {"a": 1, "b": 2}, timeout=10)
    for block in result.content:
        if block.type == "text":
            assert_type(block.text, str)
        elif block.type == "image":
            assert_type((block.bytes, block.mime_type), tuple[bytes, str])
        elif block.type == "resource":
            assert_type(block.resource.uri, str)
        if isinstance(block, v2025_11_25.TextContent):
            assert_type(block.annotations, v2025_11_25.Annotations | None)
    assert_type(result.text, str)
    assert_type(result.is_error, bool | None)
    assert_type(client.call_tool("add", {"a": 1, "b": 2}, returns=int), int)
    for tool in client.list_tools():
        assert_type(tool.description, str | None)
    for resource in client.list_resources():
        assert_type((resource.uri, resource.mime_type), tuple[str, str | None])
    assert_type(result.raise_for_error().text, str)
    page = client.list_tools_page()
    assert_type(page.next_cursor, str | None)
    for tool in page.tools:
        assert_type(tool.input_schema.properties, Mapping[str, Any] | None)
        assert_type(tool.input_schema.required, Sequence[str] | None)
    for template in client.list_resource_templates():
        assert_type(template.uri_template, str)
    for prompt in client.list_prompts_page().prompts:
        assert_type([each.name for each in prompt.arguments or ()], list[str])
    for contents in client.read_resource("file:///a").contents:
        assert_type(contents.mime_type, str | None)
    for message in client.get_prompt("p").messages:
        assert_type(message.role, Literal["user", "assistant"])
        assert_type(message.content.type, Literal["text", "image", "audio", "resource_link", "resource"])
    if client.server_info is not None:
        assert_type(client.server_info.version, str)
    resources = client.server_capabilities.resources
    if resources is not None:
        assert_type(resources.subscribe, bool | None)
    assert_type(client.binding.revision, str)
    return names


# All of them are such clients.
clients: list[AnyClient] = [
    v2024_11_05.Client.in_memory(v2024_11_05.Server("s", "1")),
    v2025_03_26.Client.in_memory(v2025_03_26.Server("s", "1")),
    v2025_06_18.Client.in_memory(v2025_06_18.Server("s", "1")),
    v2025_11_25.Client.in_memory(v2025_11_25.Server("s", "1")),
    v2026_07_28.Client.in_memory(v2026_07_28.Server("s", "1")),
]


def fill_in(params: Any, context: object) -> v2025_11_25.ElicitResult:
    return v2025_11_25.ElicitResult(action="accept", content={"name": params.message})


def write(params: Any, context: object) -> v2024_11_05.CreateMessageResult:
    return v2024_11_05.CreateMessageResult(role="assistant", model="m", content=v2024_11_05.TextContent(text="hello"))


def decline(params: Any, context: object) -> dict[str, str]:
    return {"action": "decline"}


# Callbacks return a class of any revision, or a dict.
connect.in_memory(server, elicitation=fill_in, sampling=write).close()
connect.in_memory(
    server, elicitation=decline, elicitation_url=decline, roots=[v2025_11_25.Root(uri="file:///")]
).close()

with connect.in_memory(server) as client:
    assert use(client) == ["add"]
    if isinstance(client, v2025_06_18.Client):
        assert_type(client, v2025_06_18.Client)
        assert_type(client.call_tool("add", {"a": 1, "b": 2}).structured_content, dict[str, Any] | None)
        assert_type(client.server_info, v2025_06_18.Implementation | None)
        assert_type(client.server_capabilities, v2025_06_18.ServerCapabilities)
        client.ping()
    elif isinstance(client, v2026_07_28.Client):
        assert_type(client.list_tools_page().ttl_ms, int | None)
    elif isinstance(client, v2024_11_05.Client):
        assert_type(client.list_tools(), Iterator[v2024_11_05.Tool])

both = serve.wsgi_app(v2025_11_25.Server("demo", "1.0"), v2026_07_28.Server("demo", "1.0"))
