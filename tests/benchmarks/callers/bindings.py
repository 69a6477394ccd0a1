"""These bindings: the blocking client of each revision, over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from importlib.util import find_spec

from mcp_bindings import v2025_11_25, v2026_07_28

from benchmarks.callers import REVISIONS, Segment, threaded
from benchmarks.callers.listening import Listening, module_command
from benchmarks.speakers import TEXT, TOOL


class Bindings:
    """``Client.http`` and ``serve.http``; all threads share one client."""

    def __init__(self, server: str) -> None:
        self._server = Listening(module_command(server))
        bindings = (v2025_11_25, v2026_07_28)
        self._clients = {
            revision: mcp.Client.http(self._server.url) for revision, mcp in zip(REVISIONS, bindings, strict=True)
        }
        for client in self._clients.values():
            client.connect()

    def call(self, revision: str) -> str:
        (content,) = self._clients[revision].call_tool(TOOL, {"text": TEXT}).content
        assert isinstance(content, v2025_11_25.TextContent | v2026_07_28.TextContent)
        return content.text

    def calls(self, revision: str, fold: int, seconds: float) -> Segment:
        call_tool = self._clients[revision].call_tool
        return threaded(lambda: call_tool(TOOL, {"text": TEXT}), fold, seconds)

    def versions(self) -> Mapping[str, str]:
        names = ("urllib3", "cheroot", *(("orjson",) if find_spec("orjson") else ()))
        return {name: version(name) for name in names}

    def close(self) -> None:
        for client in self._clients.values():
            client.close()
        self._server.close()


def make(server: str) -> Bindings:
    return Bindings(server)
