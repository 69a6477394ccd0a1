"""``python -m http_soak.hostile_peers PORT PATH SEED``: peers that flood, forge, send and read slowly, and hang up.

They come from other addresses of the loopback than honest ones, as limits hold for an address. Once a second the program
writes the numbers of what it did.
"""

from __future__ import annotations

import json
import os
import socket
import struct
import sys
import time
from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from random import Random
from threading import Thread
from typing import Any

from support.raw_http_client import NEW, PLAIN, modern, notification, request
from support.revisions import HANDSHAKE
from support.scripted_peers import WHO

LATEST = HANDSHAKE[-1]
IDLE = 250
"""Connections that are held without a request: more than there are descriptors."""
HALF = 8
"""Requests that are sent byte by byte, in each of two ways."""
SLOW = 4
"""Readers of a huge response, a kilobyte a second."""


class Hostile:
    """A connection factory with an address of its own, and its counts."""

    def __init__(self, port: int, path: str, name: str, number: int, seed: int, counts: Counter[str]) -> None:
        self.port = port
        self.path = path
        self.name = name
        self.random = Random(f"{seed} {name}")
        self.session = ""
        self._source = f"127.0.0.{10 + number}"
        self._counts = counts
        self._keys = 0

    def key(self) -> str:
        self._keys += 1
        return f"hostile-{self.name}-{os.getpid()}-{self._keys}"

    def count(self, number: int = 1) -> None:
        self._counts[self.name] += number

    def open(self) -> socket.socket:
        found = socket.socket()
        found.settimeout(10.0)
        try:
            found.bind((self._source, 0))
            found.connect(("127.0.0.1", self.port))
        except OSError:
            found.close()
            raise
        return found

    def message(self, body: bytes, method: str = "POST", **headers: str) -> bytes:
        names = {"Host": "127.0.0.1", **PLAIN, "Content-Length": str(len(body))}
        names |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [f"{method} {self.path} HTTP/1.1", *(f"{name}: {value}" for name, value in names.items()), "", ""]
        return "\r\n".join(lines).encode("latin-1") + body

    def exchange(self, sent: bytes) -> bytes:
        """Send a request and return the beginning of the response."""
        with self.open() as connection:
            connection.sendall(sent)
            return connection.recv(65536)

    def begin_session(self) -> dict[str, str]:
        """Return the headers of a new session."""
        params = {"protocolVersion": LATEST, "capabilities": {}, "clientInfo": WHO}
        head = self.exchange(self.message(json.dumps(request("initialize", 0, params)).encode())).partition(
            b"\r\n\r\n"
        )[0]
        fields = dict(line.split(b": ", 1) for line in head.split(b"\r\n")[1:])
        found = {name.decode().lower(): value.decode() for name, value in fields.items()}
        headers = {"Mcp_Session_Id": found["mcp-session-id"], "MCP_Protocol_Version": LATEST}
        self.exchange(self.message(json.dumps(notification("notifications/initialized")).encode(), **headers))
        return headers

    def call(self, tool: str, meta: Any = None, **arguments: Any) -> bytes:
        """Return a call of either era."""
        params: Any = {"name": tool, "arguments": {"key": self.key(), **arguments}} | ({"_meta": meta} if meta else {})
        message = request("tools/call", self.random.randrange(1000), params)
        if self.random.random() < 0.5:
            message, headers = modern(message)
        else:
            headers = self.begin_session()
        return self.message(json.dumps(message).encode(), **headers)


def reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def flood(peer: Hostile) -> None:
    """Begin sessions, some with much to say of the client."""
    large = peer.random.random() < 0.03
    info = {**WHO, "title": "x" * (3_900_000 if large else peer.random.choice((10, 30_000)))}
    params = {"protocolVersion": LATEST, "capabilities": {}, "clientInfo": info}
    peer.exchange(peer.message(json.dumps(request("initialize", 0, params)).encode()))
    time.sleep(0.05)


MALFORMED = (
    b"",
    b"\x00" * 200,
    b"GET\r\n\r\n",
    b"POST / HTTP/9.9\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"".join(b"X-%d: y\r\n" % number for number in range(5000)) + b"\r\n",
    b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
)
BODIES = (
    b"",
    b"{",
    b"[" * 100_000,
    b'{"a":' * 50_000,
    b"[]",
    b"null",
    b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"ping"}',
    b'{"jsonrpc":"2.0","id":{},"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"key":"\\ud800"}}}',
    json.dumps([request("ping", number) for number in range(20_000)]).encode(),
    b"\xff\xfe",
)


def malform(peer: Hostile) -> None:
    """Send bytes that are no request, or no message."""
    if peer.random.random() < 0.5:
        sent = peer.random.choice(MALFORMED)
    else:
        headers = {"Mcp_Method": "tools/call", "MCP_Protocol_Version": NEW} if peer.random.random() < 0.5 else {}
        sent = peer.message(peer.random.choice(BODIES), **headers)
    with peer.open() as connection:
        connection.sendall(sent)
        connection.settimeout(0.2)
        with suppress(OSError):
            connection.recv(65536)
    time.sleep(0.05)


def forge(peer: Hostile) -> None:
    """Answer and cancel requests of others, use ids of others, and resume streams that never were."""
    own = peer.begin_session()
    for headers in (own, {**own, "Mcp_Session_Id": f"{peer.random.getrandbits(128):032x}"}):
        for number in range(5):
            result = {"action": "accept", "content": {"answer": "forged"}}
            for message in (
                {"jsonrpc": "2.0", "id": number, "result": result},
                notification("notifications/cancelled", {"requestId": number}),
                notification("notifications/progress", {"progressToken": number, "progress": 1e300}),
                request("tasks/result", number, {"taskId": str(number)}),
            ):
                peer.exchange(peer.message(json.dumps(message).encode(), **headers))
        for event in ("0-1", "../0", "9" * 4000, "1_2_3"):
            peer.exchange(peer.message(b"", "GET", Last_Event_ID=event, **headers)[:-2] + b"\r\n")
        peer.exchange(peer.message(b"", "DELETE", **headers))
    params = {"name": "ask", "arguments": {"key": peer.key()}, "requestState": "forged", "inputResponses": {"1": {}}}
    message, headers = modern(request("tools/call", 1, params))
    peer.exchange(peer.message(json.dumps(message).encode(), **headers))
    time.sleep(0.5)


def subscribe(peer: Hostile) -> None:
    """Subscribe to more and more, and have streams opened that nobody reads."""
    headers = peer.begin_session()
    for number in range(100):
        message = request("resources/subscribe", number, {"uri": f"soak://{number}/" + "x" * 20_000})
        peer.exchange(peer.message(json.dumps(message).encode(), **headers))
    time.sleep(0.5)


def hang_up(peer: Hostile) -> None:
    """Leave in the middle of a call, of a stream, or of a question."""
    sent = peer.random.choice(
        (
            lambda: peer.call("wait", seconds=1.0),
            lambda: peer.call("stream", {"progressToken": 1}, steps=30),
            lambda: peer.call("ask"),
            lambda: peer.call("huge", size=3_000_000),
            lambda: peer.message(b"", "GET", **peer.begin_session()),
        )
    )()
    connection = peer.open()
    connection.sendall(sent)
    time.sleep(peer.random.uniform(0.0, 0.4))
    (reset if peer.random.random() < 0.5 else socket.socket.close)(connection)
    time.sleep(0.1)


def hold(peer: Hostile, held: deque[socket.socket]) -> None:
    """Hold connections on which nothing is sent."""
    with suppress(OSError):
        held.append(peer.open())
    while len(held) > IDLE:
        held.popleft().close()
    time.sleep(0.02)


def drip(peer: Hostile, half: list[tuple[socket.socket, bytes]]) -> None:
    """Send heads and bodies byte by byte."""
    while len(half) < 2 * HALF:
        sent = peer.call("echo", text="x" * 1000)
        connection = peer.open()
        begun = 20 if len(half) % 2 else len(sent) - 900
        connection.sendall(sent[:begun])
        half.append((connection, sent[begun:]))
    for index, (connection, rest) in reversed([*enumerate(half)]):
        try:
            connection.sendall(rest[:1])
            half[index] = connection, rest[1:]
        except OSError:
            connection.close()
            del half[index]
    time.sleep(1.0)


def sip(peer: Hostile, readers: list[socket.socket]) -> None:
    """Read huge responses a kilobyte a second."""
    while len(readers) < SLOW:
        connection = peer.open()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.sendall(peer.call("huge", size=3_000_000))
        readers.append(connection)
    for reader in list(readers):
        try:
            if not reader.recv(1024):
                raise ConnectionResetError
        except OSError:
            reader.close()
            readers.remove(reader)
    time.sleep(1.0)


def repeat(peer: Hostile, act: Callable[..., None], state: tuple[Any, ...]) -> None:
    while True:
        try:
            act(peer, *state)
            peer.count()
        except (OSError, KeyError, ValueError):
            # The server refuses, or is restarted.
            time.sleep(0.2)


ACTS: dict[str, tuple[Callable[..., None], tuple[Any, ...]]] = {
    "floods of initialize": (flood, ()),
    "malformed requests": (malform, ()),
    "forged ids": (forge, ()),
    "floods of subscriptions": (subscribe, ()),
    "hang-ups": (hang_up, ()),
    "idle connections": (hold, (deque(),)),
    "half-sent requests": (drip, ([],)),
    "slow readers": (sip, ([],)),
}


def main(port: int, path: str, seed: int) -> None:
    os.nice(5)
    counts: Counter[str] = Counter()
    for number, (name, (act, state)) in enumerate(ACTS.items()):
        peer = Hostile(port, path, name, number, seed, counts)
        Thread(target=repeat, args=(peer, act, state), name=name, daemon=True).start()
    while True:
        time.sleep(1.0)
        sys.stdout.write(json.dumps(counts) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
