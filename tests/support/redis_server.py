"""A private Redis server on a free port, without files, that ends with the test."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.ports import port_for_a_server
from support.scripted_peers import PATIENCE, eventually

WHERE = shutil.which("redis-server")


class RedisServer:
    """A server that can be stopped and started again, empty."""

    def __init__(self, folder: Path) -> None:
        if WHERE is None:
            pytest.skip("needs redis-server; run: apt-get install redis-server")
        pytest.importorskip("redis", reason="needs redis; run: pip install 'mcp-bindings[redis]'")
        self.port = port_for_a_server()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        command = [str(WHERE), "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        with (self._folder / "redis.log").open("ab") as log:
            self._process = subprocess.Popen([*command, "--dir", str(self._folder)], stdout=log, stderr=log)
        eventually(self._answers)

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, (self._folder / "redis.log").read_text()
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1) as tried:
                tried.sendall(b"PING\r\n")
                return tried.recv(16).startswith(b"+PONG")
        except OSError:
            return False

    def keys(self, pattern: str) -> list[str]:
        """Return the keys that match a pattern."""
        from redis import Redis

        with Redis(port=self.port) as client:
            found: Any = client.keys(pattern)
            return [each.decode() for each in found]

    def value(self, key: str) -> str:
        """Return the value of a key."""
        from redis import Redis

        with Redis(port=self.port) as client:
            found: Any = client.get(key)
            return str(found.decode())

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """Suspend the server: it keeps its connections and does not respond."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.terminate()
            process.wait(PATIENCE)
