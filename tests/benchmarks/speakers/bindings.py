"""These bindings: the blocking client and server of the revision."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.metadata import version
from importlib.util import find_spec

from mcp_bindings import v2025_11_25 as mcp

from benchmarks.speakers import SERVER_ENVIRONMENT, TEXT, TOOL, server_command, timed


class Bindings:
    """``Client.stdio`` and ``Server.run_stdio``."""

    def __init__(self) -> None:
        self._client = mcp.Client.stdio(server_command("fast", sys.executable), env=SERVER_ENVIRONMENT)
        self._client.connect()

    def call(self) -> str:
        (content,) = self._client.call_tool(TOOL, {"text": TEXT}).content
        assert isinstance(content, mcp.TextContent)
        return content.text

    def calls(self, seconds: float) -> list[int]:
        call_tool = self._client.call_tool
        return timed(lambda: call_tool(TOOL, {"text": TEXT}), seconds)

    def versions(self) -> Mapping[str, str]:
        return {"orjson": version("orjson")} if find_spec("orjson") else {}

    def close(self) -> None:
        self._client.close()


def make() -> Bindings:
    return Bindings()
