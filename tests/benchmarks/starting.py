"""Servers from process start to their first response, for a neutral client: lines of JSON over pipes (Linux)."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import IO, Any

from attrs import frozen

from benchmarks.speakers import REVISION, SERVER_ENVIRONMENT, TOOL, server_command

_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": REVISION,
        "capabilities": {},
        "clientInfo": {"name": "clock", "version": "1.0"},
    },
}
_INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
_LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


@frozen
class Start:
    """Cost of starting one server: medians over its starts."""

    wall: float
    """Seconds from process start to the response to ``tools/list``."""
    memory: float
    """Resident memory in MiB after that, while the server is idle."""


def compare(interpreters: Mapping[str, str], runs: int, *, rest: float = 0.1) -> dict[str, Start]:
    """Start the server of each speaker ``runs`` times; they take turns.

    Each starts once before the measurement, to write byte code and to fill the file cache. ``rest`` is the number of
    seconds to wait before its memory is measured. Raise ValueError if a server responds wrongly.
    """
    samples: dict[str, list[Start]] = {name: [] for name in interpreters}
    for turn in range(runs + 1):
        for name, python in interpreters.items():
            start = _start(server_command(name, python), rest)
            if turn:
                samples[name].append(start)
    return {
        name: Start(median(each.wall for each in starts), median(each.memory for each in starts))
        for name, starts in samples.items()
    }


def _start(command: Sequence[str], rest: float) -> Start:
    started = time.perf_counter()
    # The environment says nothing of byte code, so it is read and written as usual.
    with subprocess.Popen(
        command, env={**_usual(), **SERVER_ENVIRONMENT}, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            _say(server.stdin, _INITIALIZE)
            _hear(server.stdout, 1)
            _say(server.stdin, _INITIALIZED, _LIST)
            tools = _hear(server.stdout, 2)["tools"]
            wall = time.perf_counter() - started
            time.sleep(rest)
            memory = _resident(server.pid)
        except BaseException:
            server.kill()
            raise
    if [each["name"] for each in tools] != [TOOL]:
        message = f"{command}: these are not the tools there should be: {tools}"
        raise ValueError(message)
    return Start(wall, memory)


def _usual() -> dict[str, str]:
    return {name: os.environ[name] for name in ("HOME", "PATH", "LANG") if name in os.environ}


def _say(pipe: IO[bytes], *messages: Mapping[str, Any]) -> None:
    pipe.write(b"".join(json.dumps(each).encode() + b"\n" for each in messages))
    pipe.flush()


def _hear(pipe: IO[bytes], identity: int) -> Any:
    """Return the result of the request with that id."""
    for line in pipe:
        message = json.loads(line)
        if message.get("id") == identity:
            if "result" not in message:
                break
            return message["result"]
    text = f"the server has not answered request {identity} with a result"
    raise ValueError(text)


def _resident(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024
