"""Server in a process of its own, on a free port."""

from __future__ import annotations

import socket
import subprocess
import sys
import time

from support.ports import port_for_a_server

PATIENCE = 60.0
"""Seconds that a server may take to start."""


class Listening:
    """The server of a module of this package, once it accepts connections; raises ChildProcessError if it ends."""

    def __init__(self, module: str) -> None:
        self.port = port_for_a_server()
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"benchmarks.callers.{module}", str(self.port)], stdout=subprocess.DEVNULL
        )
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
                    message = f"{self._process.args}: nothing listens on port {self.port}"
                    raise ChildProcessError(message) from None
                time.sleep(0.02)
            else:
                return

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
