"""Server with the official SDK: its low-level server by uvicorn, in its default mode."""

from __future__ import annotations

import sys
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server


async def list_tools(
    context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[types.Tool(name="echo", input_schema={"type": "object"})])


async def call_tool(context: ServerRequestContext[Any], params: types.CallToolRequestParams) -> types.CallToolResult:
    arguments = params.arguments or {}
    return types.CallToolResult(content=[types.TextContent(text=str(arguments["text"]))])


if __name__ == "__main__":
    server = Server("echo", version="1.0", on_list_tools=list_tools, on_call_tool=call_tool)
    # The log of requests is left out, as ours has none.
    uvicorn.run(server.streamable_http_app(), port=int(sys.argv[1]), log_level="warning", access_log=False)
