"""A conversation with an echo server that uses all that it does."""

from __future__ import annotations

from typing import Any

from mcp_bindings_runtime.errors import ResponseError


def converse(client: Any) -> list[Any]:
    """Use a client for everything that the echo server does; return what it has received."""
    seen: list[Any] = []

    def progress(params: Any) -> None:
        seen.append(("progress", params.progress))

    with client:
        seen.append((client.server_info, client.server_capabilities, client.instructions))
        for arguments in ({"n": 1, "progress": 3}, {"n": "日本"}, {"ask": 0}, {"refuse": -1}, {"raise": "Exception"}):
            try:
                seen.append(client.call_tool("echo", arguments, on_progress=progress))
            except ResponseError as error:
                seen.append((error.code, error.message, error.data))
    return seen
