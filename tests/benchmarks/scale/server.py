"""Program of a server for both eras: ``python -m benchmarks.scale.server PORT OPTIONS``, with options in JSON.

``sessions`` is the limit of its store, ``tools`` the number of further tools; all others are options of ``serve.http``.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from mcp_bindings import MemoryStore, serve, v2025_11_25, v2026_07_28

_AMPLE = {"idle": 600, "memory": 1 << 30, "memory_per_source": 1 << 30}
"""Options unless others are set: all clients have one address, and wait while others are measured."""


def servers(tools: int = 0, **options: Any) -> tuple[v2025_11_25.Server, v2026_07_28.Server]:
    """Return a server of each era with the tools ``echo``, ``announce`` and so many more."""
    old = v2025_11_25.Server("scale", "1.0", limits=False, **options)
    new = v2026_07_28.Server("scale", "1.0", limits=False, **options)
    for server in (old, new):

        @server.tool
        def echo(text: str) -> str:
            return text

        @server.tool
        def announce() -> str:
            """Notify all clients of a change."""
            old.notify(v2025_11_25.methods.TOOL_LIST_CHANGED)
            new.notify(v2026_07_28.methods.TOOL_LIST_CHANGED)
            return "announced"

        for number in range(tools):
            server.tool(name=f"tool{number}")(echo)
    return old, new


def main(port: int, options: dict[str, Any]) -> None:
    """Serve until the process is killed."""
    sessions, tools = options.pop("sessions", 20_000), options.pop("tools", 0)
    store = MemoryStore(sessions=sessions, sessions_per_source=sessions)
    serve.http(*servers(tools), port=port, store=store, **{**_AMPLE, **options})


if __name__ == "__main__":
    main(int(sys.argv[1]), json.loads(sys.argv[2]))
