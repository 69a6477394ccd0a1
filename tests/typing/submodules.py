"""Modules of the package as attributes: one import is enough."""

from typing import assert_type

import mcp_bindings
from mcp_bindings import v2025_06_18
from mcp_bindings_runtime.client.any_client import AnyClient

server = v2025_06_18.Server("demo", "1.0")


@server.tool
def add(a: int, b: int) -> int:
    return a + b


with mcp_bindings.connect.in_memory(server) as client:
    assert_type(client, AnyClient)
    assert client.call_tool("add", {"a": 1, "b": 2}).text == "3"
    tools = mcp_bindings.adapters.to_openai_tools(client)
    assert [tool["function"]["name"] for tool in tools] == ["add"]

assert callable(mcp_bindings.serve.wsgi_app(server))
