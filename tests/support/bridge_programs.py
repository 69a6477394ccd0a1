"""``mcp-codegen bridge --http`` in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from support.scripted_peers import PATIENCE, environment

MAIN = [sys.executable, "-c", "from mcp_bindgen.cli import main; main()"]


class BridgeProgram(NamedTuple):
    """A running bridge."""

    url: str
    process: subprocess.Popen[str]

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2].partition("/")[0])

    def kill(self) -> None:
        """End it at once, with SIGKILL."""
        self.process.kill()
        self.process.wait(PATIENCE)


@contextmanager
def bridge_program(*arguments: str, **variables: str) -> Iterator[BridgeProgram]:
    """Run a bridge that serves over HTTP at a free port."""
    command = [*MAIN, "bridge", "--http", "0", *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**environment(), **variables}) as process:
        try:
            assert process.stderr is not None
            yield BridgeProgram(process.stderr.readline().split()[3], process)
        finally:
            process.terminate()
