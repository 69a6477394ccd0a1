"""The official SDK: its ``Client`` over Streamable HTTP, in an event loop that runs for each segment."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import ExitStack
from importlib.metadata import version

import anyio
import mcp_types as types
from anyio.from_thread import start_blocking_portal
from mcp.client.client import Client

from benchmarks.callers import REVISIONS, Segment
from benchmarks.callers.listening import Listening, module_command
from benchmarks.speakers import TEXT, TOOL


class Official:
    """Mode "legacy", which is the handshake of 2025-11-25 and before, and the mode of 2026-07-28."""

    def __init__(self, server: str) -> None:
        old, new = REVISIONS
        with ExitStack() as stack:
            listening = Listening(module_command(server))
            stack.callback(listening.close)
            self._portal = stack.enter_context(start_blocking_portal())
            self._clients = {
                revision: stack.enter_context(self._portal.wrap_async_context_manager(Client(listening.url, mode=mode)))
                for revision, mode in ((old, "legacy"), (new, new))
            }
            self._open = stack.pop_all()

    def call(self, revision: str) -> str:
        async def call() -> str:
            (content,) = (await self._clients[revision].call_tool(TOOL, {"text": TEXT})).content
            assert isinstance(content, types.TextContent)
            return content.text

        return self._portal.call(call)

    def calls(self, revision: str, fold: int, seconds: float) -> Segment:
        call_tool = self._clients[revision].call_tool
        clock = time.perf_counter_ns
        taken: list[int] = []

        async def one_by_one() -> None:
            started = clock()
            end = started + int(seconds * 1e9)
            while started < end:
                await call_tool(TOOL, {"text": TEXT})
                now = clock()
                taken.append(now - started)
                started = now

        async def segment() -> int:
            started = clock()
            async with anyio.create_task_group() as group:
                for _ in range(fold):
                    group.start_soon(one_by_one)
            return clock() - started

        return Segment(self._portal.call(segment), taken)

    def versions(self) -> Mapping[str, str]:
        return {name: version(name) for name in ("mcp", "pydantic", "anyio", "uvicorn")}

    def close(self) -> None:
        self._open.close()


def make(server: str) -> Official:
    return Official(server)
