"""A cancelled request that is answered with a task nevertheless: the task is cancelled, too, and never goes on for ever."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from contextlib import suppress
from threading import Event
from typing import Any

import pytest
from mcp_bindings_runtime.connection.calls import Call, PendingCalls
from mcp_bindings_runtime.errors import CallCancelled, McpError, RequestTimeout
from mcp_bindings_runtime.session.events import Dropped, LateTask, Outcome
from mcp_bindings_runtime.session.late_tasks import MOST, cancel_task_in
from mcp_bindings_runtime.tasks.extension_binding import with_tasks
from mcp_bindings_runtime.tasks.store import MemoryTasks
from mcp_bindings_runtime.tasks.stored_task import StoredTask
from mcp_bindings_runtime.tasks.task_handle import start_task
from support.bindings import binding
from support.raw_http_client import PLAIN, call, endpoint, modern, request
from support.scripted_http_server import END, McpPeer, Request, answer, event, head
from support.scripted_peers import (
    PATIENCE,
    Spoken,
    environment,
    eventually,
    package,
    program,
    scripted_client,
    scripted_server,
    text_of,
    times_out,
)
from support.session_cases import task
from support.sessions import client, line, only, pair, result

Json = Any

CORE = "2025-11-25"
EXTENSION = "2026-07-28"
TASKS = "io.modelcontextprotocol/tasks"
CAPABILITIES = {"tools": {}, "tasks": {"cancel": {}, "requests": {"tools": {"call": {}}}}}
ASKABLE = {"elicitation": {"form": {}}, "tasks": {"cancel": {}, "requests": {"elicitation": {"create": {}}}}}
KNOWN = {"capabilities": CAPABILITIES, "serverInfo": {"name": "x", "version": "1"}}
DISCOVERED = {"supportedVersions": [EXTENSION], "capabilities": {"tools": {}}, "ttlMs": 0, "cacheScope": "private"}

each_era = pytest.mark.parametrize("revision", [CORE, EXTENSION])


def created(revision: str, status: str = "working") -> Json:
    """The result that makes a task of a request."""
    if revision == CORE:
        return {"task": task(status)}
    moment = "2026-07-28T10:30:00Z"
    shown = {"taskId": "k", "status": status, "createdAt": moment, "lastUpdatedAt": moment, "ttlMs": None}
    return {"resultType": "task", **shown}


def call_as_task(client: Any, **options: Any) -> Any:
    return client.call_tool_as_task("x", **options)


# --- The session -------------------------------------------------------------------------------------------------------


def requesting(revision: str) -> tuple[Any, Any, Any]:
    """A client session, and the key and params of a request that may become a task."""
    if revision == CORE:
        session, key = pair(CORE)[0], binding(CORE).requests["tools/call"]
        return session, key, key.params(name="x", task=binding(CORE).types.TaskMetadata())
    joined = with_tasks(binding(EXTENSION))
    session = client(EXTENSION, {"extensions": {TASKS: {}}})
    session.__init__(joined, info=session.info, capabilities=session.capabilities)
    return session, joined.requests["tools/call"], joined.requests["tools/call"].params(name="x", meta=session.meta())


@each_era
def test_a_late_task_is_cancelled_once(revision: str) -> None:
    session, key, params = requesting(revision)
    number, _ = session.request(key, params)
    session.cancel(number)
    late = line(result(number, created(revision)))
    sent = json.loads(only(session.receive(late), LateTask).line)
    assert (sent["method"], sent["params"]["taskId"]) == ("tasks/cancel", "k")
    assert not session._pending
    only(session.receive(late), Dropped)


@each_era
@pytest.mark.parametrize("kind", ["ended", "result", "error", "malformed"])
def test_other_late_responses_are_dropped(revision: str, kind: str) -> None:
    session, key, params = requesting(revision)
    number, _ = session.request(key, params)
    session.cancel(number)
    malformed = {"task": {"taskId": 1}, "resultType": "task", "taskId": None}
    answers = {"ended": created(revision, "completed"), "result": {"content": []}, "malformed": malformed}
    error = {"jsonrpc": "2.0", "id": number, "error": {"code": 1, "message": "no"}}
    only(session.receive(line(error if kind == "error" else result(number, answers[kind]))), Dropped)


@each_era
def test_requests_that_cannot_become_tasks_are_not_remembered(revision: str) -> None:
    session, _, _ = requesting(revision)
    number, _ = session.request(session.binding.requests["tools/list"], None)
    session.cancel(number)
    only(session.receive(line(result(number, created(revision)))), Dropped)


def test_a_late_task_of_a_server_that_cancels_none_is_dropped() -> None:
    session, _ = pair(CORE, server_declares={"tools": {}, "tasks": {"requests": {"tools": {"call": {}}}}})
    key = binding(CORE).requests["tools/call"]
    number, _ = session.request(key, key.params(name="x", task=binding(CORE).types.TaskMetadata()))
    session.cancel(number)
    only(session.receive(line(result(number, created(CORE)))), Dropped)


@each_era
def test_the_number_of_remembered_requests_is_bounded(revision: str) -> None:
    session, key, params = requesting(revision)
    numbers = [session.request(key, params)[0] for _ in range(MOST + 1)]
    for number in numbers:
        session.cancel(number)
    only(session.receive(line(result(numbers[0], created(revision)))), Dropped)
    only(session.receive(line(result(numbers[1], created(revision)))), LateTask)


# --- Answers that come while the call is abandoned ---------------------------------------------------------------------


def answered(revision: str) -> tuple[PendingCalls, Call, Outcome]:
    """A call whose answer, a task, has been read and not yet passed to the waiting thread."""
    session, key, params = requesting(revision)
    calls, waiting = PendingCalls(session), Call(key, PATIENCE, PATIENCE, None)
    waiting.id, _ = session.request(key, params)
    calls[waiting.id] = waiting
    return calls, waiting, only(session.receive(line(result(waiting.id, created(revision)))), Outcome)


@each_era
def test_a_task_is_cancelled_if_its_call_was_abandoned_before_it_could_be_passed(revision: str) -> None:
    calls, waiting, outcome = answered(revision)
    assert calls.cancel(waiting, "enough") is None
    assert not calls.finish(outcome)
    sent = cancel_task_in(calls._session, outcome.result)
    assert sent is not None
    assert b'"tasks/cancel"' in sent


@each_era
def test_a_task_is_cancelled_if_its_call_is_abandoned_before_it_has_returned(revision: str) -> None:
    calls, waiting, outcome = answered(revision)
    waiting.stop(CallCancelled("enough"))
    assert calls.finish(outcome)
    with pytest.raises(CallCancelled):
        waiting.check_stopped()
    sent = calls.cancel(waiting, "enough")
    assert sent is not None
    assert b'"tasks/cancel"' in sent


def test_the_connection_cancels_a_task_that_it_cannot_pass_to_a_call() -> None:
    cancelled = Event()

    def play(spoken: Spoken) -> None:
        spoken.welcome(CORE, CAPABILITIES)
        while not cancelled.is_set():
            request = spoken.hear()
            if request["method"] == "tasks/cancel":
                cancelled.set()
            spoken.answer(request, {})

    mcp = package(CORE)
    with scripted_server(mcp.Client, play) as (client, _):
        client.connect()
        client.connection._act(Outcome(99, mcp.converter.structure(created(CORE), mcp.CreateTaskResult)), b"")
        # The thread that reads the answer to this finds the line that waits to be sent.
        client.ping()
        assert cancelled.wait(PATIENCE)


# --- Clients -----------------------------------------------------------------------------------------------------------


def greet(spoken: Spoken, revision: str) -> None:
    if revision == CORE:
        spoken.welcome(CORE, CAPABILITIES)
    else:
        spoken.answer(spoken.hear(), {"resultType": "complete", **DISCOVERED})


def options_of(revision: str) -> dict[str, Any]:
    return {} if revision == CORE else {"tasks": True}


@each_era
@pytest.mark.parametrize("how", ["cancel", "timeout", "started"])
def test_a_call_that_was_given_up_before_its_answer_cancels_its_task(revision: str, how: str) -> None:
    asked, given_up, over = Event(), Event(), Event()
    heard: list[Json] = []

    def play(spoken: Spoken) -> None:
        greet(spoken, revision)
        request = spoken.hear()
        asked.set()
        assert given_up.wait(PATIENCE)
        if revision == EXTENSION:
            # Whether it will be a task is not known, so the request is cancelled.
            heard.append(spoken.hear())
        spoken.answer(request, created(revision))
        heard.append(spoken.hear())
        over.set()

    with scripted_server(package(revision).Client, play, **options_of(revision)) as (client, _):
        client.connect()
        if how == "timeout":
            times_out(lambda seconds: call_as_task(client, timeout=seconds), asked.is_set)
        else:
            started = client.start(call_as_task, client)
            assert asked.wait(PATIENCE)
            assert started.cancel("enough")
            with pytest.raises(CallCancelled):
                started.result(PATIENCE)
        # Nothing tells the server of 2025-11-25 about it until it has answered.
        eventually(lambda: not client.connection.calls)
        given_up.set()
        assert over.wait(PATIENCE)
    assert [each["method"] for each in heard][-1] == "tasks/cancel"
    assert [each["method"] for each in heard][:-1] == ([] if revision == CORE else ["notifications/cancelled"])
    assert heard[-1]["params"]["taskId"] == "k"
    if revision == EXTENSION:
        assert TASKS in heard[-1]["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]["extensions"]


@each_era
def test_a_server_process_is_sent_the_cancellation_of_a_late_task(revision: str) -> None:
    client = package(revision).Client.stdio(
        program("late_task.py", revision), env=environment(), timeout=PATIENCE, **options_of(revision)
    )
    with client:
        with pytest.raises(RequestTimeout):
            call_as_task(client, timeout=0.5)
        # The program answers the first call when it receives the second, and the second when the task is cancelled.
        assert text_of(client.call_tool("y")) == "tasks/cancel"


@pytest.mark.parametrize("how", ["cancel", "timeout"])
@pytest.mark.parametrize("form", ["json", "stream"])
def test_a_late_task_is_cancelled_over_http(how: str, form: str) -> None:
    asked, given_up, over = Event(), Event(), Event()

    def play(request: Request) -> Any:
        method = request.json.get("method")
        if method == "initialize":
            return answer(result(request.json["id"], {**KNOWN, "protocolVersion": CORE}), Mcp_Session_Id="s-1")
        if method == "tools/call":
            return late(request)
        if method == "tasks/cancel":
            assert request.json["params"]["taskId"] == "k"
            over.set()
            return answer(result(request.json["id"], task("cancelled")))
        return None

    def late(request: Request) -> Any:
        value = result(request.json["id"], created(CORE))
        if form == "stream":
            yield head()
        asked.set()
        assert given_up.wait(PATIENCE)
        if form == "stream":
            yield event(value) + END
        else:
            yield answer(value)

    with McpPeer(CORE, play) as peer, package(CORE).Client.http(peer.url, timeout=PATIENCE) as client:
        if how == "timeout":
            times_out(lambda seconds: call_as_task(client, timeout=seconds), asked.is_set)
        else:
            started = client.start(call_as_task, client)
            assert asked.wait(PATIENCE)
            started.cancel("enough")
            with pytest.raises(CallCancelled):
                started.result(PATIENCE)
        eventually(lambda: not client.connection.calls)
        assert asked.wait(PATIENCE)
        given_up.set()
        assert over.wait(PATIENCE)


# --- Servers that execute tasks ----------------------------------------------------------------------------------------


class HeldTasks(MemoryTasks):
    """Holds each request between the creation of its task and its answer until ``go`` is set."""

    def __init__(self) -> None:
        super().__init__(tools={"echo": "required"})
        self.made: list[StoredTask] = []
        self.ready = Event()
        self.go = Event()

    def create(self, *args: Any, **options: Any) -> StoredTask:
        stored = super().create(*args, **options)
        self.made.append(stored)
        self.ready.set()
        assert self.go.wait(PATIENCE)
        return stored


def holding(revision: str) -> tuple[Any, HeldTasks, list[str]]:
    """A server, its tasks, and the tools that were run."""
    mcp, tasks = package(revision), HeldTasks()
    server = mcp.Server("s", "1", tasks=tasks)
    run: list[str] = []

    @server.handler(mcp.methods.CALL_TOOL)
    def call_tool(params: Any, context: Any) -> Any:
        run.append(params.name)
        context.task.wait(PATIENCE)
        return mcp.CallToolResult(content=[])

    @server.handler(mcp.methods.LIST_TOOLS)
    def list_tools(params: Any, context: Any) -> Any:
        cached = {} if revision == CORE else {"ttl_ms": 0, "cache_scope": "private"}
        return mcp.ListToolsResult(tools=[], **cached)

    return server, tasks, run


@each_era
def test_a_request_that_is_cancelled_while_its_task_is_created_has_none(revision: str) -> None:
    server, tasks, run = holding(revision)
    spoken = scripted_client(server)
    params = {"name": "echo"}
    meta = modern(call(), {"extensions": {TASKS: {}}}, revision=EXTENSION)[0]["params"]["_meta"]
    if revision == CORE:
        spoken.introduce(CORE)
        spoken.request("tools/call", 1, {**params, "task": {}})
    else:
        spoken.request("tools/call", 1, {**params, "_meta": meta})
    assert tasks.ready.wait(PATIENCE)
    spoken.notify("notifications/cancelled", {"requestId": 1})
    # Messages are read in order, so the request is cancelled when this is answered.
    spoken.request("tools/list", 2, {} if revision == CORE else {"_meta": meta})
    assert spoken.hear()["id"] == 2
    tasks.go.set()
    assert tasks.made[0].stopped.wait(PATIENCE)
    assert tasks.made[0].status == "cancelled"
    assert run == []
    spoken.close()


def hang_up(raw: socket.socket) -> None:
    raw.close()


def stop_sending(raw: socket.socket) -> None:
    raw.shutdown(socket.SHUT_WR)


@pytest.mark.parametrize("leave", [hang_up, stop_sending])
@pytest.mark.parametrize("keepalive", [600.0, 0.05], ids=["json", "stream"])
def test_the_task_of_a_client_that_hangs_up_before_the_answer_is_cancelled(
    leave: Callable[[socket.socket], None], keepalive: float
) -> None:
    server, tasks, _ = holding(EXTENSION)
    message, headers = modern(call(), {"extensions": {TASKS: {}}}, revision=EXTENSION)
    body = json.dumps(message).encode()
    with (
        endpoint(server, keepalive=keepalive) as wire,
        socket.create_connection(("127.0.0.1", wire.port), PATIENCE) as raw,
    ):
        named = {"Host": f"127.0.0.1:{wire.port}", "Content-Length": str(len(body)), **PLAIN, **headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
        raw.sendall(f"POST {wire.path} HTTP/1.1\r\n{head}\r\n".encode() + body)
        assert tasks.ready.wait(PATIENCE)
        if keepalive < 1:
            # The head of the stream and its first comment.
            assert raw.recv(65536)
        leave(raw)
        tasks.go.set()
        assert tasks.made[0].stopped.wait(PATIENCE)
    assert tasks.made[0].status == "cancelled"


# --- Servers that request tasks ----------------------------------------------------------------------------------------


def questioning() -> tuple[Any, Event]:
    """A server whose tool asks the client for a task, and what is set once it has left off."""
    mcp = package(CORE)
    server, left = mcp.Server("s", "1"), Event()

    @server.handler(mcp.methods.CALL_TOOL)
    def ask(params: Any, context: Any) -> Any:
        schema = mcp.ElicitRequestFormParamsRequestedSchema(properties={})
        wanted = mcp.ElicitRequestFormParams(message="?", requested_schema=schema)
        timeout = 0.05 if (params.arguments or {}).get("impatient") else PATIENCE
        try:
            # A request that times out is one that the tool does not want any more.
            with suppress(RequestTimeout):
                start_task(context, mcp.methods.ELICIT, wanted, timeout=timeout)
        finally:
            left.set()
        return mcp.CallToolResult(content=[])

    return server, left


@pytest.mark.parametrize("impatient", [True, False])
def test_a_server_cancels_the_late_task_of_its_client(impatient: bool) -> None:
    server, left = questioning()
    spoken = scripted_client(server)
    spoken.introduce(CORE, ASKABLE)
    spoken.request("tools/call", 1, {"name": "x", "arguments": {"impatient": impatient}})
    question = spoken.hear()
    assert question["params"]["task"] is not None
    if impatient:
        assert spoken.hear()["id"] == 1
    else:
        spoken.notify("notifications/cancelled", {"requestId": 1})
        assert left.wait(PATIENCE)
    spoken.answer(question, created(CORE))
    sent = spoken.hear()
    assert (sent["method"], sent["params"]) == ("tasks/cancel", {"taskId": "k"})
    spoken.close()


def test_a_server_cancels_the_late_task_of_its_client_over_http() -> None:
    server, left = questioning()
    with endpoint(server) as wire:
        wire.initialize(CORE, ASKABLE)
        alone = wire.stream()
        asking = wire.stream(request("tools/call", 1, {"name": "x", "arguments": {"impatient": True}}))
        question = asking.message()
        assert question["method"] == "elicitation/create"
        assert left.wait(PATIENCE)
        assert wire.post(result(question["id"], created(CORE))).status == 202
        sent = alone.message()
        assert (sent["method"], sent["params"]) == ("tasks/cancel", {"taskId": "k"})
        with suppress(McpError):
            assert wire.post(result(sent["id"], task("cancelled"))).status == 202
