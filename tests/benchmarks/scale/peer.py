"""Raw clients: one connection with requests, and many streams that one thread reads."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from http.client import HTTPConnection
from selectors import EVENT_READ, DefaultSelector
from time import monotonic, perf_counter
from typing import Any, NamedTuple

from benchmarks.callers import REVISIONS

PATIENCE = 60.0
OLD, NEW = REVISIONS
_PLAIN = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
_INFO = {"name": "peer", "version": "1.0"}


class Request(NamedTuple):
    """The body and the headers of a POST."""

    body: bytes
    headers: Mapping[str, str]


class Peer:
    """A client on one connection."""

    def __init__(self, port: int, path: str = "/mcp") -> None:
        self._path = path
        self._connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self._connection.connect()

    def post(self, request: Request) -> tuple[bytes, str]:
        """Return the body of the response, and its session. Raise OSError for a status that is no success."""
        self._connection.request("POST", self._path, request.body, dict(request.headers))
        response = self._connection.getresponse()
        body = response.read()
        if response.status >= 300:
            message = f"status {response.status}: {body!r}"
            raise OSError(message)
        return body, response.headers.get("Mcp-Session-Id", "")

    def begin(self) -> str:
        """Begin a session of 2025-11-25 and return its id."""
        params = {"protocolVersion": OLD, "capabilities": {}, "clientInfo": _INFO}
        _, session = self.post(handshake_request("initialize", params))
        self.post(Request(_line({"method": "notifications/initialized"}), _session_headers(session)))
        return session

    def close(self) -> None:
        self._connection.close()


def handshake_request(method: str, params: Mapping[str, Any], session: str = "") -> Request:
    """Return a request of 2025-11-25."""
    return Request(_line({"id": 1, "method": method, "params": params}), _session_headers(session))


def stateless_request(method: str, params: Mapping[str, Any]) -> Request:
    """Return a request of 2026-07-28."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": NEW,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": _INFO,
    }
    named = {"Mcp-Name": params["name"]} if method == "tools/call" else {}
    headers = {**_PLAIN, "MCP-Protocol-Version": NEW, "Mcp-Method": method, **named}
    return Request(_line({"id": 1, "method": method, "params": {**params, "_meta": meta}}), headers)


def call(revision: str, session: str = "", tool: str = "echo", **arguments: Any) -> Request:
    """Return a call of a tool."""
    params = {"name": tool, "arguments": arguments}
    if revision == OLD:
        return handshake_request("tools/call", params, session)
    return stateless_request("tools/call", params)


def _line(message: Mapping[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}).encode()


def _session_headers(session: str) -> dict[str, str]:
    return {**_PLAIN, "Mcp-Session-Id": session, "MCP-Protocol-Version": OLD} if session else _PLAIN


class Listeners:
    """Clients that listen for changes, each on a connection of its own; this thread reads all of them."""

    def __init__(self, port: int, path: str = "/mcp") -> None:
        self._address = "127.0.0.1", port
        self._path = path
        self._selector = DefaultSelector()
        self._peer = Peer(port, path)
        self.streams: dict[socket.socket, bytearray] = {}
        """Unread bytes by connection."""

    def open(self, revision: str) -> None:
        """Open a stream: the standalone one of a new session, or that of a subscription."""
        if revision == OLD:
            headers = {**_session_headers(self._peer.begin()), "Accept": "text/event-stream"}
            head = self._head("GET", headers)
        else:
            request = stateless_request("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
            head = self._head("POST", {**request.headers, "Content-Length": str(len(request.body))}) + request.body
        stream = socket.create_connection(self._address, PATIENCE)
        stream.sendall(head)
        self.streams[stream] = bytearray()
        self._selector.register(stream, EVENT_READ)

    def _head(self, method: str, headers: Mapping[str, str]) -> bytes:
        fields = {"Host": f"127.0.0.1:{self._address[1]}", **headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        return f"{method} {self._path} HTTP/1.1\r\n{lines}\r\n".encode()

    def wait(self, text: bytes, seconds: float = PATIENCE) -> float:
        """Wait until all streams have received a text since the last wait; return the seconds. Raise TimeoutError."""
        begin = perf_counter()
        deadline = monotonic() + seconds
        missing = {stream for stream, data in self.streams.items() if text not in data}
        while missing:
            left = deadline - monotonic()
            if left <= 0:
                message = f"{len(missing)} of {len(self.streams)} streams have not received {text!r}"
                raise TimeoutError(message)
            for key, _ in self._selector.select(left):
                stream: Any = key.fileobj
                data = stream.recv(65536)
                if not data:
                    message = f"a stream has ended: {bytes(self.streams[stream])!r}"
                    raise ConnectionError(message)
                self.streams[stream] += data
                if text in self.streams[stream]:
                    missing.discard(stream)
        for data in self.streams.values():
            data.clear()
        return perf_counter() - begin

    def close(self) -> None:
        self._selector.close()
        self._peer.close()
        for stream in self.streams:
            stream.close()
