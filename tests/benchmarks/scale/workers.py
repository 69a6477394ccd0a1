"""Several gunicorn workers with one Redis under mixed load, while workers are killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any, NamedTuple, Self

from mcp_bindings import McpError, v2025_11_25, v2026_07_28
from support.ports import port_for_a_server

from benchmarks.interleave import environment
from benchmarks.page import Grid, Line
from benchmarks.scale.process import PATIENCE, ServerProcess, await_true

WORKERS = (2, 4)
CLIENTS = 8
"""Clients that call, half of them of each era."""
SECONDS = 20.0
"""Seconds of calls without kills, and with them."""
PAUSE = 5.0
"""Seconds between two kills, in which a new worker starts."""

_APP = """
from mcp_bindings import RedisStore, serve
from benchmarks.scale.server import servers

app = serve.wsgi_app(*servers(cursor_key=b"c" * 32), path="/mcp", threads=16, store=RedisStore({url!r}))
"""


class Calls:
    """What one client has done."""

    def __init__(self) -> None:
        self.times: list[float] = []
        """The ends of calls that were answered."""
        self.errors: list[tuple[float, str]] = []
        """The errors that the program of the client got."""
        self.longest = 0.0
        """Seconds of the longest call that was answered."""
        self.wrong = 0
        """Answers to other calls."""


class Load:
    """Clients in threads, which call a tool one call after the other until ``stop``."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._stop = Event()
        self.clients = [Calls() for _ in range(CLIENTS)]
        self._threads = [Thread(target=self._run, args=(place,)) for place in range(CLIENTS)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(PATIENCE)

    def _run(self, place: int) -> None:
        mcp: Any = (v2025_11_25, v2026_07_28)[place % 2]
        calls, number = self.clients[place], 0
        with mcp.Client.http(self._url, timeout=30) as client:
            while not self._stop.is_set():
                number += 1
                text = f"{place} {number}"
                begin = time.monotonic()
                try:
                    (content,) = client.call_tool("echo", {"text": text}).content
                except McpError as error:
                    calls.errors.append((time.monotonic(), f"{error.__class__.__name__}: {error}"))
                    continue
                end = time.monotonic()
                calls.times.append(end)
                calls.longest = max(calls.longest, end - begin)
                calls.wrong += content.text != text

    def rate(self, begin: float, end: float) -> float:
        """Return the answered calls per second of all clients in a time."""
        return sum(begin <= each < end for calls in self.clients for each in calls.times) / (end - begin)


class Found(NamedTuple):
    """Figures of one number of workers."""

    alone: float
    """Calls per second without kills."""
    killed: float
    """Calls per second with them."""
    calls: int
    errors: int
    wrong: int
    longest: float
    recovery: float
    """Longest seconds after a kill until any client got an answer."""
    messages: Sequence[str]


def measure(seconds: float = SECONDS) -> Grid:
    """Return the figures of each number of workers. Raise FileNotFoundError without redis-server."""
    found = [_measure(number, seconds) for number in WORKERS]
    first = found[0].alone
    lines = [
        Line("calls per second / those of two workers", [each.alone / first for each in found]),
        Line("calls per second: with kills / without", [each.killed / each.alone for each in found]),
        Line(
            "errors that programs got, of 1,000 calls, with kills", [1000 * each.errors / each.calls for each in found]
        ),
        Line("answers that belong to another call", [each.wrong for each in found]),
        Line("longest call", [each.longest for each in found], (), "s"),
        Line("longest time without any answer after a kill", [each.recovery for each in found], (), "s"),
    ]
    about = (
        f"{CLIENTS} clients, half of them of each era, call an echo on `gunicorn --worker-class gthread` with a "
        f"`RedisStore` for {seconds:g} s; then as long while every {PAUSE:g} s a worker gets SIGTERM or SIGKILL in turn."
    )
    notes = sorted({text for each in found for text in each.messages})[:8]
    return Grid("Several processes", about, [f"{each} workers" for each in WORKERS], lines, notes)


def _measure(workers: int, seconds: float) -> Found:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = stack.enter_context(_redis(folder))
        server = stack.enter_context(_gunicorn(folder, url, workers))
        load = stack.enter_context(Load(f"http://127.0.0.1:{server.port}/mcp"))
        await_true(lambda: all(calls.times for calls in load.clients))
        begin = time.monotonic()
        time.sleep(seconds)
        middle = time.monotonic()
        kills = _kill_in_turn(server, middle + seconds)
        end = time.monotonic()
    return Found(
        load.rate(begin, middle),
        load.rate(middle, end),
        max(1, sum(middle <= each for calls in load.clients for each in calls.times)),
        sum(len(calls.errors) for calls in load.clients),
        sum(calls.wrong for calls in load.clients),
        max(calls.longest for calls in load.clients),
        max((_silence(load, each) for each in kills), default=0.0),
        [text for calls in load.clients for _, text in calls.errors],
    )


def _kill_in_turn(server: ServerProcess, end: float) -> list[float]:
    """Kill a worker now and then; return the times."""
    kills: list[float] = []
    signals = (signal.SIGTERM, signal.SIGKILL)
    while time.monotonic() + PAUSE < end:
        workers = _children(server.process.pid)
        if workers:
            with suppress(ProcessLookupError):
                os.kill(workers[len(kills) % len(workers)], signals[len(kills) % 2])
            kills.append(time.monotonic())
        time.sleep(PAUSE)
    return kills


def _silence(load: Load, kill: float) -> float:
    """Return the seconds after a kill until the first answer."""
    return min((each - kill for calls in load.clients for each in calls.times if each > kill), default=float("inf"))


def _children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return [int(each) for each in text.split()]


@contextmanager
def _redis(folder: Path) -> Iterator[str]:
    program = shutil.which("redis-server")
    if program is None:
        message = "redis-server; run: apt-get install redis-server"
        raise FileNotFoundError(message)
    port = port_for_a_server()
    command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait()


def _gunicorn(folder: Path, url: str, workers: int) -> ServerProcess:
    (folder / "scaled_app.py").write_text(_APP.format(url=url), encoding="utf-8")
    port = port_for_a_server()
    options = ["--worker-class", "gthread", "--workers", str(workers), "--threads", "16", "--graceful-timeout", "5"]
    command = [sys.executable, "-m", "gunicorn", *options, "--bind", f"127.0.0.1:{port}", "scaled_app:app"]
    path = os.pathsep.join([str(folder), environment()["PYTHONPATH"]])
    return ServerProcess(command, port, env={**environment(), "PYTHONPATH": path})
