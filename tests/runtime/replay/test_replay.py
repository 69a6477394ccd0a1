"""Replayed recordings: the same requests get the same answers, and others an error that names the nearest."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings import connect
from mcp_bindings_runtime.errors import ResponseError, UsageError
from support.concurrent_calls import answers_roots
from support.conversation import converse
from support.echo_server import echo_server
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE, environment, eventually, package, text_of

each_revision = pytest.mark.parametrize("revision", REVISIONS)
LATEST = HANDSHAKE[-1]


def messages(path):
    """Return the messages of a recording with their directions; a replay is offered in other revisions, too."""
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for each in entries:
        each["message"].get("result", {}).pop("supportedVersions", None)
    return [(each["direction"], each["message"]) for each in entries]


@each_revision
def test_a_replay_is_the_conversation_again(revision, tmp_path):
    """The client receives the same, and the recording of the replay is the recording that is replayed."""
    mcp = package(revision)
    server, _ = echo_server(revision, instructions="Echo.", logging=True)
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    received = []
    for path, replayed in ((first, False), (second, True)):
        make = mcp.Client.replay if replayed else mcp.Client.in_memory
        client = make(first if replayed else server, record=path, timeout=PATIENCE)
        answers_roots(client, revision)
        received.append(converse(client))
    assert received[0] == received[1]
    assert len(received[0]) > 8
    assert messages(first) == messages(second)


def counted(revision: str) -> Any:
    """Return a server whose tool counts its calls."""
    mcp = package(revision)
    server = mcp.Server("counter", "1.0")
    calls = []

    @server.tool
    def count(day: str = "") -> str:
        calls.append(day)
        return str(len(calls))

    return server


@each_revision
def test_equal_requests_get_their_answers_in_order_and_the_last_again(revision, tmp_path):
    mcp, path = package(revision), tmp_path / "tape.jsonl"
    with mcp.Client.in_memory(counted(revision), record=path) as client:
        assert [text_of(client.call_tool("count", {})) for _ in range(2)] == ["1", "2"]
    with mcp.Client.replay(path) as client:
        assert [text_of(client.call_tool("count", {})) for _ in range(4)] == ["1", "2", "2", "2"]


@each_revision
def test_another_request_gets_an_error_that_describes_the_nearest(revision, tmp_path):
    mcp, path = package(revision), tmp_path / "tape.jsonl"
    with mcp.Client.in_memory(counted(revision), record=path) as client:
        client.call_tool("count", {"day": "Monday"})
    with mcp.Client.replay(path) as client:
        with pytest.raises(ResponseError, match="Not in the recording") as caught:
            client.call_tool("count", {"day": "Tuesday"})
        assert caught.value.code == -32603
        assert 'differs: /params/arguments/day: recorded "Monday", found "Tuesday"' in caught.value.data["reason"]
        assert caught.value.data["nearest"]["params"]["arguments"] == {"day": "Monday"}
        with pytest.raises(ResponseError) as caught:
            list(client.list_tools())
        assert caught.value.data["reason"] == "the recording has no tools/list; it has tools/call"


@pytest.mark.parametrize("pointer", ["/params/arguments/day", "/params/*/day"])
def test_what_is_ignored_may_differ(pointer, tmp_path):
    mcp, path = package(LATEST), tmp_path / "tape.jsonl"
    with mcp.Client.in_memory(counted(LATEST), record=path) as client:
        client.call_tool("count", {"day": "Monday"})
    with mcp.Client.replay(path, ignore=[pointer]) as client:
        assert text_of(client.call_tool("count", {"day": "Tuesday"})) == "1"
        assert text_of(client.call_tool("count", {})) == "1"


@each_revision
@pytest.mark.parametrize("level", ["debug", "info", "error", None])
def test_log_messages_are_sent_if_the_client_wants_them(revision, level, tmp_path):
    mcp, first, second = package(revision), tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    server = mcp.Server("loud", "1.0")

    @server.tool
    def work(context):
        context.log("info", "working")
        return "done"

    # In a recording with a handshake, a request for another level would be missing.
    options = {} if revision in HANDSHAKE else {"log_level": "debug"}
    with mcp.Client.in_memory(server, record=first, **options) as client:
        client.call_tool("work", {})
    options = {} if level is None else {"log_level": level}
    with mcp.Client.replay(first, record=second, **options) as client:
        client.call_tool("work", {})
    levels = [
        message["params"]["level"]
        for _, message in messages(second)
        if message.get("method") == "notifications/message"
    ]
    # Without a level, a server with a handshake sends all log messages, and another one none.
    wanted = level in {"debug", "info"} or (level is None and revision in HANDSHAKE)
    assert levels == (["info"] if wanted else [])


def test_a_number_is_not_another_kind_of_number(tmp_path):
    mcp, path = package(LATEST), tmp_path / "tape.jsonl"
    server, _ = echo_server(LATEST)
    with mcp.Client.in_memory(server, record=path) as client:
        client.call_tool("echo", {"n": 1})
    with mcp.Client.replay(path) as client:
        assert text_of(client.call_tool("echo", {"n": 1})) == "1"
        for other in (1.0, True, "1"):
            with pytest.raises(ResponseError):
                client.call_tool("echo", {"n": other})


def test_a_file_of_several_sessions_has_the_answers_of_all(tmp_path):
    """Clients of two revisions write to one file at the same time."""
    path = tmp_path / "tape.jsonl"
    revisions = [LATEST, STATELESS[0]]
    clients = [package(each).Client.in_memory(echo_server(each)[0], record=path) for each in revisions]
    for client in clients:
        client.connect()
    for n in range(3):
        for client in clients:
            client.call_tool("echo", {"n": n})
    for client in clients:
        client.close()
    assert len({json.loads(line)["session"] for line in path.read_text().splitlines()}) == 2
    for each in revisions:
        with package(each).Client.replay(path) as client:
            assert [text_of(client.call_tool("echo", {"n": n})) for n in (2, 0, 1)] == ["2", "0", "1"]
            assert client.server_info.name == "echo"


def test_the_search_for_a_common_revision_is_no_session(tmp_path):
    path = tmp_path / "tape.jsonl"
    server = counted(LATEST)
    with connect.in_memory(server, revisions=[STATELESS[0], LATEST], record=path) as client:
        list(client.list_tools())
    with package(LATEST).Client.replay(path) as client:
        assert [tool.name for tool in client.list_tools()] == ["count"]


@pytest.mark.parametrize("own", [HANDSHAKE[0], LATEST])
def test_a_session_with_a_server_that_has_refused_the_handshake_has_the_revision_of_the_server(own, tmp_path):
    """The client goes on in the revision of the server; its recording is replayed in that, and for every client."""
    path = tmp_path / "tape.jsonl"
    mcp = package(STATELESS[0])
    server = mcp.Server("modern", "1.0", revisions=[STATELESS[0]])

    @server.tool
    def add(a: int, b: int) -> int:
        return a + b

    with package(own).Client.in_memory(server, record=path) as client:
        assert text_of(client.call_tool("add", {"a": 1, "b": 2})) == "3"
    for revision in (own, STATELESS[0]):
        with package(revision).Client.replay(path) as client:
            assert text_of(client.call_tool("add", {"a": 1, "b": 2})) == "3"
    with mcp.Client.replay(path) as client:
        assert client.call_tool("add", {"a": 1, "b": 2}).structured_content == 3


@each_revision
def test_bare_messages_without_directions_are_enough(revision, tmp_path):
    mcp, path, bare = package(revision), tmp_path / "tape.jsonl", tmp_path / "bare.jsonl"
    server, _ = echo_server(revision)
    client = mcp.Client.in_memory(server, record=path, timeout=PATIENCE)
    answers_roots(client, revision)
    received = converse(client)
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    bare.write_text("".join(f"{json.dumps(each['message'])}\n" for each in entries), encoding="utf-8")
    client = mcp.Client.replay(bare, timeout=PATIENCE)
    answers_roots(client, revision)
    assert converse(client) == received


def test_changes_are_replayed_to_subscribers(tmp_path):
    for revision in (LATEST, STATELESS[0]):
        mcp, path = package(revision), tmp_path / f"{revision}.jsonl"
        server = mcp.Server("changing", "1.0")

        @server.tool
        def change(server: Any = server) -> str:
            server.tools.remove("change")
            return "changed"

        for client in (mcp.Client.in_memory(server, record=path), None):
            seen: list[str] = []
            with client or mcp.Client.replay(path) as used:
                used.handles(mcp.methods.TOOL_LIST_CHANGED, lambda params, context, seen=seen: seen.append("changed"))
                if revision == LATEST:
                    used.call_tool("change")
                    eventually(lambda seen=seen: seen == ["changed"])
                else:
                    with used.listen(tools=True, timeout=PATIENCE) as changes:
                        used.call_tool("change")
                        assert next(iter(changes)).key is mcp.methods.TOOL_LIST_CHANGED


WRONG = {
    "no JSON": ("hello\n", r"tape.jsonl:1: the line is not JSON \(.*\); expected one message on each line"),
    "no message": ('{"a": 1}\n', "tape.jsonl:1: found no message; expected one, bare or under `message`"),
    "nothing": ("", "the recording has no request of a client"),
    "no revision": (
        '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n',
        "names no revision; pass it as `revision=`, or to --revision of mcp-codegen replay: one of 20",
    ),
    "unknown revision": (
        '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "1999-01-01"}}\n',
        "there are no bindings of '1999-01-01' here; installed are 20",
    ),
    "an invalid result": (
        '{"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": "2025-06-18"}}\n'
        '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n{"jsonrpc": "2.0", "id": 1, "result": {"tools": 5}}\n',
        r"tape.jsonl:2: the recorded result of tools/list is not valid: \$\.tools: found 5",
    ),
}


@pytest.mark.parametrize(("text", "reason"), WRONG.values(), ids=WRONG)
def test_what_is_no_recording_is_refused_with_the_reason(text, reason, tmp_path):
    path = tmp_path / "tape.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=reason):
        package(LATEST).Client.replay(path)


def test_a_file_that_is_not_there_is_refused_with_the_reason(tmp_path):
    with pytest.raises(
        UsageError, match=r"cannot read the recording .*no\.jsonl': No such file or directory; pass a file"
    ):
        package(LATEST).Client.replay(tmp_path / "no.jsonl")


def test_a_request_without_an_answer_in_the_recording_is_answered_by_an_error(tmp_path):
    path = tmp_path / "tape.jsonl"
    with package(LATEST).Client.in_memory(counted(LATEST), record=path) as client:
        list(client.list_tools())
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")
    with package(LATEST).Client.replay(path) as client, pytest.raises(ResponseError) as caught:
        list(client.list_tools())
    assert "the recording has no answer to this request" in caught.value.data["reason"]


def test_the_fixture_connects_in_the_recorded_revision_and_closes(tmp_path):
    path = tmp_path / "tape.jsonl"
    with package(LATEST).Client.in_memory(counted(LATEST), record=path) as client:
        client.call_tool("count", {"day": "Monday"})
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["mcp_bindings.testing"]\n', encoding="utf-8")
    (tmp_path / "test_it.py").write_text(
        f"""
left = []

def test_use(mcp_replay):
    client = mcp_replay({str(path)!r}, ignore=["/params/arguments/day"], timeout=20)
    assert client.binding.revision == {LATEST!r}
    assert client.call_tool("count", {{"day": "Tuesday"}}).text == "1"
    left.append(client)

def test_it_was_closed():
    assert left[0].connection.closed
""",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", str(tmp_path)]
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment(), cwd=tmp_path, timeout=60, check=False
    )
    assert "2 passed" in done.stdout, done.stdout + done.stderr
