"""A server of 2026-07-28 that executes tool calls as tasks: its tools are plain functions."""

from __future__ import annotations

from typing import Any

from conformance.task_tools import TOOLS, tasks
from mcp_bindings import v2026_07_28 as mcp
from mcp_bindings_runtime.tasks.store import MemoryTasks


def serving(tools: Any = TOOLS, store: MemoryTasks | None = None, **options: Any) -> Any:
    """Return a server of these functions, called by their names with the arguments of the call."""
    server = mcp.Server("worker", "1.0", tasks=tasks() if store is None else store, **options)

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        function = tools[params.name]
        wants = "context" in function.__code__.co_varnames[: function.__code__.co_argcount]
        given = function(**(params.arguments or {}), **({"context": context} if wants else {}))
        return mcp.CallToolResult(content=[mcp.TextContent(text=given)]) if isinstance(given, str) else given

    return server
