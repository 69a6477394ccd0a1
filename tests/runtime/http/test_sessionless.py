"""A server without handshake, on several workers without a shared store, serves clients of sessions without a session."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle
from threading import Thread
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from mcp_bindings_runtime.errors import McpError, NotDeclared, UsageError
from mcp_bindings_runtime.http.server.store import MemoryStore
from mcp_bindings_runtime.tasks.store import MemoryTasks
from support.raw_http_client import endpoint
from support.revisions import HANDSHAKE, STATELESS, WITH_BATCHES, those_with, those_with_methods
from support.scripted_peers import PATIENCE, package, text_of

NEW = STATELESS[-1]
mcp = package(NEW)
SESSIONS = those_with(lambda each: each.handshake and not each.only_sse)
"""The revisions of Streamable HTTP with sessions."""
TASKS = those_with_methods("tasks/get")[-1]
URI = "file:///made-up/note"


class Quiet(WSGIRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Write nothing to standard error."""


def made() -> Any:
    """Return a server of a revision without handshake."""
    server = mcp.Server("s", "1")

    @server.tool
    def add(a: int, b: int) -> int:
        return a + b

    @server.tool
    def work(context: mcp.Context) -> str:
        context.progress(1, 2)
        context.log("info", "half")
        return "done"

    @server.tool
    def ask(context: mcp.Context) -> str:
        try:
            return str(context.sample("How?", max_tokens=5))
        except McpError as error:
            return f"refused: {error}"

    @server.resource(URI)
    def note() -> str:
        return "noted"

    return server


def session_ids(answers: list[list[tuple[str, str]]]) -> list[str]:
    return [value for headers in answers for name, value in headers if name == "Mcp-Session-Id"]


@contextmanager
def workers(
    make: Callable[[], Any] = made, **options: Any
) -> Iterator[tuple[str, list[list[tuple[str, str]]], list[Any]]]:
    """Yield the URL of two workers that take requests in turn, the headers of their answers, and their servers."""
    servers = [make(), make()]
    turns = cycle([each.wsgi_app(**options) for each in servers])
    answers: list[list[tuple[str, str]]] = []

    def balance(environ: dict[str, Any], start_response: Any) -> Any:
        def start(status: str, headers: Any, *rest: Any) -> Any:
            answers.append(headers)
            return start_response(status, headers, *rest)

        return next(turns)({**environ, "wsgi.multiprocess": True}, start)

    with make_server("127.0.0.1", 0, balance, handler_class=Quiet) as http:
        thread = Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{http.server_port}/", answers, servers
        finally:
            http.shutdown()
            thread.join(PATIENCE)


def connect(revision: str, url: str, **options: Any) -> Any:
    return package(revision).Client.http(url, timeout=PATIENCE, retries=False, revisions=[revision], **options)


@pytest.mark.parametrize("revision", SESSIONS)
def test_clients_of_sessions_are_served_by_any_worker(revision: str) -> None:
    with workers() as (url, answers, _):
        seen: list[float] = []
        with connect(revision, url) as client:
            for n in range(4):
                assert text_of(client.call_tool("add", {"a": n, "b": 1})) == str(n + 1)
            assert [each.uri for each in client.list_resources()] == [URI]
            assert client.read_resource(URI).contents[0].text == "noted"
            result = client.call_tool("work", on_progress=lambda params: seen.append(params.progress))
            assert text_of(result) == "done"
            client.ping()
        assert seen == [1]
        assert session_ids(answers) == []


def test_a_session_is_given_where_requests_reach_one_process() -> None:
    with workers(sessions=True) as (url, answers, _):
        client = connect(HANDSHAKE[-1], url)
        with pytest.raises(McpError):
            client.connect()
    assert session_ids(answers) != []


@pytest.mark.parametrize("revision", SESSIONS)
def test_what_needs_a_session_is_refused_with_the_reason(revision: str) -> None:
    key = package(revision).methods.SET_LEVEL
    with workers() as (url, _, __), connect(revision, url, sampling=lambda params, context: None) as client:
        with pytest.raises(NotDeclared, match="logging"):
            client.request(key, key.params(level="info"))
        with pytest.raises(NotDeclared, match=r"resources\.subscribe"):
            client.request(package(revision).methods.SUBSCRIBE, package(revision).types.SubscribeRequestParams(uri=URI))
        assert text_of(client.call_tool("ask")).startswith("refused: ")


@pytest.mark.parametrize("revision", SESSIONS)
def test_log_messages_are_neither_declared_nor_sent(revision: str) -> None:
    """The client could not set a level, which clients do as soon as a server declares log messages."""
    heard: list[Any] = []
    options = {"log_level": "info", "on_log": heard.append}
    with endpoint(made(), sessions=False) as wire:
        url = f"http://127.0.0.1:{wire.port}/mcp"
        with package(revision).Client.http(url, timeout=PATIENCE, **options) as client:
            assert client.server_capabilities.logging is None
            assert text_of(client.call_tool("work")) == "done"
    assert heard == []


def test_tasks_that_nobody_could_fetch_are_not_offered() -> None:
    server = mcp.Server("s", "1", tasks=MemoryTasks(tools={"look": "optional"}))

    @server.tool
    def look() -> str:
        return "seen"

    with endpoint(server, sessions=False) as wire, connect(TASKS, f"http://127.0.0.1:{wire.port}/mcp") as client:
        assert client.server_capabilities.tasks is None
        assert client.call_tool("look").text == "seen"
        with pytest.raises(NotDeclared):
            client.call_tool_as_task("look")


def test_a_stream_and_the_end_of_a_session_are_refused() -> None:
    with endpoint(made(), sessions=False) as wire:
        for method in ("GET", "DELETE"):
            assert wire.ask(method, headers={"Accept": "text/event-stream"}).status == 405


def test_each_worker_logs_it_once_and_names_the_remedy(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "mcp_bindings"), workers() as (url, _, __):
        for _ in range(4):
            # A connection sends three requests in turn to two workers, so each of them gets an `initialize`.
            with connect(HANDSHAKE[-1], url) as client:
                client.ping()
    first, second = [each.getMessage() for each in caplog.records if "Mcp-Session-Id" in each.getMessage()]
    assert first == second
    assert "store=RedisStore(url)" in first
    assert "sessions=True" in first


def test_a_program_that_wants_no_sessions_is_not_warned(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "mcp_bindings"), endpoint(made(), sessions=False) as wire:
        asked = {"jsonrpc": "2.0", "id": 1, "method": "logging/setLevel", "params": {"level": "info"}}
        answer = wire.post(asked, **{"MCP-Protocol-Version": HANDSHAKE[-1]})
        assert answer.json["error"]["data"]["reason"] == "logging/setLevel needs a session, and this server has none"
    assert not caplog.records


def test_what_requests_without_a_session_have_in_common_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    server = made()

    @server.tool
    def link() -> mcp.CallToolResult:
        return mcp.CallToolResult(content=[mcp.ResourceLink(uri=URI, name="note")])

    with caplog.at_level(logging.INFO, "mcp_bindings.runtime"), endpoint(server, sessions=False) as wire:
        for _ in range(2):
            with connect("2025-03-26", f"http://127.0.0.1:{wire.port}/mcp") as client:
                for _ in range(2):
                    client.call_tool("link", {})
    texts = [each.getMessage() for each in caplog.records]
    assert len([each for each in texts if f"this program {mcp.REVISION}; messages are converted" in each]) == 1
    lost = [each for each in texts if each.startswith("tools/call to a peer of 2025-03-26")]
    assert len(lost) == len(set(lost)) == 1


@pytest.mark.parametrize("revision", WITH_BATCHES)
def test_the_requests_of_a_batch_are_answered_together(revision: str) -> None:
    if revision not in SESSIONS:
        return
    with workers() as (url, _, __), connect(revision, url) as client:
        methods = package(revision).methods
        calls = [
            (methods.CALL_TOOL, methods.CALL_TOOL.params(name="add", arguments={"a": n, "b": 1})) for n in range(3)
        ]
        assert [text_of(each) for each in client.batch(*calls)] == ["1", "2", "3"]
    batch = [
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "add", "arguments": {"a": 1, "b": 1}}},
        {"jsonrpc": "2.0", "id": 2, "method": "logging/setLevel", "params": {"level": "info"}},
    ]
    with endpoint(made(), sessions=False) as wire:
        refused = wire.post(batch)
        assert (refused.status, "needs a session" in refused.body.decode()) == (400, True)


def test_a_server_with_a_handshake_keeps_its_sessions() -> None:
    with pytest.raises(UsageError, match="`sessions` can be False only for servers of a revision without sessions"):
        package(HANDSHAKE[-1]).Server("s", "1").wsgi_app(sessions=False)


def test_http_with_sse_needs_sessions() -> None:
    with pytest.raises(UsageError, match=r"^HTTP\+SSE needs sessions; pass `sse_path` or `sessions=False`, not both$"):
        mcp.Server("s", "1").wsgi_app(sessions=False, sse_path="/sse")


def test_a_single_process_has_sessions() -> None:
    with endpoint(made(), store=MemoryStore()) as wire:
        url = f"http://127.0.0.1:{wire.port}/mcp"
        with package(HANDSHAKE[-1]).Client.http(url, timeout=PATIENCE, on_resource_updated=print) as client:
            client.subscribe(URI)


def test_the_older_transport_is_served_only_where_it_is_asked_for() -> None:
    event_stream = {"Accept": "text/event-stream"}
    with endpoint(made()) as wire:
        assert wire.ask("GET", headers=event_stream, path="/sse").status == 404
    with endpoint(made(), sse_path="/sse") as wire:
        connection, response = wire.send("GET", headers=event_stream, path="/sse")
        assert response.status == 200
        connection.close()
