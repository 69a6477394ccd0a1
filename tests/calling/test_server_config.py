"""Configuration files of hosts: what their entries mean, and the error for each that has no meaning."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp_bindgen.calling.connection import Server
from mcp_bindgen.calling.server_config import read_server
from mcp_bindgen.errors import BindgenError


def read(tmp_path: Path, entry: Any, environment: dict[str, str] | None = None) -> Server:
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"one": entry}}), "utf-8")
    return read_server(file, "one", environment or {})


def test_a_command_has_its_arguments_environment_and_folder(tmp_path: Path) -> None:
    entry = {"command": "run", "args": ["-y", "${PKG}"], "env": {"LEVEL": "${LEVEL:-info}"}, "cwd": "${env:PLACE}"}
    found = read(tmp_path, entry, {"PKG": "server", "PLACE": "here"})
    known: Any = {"environment": {"LEVEL": "info"}, "folder": "here", "entry": f"{tmp_path / 'mcp.json'}, server 'one'"}
    assert found == Server(["run", "-y", "server"], **known)


@pytest.mark.parametrize(
    "kind", [{}, *({"type": each} for each in ("http", "streamable-http", "streamableHttp", "sse"))]
)
def test_a_url_has_headers(tmp_path: Path, kind: dict[str, str]) -> None:
    entry = {**kind, "url": "https://a.example/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}}
    found = read(tmp_path, entry, {"TOKEN": "x"})
    assert found == Server(url="https://a.example/mcp", headers={"Authorization": "Bearer x"})


def test_the_table_of_another_host(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text('\ufeff{"servers": {"one": {"type": "stdio", "command": "run"}}}', "utf-8")
    assert read_server(file, "one", {}).command == ["run"]


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        (3, "must be an object with 'command' or 'url', got 3"),
        ({}, "must have either 'command' or 'url', got []"),
        ({"command": "a", "url": "b"}, "must have either 'command' or 'url', got [\"command\", \"url\"]"),
        ({"command": "a", "type": "http"}, "'type' must be stdio, got \"http\""),
        (
            {"url": "a", "type": "stdio"},
            "'type' must be one of http, streamable-http, streamableHttp, sse, got \"stdio\"",
        ),
        ({"command": "a", "args": "b"}, "'args' must be an array of strings, got \"b\""),
        ({"command": "a", "args": [1]}, "'args' must contain strings only, got 1"),
        ({"command": "a", "env": []}, None),
        ({"command": "a", "env": ["B"]}, "'env' must be an object of strings, got [\"B\"]"),
        ({"command": "${NOSUCH}"}, "'command' needs the environment variable NOSUCH, which is not set"),
        ({"command": "${EMPTY}"}, "'command' needs the environment variable EMPTY, which is empty"),
    ],
)
def test_an_invalid_entry(tmp_path: Path, entry: Any, complaint: str | None) -> None:
    if complaint is None:
        assert read(tmp_path, entry).environment == {}
        return
    with pytest.raises(BindgenError) as error:
        read(tmp_path, entry, {"EMPTY": ""})
    assert str(error.value) == f"{tmp_path / 'mcp.json'}, server 'one': {complaint}"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON: it is nested too deeply"),
        ("[]", "lists no servers"),
        ('{"mcpServers": {"ones": {}}}', "has no server 'one'; did you mean ones?"),
        ('{"mcpServers": {}}', "has no server 'one'; it has none"),
    ],
)
def test_an_invalid_file(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(text, "utf-8")
    with pytest.raises(BindgenError, match=complaint):
        read_server(file, "one", {})


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(BindgenError, match=r"cannot read .*: No such file"):
        read_server(tmp_path / "mcp.json", "one", {})
