"""HTTP server whose responses a test scripts byte by byte, with delays and interruptions."""

from __future__ import annotations

import json
import socket
import ssl
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from threading import Event, Lock, Thread
from typing import Any, NamedTuple, Self

from support.revisions import STATELESS
from support.scripted_peers import PATIENCE

Json = Any


class Request(NamedTuple):
    """A request of a client."""

    method: str
    path: str
    headers: dict[str, str]
    """Headers by name in lower case."""
    body: bytes

    @property
    def json(self) -> Json:
        return json.loads(self.body) if self.body else {}


class Cut(Exception):
    """Raised to close the connection, optionally with a reset."""

    def __init__(self, *, reset: bool = False) -> None:
        super().__init__()
        self.reset = reset


def answer(value: Json = None, status: int = 200, kind: str = "application/json", **headers: str) -> bytes:
    """Return a whole response; ``value`` may be bytes."""
    body = b"" if value is None else value if isinstance(value, bytes) else json.dumps(value).encode()
    lines = [f"HTTP/1.1 {status} Status"]
    if value is not None:
        lines.append(f"Content-Type: {kind}")
    lines += [f"Content-Length: {len(body)}", *(f"{name.replace('_', '-')}: {text}" for name, text in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body


def head(**headers: str) -> bytes:
    """Return the head of a streamed response."""
    lines = ["HTTP/1.1 200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked"]
    lines += [f"{name.replace('_', '-')}: {text}" for name, text in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


END = b"0\r\n\r\n"


def event(value: Json = None, event_id: str | None = None, *, retry: int | None = None, kind: str = "") -> bytes:
    """Return an event as one chunk."""
    lines = [] if event_id is None else [f"id: {event_id}"]
    if retry is not None:
        lines.append(f"retry: {retry}")
    if kind:
        lines.append(f"event: {kind}")
    lines.append(f"data: {'' if value is None else value if isinstance(value, str) else json.dumps(value)}")
    return chunk("\n".join([*lines, "", ""]).encode())


def stream(*events: bytes, **headers: str) -> bytes:
    """Return a whole response of these events."""
    return head(**headers) + b"".join(events) + END


def result(request: Request | Json, value: Json) -> Json:
    asked = request.json if isinstance(request, Request) else request
    return {"jsonrpc": "2.0", "id": asked["id"], "result": value}


Play = Callable[[Request], "bytes | Iterator[bytes]"]


class HttpPeer:
    """Answers each request with the result of ``play``: the bytes of the response, whole or in parts.

    The connection stays open for the next request, unless ``play`` raises Cut. ``requests`` holds everything received.
    """

    def __init__(self, play: Play, tls: ssl.SSLContext | None = None) -> None:
        self._tls = tls
        self.requests: list[Request] = []
        self.connections = 0
        self.failed: list[BaseException] = []
        self.over = Event()
        """Set when the test ends; plays that wait check it."""
        self._play = play
        self._lock = Lock()
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self._listener.getsockname()[1]
        self.origin = f"http{'s' if tls else ''}://127.0.0.1:{self.port}"
        self.url = f"{self.origin}/mcp"
        Thread(target=self._accept, name="test-http", daemon=True).start()

    def methods(self) -> list[str]:
        """Methods of all POST requests, in order."""
        return [each.json.get("method", "(answer)") for each in self.requests if each.method == "POST"]

    def connected(self) -> int:
        """Number of open connections."""
        with self._lock:
            return len(self._open)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            for each in self._open:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
        if self.failed:
            raise self.failed[0]

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                with self._lock:
                    self.connections += 1
                    self._open.add(connection)
                Thread(target=self._serve, args=(connection,), name="test-http", daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        reset = False
        try:
            connection.settimeout(PATIENCE * 3)
            if self._tls is not None:
                connection = self._tls.wrap_socket(connection, server_side=True)
                with self._lock:
                    self._open.add(connection)
            with connection.makefile("rb") as incoming:
                while (request := _read(incoming)) is not None:
                    with self._lock:
                        self.requests.append(request)
                    said = self._play(request)
                    for part in [said] if isinstance(said, bytes) else said:
                        connection.sendall(part)
        except Cut as cut:
            reset = cut.reset
        except OSError:
            pass
        except BaseException as fault:  # noqa: BLE001  # told in the test's thread
            self.failed.append(fault)
        finally:
            if reset:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            with self._lock:
                self._open.discard(connection)
            connection.close()


def _read(incoming: Any) -> Request | None:
    line = incoming.readline().decode("latin-1")
    if not line:
        return None
    method, path, _ = line.split(" ", 2)
    headers: dict[str, str] = {}
    while (line := incoming.readline().decode("latin-1").rstrip("\r\n")) != "":
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    return Request(method, path, headers, incoming.read(int(headers.get("content-length", 0))))


class McpPeer(HttpPeer):
    """An MCP server that implements the handshake or discovery; ``play`` implements the rest.

    If ``play`` returns None, notifications are accepted and streams refused.
    """

    def __init__(
        self,
        revision: str,
        play: Any = None,
        session: str | None = "s-1",
        tls: ssl.SSLContext | None = None,
        *,
        capabilities: Mapping[str, Any] | None = None,
    ) -> None:
        self.revision = revision
        self.session = session
        self.capabilities = {"tools": {}} if capabilities is None else capabilities
        self._rest = play or (lambda request: None)
        super().__init__(self._answer, tls)

    def _answer(self, request: Request) -> bytes | Iterator[bytes]:
        said = self._rest(request)
        if said is not None:
            return said
        if request.method == "DELETE":
            return answer(status=204)
        if request.method != "POST":
            return answer(status=405)
        asked = request.json
        if "id" not in asked or "method" not in asked:
            return answer(status=202)
        capabilities = self.capabilities
        if asked["method"] == "initialize":
            value = {
                "protocolVersion": self.revision,
                "capabilities": capabilities,
                "serverInfo": {"name": "x", "version": "1"},
            }
            return answer(result(asked, value), **({"Mcp_Session_Id": self.session} if self.session else {}))
        if asked["method"] == "server/discover":
            value = {
                "supportedVersions": [self.revision],
                "capabilities": capabilities,
                "ttlMs": 0,
                "cacheScope": "private",
            }
            return answer(result(asked, {"resultType": "complete", **value}))
        if asked["method"] == "tools/list":
            value = {
                "tools": [],
                **(
                    {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
                    if self.revision in STATELESS
                    else {}
                ),
            }
            return answer(result(asked, value))
        if asked["method"] == "tools/call":
            return answer(result(asked, called("ok")))
        return answer(result(asked, {}))


def called(text: str) -> Json:
    """Return a tool result with a text."""
    return {"resultType": "complete", "content": [{"type": "text", "text": text}]}
