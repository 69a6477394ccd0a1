"""A server of 2026-07-28 whose tool tells of a change of the tools: ``telling.py [GRACE]``."""

import sys

from mcp_bindings import v2026_07_28 as mcp

server = mcp.Server("telling", "1.0", grace=float(sys.argv[1]) if len(sys.argv) > 1 else 2.0)


@server.handler(mcp.methods.LIST_TOOLS)
def tools(params, context):
    return mcp.ListToolsResult(tools=[], ttl_ms=0, cache_scope="private")


@server.handler(mcp.methods.CALL_TOOL)
def change(params, context):
    server.notify(mcp.methods.TOOL_LIST_CHANGED)
    return mcp.CallToolResult(content=[])


server.run_stdio()
