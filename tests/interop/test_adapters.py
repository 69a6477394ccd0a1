"""The adapters make tools that the libraries of other projects call; ``nox -s adapters`` installs them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from interop.conftest import PROGRAMS, installed
from support.scripted_peers import environment


@pytest.fixture(scope="module")
def adapters_python() -> Path:
    """Return the interpreter with the libraries that there are adapters for."""
    return installed("MCP_INTEROP_ADAPTERS", "adapters")


def test_each_library_calls_the_tools(adapters_python: Path, run: Callable[..., Any]) -> None:
    places = {**os.environ, "PYTHONPATH": environment()["PYTHONPATH"]}
    found = run(adapters_python, PROGRAMS / "adapters.py", env=places)
    assert found.keys() == {"langchain", "smolagents", "dspy"}
    for library, (sum_of_both, with_default, failed, arguments) in found.items():
        assert (sum_of_both, with_default, arguments) == ("6", "3", ["a", "b"]), library
        assert "no file x" in failed, library
