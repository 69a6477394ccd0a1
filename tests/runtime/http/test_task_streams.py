"""Tasks of 2025-11-25 over HTTP: who waits for a result waits on a stream, and keeps nobody else waiting."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

from mcp_bindings import v2025_11_25 as mcp
from mcp_bindings_runtime.tasks.store import MemoryTasks
from mcp_bindings_runtime.tasks.task_handle import start_task
from support.raw_http_client import PLAIN, Stream, Wire, call, endpoint, notification, request
from support.scripted_peers import PATIENCE, WHO
from support.session_cases import task

REVISION = "2025-11-25"


def working() -> tuple[Any, threading.Event]:
    """A server whose tool goes on until it is let go."""
    server = mcp.Server("worker", "1.0", tasks=MemoryTasks(tools={"echo": "optional"}, notify=True))
    go = threading.Event()

    @server.handler(mcp.methods.CALL_TOOL)
    def work(params: Any, context: Any) -> Any:
        if params.arguments.get("hold"):
            go.wait(PATIENCE)
        return mcp.CallToolResult(content=[mcp.TextContent(text="done")])

    return server, go


def begin(wire: Wire) -> str:
    """A task that goes on; its id."""
    message = call(1, hold=True)
    message["params"]["task"] = {}
    task_id: str = wire.post(message).response["result"]["task"]["taskId"]
    return task_id


def test_those_who_wait_for_results_leave_threads_to_requests() -> None:
    server, go = working()
    with endpoint(server, threads=1, keepalive=60.0) as wire, ThreadPoolExecutor(12) as threads:
        wire.initialize(REVISION)
        task_id = begin(wire)
        waits = [
            threads.submit(wire.send, "POST", body, headers)
            for body, headers in [waiting(task_id, number) for number in range(10, 22)]
        ]
        opened = [each.result(PATIENCE) for each in waits]
        statuses = sorted(response.status for _, response in opened)
        assert statuses == [200] * 12
        assert wire.post(request("tasks/get", 2, {"taskId": task_id})).json["result"]["status"] == "working"
        assert wire.post(call(3)).text == "done"
        go.set()
        for connection, response in opened:
            if response.status == 200:
                (answer,) = Stream(connection, response).messages()
                assert answer["result"]["content"][0]["text"] == "done"
            connection.close()
        assert wire.post(call(4)).text == "done"


def waiting(task_id: str, number: int) -> tuple[bytes, dict[str, str]]:

    return json.dumps(request("tasks/result", number, {"taskId": task_id})).encode(), PLAIN


def test_a_result_that_was_cut_off_while_it_was_waited_for_is_come_back_to() -> None:
    server, go = working()
    with endpoint(server, keepalive=0.05) as wire:
        wire.initialize(REVISION)
        task_id = begin(wire)
        stream = wire.stream(request("tasks/result", 2, {"taskId": task_id}))
        first = stream.next()
        assert first is not None
        stream.close()
        go.set()
        again = wire.stream(Last_Event_ID=first.id)
        assert again.message()["result"]["content"][0]["text"] == "done"


def test_a_result_that_is_there_is_answered_at_once() -> None:
    server, go = working()
    go.set()
    with endpoint(server, threads=1, streams=1) as wire:
        wire.initialize(REVISION)
        task_id = begin(wire)
        while wire.post(request("tasks/get", 2, {"taskId": task_id})).json["result"]["status"] == "working":
            pass
        assert wire.post(request("tasks/result", 3, {"taskId": task_id})).text == "done"


def test_the_status_is_told_without_a_stream() -> None:
    server, go = working()
    with endpoint(server) as wire:
        wire.initialize(REVISION)
        task_id = begin(wire)
        for status in ("working", "completed"):
            answer = wire.post(request("tasks/get", 2, {"taskId": task_id}))
            while answer.json["result"]["status"] != status:
                answer = wire.post(request("tasks/get", 2, {"taskId": task_id}))
            assert answer.headers["content-type"] == "application/json"
            go.set()


def test_a_task_that_is_cancelled_while_it_asks_ends_its_wait() -> None:
    server = mcp.Server("worker", "1.0", tasks=MemoryTasks(tools={"echo": "optional"}, notify=False))
    go, ended = threading.Event(), threading.Event()

    @server.handler(mcp.methods.CALL_TOOL)
    def ask(params: Any, context: Any) -> Any:
        go.wait(PATIENCE)
        try:
            return context.list_roots()
        finally:
            ended.set()

    with endpoint(server) as wire:
        wire.initialize(REVISION, {"roots": {}})
        alone = wire.stream()
        message = call(1)
        message["params"]["task"] = {}
        task_id = wire.post(message).response["result"]["task"]["taskId"]
        go.set()
        question = alone.message()
        assert question["method"] == "roots/list"
        assert wire.post(request("tasks/cancel", 2, {"taskId": task_id})).json["result"]["status"] == "cancelled"
        assert ended.wait(PATIENCE / 2)
        assert alone.message()["params"]["requestId"] == question["id"]


def statuses(told: list[Any]) -> list[str]:
    return [each["params"]["status"] for each in told if each["method"] == "notifications/tasks/status"]


def test_the_status_of_a_task_is_told_on_the_stream_that_stands_alone() -> None:
    server, go = working()
    with endpoint(server) as wire:
        wire.initialize(REVISION)
        alone = wire.stream()
        task_id = begin(wire)
        go.set()
        told = alone.message()
        assert told["params"]["taskId"] == task_id
        assert statuses([told]) == ["completed"]


def test_a_task_that_ends_at_once_is_told_of_after_the_answer_that_names_it() -> None:
    server, go = working()
    go.set()
    with endpoint(server, keepalive=60.0) as wire:
        wire.initialize(REVISION)
        task_ids = [begin(wire) for _ in range(20)]
        alone = wire.stream()
        assert {alone.message()["params"]["taskId"] for _ in task_ids} == {*task_ids}


def test_by_http_and_sse_the_status_is_told_on_the_one_stream_behind_the_answer() -> None:
    server, go = working()
    go.set()
    with endpoint(server) as wire, closing(Wire(wire.port, "/sse")) as older:
        stream = older.stream()
        place = stream.next().fields["data"]
        hello = {"protocolVersion": REVISION, "capabilities": {}, "clientInfo": WHO}
        message = call(1)
        message["params"]["task"] = {}
        for sent in (request("initialize", 0, hello), notification("notifications/initialized"), message):
            assert older.ask("POST", json.dumps(sent).encode(), PLAIN, place).status == 202
        assert stream.message()["id"] == 0
        task_id = stream.message()["result"]["task"]["taskId"]
        assert stream.message()["params"]["taskId"] == task_id
        body, headers = waiting(task_id, 2)
        assert older.ask("POST", body, headers, place).status == 202
        assert stream.message()["result"]["content"][0]["text"] == "done"


def test_who_waits_for_results_takes_no_worker() -> None:
    server, go = working()
    with endpoint(server, threads=8, handlers=1, keepalive=60.0) as wire, ThreadPoolExecutor(5) as threads:
        wire.initialize(REVISION)
        task_id = begin(wire)
        sends = [threads.submit(wire.send, "POST", *waiting(task_id, number)) for number in range(10, 15)]
        opened = [each.result(PATIENCE) for each in sends]
        streams = [Stream(*each) for each in opened if each[1].status == 200]
        assert streams
        # The one handler may still be at a request of those that were sent at once.
        while (answer := wire.post(call(3))).status == 503:
            pass
        assert answer.text == "done"
        go.set()
        assert {stream.message()["result"]["content"][0]["text"] for stream in streams} == {"done"}
        for connection, _ in opened:
            connection.close()


def test_who_waits_for_a_task_that_expires_hears_of_it_though_nobody_asks() -> None:
    tasks = MemoryTasks(tools={"echo": "optional"}, ttl=2.0)
    server = mcp.Server("worker", "1.0", tasks=tasks)
    go = threading.Event()

    @server.handler(mcp.methods.CALL_TOOL)
    def work(params: Any, context: Any) -> Any:
        go.wait(PATIENCE)
        return mcp.CallToolResult(content=[])

    with endpoint(server) as wire:
        wire.initialize(REVISION)
        (answer,) = wire.stream(request("tasks/result", 2, {"taskId": begin(wire)})).messages()
        assert answer["error"]["code"] == -32602
        go.set()


def test_a_server_receives_the_progress_of_a_task_of_its_client() -> None:
    server, seen, told, go = mcp.Server("worker", "1.0"), [], threading.Event(), threading.Event()

    def note(params: Any) -> None:
        seen.append(params.progress)
        if params.progress == 2:
            told.set()

    @server.handler(mcp.methods.CALL_TOOL)
    def ask(params: Any, context: Any) -> Any:
        schema = mcp.ElicitRequestFormParamsRequestedSchema(properties={})
        wanted = mcp.ElicitRequestFormParams(message="?", requested_schema=schema)
        start_task(context, mcp.methods.ELICIT, wanted, on_progress=note)
        assert go.wait(PATIENCE)
        return mcp.CallToolResult(content=[])

    able = {"elicitation": {"form": {}}, "tasks": {"requests": {"elicitation": {"create": {}}}}}
    with endpoint(server) as wire:
        wire.initialize(REVISION, able)
        question = (asking := wire.stream(call(1))).message()
        token = question["params"]["_meta"]["progressToken"]
        wire.post(notification("notifications/progress", {"progressToken": token, "progress": 1}))
        wire.post({"jsonrpc": "2.0", "id": question["id"], "result": {"task": task()}})
        wire.post(notification("notifications/progress", {"progressToken": token, "progress": 2}))
        assert told.wait(PATIENCE)
        go.set()
        assert asking.message()["id"] == 1
    assert seen == [1, 2]
