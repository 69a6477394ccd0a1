"""Calls the tools of a server by the adapters, with the libraries of other projects, and prints what they answered."""

from __future__ import annotations

import json

from mcp_bindings import adapters
from mcp_bindings import v2025_11_25 as mcp

server = mcp.Server("adapted", "1.0")


@server.tool
def add(a: int, b: int = 2) -> str:
    """Add two numbers."""
    return str(a + b)


@server.tool(name="files.read")
def read(path: str) -> str:
    """Fail."""
    text = f"no file {path}"
    raise mcp.ToolError(text)


def failure(run) -> str:
    try:
        return str(run())
    except Exception as error:  # noqa: BLE001  # whatever the library makes of it
        return str(error)


with mcp.Client.in_memory(server) as client:
    langchain = adapters.to_langchain_tools(client)
    smolagents = adapters.to_smolagents_tools(client)
    dspy = adapters.to_dspy_tools(client)
    found = {
        "langchain": [
            langchain[0].invoke({"a": 1, "b": 5}),
            langchain[0].invoke({"a": 1}),
            langchain[1].invoke({"path": "x"}),
            sorted(langchain[0].args),
        ],
        "smolagents": [
            smolagents[0](a=1, b=5),
            smolagents[0](1),
            failure(lambda: smolagents[1](path="x")),
            sorted(smolagents[0].inputs),
        ],
        "dspy": [
            dspy[0](a=1, b=5),
            dspy[0](a=1),
            failure(lambda: dspy[1](path="x")),
            sorted(dspy[0].args),
        ],
    }
print(json.dumps(found))
