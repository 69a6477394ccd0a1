"""Server with these bindings."""

from __future__ import annotations

from mcp_bindings import v2025_11_25 as mcp

# Called as often as can be, which is more often than servers let it be done unless told.
server = mcp.Server("echo", "1.0", limits=False)


@server.handler(mcp.methods.LIST_TOOLS)
def list_tools(params: mcp.PaginatedRequestParams | None, context: mcp.Context) -> mcp.ListToolsResult:
    return mcp.ListToolsResult(tools=[mcp.Tool(name="echo", input_schema=mcp.ToolInputSchema())])


@server.handler(mcp.methods.CALL_TOOL)
def call_tool(params: mcp.CallToolRequestParams, context: mcp.Context) -> mcp.CallToolResult:
    arguments = params.arguments or {}
    return mcp.CallToolResult(content=[mcp.TextContent(text=str(arguments["text"]))])


if __name__ == "__main__":
    server.run_stdio()
