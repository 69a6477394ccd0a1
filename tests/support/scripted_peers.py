"""Scripted peers, server processes and waits with a timeout, for tests of clients and servers."""

from __future__ import annotations

import importlib
import json
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any, Self
from weakref import WeakSet

from checkout import ROOT
from mcp_bindings_runtime.errors import ConnectionClosed, RequestTimeout
from mcp_bindings_runtime.transports import Transport
from mcp_bindings_runtime.transports.memory import pair

Json = Any

PATIENCE = 20.0
"""Limit on each wait in seconds, which only an overloaded machine reaches."""
PROGRAMS = ROOT / "tests" / "runtime" / "conversations" / "programs"
WHO = {"name": "x", "version": "1"}


def package(revision: str) -> Any:
    return importlib.import_module("mcp_bindings.v" + revision.replace("-", "_"))


def program(name: str, *arguments: str) -> list[str]:
    """Return the command that runs a program of the folder."""
    return [sys.executable, str(PROGRAMS / name), *arguments]


def environment() -> dict[str, str]:
    """Return environment variables with which a child finds the packages of this checkout and the test modules."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": "1"}


def eventually(happens: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Wait until a condition holds; fail after ``seconds``."""
    limit = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < limit, "it has not happened in time"
        time.sleep(0.002)


def times_out(call: Callable[[float], object], begun: Callable[[], object]) -> RequestTimeout:
    """Let a call time out that the server has received, and return its error: it gets more seconds on a slow machine.

    A call whose time is over before it is sent, or handled, begins nothing, so it can be made again.
    """
    for seconds in (0.1, 1.0, PATIENCE):
        error: RequestTimeout | None = None
        try:
            call(seconds)
        except RequestTimeout as late:
            error = late
        assert error is not None, "the call has ended in time"
        with suppress(AssertionError):
            eventually(begun, 3.0)
            return error
    message = f"the server has not begun with a call that lasted {PATIENCE} s"
    raise AssertionError(message)


def text_of(result: Any) -> str:
    """Return the text of the only block of a tool result."""
    (block,) = result.content
    text: str = block.text
    return text


class Spoken:
    """The other side of a connection, played by the test: it sends and receives JSON."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport

    def say(self, message: Json) -> None:
        self.transport.send(json.dumps(message).encode(), PATIENCE)

    def request(self, method: str, number: Json, params: Json = None) -> None:
        self.say({"jsonrpc": "2.0", "id": number, "method": method} | ({} if params is None else {"params": params}))

    def notify(self, method: str, params: Json = None) -> None:
        self.say({"jsonrpc": "2.0", "method": method} | ({} if params is None else {"params": params}))

    def answer(self, request: Json, result: Json) -> None:
        self.say({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def refuse(self, request: Json, code: int, message: str = "no", data: Json = None) -> None:
        error = {"code": code, "message": message} | ({} if data is None else {"data": data})
        self.say({"jsonrpc": "2.0", "id": request["id"], "error": error})

    def hear(self, seconds: float = PATIENCE) -> Json:
        """Return the next message; fail if there is none."""
        message = self.overhear(seconds)
        assert message is not None, f"nothing came in {seconds} s"
        return message

    def overhear(self, seconds: float) -> Json | None:
        """Return the next message, or None."""
        limit = time.monotonic() + seconds
        while (left := limit - time.monotonic()) > 0:
            line = self.transport.receive(left)
            if line is not None:
                return json.loads(line)
        return None

    def close(self) -> None:
        self.transport.close()

    def introduce(self, revision: str, capabilities: Json = None) -> Json:
        """Play the client's part of the handshake; return the server's response."""
        params = {"protocolVersion": revision, "capabilities": capabilities or {}, "clientInfo": WHO}
        self.request("initialize", 0, params)
        answered = self.hear()
        self.notify("notifications/initialized")
        return answered

    def welcome(self, revision: str, capabilities: Json = None) -> Json:
        """Play the server's part of the handshake; return the client's request."""
        asked = self.hear()
        assert asked["method"] == "initialize"
        self.answer(
            asked, {"protocolVersion": revision, "capabilities": capabilities or {"tools": {}}, "serverInfo": WHO}
        )
        assert self.hear()["method"] == "notifications/initialized"
        return asked


def scripted_client(server: Any) -> Spoken:
    """Return a client played by the test, of a server object that runs in a thread."""
    mine, theirs = pair()
    Thread(target=server.serve, args=(theirs,), name="test-server", daemon=True).start()
    return Spoken(mine)


@contextmanager
def scripted_server(cls: Any, play: Callable[[Spoken], object], **options: Any) -> Iterator[tuple[Any, Spoken]]:
    """Yield a client of a server that ``play`` plays in a thread; its exception fails the test at the end."""
    mine, theirs = pair()
    spoken = Spoken(theirs)
    raised: list[BaseException] = []

    def run() -> None:
        try:
            play(spoken)
        except ConnectionClosed:
            return
        except BaseException as fault:  # noqa: BLE001  # told in the test's thread
            raised.append(fault)

    thread = Thread(target=run, name="test-peer", daemon=True)
    thread.start()
    client = cls.over(mine, **{"timeout": PATIENCE, **options})
    try:
        yield client, spoken
    finally:
        client.close()
        mine.close()
        thread.join(PATIENCE)
        assert not thread.is_alive()
        if raised:
            raise raised[0]


class Piped:
    """A process whose stdin and stdout the test reads and writes as bytes."""

    def __init__(self, command: Sequence[str], **options: Any) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(), bufsize=0, **options
        )
        self._rest = b""

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        view = memoryview(data)
        while view:
            view = view[self.process.stdin.write(view) :]

    def say(self, message: Json) -> None:
        self.write(json.dumps(message).encode() + b"\n")

    def line(self, seconds: float = PATIENCE) -> bytes:
        """Return the next line of stdout, empty at its end; fail if there is neither."""
        assert self.process.stdout is not None
        limit = time.monotonic() + seconds
        while b"\n" not in self._rest:
            ready, _, _ = select.select([self.process.stdout], [], [], max(limit - time.monotonic(), 0.0))
            assert ready, f"the process has written nothing for {seconds} s"
            more = os.read(self.process.stdout.fileno(), 65536)
            if not more:
                return b""
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def hear(self, seconds: float = PATIENCE) -> Json:
        line = self.line(seconds)
        assert line, "the process has closed its output"
        return json.loads(line)

    def introduce(self, revision: str) -> None:
        params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": WHO}
        self.say({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
        assert self.hear()["result"]["protocolVersion"] == revision
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def end(self) -> int:
        """Close its input, and wait for its end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(PATIENCE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()


_earlier: WeakSet[Thread] = WeakSet()


def pass_over_threads_of_earlier_tests() -> None:
    """Record the running threads at the start of a test."""
    _earlier.update(threading.enumerate())


def threads_of(name: str = "mcp-") -> list[str]:
    """Return the running threads that started in this test; by default those of the runtime.

    Threads of earlier tests may take time to end, such as tasks that wait for a response.
    """
    return [each.name for each in threading.enumerate() if each.name.startswith(name) and each not in _earlier]


def descriptors() -> set[tuple[str, str]]:
    """Return the open descriptors, each with its target, to distinguish them from those of other code."""
    found = set()
    for each in Path("/proc/self/fd").iterdir():
        # The one that lists the folder has gone by now.
        with suppress(FileNotFoundError):
            found.add((each.name, str(each.readlink())))
    return found
