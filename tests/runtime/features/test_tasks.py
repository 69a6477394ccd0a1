"""Tasks of 2025-11-25: what a server and a client do with requests that become tasks, and what requestors see of it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from types import SimpleNamespace
from typing import Any

import pytest
from mcp_bindings import v2025_11_25 as mcp
from mcp_bindings_runtime.errors import ResponseError, TaskCancelled, UsageError
from mcp_bindings_runtime.tasks.core_tasks import CoreTasks
from mcp_bindings_runtime.tasks.store import MemoryTasks
from mcp_bindings_runtime.tasks.task_handle import TaskHandle, start_task
from mcp_bindings_runtime.tasks.tool_support import LONGEST, MOST, learn
from mcp_bindings_runtime.transports.memory import pair
from support.scripted_peers import (
    PATIENCE,
    Spoken,
    eventually,
    package,
    scripted_client,
    scripted_server,
    text_of,
    threads_of,
)

REVISION = "2025-11-25"
RELATED = "io.modelcontextprotocol/related-task"
INVALID_PARAMS, METHOD_NOT_FOUND, INTERNAL = -32602, -32601, -32603


class Work:
    """What the tool ``work`` of a server has gone through."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.go = threading.Event()
        self.stopped = threading.Event()


def working(tools: Any = None, **options: Any) -> tuple[Any, Work]:
    """A server whose tool ``work`` does what its argument ``do`` says."""
    work = Work()
    tasks = MemoryTasks(tools={"work": "optional", "must": "required"} if tools is None else tools, **options)
    server = mcp.Server("worker", "1.0", tasks=tasks)

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        do = (params.arguments or {}).get("do", "")
        work.begun.set()
        if do == "hold":
            while not context.cancelled and not work.go.wait(0.002):
                pass
            if context.cancelled:
                work.stopped.set()
        elif do == "fail":
            return mcp.CallToolResult(content=[mcp.TextContent(text="no such city")], is_error=True)
        elif do == "refuse":
            raise ResponseError(-32050, "refused", {"why": "asked for"})
        elif do == "break":
            text = "the secret of the handler"
            raise ValueError(text)
        elif do == "half a surrogate":
            return mcp.CallToolResult(content=[mcp.TextContent(text="\ud83d")])
        elif do == "ask":
            schema = mcp.ElicitRequestFormParamsRequestedSchema(properties={"name": mcp.StringSchema()})
            answer = context.elicit("Who are you?", schema)
            return mcp.CallToolResult(content=[mcp.TextContent(text=f"Hello {answer.content['name']}")])
        elif do == "ask, then hold":
            context.list_roots()
            work.go.wait(PATIENCE)
        elif do == "report":
            context.log("info", "half done")
            context.progress(1, total=2)
            work.go.wait(PATIENCE)
            context.progress(2, total=2)
        elif do == "tell":
            context.task.tell("counting")
            work.go.wait(PATIENCE)
        return mcp.CallToolResult(content=[mcp.TextContent(text=f"done {do}")])

    return server, work


def begin(client: Any, do: str = "", *, name: str = "work", ttl: float | None = None) -> TaskHandle[Any]:
    task: TaskHandle[Any] = client.call_tool_as_task(name, {"do": do}, ttl=ttl)
    return task


@contextmanager
def connected(server: Any, **options: Any) -> Iterator[Any]:
    with mcp.Client.in_memory(server, timeout=PATIENCE, **options) as client:
        yield client


@contextmanager
def spoken(server: Any, capabilities: Any = None) -> Iterator[Spoken]:
    peer = scripted_client(server)
    peer.introduce(REVISION, capabilities)
    yield peer
    peer.close()


def call(peer: Spoken, number: int, do: str = "", **more: Any) -> None:
    peer.request("tools/call", number, {"name": "work", "arguments": {"do": do}, "task": {}, **more})


# --- What is declared, and which tools may be tasks ---------------------------------------------------------------


def test_a_server_declares_tasks_where_it_has_some() -> None:
    server, _ = working()
    declared = server.capabilities.tasks
    assert server.binding.codec.unstructure(declared) == {
        "list": {},
        "cancel": {},
        "requests": {"tools": {"call": {}}},
    }
    assert mcp.Server("plain", "1.0").capabilities.tasks is None


def test_a_client_declares_the_requests_that_it_executes_as_tasks() -> None:
    client = mcp.Client.in_memory(mcp.Server("plain", "1.0"), tasks=MemoryTasks())
    client.handler(mcp.methods.CREATE_MESSAGE)(lambda _params, _context: None)
    declared = client.binding.codec.unstructure(client.capabilities)["tasks"]
    assert declared["requests"] == {"sampling": {"createMessage": {}}}


def test_revisions_without_tasks_say_so() -> None:
    with pytest.raises(UsageError, match="2025-06-18 has no tasks"):
        package("2025-06-18").Server("old", "1.0", tasks=MemoryTasks())
    with pytest.raises(UsageError, match="2025-06-18 has no tasks"):
        _ = package("2025-06-18").Server("old", "1.0").tasks


def test_a_tool_that_is_not_declared_is_not_done_as_a_task() -> None:
    server, _ = working()
    with connected(server) as client:
        with pytest.raises(ResponseError, match="Method not found") as refused:
            begin(client, name="other")
        assert refused.value.code == METHOD_NOT_FOUND
        assert "'other' is not done as a task" in refused.value.data["reason"]


def test_a_tool_that_has_to_be_a_task_is_refused_without_one() -> None:
    server, _ = working()
    with connected(server) as client:
        with pytest.raises(ResponseError, match="Method not found") as refused:
            client.call_tool("must")
        assert refused.value.code == METHOD_NOT_FOUND
        assert text_of(begin(client, name="must").result(PATIENCE)) == "done "


def test_an_optional_tool_is_called_either_way() -> None:
    server, _ = working()
    with connected(server) as client:
        assert text_of(client.call_tool("work")) == "done "
        assert text_of(begin(client).result(PATIENCE)) == "done "


def test_a_server_without_tasks_ignores_that_one_is_asked_for() -> None:
    server = mcp.Server("plain", "1.0")

    @server.handler(mcp.methods.CALL_TOOL)
    def plain(params: Any, context: Any) -> Any:
        return mcp.CallToolResult(content=[])

    with spoken(server) as peer:
        call(peer, 1)
        assert "content" in peer.hear()["result"]


# --- The life of a task -------------------------------------------------------------------------------------------


def test_a_task_begins_as_working_and_its_answer_comes_at_once() -> None:
    server, work = working()
    with connected(server) as client:
        task = begin(client, "hold", ttl=60)
        assert (task.last.status, task.last.ttl, task.last.poll_interval) == ("working", 60_000, 1000)
        assert len(task.id) >= 43
        assert task.status().status == "working"
        work.go.set()
        assert text_of(task.result(PATIENCE)) == "done hold"
        assert task.status().status == "completed"
        assert text_of(task.result(PATIENCE)) == "done hold"


def test_every_state_of_a_task_has_the_times_and_does_not_name_the_task_in_meta() -> None:
    server, work = working()
    with spoken(server) as peer:
        call(peer, 1, "tell")
        states = [peer.hear()["result"]["task"]]
        task_id = states[0]["taskId"]
        told = peer.hear()
        assert told["method"] == "notifications/tasks/status"
        states.append(told["params"])
        for number, method in enumerate(("tasks/get", "tasks/list", "tasks/cancel"), 2):
            peer.request(method, number, {} if method == "tasks/list" else {"taskId": task_id})
            answer = peer.hear()
            while answer.get("id") != number:
                states.append(answer["params"])
                answer = peer.hear()
            assert "_meta" not in answer["result"]
            states.extend(answer["result"].get("tasks") or [answer["result"]])
        work.go.set()
    assert len(states) >= 5
    for state in states:
        assert state["taskId"] == task_id
        assert "_meta" not in state
        created, changed = (datetime.fromisoformat(state[name]) for name in ("createdAt", "lastUpdatedAt"))
        assert created.utcoffset() is not None
        assert created <= changed


def test_the_result_waits_for_the_end_and_names_the_task() -> None:
    server, work = working(notify=False)
    with spoken(server) as peer:
        call(peer, 1, "hold")
        task_id = peer.hear()["result"]["task"]["taskId"]
        peer.request("tasks/result", 2, {"taskId": task_id})
        peer.request("tasks/get", 3, {"taskId": task_id})
        answer = peer.hear()
        assert (answer["id"], answer["result"]["status"]) == (3, "working")
        assert "_meta" not in answer["result"]
        work.go.set()
        answer = peer.hear()
        assert answer["id"] == 2
        assert answer["result"]["_meta"] == {RELATED: {"taskId": task_id}}
        assert answer["result"]["content"][0]["text"] == "done hold"


def test_who_waits_for_results_keeps_nobody_else_from_being_answered() -> None:
    server, work = working(notify=False)
    server.workers = 2
    with spoken(server) as peer:
        call(peer, 1, "hold")
        task_id = peer.hear()["result"]["task"]["taskId"]
        for number in range(10, 20):
            peer.request("tasks/result", number, {"taskId": task_id})
        peer.request("tasks/get", 2, {"taskId": task_id})
        assert peer.hear()["id"] == 2
        work.go.set()
        assert {peer.hear()["id"] for _ in range(10)} == set(range(10, 20))


def test_a_result_that_is_not_awaited_any_more_is_not_sent() -> None:
    server, work = working(notify=False)
    with spoken(server) as peer:
        call(peer, 1, "hold")
        task_id = peer.hear()["result"]["task"]["taskId"]
        peer.request("tasks/result", 2, {"taskId": task_id})
        peer.notify("notifications/cancelled", {"requestId": 2})
        peer.request("tasks/result", 3, {"taskId": task_id})
        peer.request("ping", 4)
        assert peer.hear()["id"] == 4
        work.go.set()
        assert peer.hear()["id"] == 3
        peer.request("ping", 5)
        assert peer.hear()["id"] == 5


def test_those_who_have_given_up_do_not_keep_others_from_waiting() -> None:
    server, work = working(notify=False, each=2)
    with spoken(server) as peer:
        call(peer, 1, "hold")
        task_id = peer.hear()["result"]["task"]["taskId"]
        for number in range(10, 15):
            peer.request("tasks/result", number, {"taskId": task_id})
            peer.request("ping", -number)
            assert peer.hear()["id"] == -number
            peer.notify("notifications/cancelled", {"requestId": number})
        for number in (20, 21):
            peer.request("tasks/result", number, {"taskId": task_id})
        peer.request("tasks/result", 22, {"taskId": task_id})
        assert peer.hear()["error"]["code"] == INTERNAL
        work.go.set()
        assert {peer.hear()["id"] for _ in range(2)} == {20, 21}


def test_a_failed_tool_is_a_failed_task_with_its_result() -> None:
    server, _ = working()
    with connected(server) as client:
        task = begin(client, "fail")
        result = task.result(PATIENCE)
        assert result.is_error is True
        at_once = client.call_tool("work", {"do": "fail"})
        assert (result.content, result.is_error) == (at_once.content, at_once.is_error)
        assert (task.status().status, task.last.status_message) == ("failed", "no such city")


def test_a_result_that_cannot_be_sent_is_a_failed_task_with_the_reason() -> None:
    server, _ = working()
    with connected(server) as client:
        task = begin(client, "half a surrogate")
        result = task.result(PATIENCE)
        assert result.is_error is True
        assert "half a surrogate pair" in text_of(result)
        assert task.status().status == "failed"


@pytest.mark.parametrize(
    ("do", "code", "message"), [("refuse", -32050, "refused"), ("break", INTERNAL, "Internal error")]
)
def test_an_error_is_the_outcome_of_a_task(do: str, code: int, message: str) -> None:
    server, _ = working()
    with connected(server) as client:
        task = begin(client, do)
        with pytest.raises(ResponseError, match=message) as raised:
            task.result(PATIENCE)
        assert raised.value.code == code
        assert "secret" not in str(raised.value.data)
        with pytest.raises(ResponseError) as at_once:
            client.call_tool("work", {"do": do})
        assert (at_once.value.code, at_once.value.data) == (code, raised.value.data)
        assert (task.status().status, task.last.status_message) == ("failed", message)


def test_a_cancelled_task_stops_and_stays_cancelled() -> None:
    server, work = working()
    with connected(server) as client:
        task = begin(client, "hold")
        assert work.begun.wait(PATIENCE)
        assert task.cancel().status == "cancelled"
        assert work.stopped.wait(PATIENCE)
        with pytest.raises(TaskCancelled):
            task.result(PATIENCE)
        # The tool returns a result after it was cancelled.
        eventually(lambda: not threads_of("mcp-task"))
        assert task.status().status == "cancelled"


@pytest.mark.parametrize(("do", "status"), [("", "completed"), ("fail", "failed"), ("hold", "cancelled")])
def test_a_task_that_has_ended_is_not_cancelled(do: str, status: str) -> None:
    server, _ = working()
    with connected(server) as client:
        task = begin(client, do)
        if status == "cancelled":
            task.cancel()
        eventually(lambda: task.status().status == status)
        with pytest.raises(ResponseError, match="has ended") as refused:
            task.cancel()
        assert refused.value.code == INVALID_PARAMS
        assert task.status().status == status


def test_a_task_that_is_cancelled_while_it_asks_waits_no_longer(caplog: pytest.LogCaptureFixture) -> None:
    server, _ = working(notify=False)
    with spoken(server, {"elicitation": {}}) as peer:
        call(peer, 1, "ask")
        task_id = peer.hear()["result"]["task"]["taskId"]
        question = peer.hear()
        peer.request("tasks/cancel", 2, {"taskId": task_id})
        heard = [peer.hear(), peer.hear()]
        (told,) = (each["params"] for each in heard if each.get("method") == "notifications/cancelled")
        assert told["requestId"] == question["id"]
        (answer,) = (each["result"] for each in heard if "result" in each)
        assert answer["status"] == "cancelled"
        eventually(lambda: not threads_of("mcp-task"))
        peer.answer(question, {"action": "accept", "content": {"name": "late"}})
        peer.request("tasks/get", 3, {"taskId": task_id})
        assert peer.hear()["result"]["status"] == "cancelled"
    assert not [each for each in caplog.records if each.levelname == "ERROR"]


def test_a_notification_cancels_no_task() -> None:
    server, work = working(notify=False)
    with spoken(server) as peer:
        call(peer, 1, "hold")
        task_id = peer.hear()["result"]["task"]["taskId"]
        peer.notify("notifications/cancelled", {"requestId": 1})
        peer.request("tasks/get", 2, {"taskId": task_id})
        assert peer.hear()["result"]["status"] == "working"
        work.go.set()


@pytest.mark.parametrize("method", ["tasks/get", "tasks/result", "tasks/cancel"])
def test_an_unknown_task_is_refused(method: str) -> None:
    server, _ = working()
    with spoken(server) as peer:
        peer.request(method, 1, {"taskId": "no-such-task"})
        assert peer.hear()["error"]["code"] == INVALID_PARAMS


def test_a_task_belongs_to_the_connection_that_asked_for_it() -> None:
    server, work = working()
    with connected(server) as one, connected(server) as other:
        task = begin(one, "hold")
        for method in ("tasks/get", "tasks/result", "tasks/cancel"):
            key = mcp.methods.REQUESTS[method]
            with pytest.raises(ResponseError) as refused:
                other.request(key, key.params(task_id=task.id))
            assert refused.value.code == INVALID_PARAMS
        assert list(other.list_tasks()) == []
        assert [each.task_id for each in one.list_tasks()] == [task.id]
        assert task.status().status == "working"
        work.go.set()


def test_tasks_of_a_requestor_that_has_left_are_stopped() -> None:
    server, work = working()
    with connected(server) as client:
        begin(client, "hold")
        assert work.begun.wait(PATIENCE)
    assert work.stopped.wait(PATIENCE)


def test_lists_come_in_pages_with_cursors_that_cannot_be_made_up() -> None:
    server, _ = working(each=300)
    with connected(server) as client:
        ids = [begin(client).id for _ in range(120)]
        first = client.list_tasks_page()
        assert (len(first.tasks), first.next_cursor is None) == (100, False)
        assert [task.task_id for task in client.list_tasks()] == ids
        with pytest.raises(ResponseError) as refused:
            client.list_tasks_page("made-up")
        assert refused.value.code == INVALID_PARAMS


# --- Limits -------------------------------------------------------------------------------------------------------


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_task_expires_and_is_told_to_stop() -> None:
    clock = Clock()
    server, work = working(now=clock, ttl=10)
    with connected(server) as client:
        task = begin(client, "hold")
        assert work.begun.wait(PATIENCE)
        clock.now += 9
        assert task.status().status == "working"
        clock.now += 2
        with pytest.raises(ResponseError) as refused:
            task.status()
        assert refused.value.code == INVALID_PARAMS
        assert list(client.list_tasks()) == []
        assert work.stopped.wait(PATIENCE)


def test_a_task_that_nobody_asks_about_expires_too() -> None:
    server, work = working(ttl=0.2)
    with connected(server) as client:
        begin(client, "hold")
        assert work.stopped.wait(PATIENCE)


def test_who_waits_for_a_task_hears_when_it_has_expired() -> None:
    clock = Clock()
    server, work = working(now=clock, ttl=10, notify=False)
    with spoken(server) as peer:
        call(peer, 1, "hold")
        task_id = peer.hear()["result"]["task"]["taskId"]
        peer.request("tasks/result", 2, {"taskId": task_id})
        peer.request("ping", 3)
        assert peer.hear()["id"] == 3
        clock.now += 11
        peer.request("tasks/list", 4)
        answers = {answer["id"]: answer for answer in (peer.hear(), peer.hear())}
        assert answers[2]["error"]["code"] == INVALID_PARAMS
        assert answers[4]["result"]["tasks"] == []
        work.go.set()


def test_no_task_is_kept_longer_than_it_may_be() -> None:
    server, _ = working(ttl=5, longest=20)
    with connected(server) as client:
        for asked, kept in ((None, 5_000), (1000, 20_000)):
            task = begin(client, ttl=asked)
            assert task.last.ttl == kept
            assert task.status().ttl == kept


def test_a_requestor_may_have_so_many_tasks() -> None:
    server, _ = working(each=3)
    with connected(server) as client:
        for _ in range(3):
            begin(client)
        with pytest.raises(ResponseError, match="Too many tasks") as refused:
            begin(client)
        assert refused.value.code == INTERNAL
        with connected(server) as other:
            assert text_of(begin(other).result(PATIENCE)) == "done "


def test_outcomes_take_so_much_memory() -> None:
    server, _ = working(size=200)
    with connected(server) as client:
        task = begin(client, "x" * 400)
        with pytest.raises(ResponseError, match="Too many tasks"):
            task.result(PATIENCE)
        assert task.status().status == "failed"


def test_so_many_tasks_run_at_once_and_all_come_to_an_end() -> None:
    server, work = working(workers=2)
    with connected(server) as client:
        tasks = [begin(client, "hold") for _ in range(6)]
        assert {task.status().status for task in tasks} == {"working"}
        work.go.set()
        assert {text_of(task.result(PATIENCE)) for task in tasks} == {"done hold"}


# --- What belongs to a task ---------------------------------------------------------------------------------------


def test_a_question_of_a_task_names_it_and_shows_in_its_status() -> None:
    server, _ = working(notify=False)
    with spoken(server, {"elicitation": {}}) as peer:
        call(peer, 1, "ask")
        task_id = peer.hear()["result"]["task"]["taskId"]
        question = peer.hear()
        assert question["method"] == "elicitation/create"
        assert question["params"]["_meta"] == {RELATED: {"taskId": task_id}}
        peer.request("tasks/get", 2, {"taskId": task_id})
        assert peer.hear()["result"]["status"] == "input_required"
        peer.answer(question, {"action": "accept", "content": {"name": "Ada"}})
        peer.request("tasks/result", 3, {"taskId": task_id})
        assert peer.hear()["result"]["content"][0]["text"] == "Hello Ada"


def test_an_answer_to_a_question_of_a_task_names_the_task() -> None:
    heard: list[Any] = []
    server, _ = working()
    client = mcp.Client.in_memory(server, timeout=PATIENCE)

    @client.handler(mcp.methods.ELICIT)
    def elicit(params: Any, context: Any) -> Any:
        heard.append(params.meta.extra)
        return mcp.ElicitResult(action="accept", content={"name": "Ada"})

    with client:
        task = begin(client, "ask")
        assert text_of(task.result(PATIENCE)) == "Hello Ada"
        assert heard == [{RELATED: {"taskId": task.id}}]


def test_logs_and_progress_of_a_task_name_it() -> None:
    server, work = working(notify=False)
    with spoken(server) as peer:
        call(peer, 1, "report", _meta={"progressToken": "t"})
        task_id = peer.hear()["result"]["task"]["taskId"]
        told = [peer.hear(), peer.hear()]
        assert [each["method"] for each in told] == ["notifications/message", "notifications/progress"]
        assert all(each["params"]["_meta"] == {RELATED: {"taskId": task_id}} for each in told)
        work.go.set()
        assert peer.hear()["params"]["progress"] == 2


def test_each_status_is_told_without_naming_the_task_twice() -> None:
    server, work = working()
    with spoken(server) as peer:
        call(peer, 1, "tell")
        task_id = peer.hear()["result"]["task"]["taskId"]
        told = peer.hear()
        assert (told["method"], told["params"]["statusMessage"]) == ("notifications/tasks/status", "counting")
        assert told["params"]["taskId"] == task_id
        assert "_meta" not in told["params"]
        work.go.set()
        assert peer.hear()["params"]["status"] == "completed"


def test_changes_of_a_task_are_seen_in_their_order() -> None:
    server, work = working(poll=0.001)
    with connected(server) as client:
        seen = [task.status for task in begin(client, "tell").changes(pause=lambda _: work.go.set())]
    assert seen[-1] == "completed"
    assert set(seen) <= {"working", "completed"}


# --- The other direction ------------------------------------------------------------------------------------------


def test_a_server_has_the_client_execute_a_request_as_a_task() -> None:
    server = mcp.Server("asker", "1.0")
    asked = threading.Event()

    @server.handler(mcp.methods.CALL_TOOL)
    def sample(params: Any, context: Any) -> Any:
        message = mcp.SamplingMessage(role="user", content=mcp.TextContent(text="?"))
        params = mcp.CreateMessageRequestParams(messages=[message], max_tokens=10)
        task = start_task(context, mcp.methods.CREATE_MESSAGE, params, ttl=30)
        assert task.status().status in {"working", "completed"}
        asked.set()
        return mcp.CallToolResult(content=[task.result(PATIENCE).content])

    client = mcp.Client.in_memory(server, timeout=PATIENCE, tasks=MemoryTasks())

    @client.handler(mcp.methods.CREATE_MESSAGE)
    def answer(params: Any, context: Any) -> Any:
        assert asked.wait(PATIENCE)
        return mcp.CreateMessageResult(role="assistant", model="m", content=mcp.TextContent(text="Paris"))

    with client:
        assert text_of(client.call_tool("any")) == "Paris"


def test_a_client_without_tasks_is_asked_for_none() -> None:
    server = mcp.Server("asker", "1.0")

    @server.handler(mcp.methods.CALL_TOOL)
    def sample(params: Any, context: Any) -> Any:
        form = mcp.ElicitRequestFormParamsRequestedSchema(properties={})
        params = mcp.ElicitRequestFormParams(message="?", requested_schema=form)
        with pytest.raises(UsageError, match="needs the capability"):
            start_task(context, mcp.methods.ELICIT, params)
        return mcp.CallToolResult(content=[])

    client = mcp.Client.in_memory(server, timeout=PATIENCE)
    client.handler(mcp.methods.ELICIT)(lambda _params, _context: mcp.ElicitResult(action="decline"))
    with client:
        assert client.call_tool("any").content == []


def test_no_tool_is_called_as_a_task_where_the_server_declares_none() -> None:
    server = mcp.Server("plain", "1.0")
    server.handler(mcp.methods.CALL_TOOL)(lambda _params, _context: mcp.CallToolResult(content=[]))
    with (
        connected(server) as client,
        pytest.raises(UsageError, match=r"needs the capability 'tasks.requests.tools.call'"),
    ):
        begin(client)


def supporting(*supports: str | None) -> Any:
    """A server with a tool for each word, of that name; None is a tool that says nothing."""
    server = mcp.Server("supporting", "1.0", tasks=MemoryTasks())
    for support in supports:
        execution = None if support is None else mcp.ToolExecution(task_support=support)
        server.tool(name=support or "silent", execution=execution)(lambda: "done")
    return server


def test_a_client_calls_a_tool_as_the_list_says_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    with connected(supporting("forbidden", None, "optional", "required")) as client:
        # Of what it has not listed it knows nothing, and the server refuses.
        with pytest.raises(ResponseError, match="-32601"):
            client.call_tool_as_task("forbidden")
        with pytest.raises(ResponseError, match="-32601"):
            client.call_tool("required")
        list(client.list_tools())
        sent: list[bytes] = []
        send = client.connection.send
        monkeypatch.setattr(client.connection, "send", lambda line: (sent.append(line), send(line)))
        for name in ("forbidden", "silent"):
            with pytest.raises(UsageError, match=rf"cannot be called as a task; use client.call_tool\('{name}'"):
                client.call_tool_as_task(name)
            assert text_of(client.call_tool(name)) == "done"
        with pytest.raises(UsageError, match=r"must be called as a task; use client.call_tool_as_task\('required'"):
            client.call_tool("required")
        for name in ("optional", "required"):
            assert text_of(client.call_tool_as_task(name).result(PATIENCE)) == "done"
        assert text_of(client.call_tool("optional")) == "done"


def test_what_the_list_said_holds_until_it_changes() -> None:
    server = supporting("required")
    with connected(server) as client:
        list(client.list_tools())
        server.tools.remove("required")
        eventually(lambda: not client.task_support)
        server.tasks.declare("required", "optional")
        server.tool(name="required")(lambda: "at once")
        assert text_of(client.call_tool("required")) == "at once"


def test_only_so_many_tools_are_remembered_those_that_were_listed_last() -> None:
    with connected(supporting("required")) as client:
        page = [mcp.types.Tool(name=f"t{n}", input_schema=mcp.types.ToolInputSchema()) for n in range(MOST)]
        list(client.list_tools())
        learn(client, mcp.types.ListToolsResult(tools=page))
        assert "required" not in client.task_support
        learn(client, mcp.types.ListToolsResult(tools=[page[0].__replace__(name="x"), page[2]]))
        assert len(client.task_support) == MOST
        assert "t0" not in client.task_support
        assert list(client.task_support)[-2:] == ["x", "t2"]
        learn(client, mcp.types.ListToolsResult(tools=[page[0].__replace__(name="n" * (LONGEST + 1))]))
        assert list(client.task_support)[-1] == "t2"


# --- More rules ---------------------------------------------------------------------------------------------------


def test_ids_of_tasks_are_long_and_different() -> None:
    store = MemoryTasks()
    ids = {store.create(None, "tools/call").id for _ in range(50)}
    assert len(ids) == 50
    # 32 random bytes in base64url.
    assert {len(each) for each in ids} == {43}


def test_a_requestor_asks_as_often_as_is_proposed() -> None:
    server, work = working(poll=7)
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            work.go.set()
            eventually(lambda: task.status().status == "completed")

    with connected(server) as client:
        task = begin(client, "hold")
        assert [each.status for each in task.changes(pause=pause)] == ["working", "completed"]
        assert pauses == [7, 7, 7]


def test_a_result_comes_without_any_status_having_been_told() -> None:
    server, _ = working(notify=False)
    with connected(server) as client:
        assert text_of(begin(client).result(PATIENCE)) == "done "


def test_a_task_works_on_once_it_has_its_answer() -> None:
    server, work = working(notify=False)
    with spoken(server, {"roots": {}}) as peer:
        call(peer, 1, "ask, then hold")
        task_id = peer.hear()["result"]["task"]["taskId"]
        question = peer.hear()

        def status() -> str:
            peer.request("tasks/get", 2, {"taskId": task_id})
            said: str = peer.hear()["result"]["status"]
            return said

        assert status() == "input_required"
        peer.answer(question, {"roots": []})
        eventually(lambda: status() != "input_required")
        assert status() == "working"
        work.go.set()
        eventually(lambda: status() == "completed")


def test_an_answer_to_a_question_of_a_task_names_the_task_on_the_wire() -> None:
    mine, theirs = pair()
    client = mcp.Client.over(mine, timeout=PATIENCE)
    client.handler(mcp.methods.ELICIT)(lambda _params, _context: mcp.ElicitResult(action="decline"))
    server = Spoken(theirs)
    connecting = threading.Thread(target=client.connect)
    connecting.start()
    server.welcome(REVISION)
    connecting.join(PATIENCE)
    meta = {RELATED: {"taskId": "t"}}
    server.request("elicitation/create", 1, {"message": "?", "requestedSchema": FORM, "_meta": meta})
    assert server.hear()["result"] == {"action": "decline", "_meta": meta}
    server.request("elicitation/create", 2, {"message": "?", "requestedSchema": FORM})
    assert server.hear()["result"] == {"action": "decline"}
    client.close()


FORM = {"type": "object", "properties": {}}


def test_the_parameter_names_the_task_and_not_the_meta() -> None:
    server, _ = working(notify=False)
    with spoken(server) as peer:
        call(peer, 1)
        task_id = peer.hear()["result"]["task"]["taskId"]
        peer.request("tasks/result", 2, {"taskId": task_id, "_meta": {RELATED: {"taskId": "another"}}})
        assert peer.hear()["result"]["_meta"] == {RELATED: {"taskId": task_id}}


def test_requests_about_tasks_carry_no_meta_of_theirs() -> None:
    mine, theirs = pair()
    client = mcp.Client.over(mine, timeout=PATIENCE)
    server = Spoken(theirs)
    connecting = threading.Thread(target=client.connect)
    connecting.start()
    server.welcome(REVISION, {"tasks": {"cancel": {}, "list": {}, "requests": {"tools": {"call": {}}}}, "tools": {}})
    connecting.join(PATIENCE)
    times = {"createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttl": None}
    stored = {"taskId": "t", "status": "working", **times}
    seen: list[Any] = []

    def play() -> None:
        server.answer(server.hear(), {"task": stored})
        for result in (
            {**stored, "status": "working"},
            {"content": []},
            {**stored, "status": "cancelled"},
            {"tasks": []},
        ):
            seen.append(server.hear())
            server.answer(seen[-1], result)

    playing = threading.Thread(target=play)
    playing.start()
    task = begin(client)
    task.status()
    task.result(PATIENCE)
    task.cancel()
    assert list(client.list_tasks()) == []
    playing.join(PATIENCE)
    assert [each["method"] for each in seen] == ["tasks/get", "tasks/result", "tasks/cancel", "tasks/list"]
    assert all(each["params"] == {"taskId": "t"} for each in seen[:3])
    assert "_meta" not in (seen[3].get("params") or {})
    client.close()


def test_a_requestor_polls_although_the_receiver_notifies() -> None:
    """Notifications may be lost or left out, so that no state is taken from them."""
    stamp = {"createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttl": None}
    stored = {"taskId": "t", "status": "working", "pollInterval": 1, **stamp}
    seen: list[str] = []

    def play(peer: Spoken) -> None:
        peer.welcome(REVISION, {"tasks": {"requests": {"tools": {"call": {}}}}, "tools": {}})
        peer.answer(peer.hear(), {"task": stored})
        peer.notify("notifications/tasks/status", {**stored, "status": "completed"})
        for status in ("working", "input_required", "working", "completed"):
            asked = peer.hear()
            seen.append(asked["method"])
            peer.answer(asked, {**stored, "status": status})

    with scripted_server(mcp.Client, play, timeout=PATIENCE) as (client, _):
        client.connect()
        found = [each.status for each in begin(client).changes()]
    assert found == ["working", "input_required", "working", "completed"]
    assert seen == ["tasks/get"] * 4


def test_who_waits_for_a_task_that_wants_input_has_asked_for_its_result() -> None:
    stamp = {"createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttl": None}
    seen: list[str] = []

    def play(peer: Spoken) -> None:
        peer.welcome(REVISION, {"tasks": {"requests": {"tools": {"call": {}}}}, "tools": {}})
        peer.answer(peer.hear(), {"task": {"taskId": "t", "status": "input_required", **stamp}})
        asked = peer.hear()
        seen.append(asked["method"])
        peer.request(
            "elicitation/create", 1, {"message": "?", "requestedSchema": FORM, "_meta": {RELATED: {"taskId": "t"}}}
        )
        seen.append(peer.hear()["result"]["action"])
        peer.answer(asked, {"content": []})

    def decline(_params: Any, _context: Any) -> Any:
        return mcp.ElicitResult(action="decline")

    with scripted_server(mcp.Client, play, timeout=PATIENCE, elicitation=decline) as (client, _):
        client.connect()
        assert begin(client).result(PATIENCE).content == []
    assert seen == ["tasks/result", "decline"]


def test_a_task_belongs_to_the_principal_where_there_is_one() -> None:
    one, other = (SimpleNamespace(session=object()) for _ in range(2))
    ada, nobody = (SimpleNamespace(principal=each) for each in ("ada", None))
    assert CoreTasks.owner_of(one, ada) == CoreTasks.owner_of(other, ada) == "ada"
    assert CoreTasks.owner_of(one, nobody) is one.session
    store = MemoryTasks()
    task = store.create("ada", "tools/call")
    assert store.find(task.id, "ada") is task
    assert store.find(task.id, "bob") is None


def test_the_local_log_says_what_becomes_of_tasks(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "mcp_bindings.runtime")
    server, _ = working()
    with connected(server) as client:
        task = begin(client)
        task.result(PATIENCE)
        with pytest.raises(ResponseError):
            client.get_task("made-up")
    said = [record.getMessage() for record in caplog.records if "task" in record.getMessage()]
    assert said[:3] == [
        f"task {task.id[:8]}: tools/call is executed as a task",
        f"task {task.id[:8]} has ended: completed",
        "refused: a task that does not exist, has expired or has another owner",
    ]
    # Who has an id may ask for the task, so that no log holds all of it.
    assert not any(task.id in text for text in said)


def test_the_local_log_says_whose_task_it_is(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "mcp_bindings.runtime")
    store = MemoryTasks()
    task = store.create("ada", "tools/call")
    assert store.find(task.id, "eve\n") is None
    # Threads of other servers may still be ending.
    assert [record.getMessage() for record in caplog.records if record.thread == threading.get_ident()] == [
        f"task {task.id[:8]}: tools/call is executed as a task for 'ada'",
        "refused: a task for 'eve\\n' that does not exist, has expired or has another owner",
    ]


# --- Tools by decorator -------------------------------------------------------------------------------------------


def test_a_decorated_tool_says_by_itself_that_it_may_be_a_task() -> None:
    server = mcp.Server("worker", "1.0")

    @server.tool(execution=mcp.ToolExecution(task_support="required"))
    def count(context: mcp.Context, to: int) -> str:
        assert context.task is not None
        context.task.tell(f"counting to {to}")
        return "done"

    with connected(server) as client:
        (tool,) = client.list_tools()
        assert tool.execution == mcp.ToolExecution(task_support="required")
        assert text_of(client.call_tool_as_task("count", {"to": 3}).result(PATIENCE)) == "done"
        with pytest.raises(UsageError, match="must be called as a task"):
            client.call_tool("count", {"to": 3})


def test_what_a_store_knows_of_a_tool_the_list_says() -> None:
    server = mcp.Server("worker", "1.0", tasks=mcp.MemoryTasks(tools={"count": "optional"}))

    @server.tool
    def count(context: mcp.Context) -> str:
        return "no task" if context.task is None else "a task"

    with connected(server) as client:
        (tool,) = client.list_tools()
        assert tool.execution == mcp.ToolExecution(task_support="optional")
        assert text_of(client.call_tool("count")) == "no task"
        assert text_of(client.call_tool_as_task("count").result(PATIENCE)) == "a task"


def test_threads_of_tasks_end_with_them() -> None:
    server, _ = working()
    with connected(server) as client:
        begin(client).result(PATIENCE)
    eventually(lambda: not threads_of("mcp-task"))
