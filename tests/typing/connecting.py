"""Clients of whatever revision is agreed on: what all revisions share is typed, and the rest after a look at which it is."""

from collections.abc import Iterator
from typing import Any, assert_type

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
        print(block.text)
    assert_type(result.text, str)
    assert_type(result.is_error, bool | None)
    assert_type(client.call_tool("add", {"a": 1, "b": 2}, returns=int), int)
    for tool in client.list_tools():
        assert_type(tool.description, str | None)
    for resource in client.list_resources():
        assert_type((resource.uri, resource.mime_type), tuple[str, str | None])
    assert_type(client.read_resource("file:///a").contents, list[Any])
    assert_type(client.get_prompt("p").messages, list[Any])
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
        client.ping()
    elif isinstance(client, v2026_07_28.Client):
        assert_type(client.list_tools_page().ttl_ms, int | None)
    elif isinstance(client, v2024_11_05.Client):
        assert_type(client.list_tools(), Iterator[v2024_11_05.Tool])

both = serve.wsgi_app(v2025_11_25.Server("demo", "1.0"), v2026_07_28.Server("demo", "1.0"))
