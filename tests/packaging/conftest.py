"""Interpreters of environments that nox sessions made; a test whose environment is not there is skipped."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest


def _python(variable: str, session: str) -> Path:
    python = os.environ.get(variable)
    if not python:
        pytest.skip(f"needs an environment of its own; run: nox -s {session}")
    return Path(python)


@pytest.fixture(scope="session")
def bindings_python() -> Path:
    """Where the wheel is installed as users of the bindings do it, without an extra."""
    return _python("MCP_BINDINGS_PYTHON", "build")


@pytest.fixture(scope="session")
def fast_python() -> Path:
    """Where the wheel is installed with the extra ``fast``."""
    return _python("MCP_BINDINGS_FAST_PYTHON", "build")


@pytest.fixture(scope="session")
def codegen_python() -> Path:
    """Where the wheel is installed with the extra ``codegen``."""
    return _python("MCP_CODEGEN_PYTHON", "build")


@pytest.fixture(scope="session")
def vendored_python() -> Path:
    """Where attrs and cattrs are installed, and nothing else."""
    return _python("MCP_BINDINGS_VENDORED_PYTHON", "vendored")


@pytest.fixture(scope="session")
def dist() -> Path:
    """The folder of the built sdist and wheel."""
    return _python("MCP_BINDINGS_DIST", "build")


@pytest.fixture
def run(tmp_path: Path) -> Callable[[Sequence[str | Path]], subprocess.CompletedProcess[str]]:
    """Run a command outside the checkout, as a user would who does not have one."""

    def run(command: Sequence[str | Path]) -> subprocess.CompletedProcess[str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
        return subprocess.run(
            [str(word) for word in command], cwd=tmp_path, env=kept, capture_output=True, text=True, check=False
        )

    return run
