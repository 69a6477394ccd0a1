"""A server with default limits fits in a container of 512 MiB while peers fill everything that it keeps, all at once."""

from __future__ import annotations

import json
import socket
import struct
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from support.raw_http_client import NEW, PLAIN, modern, notification, request
from support.revisions import HANDSHAKE
from support.scripted_peers import PATIENCE, WHO, environment, package

LATEST = HANDSHAKE[-1]
MEMORY = 512 * 1024 * 1024
PAUSE = 0.02
"""Seconds between two steps of a peer."""
SOURCES = 8
SECONDS = 12.0
"""Seconds for which the peers fill the server."""

SERVER = f"""
import sys
from attrs import define
from mcp_bindings import serve
import mcp_bindings.v{LATEST.replace("-", "_")} as old
import mcp_bindings.v{NEW.replace("-", "_")} as new

@define
class Form:
    answer: str

def add_tools(mcp, server):
    @server.tool
    def echo(text: str) -> str:
        return text

    @server.tool
    def huge(size: int) -> str:
        return "x" * size

    @server.tool
    def left(context: mcp.Context, size: int) -> str:
        context.progress(1)
        return "x" * size

    @server.tool
    def ask(context: mcp.Context, text: str) -> str:
        context.elicit_form("a question", Form)
        return "asked"

    server.resources.add_text("test://a", "a")

servers = [mcp.Server("s", "1", tasks=mcp.MemoryTasks()) for mcp in (old, new)]
for mcp, server in zip((old, new), servers):
    add_tools(mcp, server)
serve.http(*servers, port=0, ready=lambda found: print(found.port, flush=True))
"""


class Filler:
    """A peer with an address of its own. Each method fills one thing a little more."""

    def __init__(self, port: int, number: int) -> None:
        self._port = port
        self._source = f"127.0.0.{20 + number}"
        self._kept: list[socket.socket] = []
        self._session: dict[str, str] = {}
        self._ids = count(1)
        self.done: Counter[str] = Counter()

    def open(self) -> socket.socket:
        found = socket.socket()
        try:
            found.settimeout(5.0)
            found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            found.bind((self._source, 0))
            found.connect(("127.0.0.1", self._port))
        except OSError:
            found.close()
            raise
        return found

    def message(self, message: Any, headers: dict[str, str], method: str = "POST") -> bytes:
        body = b"" if message is None else json.dumps(message).encode()
        fields = {"Host": "127.0.0.1", **PLAIN, "Content-Length": str(len(body)), **headers}
        lines = [f"{method} /mcp HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
        return "\r\n".join(lines).encode() + body

    def post(self, message: Any, headers: dict[str, str]) -> bytes:
        with self.open() as connection:
            connection.sendall(self.message(message, headers))
            return connection.recv(65536)

    def keep(self, sent: bytes, read: int = 0) -> None:
        """Send something, and leave the connection open without reading more than so many bytes."""
        connection = self.open()
        self._kept.append(connection)
        connection.sendall(sent)
        if read:
            connection.recv(read)
        if len(self._kept) > 300:
            self._kept.pop(0).close()

    def begin(self, title: str = "x") -> dict[str, str]:
        params = {"protocolVersion": LATEST, "capabilities": {"elicitation": {}}, "clientInfo": {**WHO, "title": title}}
        head = self.post(request("initialize", 0, params), {}).partition(b"\r\n\r\n")[0]
        fields = dict(line.split(b": ", 1) for line in head.split(b"\r\n")[1:])
        headers = {"Mcp-Session-Id": fields[b"Mcp-Session-Id"].decode(), "MCP-Protocol-Version": LATEST}
        self.post(notification("notifications/initialized"), headers)
        return headers

    def session(self) -> dict[str, str]:
        self._session = self._session or self.begin()
        return self._session

    def tool(self, name: str, meta: Any = None, **arguments: Any) -> Any:
        params = {"name": name, "arguments": arguments} | ({} if meta is None else {"_meta": meta})
        return request("tools/call", next(self._ids), params)

    def sessions(self) -> None:
        self.begin("x" * 30_000)

    def subscriptions(self) -> None:
        headers = self.begin()
        for number in range(12):
            self.post(request("resources/subscribe", number, {"uri": f"test://{number}/" + "x" * 20_000}), headers)

    def undelivered_answers(self) -> None:
        with self.open() as connection:
            sent = self.tool("left", {"progressToken": next(self._ids)}, size=900_000)
            connection.sendall(self.message(sent, self.session()))
            connection.recv(200)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def unread_answers(self) -> None:
        self.keep(self.message(*modern(self.tool("huge", size=3_000_000))), 1)

    def listening(self) -> None:
        self.keep(self.message(None, {**self.begin(), "Accept": "text/event-stream"}, "GET"))

    def incomplete_requests(self) -> None:
        self.keep(self.message(*modern(self.tool("echo", text="x" * 4_000_000)))[:-1])

    def small_incomplete_requests(self) -> None:
        self.keep(self.message(*modern(self.tool("echo", text="x" * 15_000)))[:-1])

    def large_calls(self) -> None:
        self.keep(self.message(*modern(self.tool("echo", text="x" * 4_000_000))), 1)

    def questions(self) -> None:
        self.keep(self.message(self.tool("ask", text="x" * 10_000), self.session()))

    def notifications(self) -> None:
        for _ in range(20):
            self.post(notification("notifications/roots/list_changed"), self.session())

    def tasks(self) -> None:
        sent = self.tool("huge", size=900_000)
        sent["params"]["task"] = {"ttl": 600_000}
        self.post(sent, self.session())

    def close(self) -> None:
        for connection in self._kept:
            connection.close()

    def run(self, until: float) -> None:
        steps: list[Callable[[], None]] = [
            self.sessions, self.subscriptions, self.undelivered_answers, self.unread_answers, self.listening,
            self.incomplete_requests, self.small_incomplete_requests, self.large_calls, self.questions,
            self.notifications, self.tasks,
        ]  # fmt: skip
        # On a slow machine a round takes long: there is one at least, in which every step has succeeded.
        while time.monotonic() < until or (len(self.done) < len(steps) and time.monotonic() < until + PATIENCE):
            for step in steps:
                try:
                    step()
                except (OSError, KeyError):
                    # Refused, or cut off; a session may have ended.
                    self._session = {}
                else:
                    self.done[step.__name__] += 1
                # The server is to be full rather than busy.
                time.sleep(PAUSE)


@contextmanager
def filled(port: int) -> Iterator[list[Filler]]:
    until = time.monotonic() + SECONDS
    fillers = [Filler(port, number) for number in range(SOURCES)]
    threads = [Thread(target=filler.run, args=(until,), daemon=True) for filler in fillers]
    for thread in threads:
        thread.start()
    try:
        yield fillers
    finally:
        for thread in threads:
            thread.join()
        for filler in fillers:
            filler.close()


def peak(pid: int) -> int:
    """Return the most bytes of memory that a process had at once."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells the memory of a process")
def test_a_server_that_peers_fill_serves_others_and_fits_in_a_small_container() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER],
        # As the page "Running at scale" says: glibc otherwise keeps much of what was freed.
        env=environment() | {"MALLOC_ARENA_MAX": "2"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        port = int(process.stdout.readline())
        answered = 0
        with filled(port) as fillers:
            until = time.monotonic() + SECONDS
            while time.monotonic() < until:
                for revision in (LATEST, NEW):
                    with package(revision).Client.http(f"http://127.0.0.1:{port}/mcp", timeout=PATIENCE) as client:
                        assert client.call_tool("echo", {"text": "here"}).text == "here"
                        answered += 1
        assert answered
        assert process.poll() is None
        done = sum((filler.done for filler in fillers), Counter[str]())
        assert min(done.values()) >= SOURCES, done
        assert peak(process.pid) <= MEMORY
    finally:
        process.kill()
        process.communicate()
