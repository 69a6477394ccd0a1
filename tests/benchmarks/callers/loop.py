"""Loop that sends the same bytes by ``http.client``, to compare servers with each other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http.client import HTTPConnection
from threading import local
from typing import Any

from benchmarks.callers import REVISIONS, Segment, threaded
from benchmarks.callers.listening import Listening, module_command
from benchmarks.speakers import TEXT, TOOL

_HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
_ME = {"name": "loop", "version": "1.0"}


class Loop:
    """A connection for each thread, and one session for all of them if the server has ``sessions``."""

    def __init__(self, server: Listening, *, sessions: bool) -> None:
        self._server = server
        self._own = local()
        old, new = REVISIONS
        params: dict[str, Any] = {"name": TOOL, "arguments": {"text": TEXT}}
        meta = {
            "io.modelcontextprotocol/protocolVersion": new,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": _ME,
        }
        headers = {**_HEADERS, "MCP-Protocol-Version": new, "Mcp-Method": "tools/call", "Mcp-Name": TOOL}
        self._requests = {
            old: (_call(params), self._begin(old) if sessions else _HEADERS),
            new: (_call({**params, "_meta": meta}), headers),
        }

    def _begin(self, revision: str) -> Mapping[str, str]:
        """Start a session; return its headers."""
        connection = HTTPConnection("127.0.0.1", self._server.port)
        hello = {"protocolVersion": revision, "capabilities": {}, "clientInfo": _ME}
        request = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}
        connection.request("POST", "/mcp", json.dumps(request).encode(), _HEADERS)
        answer = connection.getresponse()
        answer.read()
        session = answer.headers["Mcp-Session-Id"]
        headers = {**_HEADERS, "Mcp-Session-Id": session, "MCP-Protocol-Version": revision}
        told = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode()
        connection.request("POST", "/mcp", told, headers)
        connection.getresponse().read()
        connection.close()
        return headers

    def _exchange(self, revision: str) -> bytes:
        connection: HTTPConnection | None = getattr(self._own, "connection", None)
        if connection is None:
            connection = self._own.connection = HTTPConnection("127.0.0.1", self._server.port)
        body, headers = self._requests[revision]
        connection.request("POST", "/mcp", body, headers)
        answer = connection.getresponse()
        found = answer.read()
        if answer.status != 200:
            message = f"status {answer.status}: {found!r}"
            raise ValueError(message)
        return found

    def call(self, revision: str) -> str:
        found = self._exchange(revision)
        # Some servers answer with a stream of one event.
        data = found if found.startswith(b"{") else found.partition(b"data:")[2].splitlines()[0]
        text: str = json.loads(data)["result"]["content"][0]["text"]
        return text

    def calls(self, revision: str, fold: int, seconds: float) -> Segment:
        return threaded(lambda: self._exchange(revision), fold, seconds)

    def versions(self) -> Mapping[str, str]:
        return {}

    def close(self) -> None:
        connection: HTTPConnection | None = getattr(self._own, "connection", None)
        if connection is not None:
            connection.close()
        self._server.close()


def _call(params: Mapping[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


def make(server: str) -> Loop:
    return Loop(Listening(module_command(server)), sessions=server == "bindings_server")
