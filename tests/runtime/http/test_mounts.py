"""The recipes of docs/http.md, as written there, under the WSGI servers that it names."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from checkout import ROOT
from mcp_bindings import v2025_11_25 as mcp
from support.ports import port_for_a_server
from support.raw_http_client import PLAIN, Wire, modern, request
from support.scripted_peers import PATIENCE, environment, eventually

NEW = "2026-07-28"
"""The stateless revision of the programs that are served."""
SERVERS = {
    "gunicorn": [
        "-m",
        "gunicorn",
        "--worker-class",
        "gthread",
        "--threads",
        "8",
        # Of streams whose clients have gone it hears when something is sent; it need not wait for that.
        "--graceful-timeout",
        "1",
        "--bind",
        "127.0.0.1:{port}",
        "{app}",
    ],
    "waitress": ["-m", "waitress", "--threads=8", "--listen=127.0.0.1:{port}", "{app}"],
    "granian": ["-m", "granian", "--interface", "wsgi", "--blocking-threads", "8", "--port", "{port}", "{app}"],
    "cheroot": ["-m", "cheroot", "--threads", "8", "--bind", "127.0.0.1:{port}", "{app}"],
}


@pytest.fixture(scope="module")
def recipes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recipes")
    page = (ROOT / "docs" / "http.md").read_text(encoding="utf-8")
    for name, text in re.findall(r'^```python title="([^"]+)"\n(.*?)^```$', page, re.MULTILINE | re.DOTALL):
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def require(package: str) -> None:
    pytest.importorskip(package, reason=f"needs {package}, which nox installs for the oldest Python only")


@contextmanager
def served(command: list[str], folder: Path, app: str, stop: signal.Signals = signal.SIGTERM) -> Iterator[int]:
    if command[0] == "-m":
        require(command[1])
    port = port_for_a_server()
    arguments = [part.format(port=port, app=app) for part in command]
    env = environment() | {"PYTHONPATH": f"{folder}:{environment()['PYTHONPATH']}"}
    log = folder / f"{app.partition(':')[0]}.log"
    with log.open("wb") as out:
        process = subprocess.Popen([sys.executable, *arguments], cwd=folder, env=env, stdout=out, stderr=out)

    def listens() -> bool:
        assert process.poll() is None, log.read_text()
        with closing(socket.socket()) as tried:
            return tried.connect_ex(("127.0.0.1", port)) == 0

    try:
        eventually(listens, PATIENCE * 2)
        yield port
    finally:
        process.send_signal(stop)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(PATIENCE)


def refuses(port: int) -> bool:
    """Whether nobody listens on a port."""
    with closing(socket.socket()) as tried:
        return tried.connect_ex(("127.0.0.1", port)) != 0


def adds(wire: Wire) -> None:
    """Speaks with the server of the recipes in both eras."""
    whole, headers = modern(request("tools/call", 1, {"name": "add", "arguments": {"a": 2, "b": 3}}), revision=NEW)
    assert wire.post(whole, **headers).text == "5"
    wire.initialize("2025-11-25")
    assert wire.post(request("tools/call", 1, {"name": "add", "arguments": {"a": 2, "b": 3}})).text == "5"


@pytest.mark.parametrize("server", SERVERS)
def test_any_wsgi_server_serves_it(recipes: Path, server: str) -> None:
    with served(SERVERS[server], recipes, "app:app") as port:
        wire = Wire(port, "/")
        adds(wire)
        listening, headers = modern(
            request("subscriptions/listen", 5, {"notifications": {"toolsListChanged": True}}), revision=NEW
        )
        stream = wire.stream(listening, **headers)
        # It comes at once, and nothing waits for the end of the response.
        assert stream.message()["method"] == "notifications/subscriptions/acknowledged"
        stream.close()
        standing = wire.stream()
        assert standing.block() == [":"]
        assert wire.ask("DELETE").status == 204
        assert standing.messages() == []
        standing.close()


@pytest.mark.parametrize(("app", "path"), [("app:app", "/"), ("flask_app:app", "/mcp")])
def test_a_gunicorn_worker_that_stops_ends_its_streams(recipes: Path, app: str, path: str) -> None:
    pid = recipes / "gunicorn.pid"
    command = ["-m", "gunicorn", "--graceful-timeout", "600", "--pid", str(pid), "--bind", "127.0.0.1:{port}", "{app}"]
    with served(command, recipes, app) as port, ThreadPoolExecutor(1) as threads:
        wire = Wire(port, path)
        wire.initialize("2025-11-25")
        stream = wire.stream()
        assert stream.block() == [":"]
        ended = threads.submit(stream.messages)
        os.kill(int(pid.read_text(encoding="ascii")), signal.SIGTERM)
        try:
            assert ended.result(PATIENCE) == []
        finally:
            wire.close()
        eventually(lambda: not pid.exists())


WORKING = """
from threading import Event
from mcp_bindings import v2025_11_25 as mcp

server = mcp.Server("demo", "1.0")
going = Event()

@server.tool()
def work(context: mcp.Context) -> str:
    context.progress(1)
    going.wait(20)
    return "done"

@server.tool()
def go() -> str:
    going.set()
    return "gone"

app = server.wsgi_app(threads=8, streams=1, keepalive=0.1)
"""


@pytest.mark.parametrize("server", SERVERS)
def test_what_is_sent_meanwhile_comes_meanwhile_and_who_hangs_up_is_noticed(tmp_path: Path, server: str) -> None:
    (tmp_path / "working.py").write_text(WORKING, encoding="utf-8")
    with served(SERVERS[server], tmp_path, "working:app") as port:
        wire = Wire(port, "/")
        wire.initialize("2025-11-25")
        work = {"name": "work", "arguments": {}, "_meta": {"progressToken": 1}}
        stream = wire.stream(request("tools/call", 1, work))
        assert stream.message()["params"]["progress"] == 1
        assert wire.post(request("tools/call", 2, {"name": "go", "arguments": {}})).text == "gone"
        (answered,) = stream.messages()
        assert answered["result"]["content"][0]["text"] == "done"
        # There may be one such stream: the next is had when it was noticed that the one before is gone.
        for _ in range(2):
            eventually(lambda: listens(wire))
        wire.close()


LIMITED = """
from mcp_bindings import serve, v2025_11_25, v2026_07_28

servers = [each.Server("demo", "1.0") for each in (v2025_11_25, v2026_07_28)]
app = serve.wsgi_app(*servers, threads=8, body_limit=20000)
"""


@pytest.mark.parametrize("server", SERVERS)
def test_refusals_and_head_are_what_they_are_below_any_server(tmp_path: Path, server: str) -> None:
    (tmp_path / "limited.py").write_text(LIMITED, encoding="utf-8")
    with served(SERVERS[server], tmp_path, "limited:app") as port:
        wire = Wire(port, "/")
        fields = "".join(f"{name}: {value}\r\n" for name, value in {"Host": f"127.0.0.1:{port}", **PLAIN}.items())

        def statuses(sent: str, count: int = 1) -> list[int]:
            with closing(socket.create_connection(("127.0.0.1", port), PATIENCE)) as raw:
                raw.sendall(sent.encode())
                answers = raw.makefile("rb")
                found = []
                for _ in range(count):
                    found.append(int(answers.readline().split()[1]))
                    while answers.readline() != b"\r\n":
                        pass
                return found

        head = f"HEAD / HTTP/1.1\r\n{fields}\r\n"
        # With a body the second status line would not be where the first answer ends.
        assert statuses(head * 2, 2) == [405, 405]
        post = f"POST / HTTP/1.1\r\n{fields}"
        assert statuses(f"{post}Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n") == [400]
        assert wire.post(b" " * 30000).status == 413


HOLDING = """
from threading import Event
from mcp_bindings import v2026_07_28 as mcp

server = mcp.Server("demo", "1.0")
begun, ended = Event(), Event()

@server.tool()
def hold(context: mcp.Context) -> str:
    begun.set()
    while not context.cancelled:
        ended.wait(0.01)
    ended.set()
    return "cancelled"

@server.tool()
def has_begun() -> str:
    return str(begun.wait(20))

@server.tool()
def has_ended() -> str:
    return str(ended.wait(20))

# No comment is sent in time, by which it could be noticed.
app = server.wsgi_app(threads=8, keepalive=600)
"""


@pytest.mark.parametrize("server", ["gunicorn", "waitress"])
def test_who_hangs_up_without_a_stream_is_noticed_where_the_server_shows_it(tmp_path: Path, server: str) -> None:
    (tmp_path / "holding.py").write_text(HOLDING, encoding="utf-8")
    command = [*SERVERS[server]]
    if server == "waitress":
        command.insert(2, "--channel-request-lookahead=1")
    with served(command, tmp_path, "holding:app") as port:
        wire = Wire(port, "/")

        def asked(number: int, name: str) -> tuple[Any, dict[str, str]]:
            return modern(request("tools/call", number, {"name": name, "arguments": {}}), revision=NEW)

        whole, headers = asked(1, "hold")
        with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
            connection.request("POST", "/", json.dumps(whole), {**PLAIN, **headers})
            whole, headers = asked(2, "has_begun")
            assert wire.post(whole, **headers).text == "True"
        whole, headers = asked(3, "has_ended")
        assert wire.post(whole, **headers).text == "True"


def listens(wire: Wire) -> bool:
    connection, response = wire.send("GET", None, {"Accept": "text/event-stream"})
    with closing(connection), closing(response):
        assert response.status in {200, 503}
        return response.status == 200


@pytest.mark.parametrize("app", ["flask_app:app", "bottle_app:app", "django_app:application"])
def test_it_is_mounted_into_a_site(recipes: Path, app: str) -> None:
    require(app.partition("_")[0])
    with served(SERVERS["waitress"], recipes, app) as port:
        adds(Wire(port))
        older = Wire(port, "/mcp/sse").stream()
        assert older.next().fields["data"].startswith("/mcp/messages?session_id=")
        older.close()
        with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
            connection.request("GET", "/")
            assert connection.getresponse().read() == b"the site"


def test_a_program_serves_itself(recipes: Path) -> None:
    program = "import sys, server; server.server.run_http(port=int(sys.argv[1]))"
    with served(["-c", program, "{port}"], recipes, "server") as port:
        wire = Wire(port)
        wire.initialize("2025-11-25")
        assert wire.post(request("tools/call", 1, {"name": "add", "arguments": {"a": 2, "b": 3}})).text == "5"
        refused = wire.post(*modern(request("tools/list", 1), revision=NEW)[:1], MCP_Protocol_Version=NEW)
        assert refused.status == 400


def test_a_program_goes_on_after_ctrl_c(recipes: Path) -> None:
    # A shell that runs this in the background has SIGINT ignored.
    heeded = "import signal, sys, server; signal.signal(signal.SIGINT, signal.default_int_handler)"
    program = f"{heeded}; server.server.run_http(port=int(sys.argv[1])); print('over')"
    with served(["-c", program, "{port}"], recipes, "interrupted", signal.SIGINT) as port:
        Wire(port).initialize("2025-11-25")
    said = f"Serving MCP on http://127.0.0.1:{port}/mcp (Ctrl-C ends it)\nover\n"
    assert (recipes / "interrupted.log").read_text() == said


def test_a_program_says_where_it_serves(recipes: Path) -> None:
    program = "import server; server.server.run_http(port=0, path='/there')"
    with subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=recipes,
        env=environment() | {"PYTHONPATH": f"{recipes}:{environment()['PYTHONPATH']}"},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        found = re.fullmatch(r"Serving MCP on http://127\.0\.0\.1:(\d+)/there \(Ctrl-C ends it\)\n", said)
        assert found is not None, said
        Wire(int(found[1]), "/there").initialize("2025-11-25")
        process.kill()


def test_who_is_told_that_it_serves_can_end_it(capsys: pytest.CaptureFixture[str]) -> None:
    server = mcp.Server("s", "1")
    told: list[Any] = []

    def ready(serving: Any) -> None:
        told.append(serving)
        Thread(target=use, args=(serving,), name="test-user").start()

    def use(serving: Any) -> None:
        Wire(serving.port).initialize("2025-11-25")
        serving.close()

    server.run_http(port=0, ready=ready)
    assert capsys.readouterr().err == ""
    eventually(lambda: refuses(told[0].port))


def test_a_function_that_fails_when_told_ends_it() -> None:
    ports: list[int] = []

    def ready(serving: Any) -> None:
        ports.append(serving.port)
        message = "no"
        raise ValueError(message)

    with pytest.raises(ValueError, match="no"):
        mcp.Server("s", "1").run_http(port=0, ready=ready)
    assert refuses(ports[0])


HURRIED = """
from mcp_bindings import v2026_07_28

app = v2026_07_28.Server("demo", "1.0").wsgi_app(body_time=0.5)
"""


@pytest.mark.parametrize("framing", ["Content-Length: 60000", "Transfer-Encoding: chunked"])
def test_bodies_that_drip_in_give_the_threads_of_gunicorn_back(tmp_path: Path, framing: str) -> None:
    (tmp_path / "hurried.py").write_text(HURRIED, encoding="utf-8")
    with served(SERVERS["gunicorn"], tmp_path, "hurried:app") as port, ExitStack() as stack:
        fields = "".join(f"{name}: {value}\r\n" for name, value in PLAIN.items())
        # As many as there are threads.
        dripping = [stack.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE)) for _ in range(8)]
        for raw in dripping:
            raw.sendall(f"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n{fields}{framing}\r\n\r\n".encode())
        stopping = Event()

        def drip() -> None:
            while not stopping.wait(0.05):
                for raw in dripping:
                    with suppress(OSError):
                        raw.sendall(b"1\r\n \r\n" if "chunked" in framing else b" ")

        thread = Thread(target=drip)
        thread.start()
        try:
            said = [raw.recv(100) for raw in dripping]
            body, headers = modern(request("server/discover", 1))
            assert Wire(port, "/").post(body, **headers).status == 200
        finally:
            stopping.set()
            thread.join()
        assert {each[:13] for each in said} == {b"HTTP/1.1 408 "}
