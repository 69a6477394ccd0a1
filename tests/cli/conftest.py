"""Runs the command line, in this process or in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from mcp_bindgen.cli.app import run

SCHEMA = """\
/** A widget. */
export interface Widget {
  /** How big. */
  size?: "large" | "small";
}
"""


class Result(NamedTuple):
    """What a command line gave."""

    status: int
    out: str
    err: str


Cli = Callable[..., Result]


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to be in, with nothing in the environment that changes what is printed."""
    place = tmp_path / "project"
    place.mkdir()
    monkeypatch.chdir(place)
    for name in ("NO_COLOR", "FORCE_COLOR", "MCP_CODEGEN_TRACEBACK", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    # Temporary folders may be in the checkout, which is a repository.
    monkeypatch.setenv("GITHUB_WORKSPACE", str(place))
    return place


@pytest.fixture
def cli(elsewhere: Path, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Runs arguments in this process."""

    def call(*arguments: str) -> Result:
        status = run(list(arguments))
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return Result(status, out, err)

    return call


@pytest.fixture
def spawn(elsewhere: Path) -> Cli:
    """Runs arguments in a process of its own, as the entry point does."""

    def call(*arguments: str, **environment: str) -> Result:
        done = subprocess.run(
            [sys.executable, "-m", "mcp_bindgen.cli", *arguments],
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**os.environ, **environment},
            check=False,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture
def schema(elsewhere: Path) -> Path:
    """A small schema file in the current folder."""
    (elsewhere / "acme.ts").write_text(SCHEMA)
    return Path("acme.ts")
