"""One server that offers the tools of several others: ``python gateway.py .mcp.json``.

The file has ``mcpServers``, as hosts use it. Tools are named ``SERVER_TOOL``; schemas, results and progress pass through.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from mcp_bindings import v2026_07_28 as mcp


def forwarding(client: mcp.Client, tool: mcp.Tool) -> Callable[..., mcp.CallToolResult]:
    """Return a function that calls the tool on the server that has it."""

    def forward(context: mcp.Context, /, **arguments: Any) -> mcp.CallToolResult:
        def progress(step: mcp.ProgressNotificationParams) -> None:
            context.progress(step.progress, total=step.total, message=step.message)

        return client.call_tool(tool.name, arguments, on_progress=progress, timeout=60)

    return forward


def gateway(clients: Mapping[str, mcp.Client]) -> mcp.Server:
    """Return a server with the tools of all clients' servers."""
    server = mcp.Server("gateway", "1.0")
    for name, client in clients.items():
        for tool in client.list_tools():
            members = mcp.converter.unstructure(tool)
            server.tool(
                name=f"{name}_{tool.name}",
                description=tool.description,
                annotations=tool.annotations,
                input_schema=members["inputSchema"],
                output_schema=members.get("outputSchema"),
                # The server behind checks the arguments.
                check=False,
            )(forwarding(client, tool))
    return server


def main(config: Path) -> None:
    """Start the servers of a configuration file, and serve their tools."""
    with ExitStack() as stack:
        clients: dict[str, mcp.Client] = {}
        for name, entry in json.loads(config.read_text(encoding="utf-8"))["mcpServers"].items():
            command = [entry["command"], *entry.get("args", ())]
            # Besides these variables, a server gets only the few that every program needs.
            client = mcp.Client.stdio(command, env=entry.get("env"), timeout=30)
            clients[name] = stack.enter_context(client)
        gateway(clients).run_stdio()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else ".mcp.json"))
