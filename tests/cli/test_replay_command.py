"""``mcp-codegen replay`` as it is typed."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp_bindings import connect
from mcp_bindings_runtime.errors import ResponseError
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE, environment, package, text_of

SERVER = """\
import sys

from mcp_bindings import {package} as mcp

server = mcp.Server("adder", sys.argv[1] if len(sys.argv) > 1 else "1.0")


@server.tool
def add(a: int, b: int) -> str:
    return str(a + b + len(sys.argv) - 1)


@server.tool
def greet(context: mcp.Context) -> str:
    return "Hello, " + context.list_roots().roots[0].name


server.run_stdio()
"""
MAIN = [sys.executable, "-c", "from mcp_bindgen.cli import main; main()"]
ENDS = (HANDSHAKE[-1], STATELESS[0])


def roots(mcp: Any) -> Any:
    return lambda params, context: mcp.types.ListRootsResult(roots=[mcp.types.Root(uri="file:///r", name="Ada")])


@pytest.fixture(params=ENDS)
def recorded(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, list[str], Path]:
    """A revision, the command of a server, and a recording of it."""
    revision = request.param
    mcp = package(revision)
    file, path = tmp_path / "server.py", tmp_path / "tape.jsonl"
    file.write_text(SERVER.format(package=f"v{revision.replace('-', '_')}"), encoding="utf-8")
    command = [sys.executable, str(file)]
    client = mcp.Client.stdio(command, env=environment(), record=path, timeout=PATIENCE)
    client.handles(mcp.methods.LIST_ROOTS, roots(mcp))
    with client:
        assert text_of(client.call_tool("add", {"a": 1, "b": 2})) == "3"
        assert text_of(client.call_tool("greet", {})) == "Hello, Ada"
    return revision, command, path


def test_a_recording_is_served_over_stdio(recorded):
    revision, _, path = recorded
    mcp = package(revision)
    client = mcp.Client.stdio([*MAIN, "replay", str(path)], env=environment(), timeout=PATIENCE)
    client.handles(mcp.methods.LIST_ROOTS, roots(mcp))
    with client:
        assert client.server_info.name == "adder"
        assert text_of(client.call_tool("add", {"a": 1, "b": 2})) == "3"
        assert text_of(client.call_tool("greet", {})) == "Hello, Ada"


def test_a_recording_is_served_over_http(recorded):
    revision, _, path = recorded
    command = [*MAIN, "replay", str(path), "--http", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment()) as process:
        try:
            assert process.stderr is not None
            url = process.stderr.readline().split()[3]
            assert url.startswith("http://127.0.0.1:")
            with connect.http(url, revisions=[revision]) as client:
                assert text_of(client.call_tool("add", {"a": 1, "b": 2})) == "3"
        finally:
            process.terminate()


def test_a_server_that_answers_as_recorded_passes(recorded, spawn):
    _, command, path = recorded
    done = spawn("replay", str(path), "--verify", "--", *command)
    assert (done.status, done.out) == (0, ""), done.err
    assert "answers compared; 0 differ" in done.err


def test_a_request_that_is_not_sent_is_reported(recorded, spawn):
    revision, command, path = recorded
    mcp = package(revision)
    client = mcp.Client.stdio(command, env=environment(), record=path, timeout=PATIENCE)
    with client, pytest.raises(ResponseError):
        client.request_raw("acme/price", {})
    done = spawn("replay", str(path), "--verify", "--", *command)
    assert (done.status, done.out) == (0, ""), done.err
    assert f": not sent: acme/price is not declared by {revision}\n" in done.err


def test_a_server_that_answers_differently_is_told_apart(recorded, spawn):
    revision, command, path = recorded
    # Each result of a stateless server names the server.
    named = ["--ignore", "/result/_meta"] if revision in STATELESS else []
    done = spawn("replay", str(path), "--verify", *named, "--", *command, "2.0")
    assert done.status == 1
    lines = done.out.splitlines()
    assert len(lines) == 2
    assert lines[0].endswith('/result/serverInfo/version: recorded "1.0", found "2.0"')
    assert lines[1].endswith('tools/call: /result/content/0/text: recorded "3", found "4"')
    ignored = [*named, "--ignore", "/result/serverInfo/version", "--ignore", "/result/content/*/text"]
    assert spawn("replay", str(path), "--verify", *ignored, "--", *command, "2.0").status == 0


def test_the_differences_are_printed_as_json(recorded, spawn):
    revision, command, path = recorded
    named = ["--ignore", "/result/_meta"] if revision in STATELESS else []
    done = spawn("replay", str(path), "--verify", "--json", *named, "--", *command, "2.0")
    assert done.status == 1
    document = json.loads(done.out)
    assert document["format"] == "mcp-replay/1"
    assert document["compared"] > len(document["mismatches"]) == 2
    assert document["mismatches"][1]["method"] == "tools/call"
    assert document["mismatches"][1]["differences"] == [
        {"pointer": "/result/content/0/text", "recorded": "3", "found": "4"}
    ]


def test_a_server_that_dies_is_reported(recorded, spawn, tmp_path):
    _, command, path = recorded
    dying = tmp_path / "dying.py"
    text = Path(command[1]).read_text(encoding="utf-8").replace("return str(", "import os; os._exit(3); str(")
    dying.write_text(text, encoding="utf-8")
    done = spawn("replay", str(path), "--verify", "--", sys.executable, str(dying))
    assert done.status == 1
    assert "tools/call: no answer: the server is gone" in done.out


def test_a_server_that_cannot_be_reached_has_failed(recorded, spawn):
    _, _, path = recorded
    with socket.create_server(("127.0.0.1", 0)) as unused:
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/mcp"
    done = spawn("replay", str(path), "--verify", "--url", url)
    assert (done.status, done.out) == (1, "")
    assert f"{url} cannot be reached" in done.err
    assert spawn("replay", str(path), "--verify", "--", sys.executable, "-c", "").status == 1


MISTAKES = {
    "no file": (["replay"], "Missing argument 'FILE'"),
    "an unknown file": (["replay", "no.jsonl"], "cannot read no.jsonl: no such file"),
    "JSON of nothing": (
        ["replay", "tape.jsonl", "--json"],
        "--json prints the result of --verify; run: mcp-codegen replay tape.jsonl --verify --json",
    ),
    "no server": (
        ["replay", "tape.jsonl", "--verify"],
        "no server given; run: mcp-codegen replay tape.jsonl --verify -- ",
    ),
    "a server": (
        ["replay", "tape.jsonl", "--", "x"],
        "a server is only compared with --verify; run: mcp-codegen replay",
    ),
    "both": (
        ["replay", "tape.jsonl", "--verify", "--http", "1", "--", "x"],
        "--verify does not serve; leave out --http",
    ),
    "a port": (["replay", "tape.jsonl", "--http", "x"], "must be a port such as 8000, or HOST:PORT, got 'x'"),
    "a great port": (["replay", "tape.jsonl", "--http", "70000"], "must be a port such as 8000, or HOST:PORT"),
    "a pointer": (
        ["replay", "tape.jsonl", "--ignore", "x"],
        "'x' is not a JSON Pointer below a message; write '/params",
    ),
    "no program": (["replay", "tape.jsonl", "--verify", "--", "no-such-program"], "cannot start 'no-such-program'"),
    "standard input": (["replay", "-"], "standard input cannot be replayed; pass a file"),
    "no JSON": (["replay", "text.jsonl"], "text.jsonl is not a valid recording; see mcp-codegen validate text.jsonl"),
}


@pytest.mark.parametrize(("words", "reason"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_explained(words, reason, cli, elsewhere):
    opening = {"protocolVersion": HANDSHAKE[0], "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    answer = {"protocolVersion": HANDSHAKE[0], "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": opening},
        {"jsonrpc": "2.0", "id": 1, "result": answer},
    ]
    Path("tape.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    Path("text.jsonl").write_text("hello\n", encoding="utf-8")
    done = cli(*words)
    assert done.status == 2
    assert reason in done.err
