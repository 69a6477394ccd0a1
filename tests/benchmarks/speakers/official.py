"""The official SDK: its ``Client`` over ``stdio_client``, in an event loop that runs for each segment.

The loop has a thread of its own, which only passes on the results of a whole segment; each call is awaited within the
loop.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from importlib.metadata import version

import mcp_types as types
from anyio.from_thread import start_blocking_portal
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from benchmarks.speakers import SERVER_ENVIRONMENT, TEXT, TOOL, server_command


class Official:
    """Mode "legacy", which is the handshake of 2025-11-25 and before."""

    def __init__(self) -> None:
        command, *arguments = server_command("peer", sys.executable)
        parameters = StdioServerParameters(command=command, args=arguments, env=SERVER_ENVIRONMENT)
        with ExitStack() as stack:
            self._portal = stack.enter_context(start_blocking_portal())
            client = Client(stdio_client(parameters), mode="legacy")
            self._client = stack.enter_context(self._portal.wrap_async_context_manager(client))
            self._open = stack.pop_all()

    def call(self) -> str:
        async def call() -> str:
            (content,) = (await self._client.call_tool(TOOL, {"text": TEXT})).content
            assert isinstance(content, types.TextContent)
            return content.text

        return self._portal.call(call)

    def calls(self, seconds: float) -> list[int]:
        async def segment() -> list[int]:
            clock = time.perf_counter_ns
            call_tool = self._client.call_tool
            taken: list[int] = []
            started = clock()
            end = started + int(seconds * 1e9)
            while started < end:
                await call_tool(TOOL, {"text": TEXT})
                now = clock()
                taken.append(now - started)
                started = now
            return taken

        return self._portal.call(segment)

    def versions(self) -> Mapping[str, str]:
        return {name: version(name) for name in ("mcp", "pydantic", "anyio")}

    def close(self) -> None:
        self._open.close()


def make() -> Official:
    return Official()
