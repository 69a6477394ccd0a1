"""Conversations on record, and the fixture that records them."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from checkout import REVISIONS
from mcp_bindings import connect
from mcp_bindings_runtime.errors import RequestTimeout, ResponseError, UsageError
from support.concurrent_calls import answers_roots
from support.echo_server import echo_server
from support.revisions import HANDSHAKE
from support.scripted_peers import PATIENCE, environment, eventually, package, program, text_of, threads_of

each_revision = pytest.mark.parametrize("revision", REVISIONS)
LATEST = HANDSHAKE[-1]


def judged(revision, path):
    """What ``mcp-codegen validate --rules`` says of a record."""
    program = "from mcp_bindgen.cli import main; main()"
    command = [sys.executable, "-c", program, "validate", "--rules", "--version", revision, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=60, check=False)
    return done.returncode, done.stdout + done.stderr


@each_revision
def test_a_record_of_all_that_happens_passes_validation(revision, tmp_path):
    mcp = package(revision)
    server, seen = echo_server(revision)
    path = tmp_path / "talk.jsonl"
    client = mcp.Client.in_memory(server, record=path, timeout=PATIENCE)
    answers_roots(client, revision)
    with client:
        client.call_tool("echo", {"n": 1, "progress": 3}, on_progress=lambda params: None)
        client.call_tool("echo", {"ask": 2})
        with pytest.raises(ResponseError):
            client.call_tool("echo", {"raise": "Exception"})
        with pytest.raises(ResponseError):
            client.call_tool("echo", {"refuse": -1})
        with pytest.raises(RequestTimeout):
            client.call_tool("echo", {"hold": True}, timeout=0.05)
        eventually(lambda: not seen.running)
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda n: client.call_tool("echo", {"n": n}), range(20)))
    status, said = judged(revision, path)
    assert status == 0, said
    messages = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(messages) > 50
    assert {each["direction"] for each in messages} == {"client->server", "server->client"}


def test_a_record_of_a_server_process_passes_validation(tmp_path):
    path = tmp_path / "talk.jsonl"
    with connect.stdio(program("echo.py", LATEST), env=environment(), record=path, revisions=[LATEST]) as client:
        assert text_of(client.call_tool("echo", {"n": "日本"})) == "日本"
    status, said = judged(LATEST, path)
    assert status == 0, said
    assert "日本" in path.read_text(encoding="utf-8")


def test_what_is_no_message_is_on_record_too(tmp_path):
    path = tmp_path / "talk.jsonl"
    with package(LATEST).Client.stdio(program("dying.py", "garbage"), env=environment(), record=path) as client:
        client.call_tool("x", {})
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert "Welcome!" in [each["raw"] for each in entries if "raw" in each]


@pytest.mark.parametrize("by", ["client", "connect"])
def test_a_record_that_cannot_be_written_leaves_no_server_behind(by, tmp_path):
    marker = tmp_path / "ended"
    text = f"import sys, pathlib; sys.stdin.read(); pathlib.Path({str(marker)!r}).touch()"
    command = [sys.executable, "-c", text]
    record = tmp_path / "no" / "such" / "folder"
    start = package(LATEST).Client.stdio(command, record=record).connect if by == "client" else None
    with pytest.raises(UsageError, match="give record= a file that can be written"):
        start() if start else connect.stdio(command, record=record)
    assert marker.exists()
    assert not threads_of()


def test_the_fixture_connects_records_and_closes(tmp_path):
    # The folder may be inside of the checkout, whose settings are not those of users.
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["mcp_bindings.testing"]\n', encoding="utf-8")
    (tmp_path / "test_it.py").write_text(
        """
import threading

from mcp_bindings import v2024_11_05 as old, v2026_07_28 as new
from support.echo_server import echo_server

left = []


def test_use(mcp_client, tmp_path):
    first = mcp_client(echo_server("2024-11-05")[0])
    roots = lambda params, context: new.ListRootsResult(roots=[new.Root(uri="file:///r", name="mine")])
    second = mcp_client(echo_server("2026-07-28")[0], handlers={new.methods.LIST_ROOTS: roots})
    assert isinstance(first, old.Client)
    assert first.call_tool("echo", {"n": 1}).content[0].text == "1"
    assert second.call_tool("echo", {"ask": 0}).content[0].text == "mine"
    left.extend((first, second, tmp_path))


def test_all_is_closed():
    first, second, folder = left
    assert first.connection.closed
    assert second.connection.closed
    assert sorted(path.name for path in folder.iterdir()) == ["mcp-1.jsonl", "mcp-2.jsonl"]
    assert '"method":"initialize"' in (folder / "mcp-1.jsonl").read_text()


def test_a_test_that_fails_closes_too(mcp_client):
    left.append(mcp_client(echo_server("2025-06-18")[0]))
    raise AssertionError


def test_it_was_closed():
    assert left[-1].connection.closed
""",
        encoding="utf-8",
    )
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-W",
            "error",
            "--basetemp",
            str(tmp_path / "base"),
            str(tmp_path),
        ],
        capture_output=True,
        text=True,
        env=environment(),
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    assert "1 failed, 3 passed" in done.stdout, done.stdout + done.stderr
    assert "test_a_test_that_fails_closes_too" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is always full")
@each_revision
def test_a_full_disk_ends_the_record_and_not_the_call(revision, caplog):
    server, _ = echo_server(revision)
    with package(revision).Client.in_memory(server, record="/dev/full", timeout=PATIENCE) as client:
        assert [text_of(client.call_tool("echo", {"n": n})) for n in range(3)] == ["0", "1", "2"]
    said = [(each.levelname, each.getMessage()) for each in caplog.records]
    assert said == [
        ("WARNING", "the recording /dev/full ends here, as it cannot be written: [Errno 28] No space left on device")
    ]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is always full")
def test_the_end_of_a_record_is_said_to_a_program_that_logs_nothing():
    code = (
        "from mcp_bindings import v2025_11_25 as mcp\n"
        "server = mcp.Server('made-up', '1.0')\n"
        "with mcp.Client.in_memory(server, record='/dev/full') as client:\n"
        "    client.ping()\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=60, check=False)
    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        "the recording /dev/full ends here, as it cannot be written: [Errno 28] No space left on device"
    ]
