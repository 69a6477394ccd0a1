"""Our fixture server with clients of other projects."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = Path(__file__).parent / "programs"
LEGACY, NEWEST = "2025-11-25", "2026-07-28"
DATA = {"id": "7", "templateTest": True, "data": "Data for ID: 7"}
PROMPT = "Prompt with arguments: arg1='hello', arg2='world'"
RESOURCES = ["test://static-text", "test://static-binary", "test://watched-resource"]
ASKED = {
    LEGACY: [
        'User response: action=accept, content={"username": "blue", "email": "blue"}',
        "LLM response: Paris",
    ],
    NEWEST: [
        "Hello, blue!",
        "Paris",
        "The roots: file:///here",
        "Answered: step1, step2",
        "Answered: client_roots, greeting, user_name",
        'User response: action=accept, content={"ok": true}',
    ],
}
LOGGED = {
    LEGACY: ["Tool execution started", "Tool processing data", "Tool execution completed"],
    NEWEST: ["Tool execution started"],
}
DIRECT: tuple[str, ...] = ()
"""Options of the fixture that serves each revision by a server of its own."""
MODES = pytest.mark.parametrize(
    ("mode", "revision", "served"),
    [
        ("legacy", LEGACY, DIRECT),
        ("auto", NEWEST, DIRECT),
        ("legacy", LEGACY, ("--bridge", NEWEST)),
        ("auto", NEWEST, ("--bridge", LEGACY)),
    ],
    ids=["legacy", "auto", "legacy-bridged", "auto-bridged"],
)


def common(seen: Any) -> None:
    """Return the observations that all clients share."""
    assert {"test_simple_text", "test_error_handling", "json_schema_2020_12_tool"} <= set(seen["tools"])
    assert seen["progress"] == [0, 50, 100]
    assert (seen["resource"], seen["prompt"]) == (DATA, PROMPT)


@MODES
def test_the_official_python_sdk(
    run: Callable[..., Any],
    sdk_python: Path,
    fixture_server: list[str],
    mode: str,
    revision: str,
    served: tuple[str, ...],
) -> None:
    seen = run(sdk_python, PROGRAMS / "sdk_client.py", mode, *fixture_server, *served)
    common(seen)
    assert (seen["revision"], seen["server"]) == (revision, "conformance-fixture")
    assert (seen["text"], seen["failed"]) == ("This is a simple text response for testing.", True)
    assert seen["asked"] == ASKED[revision]
    assert seen["logged"] == LOGGED[revision]
    assert seen["unknown"] == (-32002 if revision == LEGACY else -32602)
    assert (seen["resources"], seen["completed"]) == (RESOURCES, [])


@MODES
def test_fastmcp(
    run: Callable[..., Any],
    fastmcp_python: Path,
    fixture_server: list[str],
    mode: str,
    revision: str,
    served: tuple[str, ...],
) -> None:
    seen = run(fastmcp_python, PROGRAMS / "fastmcp_client.py", mode, *fixture_server, *served)
    common(seen)
    assert seen["failed"] == "This tool intentionally returns an error for testing"
    asked = ASKED[revision]
    assert seen["asked"] == (asked if revision == LEGACY else [asked[0], asked[1], asked[3]])
    assert (seen["image"], seen["templates"]) == ("image/png", ["test://template/{id}/data"])


def node(program: str, modules: Path) -> list[str]:
    """Return the command of a program, which looks for packages in its own folder."""
    place = modules.parent / program
    place.write_bytes((PROGRAMS / program).read_bytes())
    return ["node", str(place)]


@pytest.mark.parametrize("served", [DIRECT, ("--bridge", NEWEST)], ids=["direct", "bridged"])
def test_the_official_typescript_sdk_1(
    run: Callable[..., Any], node_modules: Path, fixture_server: list[str], served: tuple[str, ...]
) -> None:
    seen = run(*node("first_sdk_client.mjs", node_modules), *fixture_server, *served)
    common(seen)
    assert (seen["revision"], seen["server"]) == (LEGACY, "conformance-fixture")
    assert (seen["text"], seen["failed"]) == ("This is a simple text response for testing.", True)
    assert seen["asked"][:2] == ASKED[LEGACY]
    assert "John Doe" in seen["asked"][2]
    assert seen["logged"] == LOGGED[LEGACY]
    assert (seen["unknown"], seen["resources"], seen["completed"]) == (-32002, RESOURCES, [])


@MODES
def test_the_official_typescript_sdk_2(
    run: Callable[..., Any],
    node_modules: Path,
    fixture_server: list[str],
    mode: str,
    revision: str,
    served: tuple[str, ...],
) -> None:
    seen = run(*node("second_sdk_client.mjs", node_modules), mode, *fixture_server, *served)
    common(seen)
    assert (seen["revision"], seen["server"]) == (revision, "conformance-fixture")
    assert (seen["text"], seen["failed"]) == ("This is a simple text response for testing.", True)
    assert seen["asked"] == ASKED[revision]
    # It says so itself, whichever code the server has used.
    assert seen["unknown"] == -32602


def test_the_command_line_of_the_inspector(node_modules: Path, fixture_server: list[str], tmp_path: Path) -> None:
    # Options of the server would be taken for its own.
    server = tmp_path / "server"
    server.write_text(f"#!/bin/sh\nexec {shlex.join(fixture_server)}\n")
    server.chmod(0o755)

    def inspect(*arguments: str) -> Any:
        command = [node_modules / ".bin" / "mcp-inspector", "--cli", server, *arguments]
        done = subprocess.run(
            [str(word) for word in command], capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    tools = inspect("--method", "tools/list")["tools"]
    assert "test_simple_text" in {tool["name"] for tool in tools}
    called = inspect("--method", "tools/call", "--tool-name", "test_simple_text")
    assert called["content"][0]["text"] == "This is a simple text response for testing."
    read = inspect("--method", "resources/read", "--uri", "test://template/7/data")
    assert json.loads(read["contents"][0]["text"]) == DATA
    prompt = inspect(
        "--method",
        "prompts/get",
        "--prompt-name",
        "test_prompt_with_arguments",
        "--prompt-args",
        "arg1=hello",
        "arg2=world",
    )
    assert prompt["messages"][0]["content"]["text"] == PROMPT
