"""An HTTP client of the standard library alone: raw requests, responses and events of a stream."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPResponse
from typing import Any, NamedTuple

from mcp_bindings_runtime.http.server.http_server import make_server
from support.revisions import STATELESS, facts
from support.scripted_peers import PATIENCE, WHO

Json = Any

BOTH = "application/json, text/event-stream"
PLAIN = {"Content-Type": "application/json", "Accept": BOTH}
VERSION = "io.modelcontextprotocol/protocolVersion"
NEW = STATELESS[-1]


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Json:
        assert self.headers["content-type"] == "application/json", self
        assert self.headers["content-length"] == str(len(self.body))
        return json.loads(self.body)

    @property
    def response(self) -> Json:
        """The response of JSON-RPC: the body, or the last event if the server took long enough to begin a stream."""
        if self.headers["content-type"] == "application/json":
            return self.json
        *_, last = re.findall(rb"(?m)^data: ?(.+)$", self.body)
        return json.loads(last)

    @property
    def code(self) -> int:
        code: int = self.json["error"]["code"]
        return code

    @property
    def text(self) -> str:
        assert "result" in self.response, self
        text: str = self.response["result"]["content"][0]["text"]
        return text


class Event(NamedTuple):
    fields: Mapping[str, str]

    @property
    def json(self) -> Json:
        assert self.fields["event"] == "message"
        return json.loads(self.fields["data"])

    @property
    def id(self) -> str:
        return self.fields["id"]


class Stream:
    """A response that is a stream of events."""

    def __init__(self, connection: HTTPConnection, response: HTTPResponse) -> None:
        assert response.status == 200, response.read()
        assert response.getheader("Content-Type") == "text/event-stream"
        assert response.getheader("X-Accel-Buffering") == "no"
        self._connection = connection
        self._response = response
        self.comments = 0

    def block(self) -> list[str]:
        """Return the lines up to the next empty one; none at the end."""
        lines: list[str] = []
        while True:
            line = self._response.readline().decode()
            if not line:
                assert not lines, f"cut off after {lines}"
                return []
            if line == "\n":
                return lines
            lines.append(line.rstrip("\n"))

    def next(self) -> Event | None:
        """Return the next event; None at the end of the stream."""
        while True:
            lines = self.block()
            if not lines:
                return None
            if all(line.startswith(":") for line in lines):
                self.comments += 1
                continue
            return Event({name: value.removeprefix(" ") for name, _, value in (line.partition(":") for line in lines)})

    def message(self) -> Json:
        """Return the next message; skip events without one."""
        while True:
            event = self.next()
            assert event is not None, "the stream has ended"
            if event.fields.get("data"):
                return event.json

    def messages(self) -> list[Json]:
        """Return all messages up to the end."""
        found = []
        while (event := self.next()) is not None:
            if event.fields.get("data"):
                found.append(event.json)
        return found

    def close(self) -> None:
        """Disconnect."""
        self._response.close()
        self._connection.close()


class Wire:
    """A client of one endpoint, with the headers of all its requests."""

    def __init__(self, port: int, path: str = "/mcp", **headers: str) -> None:
        self.port = port
        self.path = path
        self.headers: dict[str, str] = {}
        self.add(headers)
        self._kept: HTTPConnection | None = None
        self._opened: list[Stream] = []

    def add(self, headers: Mapping[str, str]) -> None:
        self.headers |= {name.replace("_", "-"): value for name, value in headers.items()}

    def send(
        self, method: str, body: bytes | None = None, headers: Mapping[str, str] | None = None, path: str | None = None
    ) -> tuple[HTTPConnection, HTTPResponse]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request(method, self.path if path is None else path, body, {**self.headers, **(headers or {})})
        return connection, connection.getresponse()

    def ask(
        self, method: str, body: bytes | None = None, headers: Mapping[str, str] | None = None, path: str | None = None
    ) -> Answer:
        """Send a request and read the whole response."""
        connection, response = self.send(method, body, headers, path)
        with closing(connection):
            return answer_of(response)

    def post(self, message: Json, **headers: str) -> Answer:
        more = {name.replace("_", "-"): value for name, value in headers.items()}
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        return self.ask("POST", body, {**PLAIN, **more})

    def stream(self, message: Json = None, **headers: str) -> Stream:
        """Send a POST and return its stream; without a message, send a GET."""
        more = {name.replace("_", "-"): value for name, value in headers.items()}
        if message is None:
            opened = Stream(*self.send("GET", None, {"Accept": "text/event-stream", **more}))
        else:
            opened = Stream(*self.send("POST", json.dumps(message).encode(), {**PLAIN, **more}))
        self._opened.append(opened)
        return opened

    def initialize(self, revision: str, capabilities: Json = None) -> Answer:
        """Perform the handshake; later requests carry the session and, if there is one, the version."""
        params = {"protocolVersion": revision, "capabilities": capabilities or {}, "clientInfo": WHO}
        answer = self.post(request("initialize", 0, params))
        assert answer.status == 200, answer
        session = answer.headers["mcp-session-id"]
        self.headers["Mcp-Session-Id"] = session
        agreed: str = answer.response["result"]["protocolVersion"]
        if facts(agreed).version_header:
            self.headers["MCP-Protocol-Version"] = agreed
        assert self.post(notification("notifications/initialized")).status == 202
        return answer

    def close(self) -> None:
        for stream in self._opened:
            stream.close()


def answer_of(response: HTTPResponse) -> Answer:
    return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())


def request(method: str, number: Json, params: Json = None) -> Json:
    return {"jsonrpc": "2.0", "id": number, "method": method} | ({} if params is None else {"params": params})


def notification(method: str, params: Json = None) -> Json:
    return {"jsonrpc": "2.0", "method": method} | ({} if params is None else {"params": params})


def call(number: Json = 1, meta: Json = None, **arguments: Json) -> Json:
    """Return a call of the tool of ``echoing``."""
    params: Json = {"name": "echo", "arguments": arguments} | ({} if meta is None else {"_meta": meta})
    return request("tools/call", number, params)


def modern(message: Json, capabilities: Json = None, revision: str = NEW, **meta: Json) -> tuple[Json, dict[str, str]]:
    """Return a request of a stateless revision and its headers, as a conforming client sends them."""
    named = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}.get(message["method"])
    params = message.get("params", {})
    entries = {VERSION: revision, "io.modelcontextprotocol/clientCapabilities": capabilities or {}, **meta}
    whole = {**message, "params": {**params, "_meta": {**entries, **params.get("_meta", {})}}}
    headers = {"MCP-Protocol-Version": revision, "Mcp-Method": message["method"]}
    if named is not None:
        headers["Mcp-Name"] = params[named]
    return whole, headers


@contextmanager
def endpoint(*servers: Any, **options: Any) -> Iterator[Wire]:
    """Serve an endpoint with cheroot during the block, and yield a client of it."""
    served = make_server(servers, **{"grace": 5.0, **options})
    wire = Wire(served.port)
    with served:
        try:
            yield wire
        finally:
            wire.close()
