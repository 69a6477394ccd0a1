"""``tools_lock`` with servers whose list of tools does not match the schema: they stay usable, and are compared."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import McpError, ProtocolError, ToolsChanged
from mcp_bindings_runtime.features.tool_digest import tool_digest
from support.revisions import HANDSHAKE
from support.scripted_peers import Spoken, package, scripted_server

TOOL: Any = {"name": "note", "inputSchema": {"properties": {"text": {"type": "string"}}}}
MISMATCH = "tools/list does not match its schema, and is used as it is: $.result."


@pytest.fixture
def lock(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes the lock of some tools."""

    def write(*tools: Any) -> Path:
        file = tmp_path / "tools.lock.json"
        digests = {tool["name"]: tool_digest(tool) for tool in tools}
        file.write_text(json.dumps({"format": "mcp-tools-lock/1", "digests": digests}), "utf-8")
        return file

    return write


def served(wire: str, pages: dict[Any, Any], revision: str = "", **options: Any) -> AbstractContextManager[Any]:
    """Return a client of a raw server that speaks the revision ``wire``; ``pages`` are its results by cursor."""

    def play(server: Spoken) -> None:
        while True:
            message = server.hear()
            if message["method"] == "initialize":
                info = {"name": "raw", "version": "1"}
                server.answer(message, {"protocolVersion": wire, "capabilities": {"tools": {}}, "serverInfo": info})
            elif message["method"] == "tools/list":
                page = pages[message.get("params", {}).get("cursor")]
                if isinstance(page, int):
                    server.refuse(message, page)
                else:
                    server.answer(message, page)
            elif message["method"] == "tools/call":
                server.answer(message, {"content": [{"type": "text", "text": "called"}]})
            elif "id" in message:
                server.refuse(message, -32601)

    return scripted_server(package(revision or wire).Client, play, **options)


def call(client: Any) -> str:
    text: str = client.call_tool("note", {"text": "a"}).text
    return text


@pytest.mark.parametrize("wire", HANDSHAKE)
@pytest.mark.parametrize("revision", REVISIONS)
def test_equal_tools_connect_with_a_warning(
    wire: str, revision: str, lock: Any, caplog: pytest.LogCaptureFixture
) -> None:
    pages = {None: {"tools": [TOOL], "nextCursor": "b"}, "b": {"tools": [{**TOOL, "name": "other"}]}}
    path = lock(TOOL, {**TOOL, "name": "other"})
    with served(wire, pages, revision, tools_lock=path, drift="error") as (client, _):
        client.connect()
        assert call(client) == "called"
    assert f'{MISMATCH}tools[0].inputSchema.type: found nothing, expected "object"' in caplog.text
    assert "differ" not in caplog.text


@pytest.mark.parametrize("drift", ["warn", "error"])
def test_a_silent_change_is_noticed(drift: str, lock: Any, caplog: pytest.LogCaptureFixture) -> None:
    reworded = {None: {"tools": [{**TOOL, "description": "Send mail."}]}}
    with served("2025-06-18", reworded, tools_lock=lock(TOOL), drift=drift) as (client, _):
        if drift == "error":
            with pytest.raises(ToolsChanged, match="changed: 'note'"):
                client.connect()
        else:
            client.connect()
            assert call(client) == "called"
            assert "(changed: 'note')" in caplog.text


@pytest.mark.parametrize(
    "page",
    [
        {"tools": [TOOL], "nextCursor": None},
        {"tools": [{**TOOL, "description": None}]},
        {"tools": [{**TOOL, "inputSchema": None}]},
    ],
)
def test_null_for_absent_is_read(page: Any, lock: Any, caplog: pytest.LogCaptureFixture) -> None:
    with served("2025-06-18", {None: page}, tools_lock=lock(*page["tools"]), drift="error") as (client, _):
        client.connect()
        assert call(client) == "called"
    assert MISMATCH in caplog.text


USELESS = [
    ({"tools": ["note"]}, r"tools\[0\] must be an object, got str"),
    ({"tools": [{"inputSchema": {}}]}, r"tools\[0\] has no name; a tool needs one"),
    ({"tools": [TOOL, {**TOOL, "description": "b"}]}, r"tools\[1\]: two tools have the name 'note'"),
    ({"tools": None}, "the result of tools/list has no list `tools`"),
    ({}, "the result of tools/list has no list `tools`"),
    ({"tools": [], "nextCursor": 1}, "`nextCursor` in the result of tools/list must be a string, got int"),
    (-32603, "no"),
]
"""Results of ``tools/list``, or the code of an error, that cannot be compared with a lock."""


@pytest.mark.parametrize(("page", "reason"), USELESS)
def test_a_list_that_cannot_be_compared_is_a_warning_or_an_error(
    page: Any, reason: str, lock: Any, caplog: pytest.LogCaptureFixture
) -> None:
    path = lock(TOOL)
    with served("2025-06-18", {None: page}, tools_lock=path) as (client, _):
        client.connect()
        assert call(client) == "called"
    assert f"the tools could not be compared with {path}: " in caplog.text
    expected = ProtocolError if isinstance(page, dict) else McpError
    with (
        served("2025-06-18", {None: page}, tools_lock=path, drift="error") as (client, _),
        pytest.raises(expected, match=reason),
    ):
        client.connect()
    assert not client.connected


def test_two_tools_of_one_name_cannot_hide_a_change(lock: Any) -> None:
    # Valid by the schema, so that only the names tell.
    valid = {"name": "note", "inputSchema": {"type": "object"}}
    page = {"tools": [{**valid, "description": "Send mail."}, valid]}
    with (
        served("2025-06-18", {None: page}, tools_lock=lock(valid), drift="error") as (client, _),
        pytest.raises(ProtocolError, match="two tools have the name 'note', so that callers cannot choose"),
    ):
        client.connect()


@pytest.mark.parametrize("page", [page for page, _ in USELESS])
def test_ignore_lists_nothing(page: Any, lock: Any, caplog: pytest.LogCaptureFixture) -> None:
    with (
        caplog.at_level(logging.WARNING, "mcp_bindings"),
        served("2025-06-18", {None: page}, tools_lock=lock(TOOL), drift="ignore") as (client, _),
    ):
        client.connect()
        assert call(client) == "called"
    assert caplog.text == ""


def test_pages_without_end_are_an_error(lock: Any) -> None:
    pages = {None: {"tools": [TOOL], "nextCursor": "a"}, "a": {"tools": [], "nextCursor": "a"}}
    with (
        served("2025-06-18", pages, tools_lock=lock(TOOL), drift="error") as (client, _),
        pytest.raises(ProtocolError, match="returned the cursor 'a' before"),
    ):
        client.connect()


def test_a_client_that_does_not_discover_compares_the_tools(lock: Any) -> None:
    server = package(REVISIONS[-1]).Server("s", "1")
    server.tool(name="note", description="Take a note.")(lambda: "")
    client = package(REVISIONS[-1]).Client.in_memory(server, discover=False, tools_lock=lock(TOOL), drift="error")
    with pytest.raises(ToolsChanged, match="changed: 'note'"):
        client.connect()
