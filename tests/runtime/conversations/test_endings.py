"""How conversations end: in good order, in the middle of a call, and with nothing left behind."""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from checkout import REVISIONS
from mcp_bindings import connect
from mcp_bindings_runtime.errors import ConnectionClosed, ProtocolError, RequestTimeout
from support.echo_server import echo_server
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import (
    PATIENCE,
    WHO,
    Piped,
    descriptors,
    environment,
    eventually,
    package,
    pass_over_threads_of_earlier_tests,
    program,
    text_of,
    threads_of,
)

each_revision = pytest.mark.parametrize("revision", REVISIONS)
LATEST = HANDSHAKE[-1]


@each_revision
@pytest.mark.parametrize("ends", ["closed", "closed before it connects", "lost"])
def test_a_client_that_has_ended_does_not_connect_again(revision, ends):
    client = package(revision).Client.in_memory(echo_server(revision)[0])
    if ends != "closed before it connects":
        client.connect()
    if ends == "lost":
        client.connection.close()
    else:
        client.close()
    for _ in range(2):
        with pytest.raises(ConnectionClosed, match="make another client"):
            client.connect()
    client.close()


def stdio(revision, *arguments, name="echo.py", **options):
    options = {"timeout": PATIENCE, "env": environment(), **options}
    return package(revision).Client.stdio(program(name, *arguments), **options)


def echo(number, revision, **arguments):
    params = {"name": "echo", "arguments": arguments}
    if revision in STATELESS:
        params["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": WHO,
        }
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def lines(revision, *messages):
    opening = [
        {
            "jsonrpc": "2.0",
            "id": 0,
            "method": "initialize",
            "params": {"protocolVersion": revision, "capabilities": {}, "clientInfo": WHO},
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]
    if revision in STATELESS:
        opening = []
    return b"".join(json.dumps(each).encode() + b"\n" for each in (*opening, *messages))


# Servers.


@pytest.mark.parametrize(
    ("revision", "mode"), [*((each, "") for each in REVISIONS), (LATEST, "pump"), (REVISIONS[-1], "pump")]
)
def test_a_pipe_gets_all_its_answers(revision, mode):
    text = lines(revision, *(echo(n, revision, n=n, pause=0.02 * (n % 3)) for n in range(1, 41)))
    done = subprocess.run(
        program("echo.py", revision, mode),
        input=text,
        capture_output=True,
        env=environment(),
        timeout=PATIENCE,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    texts = {each["id"]: each["result"]["content"][0]["text"] for each in answers if each["id"]}
    assert texts == {n: str(n) for n in range(1, 41)}
    assert done.stderr == b""


def test_the_last_line_of_a_pipe_may_lack_its_newline():
    text = lines(LATEST, {"jsonrpc": "2.0", "id": "last", "method": "ping"}).rstrip(b"\n")
    done = subprocess.run(
        program("echo.py", LATEST), input=text, capture_output=True, env=environment(), timeout=PATIENCE, check=True
    )
    assert b'"last"' in done.stdout


def test_a_server_whose_input_ends_has_its_grace_to_answer():
    with Piped(program("echo.py", LATEST, "grace=20")) as server:
        server.write(lines(LATEST, *(echo(n, LATEST, n=n, pause=0.3) for n in (1, 2, 3))))
        server.process.stdin.close()
        assert sorted(server.hear()["id"] for _ in range(4)) == [0, 1, 2, 3]
        assert server.line() == b""
        assert server.process.wait(PATIENCE) == 0


def test_a_server_whose_input_ends_does_not_wait_for_handlers_that_never_end():
    with Piped(program("echo.py", LATEST, "grace=0.2")) as server:
        server.introduce(LATEST)
        server.say(echo(1, LATEST, n=1, hold=True))
        server.say(echo(2, LATEST, n=2))
        assert server.hear()["id"] == 2
        begun = time.monotonic()
        assert server.end() == 0
        assert server.line() == b""
        # Far from the minutes that a handler may take.
        assert time.monotonic() - begun < PATIENCE / 2


def test_more_requests_than_workers_are_answered_after_the_input_has_ended():
    server, _ = echo_server(LATEST, workers=2, grace=PATIENCE)
    from mcp_bindings_runtime.transports.streams import Streams

    (read_in, write_in), (read_out, write_out) = os.pipe(), os.pipe()
    thread = threading.Thread(target=server.serve, args=(Streams(read_in, write_out),))
    thread.start()
    os.write(write_in, lines(LATEST, *(echo(n, LATEST, n=n, pause=0.05) for n in range(1, 11))))
    os.close(write_in)
    thread.join(PATIENCE)
    with os.fdopen(read_out, "rb") as answers:
        assert sorted(json.loads(line)["id"] for line in answers) == list(range(11))


# Clients.


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_server_that_dies_in_a_call_ends_it(revision):
    client = stdio(revision, "exit", name="dying.py", stderr="capture")
    with client:
        with pytest.raises(ConnectionClosed, match=r"(?s)exit.*3.*the last words"):
            client.call_tool("x", {})
        with pytest.raises(ConnectionClosed):
            client.call_tool("x", {})
    eventually(lambda: not threads_of())


@pytest.mark.parametrize("how", ["kill", "close", "half"])
def test_a_server_that_is_killed_or_closes_its_output_ends_the_call(how):
    client = stdio(LATEST, how, name="dying.py")
    with client:
        calls = []

        def call():
            with pytest.raises(ConnectionClosed):
                client.call_tool("x", {})
            calls.append(how)

        threads = [threading.Thread(target=call) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        assert calls == [how] * 4
    eventually(lambda: not threads_of())


def test_what_a_server_prints_besides_messages_is_passed_over():
    with stdio(LATEST, "garbage", name="dying.py") as client:
        assert text_of(client.call_tool("x", {})) == "fine"
        assert text_of(client.call_tool("x", {})) == "fine"


def test_a_server_that_prints_and_never_answers_is_told_apart_from_a_silent_one():
    program = [sys.executable, "-c", "print('Listening on port 3000', flush=True); input(); input()"]
    client = package(LATEST).Client.stdio(program, timeout=6.0)
    with pytest.raises(
        RequestTimeout,
        match=r"^initialize: no answer in 6 s; what came instead was dropped: the server wrote .*which is not a message",
    ):
        client.connect()


def test_a_server_that_is_silent_while_a_client_connects_is_named_with_the_possible_reasons(tmp_path):
    program = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    reasons = (
        r"^initialize: no answer in 1 s; the server .* -c .* \(process \d+\) may still be starting, which a longer"
    )
    for options in ({}, {"record": tmp_path / "session.jsonl"}):
        client = package(LATEST).Client.stdio(program, timeout=1.0, revisions=[LATEST], **options)
        with pytest.raises(RequestTimeout, match=reasons):
            client.connect()


def test_a_program_that_prints_something_else_first_is_reported_when_a_revision_is_negotiated_too():
    command = [sys.executable, "-c", "import sys; print('Listening on port 3000', flush=True); sys.stdin.read()"]
    with pytest.raises(RequestTimeout, match='the server wrote "Listening on port 3000", which is not a message'):
        connect.stdio(command, timeout=8.0)


def test_a_program_that_is_no_server_because_it_echoes_is_reported_at_once():
    with pytest.raises(ProtocolError, match=r"sends back what it receives.*not an MCP server"):
        connect.stdio(["cat"], timeout=PATIENCE)
    with pytest.raises(ProtocolError, match="not an MCP server"):
        package(LATEST).Client.stdio(["cat"], timeout=PATIENCE, revisions=[LATEST]).connect()


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("import os; os.environ['API_TOKEN']", "API_TOKEN"),
        ("import os; os.environ['KEY']", "KEY"),
        ("import sys; sys.exit('error: the environment variable DB_URL is required')", "DB_URL"),
        ("import os, sys; sys.exit(\"int(os.getenv('port')): not 'NoneType'\")", "port"),
    ],
)
def test_a_server_that_ends_for_want_of_a_variable_is_reported_with_how_to_pass_it(code, name):
    text = f"{name} is not in its environment: pass env={{'{name}': 'value'}};"
    for inherit_env in (False, True):
        with pytest.raises(ConnectionClosed, match=text):
            connect.stdio([sys.executable, "-c", code], stderr="capture", inherit_env=inherit_env, timeout=PATIENCE)
    with pytest.raises(ConnectionClosed, match="if it needs variables of this environment, pass env="):
        connect.stdio([sys.executable, "-c", code], stderr=subprocess.DEVNULL, timeout=PATIENCE)


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("import sys; sys.exit('Please set WEATHER_KEY')", "WEATHER_KEY"),
        ("import sys; sys.exit('PATH_TO_X is not set: see HOME')", "PATH_TO_X"),
        ("{}['WEATHER_KEY']", "WEATHER_KEY"),
    ],
)
def test_what_may_be_a_variable_is_called_possible(code, name):
    text = f"{name} is not in its environment: if it reads that variable, pass env={{'{name}': 'value'}};"
    with pytest.raises(ConnectionClosed, match=text):
        connect.stdio([sys.executable, "-c", code], stderr="capture", timeout=PATIENCE)


def test_a_variable_of_this_process_is_passed_on_by_its_value(monkeypatch):
    monkeypatch.setenv("WEATHER_KEY", "k-1")
    text = r"if it reads that variable, pass env=\{'WEATHER_KEY': os\.environ\['WEATHER_KEY'\]\} or inherit_env=True;"
    with pytest.raises(ConnectionClosed, match=text):
        connect.stdio([sys.executable, "-c", "exit('no WEATHER_KEY')"], stderr="capture", timeout=PATIENCE)


def test_a_module_that_is_not_found_names_the_folder_or_the_interpreter_that_may_have_it(monkeypatch):
    command = [sys.executable, "-c", "import weather_of_tomorrow"]
    monkeypatch.setenv("PYTHONPATH", "lib")
    text = (
        r"PYTHONPATH is not in its environment: if the module 'weather_of_tomorrow' is there, pass env=\{'PYTHONPATH'"
    )
    with pytest.raises(ConnectionClosed, match=text):
        connect.stdio(command, stderr="capture", timeout=PATIENCE)
    monkeypatch.delenv("PYTHONPATH")
    with pytest.raises(ConnectionClosed, match="interpreter does not find the module 'weather_of_tomorrow'"):
        connect.stdio(command, stderr="capture", timeout=PATIENCE)


@pytest.mark.parametrize("options", [{"stderr": "capture"}, {"stderr": subprocess.DEVNULL, "inherit_env": True}])
def test_a_server_that_ends_for_another_reason_is_not_said_to_lack_a_variable(options):
    with pytest.raises(ConnectionClosed) as raised:
        connect.stdio([sys.executable, "-c", "1 / 0"], timeout=PATIENCE, **options)
    assert "env=" not in str(raised.value)


DYING = """
import os, time
from mcp_bindings import v2026_07_28 as mcp

server = mcp.Server("s", "1")

@server.tool
def end() -> None:
    os._exit(3)

@server.tool
def hang() -> None:
    time.sleep(1000)

print("Listening on port 3000", flush=True)
server.run_stdio()
"""


def test_the_end_of_a_server_that_has_answered_is_not_blamed_on_its_environment(tmp_path):
    (tmp_path / "server.py").write_text(DYING)
    client = connect.stdio([sys.executable, "server.py"], cwd=tmp_path, env=environment(), timeout=PATIENCE)
    with client, pytest.raises(ConnectionClosed, match="exited with status 3") as raised:
        client.call_tool("end")
    assert "env=" not in str(raised.value)


def test_a_late_answer_is_not_blamed_on_what_was_printed_before_the_session(tmp_path):
    (tmp_path / "server.py").write_text(DYING)
    client = connect.stdio([sys.executable, "server.py"], cwd=tmp_path, env=environment(), timeout=PATIENCE)
    with client, pytest.raises(RequestTimeout, match=r"^tools/call: no answer in 0\.2 s$"):
        client.call_tool("hang", timeout=0.2)


@pytest.mark.parametrize("folder", [None, "elsewhere"])
def test_a_script_that_does_not_exist_is_named(tmp_path, monkeypatch, folder):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    command = [sys.executable, "serevr.py"]
    place = tmp_path if folder is None else folder
    with pytest.raises(ConnectionClosed, match=rf"status 2; there is no file 'serevr\.py' in the folder '{place}'"):
        connect.stdio(command, cwd=folder, stderr=subprocess.DEVNULL, timeout=PATIENCE)


def test_a_server_that_cannot_be_connected_to_leaves_nothing_behind():
    before = descriptors()
    for _ in range(5):
        with pytest.raises(ConnectionClosed):
            package(LATEST).Client.stdio(["sh", "-c", "exit 1"]).connect()
    eventually(lambda: not threads_of())
    assert not descriptors() - before


@each_revision
def test_a_hundred_clients_in_memory_leave_nothing_behind(revision):
    mcp = package(revision)
    server, _ = echo_server(revision)
    before = descriptors()
    for n in range(100):
        with mcp.Client.in_memory(server) as client:
            assert text_of(client.call_tool("echo", {"n": n})) == str(n)
    eventually(lambda: not descriptors() - before and not threads_of(""))
    eventually(lambda: not server._connections)


def test_clients_of_processes_leave_nothing_behind():
    before = descriptors()
    pids = []
    # Many of them are for the long version of this; each starts an interpreter.
    times = int(os.environ.get("MCP_BINDINGS_STARTS", "6"))
    for n in range(times):
        # For each start, since a busy machine takes long for all of them.
        faulthandler.dump_traceback_later(120, exit=True)
        with stdio(REVISIONS[n % len(REVISIONS)], REVISIONS[n % len(REVISIONS)]) as client:
            assert text_of(client.call_tool("echo", {"n": n})) == str(n)
            pids.append(client.connection._transport.pid)
    faulthandler.cancel_dump_traceback_later()
    eventually(lambda: not descriptors() - before and not threads_of(""))
    for pid in pids:
        # Not os.kill(pid, 0): after many starts another program may have the id.
        with pytest.raises(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)


def test_of_the_threads_that_are_left_a_test_sees_its_own():
    last = threading.Event()
    thread = threading.Thread(target=last.wait, args=(PATIENCE,), name="mcp-of-this-test")
    thread.start()
    assert threads_of("mcp-of") == ["mcp-of-this-test"]
    pass_over_threads_of_earlier_tests()
    assert threads_of("mcp-of") == []
    last.set()
    thread.join(PATIENCE)


def test_whoever_closes_second_finds_the_server_ended_too():
    client = stdio(LATEST, LATEST)
    client.connect()
    pid = client.connection._transport.pid
    closers = [threading.Thread(target=client.close) for _ in range(3)]
    for each in closers:
        each.start()
    client.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    for each in closers:
        each.join(PATIENCE)


def test_a_transport_that_fails_in_its_own_way_ends_the_connection(caplog):
    class Failing:
        def __init__(self):
            self.sent = threading.Event()

        def receive(self, timeout=None):
            self.sent.wait(PATIENCE)
            raise OSError(5, "of its own")

        def send(self, message, timeout=None):
            self.sent.set()

        def interrupt(self):
            return

        def close(self):
            return

    with pytest.raises(ConnectionClosed, match="of its own"):
        package(LATEST).Client.over(Failing()).connect()
    assert "the transport failed" in caplog.text


@pytest.mark.parametrize("restart", [True, False])
def test_a_server_that_has_ended_is_started_again_if_that_was_asked_for(restart):
    revision = STATELESS[0]
    client = package(revision).Client.stdio(
        program("echo.py", revision), env=environment(), restart=restart, timeout=PATIENCE
    )
    with client:
        first = client.connection
        assert text_of(client.call_tool("echo", {"n": 1})) == "1"
        os.kill(first._transport.pid, signal.SIGKILL)
        eventually(lambda: first.closed)
        if restart:
            assert text_of(client.call_tool("echo", {"n": 2})) == "2"
            assert client.connection._transport.pid != first._transport.pid
        else:
            with pytest.raises(ConnectionClosed, match="SIGKILL"):
                client.call_tool("echo", {"n": 2})
    # Nothing is started for a client that was closed.
    with pytest.raises(ConnectionClosed):
        client.call_tool("echo", {"n": 3})


def test_of_threads_that_find_the_server_ended_one_starts_it_again():
    revision = STATELESS[0]
    client = package(revision).Client.stdio(
        program("echo.py", revision), env=environment(), restart=True, timeout=PATIENCE
    )
    with client, ThreadPoolExecutor(8) as pool:
        first = client.connection
        os.kill(first._transport.pid, signal.SIGKILL)
        eventually(lambda: first.closed)
        numbers = range(16)
        results = pool.map(lambda n: text_of(client.call_tool("echo", {"n": n})), numbers)
        assert list(results) == [str(n) for n in numbers]
