"""``mcp-codegen bridge`` as it is typed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings import connect
from mcp_bindings_runtime.errors import HttpError, ResponseError
from mcp_bindings_runtime.transports.streams import Streams
from support.backends import break_backend, write_backend
from support.bridge_programs import MAIN, bridge_program
from support.raw_http_client import PLAIN
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_http_server import McpPeer
from support.scripted_peers import PATIENCE, environment, package, program, text_of

LATEST = HANDSHAKE[-1]
TOKEN = "0123456789abcdef-of-the-test"


@contextmanager
def bridge(*arguments: str, **variables: str) -> Iterator[str]:
    """Run a bridge that serves over HTTP; yield its URL."""
    with bridge_program(*arguments, **variables) as program:
        yield program.url


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_server_is_passed_on_over_stdio(revision):
    command = [*MAIN, "bridge", "--", *program("echo.py", revision)]
    with package(revision).Client.stdio(command, env=environment(), timeout=PATIENCE, revisions=[revision]) as client:
        assert text_of(client.call_tool("echo", {"n": "日本"})) == "日本"


def test_a_server_over_stdio_becomes_one_over_http_and_back():
    with bridge("--", *program("echo.py", LATEST)) as url:
        assert url.startswith("http://127.0.0.1:")
        with connect.http(url, revisions=[LATEST]) as client:
            assert text_of(client.call_tool("echo", {"n": 1})) == "1"
        command = [*MAIN, "bridge", "--url", url]
        with connect.stdio(command, env=environment(), revisions=[LATEST]) as client:
            assert text_of(client.call_tool("echo", {"n": 2})) == "2"


_WORKER = """\
from mcp_bindings import v{package} as mcp

server = mcp.Server("worker", "1.0", tasks=mcp.MemoryTasks(tools={{"work": "optional"}}), revisions=[mcp.REVISION])
runs = []


@server.tool
def work(context: mcp.Context) -> str:
    runs.append(1)
    return f"{{context.list_roots().roots[0].name}}, run {{len(runs)}}"


server.run_stdio()
"""


@pytest.mark.skipif(len(REVISIONS) < 2, reason="one revision has no other era")
@pytest.mark.parametrize("behind", [LATEST, STATELESS[-1]])
def test_tasks_and_their_questions_pass_over_http(behind, elsewhere):
    Path("worker.py").write_text(_WORKER.format(package=behind.replace("-", "_")), encoding="utf-8")
    with bridge("--", sys.executable, "worker.py") as url:
        for front in (LATEST, STATELESS[-1]):
            mcp = package(front)
            options = {"tasks": True} if front == STATELESS[-1] else {}
            client = mcp.Client.http(url, timeout=PATIENCE, **options)
            root = mcp.types.Root(uri="file:///r", name="the root")
            client.handles(
                mcp.methods.LIST_ROOTS, lambda *_, each=mcp, one=root: each.types.ListRootsResult(roots=[one])
            )
            with client:
                task = client.call_tool_as_task("work")
                assert task.id
                # Each client has a process of its own.
                assert text_of(task.result(PATIENCE)) == "the root, run 1"


def test_clients_need_the_token():
    with bridge("--require-token-env", "TOKEN_OF_TEST", "--", *program("echo.py", LATEST), TOKEN_OF_TEST=TOKEN) as url:
        with pytest.raises(HttpError, match="401"):
            connect.http(url, revisions=[LATEST])
        with connect.http(url, headers={"Authorization": f"Bearer {TOKEN}"}, revisions=[LATEST]) as client:
            assert text_of(client.call_tool("echo", {"n": 1})) == "1"


def status(port: int, **headers: str) -> int:
    """Return the HTTP status of the answer to a ping with these headers."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        connection.request("POST", "/mcp", b'{"jsonrpc":"2.0","id":1,"method":"ping"}', {**PLAIN, **headers})
        return connection.getresponse().status


def test_hosts_and_origins_are_allowed_by_options():
    allowed = ("--allow-host", "mcp.example.com", "--allow-origin", "https://app.example.com")
    with bridge_program(*allowed, "--", *program("echo.py", LATEST)) as served:
        assert served.process.stderr is not None
        for headers, option in (
            ({"Host": "other.example"}, "--allow-host 'other.example'"),
            ({"Origin": "https://page.example"}, "--allow-origin 'https://page.example'"),
        ):
            assert status(served.port, **headers) == 403
            assert option in served.process.stderr.readline()
        # Without a session, a ping is refused for that.
        for headers in ({"Host": "mcp.example.com"}, {"Host": "localhost"}, {"Origin": "https://app.example.com"}):
            assert status(served.port, **headers) == 400


def test_the_token_of_a_client_is_not_passed_on():
    """The bridge is no deputy that lends its name, and the server gets no token that is meant for the bridge."""
    with (
        McpPeer(STATELESS[-1]) as server,
        bridge("--url", server.url, "--require-token-env", "TOKEN_OF_TEST", TOKEN_OF_TEST=TOKEN) as url,
        connect.http(url, headers={"Authorization": f"Bearer {TOKEN}"}) as client,
    ):
        client.call_tool("t")
        assert [each.method for each in server.requests if "tools/call" in str(each)] != []
        assert [each for each in server.requests if "authorization" in each.headers or TOKEN in str(each)] == []


def test_a_server_that_cannot_be_used_is_an_error(spawn):
    done = spawn("bridge", "--", sys.executable, "-c", "import sys; sys.exit(4)")
    assert done.status == 1
    assert done.out == ""
    assert "the server cannot be used: " in done.err


def write_config(**servers: list[str]) -> str:
    """Write a configuration file with the commands of servers; return its name."""
    listed = {name: {"command": words[0], "args": words[1:]} for name, words in servers.items()}
    Path("servers.json").write_text(json.dumps({"mcpServers": listed}), encoding="utf-8")
    return "servers.json"


def test_all_servers_of_a_file_are_one(elsewhere):
    file = write_config(**{name: write_backend(elsewhere, name, LATEST) for name in ("one", "two")})
    command = [*MAIN, "bridge", "--config", file]
    with connect.stdio(command, env=environment(), revisions=[LATEST], timeout=PATIENCE) as client:
        assert {each.name.partition("__")[0] for each in client.list_tools()} == {"one", "two"}


def test_one_server_of_a_file_keeps_its_names(elsewhere):
    file = write_config(**{name: write_backend(elsewhere, name, LATEST) for name in ("one", "two")})
    command = [*MAIN, "bridge", "--config", file, "two"]
    with connect.stdio(command, env=environment(), revisions=[LATEST], timeout=PATIENCE) as client:
        assert "process" in [each.name for each in client.list_tools()]


def test_a_server_that_cannot_be_started_is_left_out(elsewhere):
    file = write_config(one=write_backend(elsewhere, "one", LATEST), two=["no-such-program"])
    with Path("stderr.txt").open("w+") as log:
        command = [*MAIN, "bridge", "--config", file]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stderr=log, env=environment(), check=False)
        log.seek(0)
        assert "error: the server 'two' cannot be used: cannot start 'no-such-program'" in log.read()
        assert done.returncode == 1


def test_a_server_that_cannot_be_started_does_not_rename_the_tools_of_another(elsewhere):
    file = write_config(one=write_backend(elsewhere, "one", LATEST), two=["no-such-program"])
    command = [*MAIN, "bridge", "--config", file]
    with connect.stdio(command, env=environment(), revisions=[LATEST], timeout=PATIENCE) as client:
        assert client.call_tool("one__process").text.isdecimal()
        assert {each.name.partition("__")[0] for each in client.list_tools()} == {"one"}


@pytest.mark.parametrize("front", ["stdio", "http"])
def test_the_status_is_1_if_the_server_cannot_be_started_again(front, elsewhere):
    server = write_backend(elsewhere, "demo", LATEST)
    command = [*MAIN, "bridge", *([] if front == "stdio" else ["--http", "0"]), "--", *server]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    ) as process:
        assert process.stderr is not None
        assert process.stdin is not None
        assert process.stdout is not None
        if front == "http":
            client: Any = connect.http(process.stderr.readline().split()[3], revisions=[LATEST])
        else:
            wire = Streams(os.dup(process.stdout.fileno()), os.dup(process.stdin.fileno()))
            client = package(LATEST).Client.over(wire, timeout=PATIENCE)
        with client:
            client.call_tool("process")
            break_backend(server)
            with pytest.raises(ResponseError, match="Internal error"):
                client.call_tool("die")
            assert process.wait(2 * PATIENCE) == 1
        assert "has ended and could not be started again in 5 attempts" in process.stderr.read()


@pytest.mark.skipif(len(REVISIONS) < 2, reason="one revision has nothing to convert")
@pytest.mark.parametrize("ending", ["the client leaves", "Ctrl-C"])
def test_differences_between_revisions_are_reported(elsewhere, ending):
    if ending == "Ctrl-C" and os.name == "nt":
        pytest.skip("Windows sends Ctrl-C to the whole console")
    oldest, file = HANDSHAKE[0], Path("new/folder/report.jsonl")
    server = Path("server.py")
    server.write_text(
        f"from mcp_bindings import v{LATEST.replace('-', '_')} as mcp\n"
        "server = mcp.Server('demo', '1.0')\n"
        "@server.tool\ndef link() -> mcp.ResourceLink:\n    return mcp.ResourceLink(name='notes', uri='file:///n')\n"
        "server.run_stdio()\n",
        encoding="utf-8",
    )
    command = [*MAIN, "bridge", "--report", str(file), "--fail-on", "loss", "--", sys.executable, str(server)]
    log = Path("stderr.txt")
    with ExitStack() as started, log.open("w") as stderr:
        process = started.enter_context(
            subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, text=True, env=environment()
            )
        )
        opening = {"protocolVersion": oldest, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
        lines = [
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": opening},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {
                "jsonrpc": "2.0",
                "id": 2,
                "method": "tools/call",
                "params": {"name": "link", "arguments": {}},
            },
        ]
        assert process.stdin is not None
        assert process.stdout is not None
        for line in lines:
            process.stdin.write(f"{json.dumps(line)}\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["result"]["protocolVersion"] == oldest
        result = json.loads(process.stdout.readline())["result"]
        assert result["content"] == [{"type": "text", "text": "notes: file:///n"}]
        if ending == "Ctrl-C":
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE) == 130
        process.stdin.close()
        assert process.wait(PATIENCE) == (130 if ending == "Ctrl-C" else 1)
    entries = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert {(each["revision"], each["peer_revision"]) for each in entries} == {(REVISIONS[-1], oldest)}
    assert any(each["method"] == "tools/call" and each["action"] == "dropped" for each in entries)
    assert "1 x dropped: tools/call: " in log.read_text()


MISTAKES = {
    "no server": (["bridge"], "no server given; run: mcp-codegen bridge -- COMMAND"),
    "a port": (["bridge", "--http", "x", "--", "y"], "must be a port such as 8000, or HOST:PORT, got 'x'"),
    "an open address": (
        ["bridge", "--http", "0.0.0.0:8000", "--", "y"],
        "everybody who reaches 0.0.0.0 could use the server; pass --require-token-env NAME, or --no-auth",
    ),
    "a password without Redis": (
        ["bridge", "--http", "0", "--redis-password-env", "HOME", "--", "y"],
        "--redis-password-env requires --redis",
    ),
    "no password": (
        ["bridge", "--http", "0", "--redis", "redis://h", "--redis-password-env", "NO_SUCH_VARIABLE", "--", "y"],
        "--redis-password-env must name an environment variable with a secret; NO_SUCH_VARIABLE is not set",
    ),
    "two passwords": (
        ["bridge", "--http", "0", "--redis", "redis://:x@127.0.0.1", "--redis-password-env", "HOME", "--", "y"],
        "the URL of Redis has a password already; leave it out of the URL",
    ),
    "Redis without HTTP": (["bridge", "--redis", "redis://h", "--", "y"], "--redis requires --http"),
    "a parameter in the URL of Redis": (
        ["bridge", "--http", "0", "--redis", "redis://127.0.0.1:1/0?foo=bar", "--", "y"],
        "the URL of Redis is not valid; use redis://HOST:PORT/DATABASE",
    ),
    "a URL of Redis": (
        ["bridge", "--http", "0", "--redis", "http://127.0.0.1", "--", "y"],
        "the URL of Redis is not valid; use redis://HOST:PORT/DATABASE",
    ),
    "a token without HTTP": (["bridge", "--no-auth", "--", "y"], "--require-token-env and --no-auth require --http"),
    "no token": (
        ["bridge", "--http", "0", "--require-token-env", "NO_SUCH_VARIABLE", "--", "y"],
        "--require-token-env must name an environment variable with a secret; NO_SUCH_VARIABLE is not set",
    ),
    "a revision": (["bridge", "--revision", "1999-01-01", "--", "y"], "1999-01-01"),
    "a report": (["bridge", "--report", f"{os.devnull}/file", "--", "y"], f"cannot write '{os.devnull}/file'"),
    "a host without HTTP": (
        ["bridge", "--allow-host", "x.example", "--", "y"],
        "--allow-host and --allow-origin require --http",
    ),
    "a host": (
        ["bridge", "--http", "0", "--allow-host", "https://x.example", "--", "y"],
        "--allow-host must be a name such as mcp.example.com or mcp.example.com:8443, or *, got 'https://x.example'",
    ),
    "an origin": (
        ["bridge", "--http", "0", "--allow-origin", "x.example", "--", "y"],
        "--allow-origin must be an origin such as https://app.example.com, or *, got 'x.example'",
    ),
    "a short token": (
        ["bridge", "--http", "0", "--require-token-env", "HOME", "--", "y"],
        "HOME: an API key must have at least 16 characters",
    ),
    "no separator": (["bridge", "python", "server.py"], "unexpected argument 'python'; write -- before the command"),
    "a missing file": (["bridge", "--config", "no.json"], "cannot read no.json: No such file or directory"),
    "two ways to name a server": (["bridge", "--config", "no.json", "--url", "http://x"], "--config names the servers"),
    "a time": (["bridge", "--timeout", "0", "--", "y"], "0"),
}


@pytest.mark.parametrize(("words", "reason"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_explained(words, reason, cli, monkeypatch):
    monkeypatch.setenv("HOME", "/home")
    done = cli(*words)
    assert done.status == 2
    assert reason in done.err
