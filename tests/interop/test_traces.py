"""A trace goes from the client through the server into the handler; ``nox -s adapters`` installs OpenTelemetry's SDK."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from interop.conftest import PROGRAMS, installed
from support.scripted_peers import environment


@pytest.fixture(scope="module")
def sdk_python() -> Path:
    """Return the interpreter with the SDK."""
    return installed("MCP_INTEROP_ADAPTERS", "adapters")


def test_spans_of_both_sides_belong_to_one_trace(sdk_python: Path, run: Callable[..., Any]) -> None:
    places = {**os.environ, "PYTHONPATH": environment()["PYTHONPATH"]}
    traced = run(sdk_python, PROGRAMS / "traces.py", env=places)
    assert len(traced) == 4
    for pair, spans in traced.items():
        call = {span["kind"]: span for span in spans if span["name"] == "tools/call add"}
        assert call["SERVER"]["parent"] == call["CLIENT"]["id"], pair
        assert call["SERVER"]["trace"] == call["CLIENT"]["trace"], pair
        (inside,) = [span for span in spans if span["name"] == "inside"]
        assert inside["parent"] == call["SERVER"]["id"], pair
        assert call["SERVER"]["attributes"]["mcp.method.name"] == "tools/call", pair
        failed = [span for span in spans if span["name"] == "prompts/get none"]
        assert [span["kind"] for span in failed if span["failed"]] == ["SERVER", "CLIENT"], pair
        assert {span["attributes"]["error.type"] for span in failed} == {"-32602"}, pair
