"""Many at once: connections, streams, sessions; what is broken off leaves nothing behind."""

from __future__ import annotations

import gc
import io
import json
import socket
import struct
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from http.client import HTTPConnection

import pytest
from mcp_bindings import Authorization, Caller
from mcp_bindings_runtime.connection.thread_pool import ThreadPool
from support.echo_server import echo_server
from support.raw_http_client import NEW, PLAIN, Wire, answer_of, call, endpoint, modern, request
from support.revisions import HANDSHAKE
from support.scripted_peers import PATIENCE, WHO, eventually, package, text_of

LATEST = HANDSHAKE[-1]
LOGS = {LATEST: {"on_log": print}, NEW: {"on_log": print, "log_level": "info"}}


def least_garbage(work: Callable[[], object]) -> int:
    """Return the least number of objects in cycles that a round of work leaves, of three rounds after a first one.

    What the work leaves, it leaves in each round. What becomes garbage elsewhere in the process meanwhile, such as by the
    end of a thread of an earlier test, does so once.
    """
    work()
    left = []
    for _ in range(3):
        gc.collect()
        gc.disable()
        try:
            work()
            left.append(gc.collect())
        finally:
            gc.enable()
    return min(left)


def test_connections_are_kept_open_for_many_clients_at_once():
    server, _ = echo_server(NEW)
    with endpoint(server) as wire:

        def client(name: int) -> list[str]:
            with closing(HTTPConnection("127.0.0.1", wire.port, timeout=PATIENCE)) as connection:
                connection.connect()
                mine = connection.sock
                texts = []
                for number in range(20):
                    whole, headers = modern(call(number, n=name))
                    connection.request("POST", "/mcp", json.dumps(whole), {**PLAIN, **headers})
                    texts.append(answer_of(connection.getresponse()).text)
                    assert connection.sock is mine
                return texts

        with ThreadPoolExecutor(24) as clients:
            assert list(clients.map(client, range(24))) == [[str(name)] * 20 for name in range(24)]


def test_an_answer_comes_as_one_on_a_connection_that_is_kept():
    server, _ = echo_server(NEW)
    whole, headers = modern(call(1, n=1))
    body = json.dumps(whole).encode()
    lines = [f"{name}: {value}" for name, value in {**PLAIN, **headers, "Content-Length": len(body)}.items()]
    with endpoint(server, threads=2) as wire:
        asked = "\r\n".join(["POST /mcp HTTP/1.1", f"Host: 127.0.0.1:{wire.port}", *lines, "", ""]).encode() + body
        # More than there are threads: none of them stays with a connection.
        with ExitStack() as stack:
            many = [socket.create_connection(("127.0.0.1", wire.port), timeout=PATIENCE) for _ in range(4)]
            for each in many:
                stack.enter_context(each)
            for connection in many * 5:
                connection.sendall(asked)
                head, _, rest = connection.recv(65536).partition(b"\r\n\r\n")
                assert head.startswith(b"HTTP/1.1 200 ")
                assert json.loads(rest)["id"] == 1
            # Two at once are answered one after the other.
            many[0].sendall(asked * 2)
            found = b""
            while found.count(b'"id":1') < 2:
                part = many[0].recv(65536)
                assert part
                found += part


def test_two_hundred_streams_leave_requests_their_threads():
    mcp = package(LATEST)
    server, _ = echo_server(LATEST)
    with endpoint(server, threads=256, streams=200) as wire:
        clients = [Wire(wire.port) for _ in range(201)]
        with ThreadPoolExecutor(16) as threads:
            list(threads.map(lambda each: each.initialize(LATEST), clients))
            streams = list(threads.map(Wire.stream, clients[:200]))
            assert clients[200].ask("GET", headers={"Accept": "text/event-stream"}).status == 503
            assert {answer.text for answer in threads.map(lambda each: each.post(call(n=1)), clients)} == {"1"}
            server.notify(mcp.methods.TOOL_LIST_CHANGED)
            heard = {stream.message()["method"] for stream in streams}
            assert heard == {"notifications/tools/list_changed"}
            for stream in streams:
                stream.close()


def test_ten_thousand_sessions_come_and_go_without_a_trace():
    server, _ = echo_server(LATEST)
    application = server.wsgi_app()
    hello = {"protocolVersion": LATEST, "capabilities": {}, "clientInfo": WHO}
    body = json.dumps(request("initialize", 0, hello)).encode()
    environ = {"PATH_INFO": "/", "HTTP_HOST": "localhost", "HTTP_ACCEPT": PLAIN["Accept"]}
    taken: dict[str, str] = {}

    def begin_and_end() -> None:

        posted = {"CONTENT_TYPE": "application/json", "CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body)}
        list(application({**environ, **posted, "REQUEST_METHOD": "POST"}, lambda _, headers: taken.update(headers)))
        ended = {"REQUEST_METHOD": "DELETE", "HTTP_MCP_SESSION_ID": taken["Mcp-Session-Id"]}
        list(application({**environ, **ended}, lambda status, _: taken.update(status=status)))
        assert taken["status"].startswith("204")

    for _ in range(100):
        begin_and_end()
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(10_000):
        begin_and_end()
    gc.collect()
    assert len(gc.get_objects()) - before < 1000


@pytest.mark.parametrize("revision", [LATEST, NEW])
def test_calls_with_progress_and_logs_leave_nothing_to_the_garbage_collector(revision):
    mcp = package(revision)
    server = mcp.Server("x", "1")

    @server.handler(mcp.methods.CALL_TOOL)
    def work(params, context):
        context.progress(1, 2)
        context.log("warning", "half")
        return mcp.CallToolResult(content=[mcp.TextContent(text=str(params.arguments["n"]))])

    def calls(client) -> None:
        for n in range(50):
            assert text_of(client.call_tool("work", {"n": n}, on_progress=lambda _: None)) == str(n)

    with (
        endpoint(server) as wire,
        mcp.Client.http(f"http://127.0.0.1:{wire.port}{wire.path}", **LOGS[revision]) as client,
    ):
        # A call that leaves a cycle leaves thirty objects and more.
        assert least_garbage(lambda: calls(client)) < 500


def test_connections_leave_nothing_to_the_garbage_collector():
    server, _ = echo_server(NEW)
    with endpoint(server) as wire:

        def visits() -> None:
            for n in range(50):
                whole, headers = modern(call(1, n=n))
                assert wire.post(whole, **headers).text == str(n)

        assert least_garbage(visits) < 250


def test_an_exchange_that_is_cut_off_anywhere_harms_nobody():
    server, seen = echo_server(NEW)
    with endpoint(server, keepalive=0.05, idle=0.3) as wire:
        whole, headers = modern(call(1, n=1))
        body = json.dumps(whole).encode()
        names = {"Host": f"127.0.0.1:{wire.port}", "Content-Length": str(len(body)), **PLAIN, **headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in names.items())
        sent = f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body
        for cut in range(0, len(sent), 19):
            with closing(socket.create_connection(("127.0.0.1", wire.port), PATIENCE)) as raw:
                # A reset, not an orderly end.
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                raw.sendall(sent[:cut])
        assert seen.begun == 0
        for cut in range(1, 40, 6):
            with closing(socket.create_connection(("127.0.0.1", wire.port), PATIENCE)) as raw:
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                raw.sendall(sent)
                assert len(raw.recv(cut)) > 0
        assert wire.post(whole, **headers).text == "1"
        eventually(lambda: seen.running == 0)


def test_clients_that_hang_up_give_their_threads_back():
    server, seen = echo_server(NEW)
    with endpoint(server, keepalive=0.05, threads=8) as wire:
        for _ in range(3):
            opened = []
            for number in range(5):
                whole, headers = modern(call(number, hold=True))
                opened.append(wire.stream(whole, **headers))
            for stream in opened:
                stream.close()
            eventually(lambda: seen.running == 0)
        assert len(seen.cancelled) == 15
        whole, headers = modern(call(1, n=7))
        assert wire.post(whole, **headers).text == "7"


def test_as_many_handlers_run_as_may():
    server, seen = echo_server(NEW)
    with endpoint(server, handlers=2) as wire, ThreadPoolExecutor(2) as threads:
        whole, headers = modern(call(1, hold=True))
        held = [threads.submit(wire.post, whole, **headers) for _ in range(2)]
        eventually(lambda: seen.running == 2)
        refused = wire.post(whole, **headers)
        assert (refused.status, refused.headers["retry-after"]) == (503, "1")
        seen.go.set()
        assert [each.result(PATIENCE).status for each in held] == [200, 200]


def test_one_source_cannot_have_all_handlers(caplog):
    server, seen = echo_server(NEW)

    def named(token: str) -> Caller:
        return Caller(token)

    resource = {"resource": "https://mcp.example/mcp", "authorization_servers": ["https://issuer.example"]}
    callers = Authorization(named, **resource)
    with endpoint(server, handlers=4, authorization=callers) as wire, ThreadPoolExecutor(4) as threads:
        whole, headers = modern(call(1, hold=True))
        ada, bob = ({**headers, "authorization": f"Bearer {name}"} for name in ("ada", "bob"))
        held = [threads.submit(wire.post, whole, **ada) for _ in range(3)]
        eventually(lambda: seen.running == 3)
        refused = wire.post(whole, **ada)
        assert (refused.status, refused.headers["retry-after"]) == (503, "1")
        held.append(threads.submit(wire.post, whole, **bob))
        eventually(lambda: seen.running == 4)
        assert wire.post(whole, **bob).status == 503
        assert "3 handlers run for one source, the limit: further requests of 'ada' are refused" in caplog.text
        assert "4 handlers run, which is the limit: further requests are refused" in caplog.text
        seen.go.set()
        assert [each.result(PATIENCE).status for each in held] == [200] * 4
        # What has ended is not counted any more.
        assert wire.post(whole, **ada).status == 200


def test_one_source_may_have_all_handlers_if_the_option_says_so():
    server, seen = echo_server(NEW)
    with endpoint(server, handlers=4, handlers_per_source=4) as wire, ThreadPoolExecutor(4) as threads:
        whole, headers = modern(call(1, hold=True))
        held = [threads.submit(wire.post, whole, **headers) for _ in range(4)]
        eventually(lambda: seen.running == 4)
        seen.go.set()
        assert [each.result(PATIENCE).status for each in held] == [200] * 4


def test_a_closed_server_lets_what_runs_be_answered():
    server, seen = echo_server(NEW)
    with ThreadPoolExecutor(2) as threads:
        with endpoint(server) as wire:
            whole, headers = modern(call(1, n=8, hold=True))
            held = threads.submit(wire.post, whole, **headers)
            eventually(lambda: seen.running)
            threads.submit(lambda: seen.go.wait(0.05) or seen.go.set())
        assert held.result(PATIENCE).text == "8"


def test_workers_wait_for_jobs_and_are_used_again():
    workers = ThreadPool("mcp-http", 2)
    names: list[str] = []
    for _ in range(20):
        done = threading.Event()

        def job(done: threading.Event = done) -> None:
            names.append(threading.current_thread().name)
            done.set()

        assert workers.start(job)
        assert done.wait(PATIENCE)
        assert workers.wait_idle(PATIENCE)
    assert len(names) == 20
