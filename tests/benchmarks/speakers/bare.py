"""Exchange with only ``json``, ``os.read`` and ``os.write``: the limit for two Python processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping

from benchmarks.speakers import SERVER_ENVIRONMENT, TEXT, TOOL, server_command, timed


class Bare:
    """The lines of ``tools/call``, without a handshake; only the result is checked."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            server_command("bare", sys.executable),
            env=SERVER_ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._output, self._input = self._server.stdin.fileno(), self._server.stdout.fileno()
        self._asked = 0

    def call(self) -> str:
        self._asked += 1
        params = {"name": TOOL, "arguments": {"text": TEXT}}
        request = {"jsonrpc": "2.0", "id": self._asked, "method": "tools/call", "params": params}
        os.write(self._output, json.dumps(request).encode() + b"\n")
        text: str = json.loads(os.read(self._input, 65536))["result"]["content"][0]["text"]
        return text

    def calls(self, seconds: float) -> list[int]:
        return timed(self.call, seconds)

    def versions(self) -> Mapping[str, str]:
        return {}

    def close(self) -> None:
        self._server.communicate()


def make() -> Bare:
    return Bare()
