"""Programs of other projects that ``nox -s interop`` has installed; without it these tests are skipped."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from checkout import ROOT
from mcp_bindings import connect
from support.scripted_peers import environment

PROGRAMS = Path(__file__).parent / "programs"
LONG = 120.0
"""Seconds that such a program may take; Node.js programs start slowly."""


def installed(variable: str, session: str = "interop") -> Path:
    """Return the place that a nox session has installed something to; skip the test without it."""
    place = os.environ.get(variable)
    if not place:
        pytest.skip(f"needs programs from the package registries; run: nox -s {session}")
    return Path(place)


@pytest.fixture(scope="session")
def sdk_python() -> Path:
    """Return the interpreter with the official Python SDK and servers made with it."""
    return installed("MCP_INTEROP_SDK")


@pytest.fixture(scope="session")
def fastmcp_python() -> Path:
    """Return the interpreter with FastMCP."""
    return installed("MCP_INTEROP_FASTMCP")


@pytest.fixture(scope="session")
def node_modules() -> Path:
    """Return the folder with the packages of ``package.json``."""
    return installed("MCP_INTEROP_NODE") / "node_modules"


@pytest.fixture(scope="session")
def fixture_server() -> list[str]:
    """Return the command of our own server, which finds the packages of this checkout in any folder."""
    places = [f"PYTHONPATH={environment()['PYTHONPATH']}", "PYTHONDONTWRITEBYTECODE=1"]
    program = str(ROOT / "tests" / "conformance" / "server.py")
    return [shutil.which("env") or "env", *places, sys.executable, program, "--stdio"]


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Any]:
    """Run a client of another project, and return the JSON that it printed."""

    def run(*command: str | Path, **options: Any) -> Any:
        done = subprocess.run(
            [str(word) for word in command], capture_output=True, text=True, timeout=LONG, check=False, **options
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.fixture
def use() -> Iterator[Callable[..., Any]]:
    """Connect our client to a server of another project, by its command, in any revision or the given one."""
    opened: list[Any] = []

    def use(*command: str | Path, revision: str | None = None, **options: Any) -> Any:
        words = [str(word) for word in command]
        client = connect.stdio(
            words,
            revisions=None if revision is None else [revision],
            inherit_env=True,
            stderr="capture",
            probe=LONG,
            timeout=LONG,
            **options,
        )
        opened.append(client)
        return client

    yield use
    for client in opened:
        client.close()
