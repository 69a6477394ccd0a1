"""A server in a process of its own, and what the kernel says of it (Linux)."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

from support.ports import port_for_a_server

from benchmarks.interleave import environment
from benchmarks.scale.peer import Peer

PATIENCE = 60.0
"""Seconds that a server may take to start or to answer."""


class ServerProcess:
    """A running server; a context manager that ends it. Raises ChildProcessError if it ends before it listens."""

    def __init__(self, command: Sequence[str], port: int, *, env: dict[str, str] | None = None) -> None:
        self.port = port
        self.process = subprocess.Popen(
            command, env=env or environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    @classmethod
    def of_one_process(cls, **options: Any) -> Self:
        """Start ``benchmarks.scale.server``."""
        port = port_for_a_server()
        return cls([sys.executable, "-m", "benchmarks.scale.server", str(port), json.dumps(options)], port)

    def memory(self) -> int:
        """Return the resident bytes."""
        return self._status("VmRSS") * 1024

    def threads(self) -> int:
        """Return the number of threads."""
        return self._status("Threads")

    def descriptors(self) -> int:
        """Return the number of open descriptors."""
        return sum(1 for _ in Path(f"/proc/{self.process.pid}/fd").iterdir())

    def _status(self, name: str) -> int:
        text = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return next(int(line.split()[1]) for line in text.splitlines() if line.startswith(f"{name}:"))

    def __enter__(self) -> Self:
        try:
            await_true(self._accepts)
        except BaseException:
            self.__exit__()
            raise
        return self

    def _accepts(self) -> bool:
        if self.process.poll() is not None:
            message = f"{self.process.args}: ended with {self.process.returncode}"
            raise ChildProcessError(message)
        try:
            Peer(self.port).close()
        except OSError:
            return False
        return True

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def await_true(condition: Callable[[], bool], seconds: float = PATIENCE) -> None:
    """Wait until a condition is true; raise TimeoutError."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.02)
