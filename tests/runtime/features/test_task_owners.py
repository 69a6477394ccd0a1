"""Tasks and those who have asked for them: what becomes of a task when nobody is left who could ask for it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import pytest
from mcp_bindings_runtime.errors import ResponseError
from mcp_bindings_runtime.http.server import session_endpoint, stateless_endpoint
from mcp_bindings_runtime.http.server.authorization import Authorization
from mcp_bindings_runtime.tasks.polled_task import PolledTask
from mcp_bindings_runtime.tasks.store import MemoryTasks
from support.raw_http_client import Answer, Wire, call, endpoint, modern, request
from support.revisions import STATELESS, those_with_methods
from support.scripted_peers import PATIENCE, eventually, package, scripted_client, threads_of

OLD, NEW = those_with_methods("tasks/get")[-1], STATELESS[-1]
ABLE = {"elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}}
KNOWN = {"ada-token": "ada", "bob-token": "bob"}


class Work:
    """What the handlers of a server have gone through."""

    def __init__(self) -> None:
        self.begun = 0
        self.left: list[bool] = []
        """Of each handler that has ended, whether it could see that nobody waits for it."""
        self.go = threading.Event()


def working(revision: str, **limits: Any) -> tuple[Any, Work]:
    """A server whose tool waits in a task: for an answer of the client, or until it is let go."""
    mcp = package(revision)
    server = mcp.Server("worker", "1.0", tasks=MemoryTasks(tools={"echo": "optional"}, notify=False, **limits))
    work = Work()

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        work.begun += 1
        try:
            if (params.arguments or {}).get("ask"):
                properties: Any = {}
                context.elicit("?", mcp.ElicitRequestFormParamsRequestedSchema(properties=properties))
            while not (context.task.wait(0.002) or work.go.is_set()):
                pass
        finally:
            work.left.append(context.cancelled)
        return mcp.CallToolResult(content=[mcp.TextContent(text="done")])

    return server, work


@contextmanager
def lasting(revision: str, server: Any) -> Iterator[Any]:
    mcp = package(revision)
    asked = threading.Event()

    def never(_params: Any, _context: Any) -> Any:
        asked.wait(PATIENCE)
        return mcp.ElicitResult(action="cancel")

    more = {"tasks": True} if revision == NEW else {}
    with mcp.Client.in_memory(server, elicitation=never, timeout=PATIENCE, **more) as client:
        try:
            yield client
        finally:
            asked.set()


def begin(wire: Wire, **arguments: Any) -> Answer:
    """Has a client that speaks HTTP call the tool as a task."""
    message = call(1, **arguments)
    message["params"]["task"] = {}
    return wire.post(message)


@pytest.mark.parametrize("revision", [OLD, NEW])
def test_tasks_of_a_connection_end_with_it(revision: str, caplog: pytest.LogCaptureFixture) -> None:
    server, work = working(revision)
    with caplog.at_level(logging.WARNING), lasting(revision, server) as client:
        for ask in (True, False):
            client.call_tool_as_task("echo", {"ask": ask})
        eventually(lambda: work.begun == 2)
        if revision == OLD:
            eventually(lambda: any(each.status == "input_required" for each in client.list_tasks()))
    eventually(lambda: "mcp-task" not in threads_of())
    assert work.left == [True, True]
    assert not caplog.records, "who leaves is no fault of the handler"


@pytest.mark.parametrize("revision", [OLD, NEW])
def test_a_task_that_begins_as_its_requestor_leaves_is_not_done(revision: str) -> None:
    server, work = working(revision)
    run, taken = server.handle_request, threading.Event()

    def late(link: Any, incoming: Any) -> Any:
        server.close()
        try:
            return run(link, incoming)
        finally:
            taken.set()

    server.handle_request = late
    peer = scripted_client(server)
    meta: Any = {}
    if revision == OLD:
        peer.introduce(revision)
    else:
        named = {"protocolVersion": revision, "clientCapabilities": ABLE}
        meta = {"_meta": {f"io.modelcontextprotocol/{name}": value for name, value in named.items()}}
    peer.request("tools/call", 1, {"name": "echo", "task": {}, **meta})
    assert taken.wait(PATIENCE)
    eventually(lambda: "mcp-task" not in threads_of())
    assert work.begun == 0
    peer.close()


def test_a_task_of_a_connection_is_hidden_from_others() -> None:
    server, work = working(NEW)
    with lasting(NEW, server) as one, lasting(NEW, server) as other:
        task = one.call_tool_as_task("echo")
        assert task.status().status == "working"
        with pytest.raises(ResponseError, match="Unknown task"):
            PolledTask(other, other.binding.requests["tools/call"], task.last, limit=PATIENCE).status()
        work.go.set()
        assert task.result(PATIENCE).content[0].text == "done"


def test_tasks_of_a_session_end_with_it() -> None:
    server, work = working(OLD)
    with endpoint(server) as wire:
        wire.initialize(OLD, {"elicitation": {}})
        for ask in (True, False):
            begin(wire, ask=ask)
        eventually(lambda: work.begun == 2)
        assert wire.ask("DELETE").status == 204
        eventually(lambda: "mcp-task" not in threads_of())
        assert work.left == [True, True]


def test_a_task_of_a_principal_outlives_its_session() -> None:
    server, work = working(OLD)
    authorization = Authorization(
        KNOWN.get, resource="http://127.0.0.1/mcp", authorization_servers=["https://login.example.com"]
    )
    with endpoint(server, authorization=authorization) as wire:
        wire.add({"Authorization": "Bearer ada-token"})
        wire.initialize(OLD)
        task_id = begin(wire).json["result"]["task"]["taskId"]
        assert wire.ask("DELETE").status == 204
        later = Wire(wire.port, Authorization="Bearer ada-token")
        later.initialize(OLD)

        def status() -> str:
            got: str = later.post(request("tasks/get", 2, {"taskId": task_id})).json["result"]["status"]
            return got

        assert status() == "working"
        stranger = Wire(wire.port, Authorization="Bearer bob-token")
        stranger.initialize(OLD)
        for method in ("tasks/get", "tasks/result", "tasks/cancel"):
            assert stranger.post(request(method, 2, {"taskId": task_id})).json["error"]["code"] == -32602
        work.go.set()
        eventually(lambda: status() == "completed")
        assert work.left == [False]


def test_a_task_without_session_or_principal_is_of_whoever_has_its_id() -> None:
    server, work = working(NEW)
    with endpoint(server) as wire:
        message, headers = modern(call(1), ABLE)
        task_id = wire.post(message, **headers).json["result"]["taskId"]
        work.go.set()

        def ended() -> bool:
            # Each request has a connection of its own.
            message, headers = modern(request("tasks/get", 2, {"taskId": task_id}), ABLE)
            headers["Mcp-Name"] = task_id
            return bool(wire.post(message, **headers).json["result"]["status"] == "completed")

        eventually(ended)
        assert work.left == [False]


def test_a_requestor_that_has_left_hears_nothing_of_its_tasks() -> None:
    server, work = working(OLD)
    peer = scripted_client(server)
    peer.introduce(OLD)
    peer.request("tools/call", 1, {"name": "echo", "task": {}})
    task_id = peer.hear()["result"]["task"]["taskId"]
    peer.request("tasks/result", 2, {"taskId": task_id})
    peer.close()
    eventually(lambda: work.left == [True])
    eventually(lambda: "mcp-task" not in threads_of())


@pytest.mark.parametrize("revision", [OLD, NEW])
def test_tasks_are_counted_by_address_and_not_by_session(revision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over HTTP anybody can begin any number of sessions, and strangers have no name."""
    for module in (session_endpoint, stateless_endpoint):
        monkeypatch.setattr(module, "client_address", lambda environ: environ["HTTP_TEST_ADDRESS"])
    server, work = working(revision, each=3, most=100)

    def begins(port: int, address: str) -> bool:
        """Return whether a client at an address gets a task."""
        wire = Wire(port, Test_Address=address)
        if revision == OLD:
            wire.initialize(revision)
            return "task" in begin(wire).json.get("result", {})
        message, headers = modern(call(1), ABLE)
        return "taskId" in wire.post(message, **headers).json.get("result", {})

    with endpoint(server) as wire:
        assert [begins(wire.port, "192.0.2.1") for _ in range(5)] == [True] * 3 + [False] * 2
        assert [begins(wire.port, "192.0.2.2") for _ in range(2)] == [True] * 2
        work.go.set()


def test_outcomes_of_one_requestor_leave_room_for_those_of_others() -> None:
    store = MemoryTasks(size=1000)

    def end(owner: str, size: int) -> bool:
        """Return whether a requestor gets a task with an outcome of this size."""
        try:
            task = store.create(owner, "tools/call")
            return store.end(task, "completed", "x", size=size)
        except ResponseError:
            return False

    assert [end("ada", 100) for _ in range(4)] == [True, True, False, False]
    assert end("bob", 600), "a single outcome may be larger than the share"
    assert not end("bob", 1)
    store.leave("ada")
    assert [end("ada", 100) for _ in range(3)] == [True, True, False]


@pytest.mark.parametrize("revision", [OLD, NEW])
def test_a_task_sees_the_context_variables_of_its_request(revision: str) -> None:
    mcp = package(revision)
    span = ContextVar("span", default="none")
    server = mcp.Server("s", "1", tasks=MemoryTasks(tools={"look": "required"}))
    run = server.handle_request

    def traced(connection: Any, incoming: Any) -> Any:
        token = span.set(incoming.key.name)
        try:
            return run(connection, incoming)
        finally:
            span.reset(token)

    server.handle_request = traced

    @server.tool
    def look() -> str:
        return span.get()

    options: Any = {"tasks": True} if revision == NEW else {}
    with mcp.Client.in_memory(server, timeout=PATIENCE, **options) as client:
        assert client.call_tool_as_task("look").result().text == "tools/call"
