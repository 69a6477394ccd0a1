"""Server in a process of its own, on a free port."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from support.ports import port_for_a_server

PATIENCE = 60.0
"""Seconds that a server may take to start."""


def module_command(module: str) -> Callable[[int], Sequence[str]]:
    """Return the function that returns the command of a server of this package for a port."""
    return lambda port: [sys.executable, "-m", f"benchmarks.callers.{module}", str(port)]


class Listening:
    """A server, once it accepts connections; ``command`` returns its command for a port.

    Raise ChildProcessError if it ends.
    """

    def __init__(self, command: Callable[[int], Sequence[str]]) -> None:
        self.port = port_for_a_server()
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        self._process = subprocess.Popen(command(self.port), stdout=subprocess.DEVNULL)
        try:
            self._await()
        except BaseException:
            self.close()
            raise

    def _await(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            except OSError:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    message = f"{self._process.args!r}: nothing listens on port {self.port}"
                    raise ChildProcessError(message) from None
                time.sleep(0.02)
            else:
                return

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
