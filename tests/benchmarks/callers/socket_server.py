"""Server of plain sockets: a thread for each connection reads the head and the body of a request, and answers in JSON."""

from __future__ import annotations

import json
import socket
import sys
from threading import Thread
from typing import Any

VERSION = "io.modelcontextprotocol/protocolVersion"
INFO = {"name": "echo", "version": "1.0"}


def answer(message: dict[str, Any]) -> bytes:
    """Return the response to a message."""
    if "id" not in message:
        return b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"
    result = result_of(message["method"], message["params"])
    body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def result_of(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a request of either era."""
    stateless = VERSION in params.get("_meta", {})
    complete = {"resultType": "complete"} if stateless else {}
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": INFO}
    if method == "server/discover":
        versions = [params["_meta"][VERSION]]
        kept = {"ttlMs": 60_000, "cacheScope": "public"}
        return {**complete, **kept, "supportedVersions": versions, "capabilities": {"tools": {}}, "serverInfo": INFO}
    if method == "tools/list":
        kept = {"ttlMs": 60_000, "cacheScope": "public"} if stateless else {}
        return {**complete, **kept, "tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}
    return {**complete, "content": [{"type": "text", "text": params["arguments"]["text"]}]}


def serve(connection: socket.socket) -> None:
    """Answer the requests of a connection until it ends."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    received = b""
    while True:
        while b"\r\n\r\n" not in received:
            data = connection.recv(65536)
            if not data:
                return
            received += data
        head, _, body = received.partition(b"\r\n\r\n")
        if head.startswith(b"GET"):
            connection.sendall(b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n")
            received = body
            continue
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        length = int(fields[b"content-length"])
        while len(body) < length:
            body += connection.recv(65536)
        received = body[length:]
        connection.sendall(answer(json.loads(body[:length])))


if __name__ == "__main__":
    listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    while True:
        Thread(target=serve, args=listener.accept()[:1], daemon=True).start()
