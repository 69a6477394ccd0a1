"""Echo server over stdio of the revision in the first argument, for clients of those in the others, by default of all."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any


def make(revision: str, *revisions: str) -> Any:
    """Return the server."""
    mcp: Any = import_module(f"mcp_bindings.v{revision.replace('-', '_')}")
    server = mcp.Server("echo", "1.0", limits=False, revisions=list(revisions) or None)

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        return mcp.CallToolResult(content=[mcp.TextContent(text=str(params.arguments["text"]))])

    @server.handler(mcp.methods.LIST_TOOLS)
    def list_tools(params: Any, context: Any) -> Any:
        hints = {"ttl_ms": 60_000, "cache_scope": "public"} if mcp.Server.binding.era == "stateless" else {}
        return mcp.ListToolsResult(tools=[mcp.Tool(name="echo", input_schema=mcp.ToolInputSchema())], **hints)

    return server


if __name__ == "__main__":
    make(*sys.argv[1:]).run_stdio()
