"""Server with these bindings: both eras on one endpoint."""

from __future__ import annotations

import sys

from mcp_bindings import serve, v2025_11_25, v2026_07_28

# Called as often as can be, which is more often than servers let it be done unless told.
old = v2025_11_25.Server("echo", "1.0", limits=False)
new = v2026_07_28.Server("echo", "1.0", limits=False)


@old.handler(v2025_11_25.methods.CALL_TOOL)
def call_old(params: v2025_11_25.CallToolRequestParams, context: v2025_11_25.Context) -> v2025_11_25.CallToolResult:
    arguments = params.arguments or {}
    return v2025_11_25.CallToolResult(content=[v2025_11_25.TextContent(text=str(arguments["text"]))])


@new.handler(v2026_07_28.methods.CALL_TOOL)
def call_new(params: v2026_07_28.CallToolRequestParams, context: v2026_07_28.Context) -> v2026_07_28.CallToolResult:
    arguments = params.arguments or {}
    return v2026_07_28.CallToolResult(content=[v2026_07_28.TextContent(text=str(arguments["text"]))])


@old.handler(v2025_11_25.methods.LIST_TOOLS)
def list_old(
    params: v2025_11_25.PaginatedRequestParams | None, context: v2025_11_25.Context
) -> v2025_11_25.ListToolsResult:
    return v2025_11_25.ListToolsResult(
        tools=[v2025_11_25.Tool(name="echo", input_schema=v2025_11_25.ToolInputSchema())]
    )


@new.handler(v2026_07_28.methods.LIST_TOOLS)
def list_new(params: v2026_07_28.PaginatedRequestParams, context: v2026_07_28.Context) -> v2026_07_28.ListToolsResult:
    tool = v2026_07_28.Tool(name="echo", input_schema=v2026_07_28.ToolInputSchema())
    return v2026_07_28.ListToolsResult(tools=[tool], cache_scope="public", ttl_ms=60_000)


if __name__ == "__main__":
    serve.http(old, new, port=int(sys.argv[1]))
