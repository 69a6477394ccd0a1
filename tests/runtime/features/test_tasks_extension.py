"""Tasks of 2026-07-28: what a server answers with them, and what a client makes of that.

The first part holds what the official suite's ten scenarios of tasks expect, by what crosses the wire.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from conformance.task_tools import TOOLS, register, tasks
from mcp_bindings import ext_tasks
from mcp_bindings import v2026_07_28 as mcp
from mcp_bindings_runtime.errors import ProtocolError, ResponseError, TaskCancelled, UsageError
from mcp_bindings_runtime.tasks.polled_task import PolledTask
from mcp_bindings_runtime.tasks.store import MemoryTasks
from support.scripted_peers import (
    PATIENCE,
    Spoken,
    environment,
    eventually,
    program,
    scripted_client,
    scripted_server,
    text_of,
)
from support.task_server import serving

REVISION = "2026-07-28"
TASKS = "io.modelcontextprotocol/tasks"
EXTENSION = {"extensions": {TASKS: {}}}
ALL = {"elicitation": {}, "sampling": {}, **EXTENSION}
INVALID_PARAMS, METHOD_NOT_FOUND, INTERNAL, MISSING = -32602, -32601, -32603, -32021
FINAL = {"completed", "failed", "cancelled"}
REQUIRED = {"requiredCapabilities": EXTENSION}
OUTSIDE = {"requestState", "result", "error", "inputRequests", "task", "ttl", "pollInterval"}
"""What the answer that creates a task may not have."""


class Suite:
    """A client that asks as the suite does; what it declares goes with each request."""

    def __init__(self, peer: Spoken, capabilities: Any = ALL) -> None:
        self.peer = peer
        self.capabilities = capabilities
        self.number = 0

    def ask(self, method: str, params: Any = None, capabilities: Any = None, **more: Any) -> Any:
        """The whole answer; ``more`` goes into the ``_meta`` of the request."""
        self.number += 1
        declared = self.capabilities if capabilities is None else capabilities
        meta = {
            "io.modelcontextprotocol/protocolVersion": REVISION,
            "io.modelcontextprotocol/clientInfo": {"name": "suite", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": declared,
            **more,
        }
        self.peer.request(method, self.number, {**(params or {}), "_meta": meta})
        answer = self.peer.hear()
        assert answer["id"] == self.number
        return answer

    def result(self, method: str, params: Any = None, capabilities: Any = None) -> Any:
        answer = self.ask(method, params, capabilities)
        assert "error" not in answer, answer
        return answer["result"]

    def code(self, method: str, params: Any = None, capabilities: Any = None) -> int:
        code: int = self.ask(method, params, capabilities)["error"]["code"]
        return code

    def call(self, name: str, arguments: Any = None, **more: Any) -> Any:
        return self.result("tools/call", {"name": name, "arguments": arguments or {}, **more})

    def until(self, task_id: str, wanted: set[str]) -> Any:
        """The task, once its status is one of these, or final."""
        found: list[Any] = []

        def reached() -> bool:
            found.append(self.result("tasks/get", {"taskId": task_id}))
            return found[-1]["status"] in {*wanted, *FINAL}

        eventually(reached)
        return found[-1]


@contextmanager
def suite(server: Any = None, capabilities: Any = ALL) -> Iterator[Suite]:
    peer = scripted_client(serving() if server is None else server)
    yield Suite(peer, capabilities)
    peer.close()


def accept(**content: Any) -> Any:
    return {"action": "accept", "content": content}


# --- What the scenarios of the official suite expect --------------------------------------------------------------


def test_a_tool_that_is_no_task_answers_at_once() -> None:
    with suite() as client:
        result = client.call("greet", {"name": "World"})
        assert (result["resultType"], result["content"][0]["text"]) == ("complete", "Hello, World!")
        assert "taskId" not in result


def test_a_call_becomes_a_task_without_having_been_asked_to() -> None:
    with suite() as client:
        created = client.call("slow_compute", {"seconds": 60, "label": "x"})
        assert (created["resultType"], created["status"]) == ("task", "working")
        assert created["createdAt"].endswith("Z")
        assert isinstance(created["ttlMs"], int)
        assert created["ttlMs"] > 0
        assert isinstance(created["pollIntervalMs"], int)
        assert not OUTSIDE & set(created)
        got = client.result("tasks/get", {"taskId": created["taskId"]})
        assert (got["resultType"], got["taskId"], got["status"]) == ("complete", created["taskId"], "working")
        assert not OUTSIDE & set(got)


def test_a_completed_task_has_the_result_of_the_call_in_it() -> None:
    with suite() as client:
        created = client.call("slow_compute", {"seconds": 0, "label": "x"})
        ended = client.until(created["taskId"], {"completed"})
        assert ended["status"] == "completed"
        assert ended["result"]["content"][0]["text"] == "computed x in 0 s"
        assert "io.modelcontextprotocol/related-task" not in ended["result"].get("_meta", {})


def test_the_error_of_a_tool_completes_its_task() -> None:
    with suite() as client:
        created = client.call("failing_job", {"seconds": 0})
        ended = client.until(created["taskId"], {"completed"})
        assert (ended["status"], ended["result"]["isError"]) == ("completed", True)


def test_an_error_of_the_protocol_fails_a_task() -> None:
    with suite() as client:
        created = client.call("protocol_error_job")
        ended = client.until(created["taskId"], {"failed"})
        assert (ended["status"], ended["statusMessage"]) == ("failed", "the job broke")
        assert ended["error"] == {"code": INTERNAL, "message": "the job broke", "data": {"job": "protocol_error_job"}}
        assert "result" not in ended


def test_cancellation_is_acknowledged_with_nothing_as_often_as_one_likes() -> None:
    with suite() as client:
        task_id = client.call("slow_compute", {"seconds": 60})["taskId"]
        for _ in range(2):
            acknowledged = client.result("tasks/cancel", {"taskId": task_id})
            assert set(acknowledged) == {"resultType", "_meta"}
            assert acknowledged["resultType"] == "complete"
        assert client.until(task_id, {"cancelled"})["status"] == "cancelled"


def test_the_extension_is_what_is_declared() -> None:
    with suite() as client:
        declared = client.result("server/discover")["capabilities"]
        assert declared["extensions"] == {TASKS: {}}
        assert "tasks" not in declared


def test_who_has_not_declared_the_extension_has_no_tasks() -> None:
    with suite(capabilities={}) as client:
        for method, params in (("tasks/get", {}), ("tasks/update", {"inputResponses": {}}), ("tasks/cancel", {})):
            answer = client.ask(method, {"taskId": "x", **params})
            assert answer["error"]["code"] == MISSING
            assert answer["error"]["data"] == REQUIRED
        result = client.call("slow_compute", {"seconds": 0})
        assert (result["resultType"], "taskId" in result) == ("complete", False)
        answer = client.ask("tools/call", {"name": "failing_job"})
        assert (answer["error"]["code"], answer["error"]["data"]) == (MISSING, REQUIRED)


def test_what_one_request_declares_counts_for_that_one() -> None:
    with suite(capabilities={}) as client:
        created = client.result("tools/call", {"name": "slow_compute", "arguments": {}}, EXTENSION)
        assert created["resultType"] == "task"
        assert client.call("slow_compute")["resultType"] == "complete"


def test_questions_are_shown_with_the_task_and_answered_by_updates() -> None:
    with suite() as client:
        task_id = client.call("confirm_delete", {"filename": "a.txt"})["taskId"]
        asking = client.until(task_id, {"input_required"})
        ((name, question),) = asking["inputRequests"].items()
        assert question["method"] == "elicitation/create"
        assert question["params"]["message"] == "Delete a.txt?"
        assert not {"requestState", "result", "error"} & set(asking)
        acknowledged = client.result(
            "tasks/update", {"taskId": task_id, "inputResponses": {name: accept(confirm=True)}}
        )
        assert set(acknowledged) == {"resultType", "_meta"}
        assert acknowledged["resultType"] == "complete"
        ended = client.until(task_id, {"completed"})
        assert ended["result"]["content"][0]["text"] == "a.txt is deleted"


def test_some_answers_leave_the_other_questions() -> None:
    with suite() as client:
        task_id = client.call("multi_input")["taskId"]
        eventually(lambda: len(client.result("tasks/get", {"taskId": task_id}).get("inputRequests", {})) == 2)
        asked = client.result("tasks/get", {"taskId": task_id})["inputRequests"]
        one, other = asked
        client.result("tasks/update", {"taskId": task_id, "inputResponses": {one: accept(name="Ada")}})
        left = client.result("tasks/get", {"taskId": task_id})
        assert left["status"] == "input_required"
        assert set(left["inputRequests"]) == {other}
        client.result("tasks/update", {"taskId": task_id, "inputResponses": {other: accept(name="Bob")}})
        assert {"Ada", "Bob"} == set(
            client.until(task_id, {"completed"})["result"]["content"][0]["text"].split(" and ")
        )


def test_answers_that_nobody_has_asked_for_are_ignored_whatever_they_are() -> None:
    with suite() as client:
        task_id = client.call("confirm_delete", {"filename": "a.txt"})["taskId"]
        client.until(task_id, {"input_required"})
        given = {"unknown-key": {"ignored": True}, "another": 12}
        assert client.result("tasks/update", {"taskId": task_id, "inputResponses": given})["resultType"] == "complete"
        assert client.result("tasks/get", {"taskId": task_id})["status"] == "input_required"


def test_an_answer_to_what_was_answered_before_is_ignored() -> None:
    with suite() as client:
        task_id = client.call("multi_input")["taskId"]
        eventually(lambda: len(client.result("tasks/get", {"taskId": task_id}).get("inputRequests", {})) == 2)
        one, other = client.result("tasks/get", {"taskId": task_id})["inputRequests"]
        for answers in ({one: accept(name="Ada")}, {one: accept(name="Eve")}, {one: 12}, {other: accept(name="Bob")}):
            updated = client.result("tasks/update", {"taskId": task_id, "inputResponses": answers})
            assert updated["resultType"] == "complete"
        text = client.until(task_id, {"completed"})["result"]["content"][0]["text"]
        assert set(text.split(" and ")) == {"Ada", "Bob"}


def test_methods_of_the_tasks_before_are_gone() -> None:
    with suite() as client:
        assert client.code("tasks/result", {"taskId": "x"}) == METHOD_NOT_FOUND
        assert client.code("tasks/list") == METHOD_NOT_FOUND


def test_asking_for_a_task_makes_none() -> None:
    with suite() as client:
        result = client.call("greet", {"name": "x"}, task={"ttl": 60000, "pollInterval": 100})
        assert (result["resultType"], "taskId" in result) == ("complete", False)


@pytest.mark.parametrize("method", ["tasks/get", "tasks/update", "tasks/cancel"])
def test_an_unknown_task_is_refused(method: str) -> None:
    with suite() as client:
        more = {"inputResponses": {}} if method == "tasks/update" else {}
        assert client.code(method, {"taskId": "nonexistent", **more}) == INVALID_PARAMS


def test_requests_about_tasks_that_come_too_often_are_refused() -> None:
    server = mcp.Server("worker", "1.0", tasks=tasks(), limits=mcp.Limits(tasks=1, burst=3, clock=lambda: 0.0))
    with suite(server) as client:
        unknown = {"taskId": "nonexistent"}
        codes = [client.code(method, unknown) for method in ("tasks/get", "tasks/cancel")]
        codes += [client.code("tasks/update", {**unknown, "inputResponses": {}}), client.code("tasks/get", unknown)]
        assert codes == [*[INVALID_PARAMS] * 3, -32603]


def test_rounds_of_questions_come_before_the_task_that_they_decide_on() -> None:
    with suite() as client:
        asked = client.call("test_tool_with_task")
        assert asked["resultType"] == "input_required"
        assert "taskId" not in asked
        (name,) = asked["inputRequests"]
        again = {"inputResponses": {name: accept(name="Alice")}, "requestState": asked["requestState"]}
        created = client.call("test_tool_with_task", **again)
        assert created["resultType"] == "task"
        assert not OUTSIDE & set(created)
        ended = client.until(created["taskId"], {"completed"})
        assert ended["result"]["content"][0]["text"] == "Hello, Alice!"


def test_a_handler_that_has_to_become_a_task_refuses_who_knows_none() -> None:
    with suite(capabilities={"elicitation": {}}) as client:
        asked = client.call("test_tool_with_task")
        (name,) = asked["inputRequests"]
        again = {"inputResponses": {name: accept(name="Alice")}, "requestState": asked["requestState"], "arguments": {}}
        assert client.code("tools/call", {"name": "test_tool_with_task", **again}) == MISSING


# --- Beyond the scenarios -----------------------------------------------------------------------------------------


def test_an_answer_that_does_not_fit_its_question_is_refused_and_the_question_stays() -> None:
    with suite() as client:
        task_id = client.call("confirm_delete", {"filename": "a.txt"})["taskId"]
        (name,) = client.until(task_id, {"input_required"})["inputRequests"]
        answer = client.ask("tasks/update", {"taskId": task_id, "inputResponses": {name: 12345}})
        assert answer["error"]["code"] == INVALID_PARAMS
        assert name in answer["error"]["data"]["reason"]
        assert client.result("tasks/get", {"taskId": task_id})["status"] == "input_required"


def test_a_question_that_the_client_cannot_answer_fails_the_task() -> None:
    with suite(capabilities=EXTENSION) as client:
        task_id = client.call("confirm_delete", {"filename": "a.txt"})["taskId"]
        ended = client.until(task_id, {"failed"})
        assert ended["error"]["code"] == MISSING
        assert ended["error"]["data"]["requiredCapabilities"] == {"elicitation": {}}


def test_a_question_is_given_up_with_its_task(caplog: pytest.LogCaptureFixture) -> None:
    left: list[str] = []

    def ask(context: Any) -> str:
        form = mcp.ElicitRequestFormParamsRequestedSchema(properties={})
        try:
            return str(context.elicit("?", form).action)
        except Exception as error:  # noqa: BLE001  # as handlers do
            return str(error)
        finally:
            left.append("the handler")

    with suite(serving({"ask": ask}, MemoryTasks(tools={"ask": "optional"}))) as client:
        task_id = client.call("ask")["taskId"]
        client.until(task_id, {"input_required"})
        client.result("tasks/cancel", {"taskId": task_id})
        eventually(lambda: left)
        got = client.result("tasks/get", {"taskId": task_id})
        assert (got["status"], "inputRequests" in got) == ("cancelled", False)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_keys_of_questions_are_used_once() -> None:
    def ask(context: Any) -> str:
        form = mcp.ElicitRequestFormParamsRequestedSchema(properties={})
        return ",".join(context.elicit(f"{n}?", form).action for n in range(3))

    seen: set[str] = set()
    with suite(serving({"ask": ask}, MemoryTasks(tools={"ask": "optional"}))) as client:
        task_id = client.call("ask")["taskId"]
        for _ in range(3):
            (name,) = client.until(task_id, {"input_required"})["inputRequests"]
            assert name not in seen
            seen.add(name)
            client.result("tasks/update", {"taskId": task_id, "inputResponses": {name: {"action": "decline"}}})
        assert client.until(task_id, set())["result"]["content"][0]["text"] == "decline,decline,decline"


def test_more_tasks_than_may_be_are_done_at_once_where_that_is_possible() -> None:
    store = tasks(each=1)
    with suite(serving(store=store)) as client:
        assert client.call("slow_compute", {"seconds": 60})["resultType"] == "task"
        assert client.call("slow_compute")["resultType"] == "complete"
        assert client.code("tools/call", {"name": "failing_job"}) == INTERNAL


def test_nothing_is_logged_and_no_progress_is_sent_of_a_task() -> None:
    def loud(context: Any) -> str:
        context.log("error", "x")
        context.progress(1)
        return "quiet"

    wanted = {"io.modelcontextprotocol/logLevel": "debug", "progressToken": "p"}
    with suite(serving({"loud": loud}, MemoryTasks(tools={"loud": "optional"}))) as client:
        created = client.ask("tools/call", {"name": "loud", "arguments": {}}, **wanted)
        task_id = created["result"]["taskId"]
        assert client.until(task_id, set())["result"]["content"][0]["text"] == "quiet"


def test_a_server_without_tasks_has_none_of_it() -> None:
    server = mcp.Server("plain", "1.0")

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        with pytest.raises(UsageError, match="no tasks"):
            context.begin_task()
        return mcp.CallToolResult(content=[])

    with suite(server) as client:
        assert client.call("x")["content"] == []
        assert client.code("tasks/get", {"taskId": "x"}) == METHOD_NOT_FOUND
        assert "extensions" not in client.result("server/discover")["capabilities"]


# --- Subscriptions ------------------------------------------------------------------------------------------------


def test_who_subscribes_to_a_task_hears_of_all_that_tasks_get_would_say() -> None:
    go = threading.Event()

    def hold(context: Any) -> str:
        go.wait(PATIENCE)
        return "done"

    server = serving({"hold": hold}, MemoryTasks(tools={"hold": "optional"}))
    with mcp.Client.in_memory(server, tasks=True, timeout=PATIENCE) as client:
        created = client.rounds(mcp.methods.CALL_TOOL, mcp.CallToolRequestParams(meta=client.meta(), name="hold"))
        with client.listen(task=[created.task_id, "unknown"]) as changes:
            assert changes.acknowledged.extra == {"taskIds": [created.task_id]}
            go.set()
            change = changes.get(timeout=PATIENCE)
            assert change is not None
            assert change.key.name == "notifications/tasks"
            assert isinstance(change.params, ext_tasks.CompletedTaskNotificationParams)
            assert change.params.result["content"][0]["text"] == "done"


def test_who_has_not_declared_the_extension_may_not_subscribe_to_tasks() -> None:
    with suite(capabilities={}) as client:
        answer = client.ask("subscriptions/listen", {"notifications": {"taskIds": ["x"]}})
        assert (answer["error"]["code"], answer["error"]["data"]) == (MISSING, REQUIRED)


# --- The client ---------------------------------------------------------------------------------------------------


def asking(server: Any) -> Any:
    return answering(mcp.Client.in_memory(server, tasks=True, timeout=PATIENCE))


def answering(client: Any) -> Any:
    @client.handler(mcp.methods.ELICIT)
    def elicit(params: Any, context: Any) -> Any:
        return mcp.ElicitResult(action="accept", content={"name": "Ada", "confirm": True})

    return client


def test_tasks_of_a_server_process() -> None:
    client = mcp.Client.stdio(program("task_server.py"), env=environment(), tasks=True, timeout=PATIENCE)
    with answering(client):
        for name, arguments, text in CALLS:
            assert text_of(client.call_tool(name, arguments)) == text


def start(client: Any, tool: str, **arguments: Any) -> Any:
    return client.call_tool_as_task(tool, arguments)


CALLS = [
    ("greet", {"name": "Ada"}, "Hello, Ada!"),
    ("slow_compute", {"label": "x"}, "computed x in 0 s"),
    ("confirm_delete", {"filename": "a.txt"}, "a.txt is deleted"),
    ("multi_input", {}, "Ada and Ada"),
    ("test_tool_with_task", {}, "Hello, Ada!"),
]


@pytest.mark.parametrize(("name", "arguments", "text"), CALLS)
def test_a_call_gives_its_result_whether_it_was_a_task_or_not(name: str, arguments: Any, text: str) -> None:
    with asking(serving(store=tasks(poll=0.001))) as client:
        assert text_of(client.call_tool(name, arguments)) == text


def test_a_client_that_knows_no_tasks_is_given_none() -> None:
    with mcp.Client.in_memory(serving(), timeout=PATIENCE) as client:
        assert text_of(client.call_tool("slow_compute", {"label": "x"})) == "computed x in 0 s"
        with pytest.raises(ResponseError) as refused:
            client.call_tool("failing_job")
        assert refused.value.code == MISSING


def test_a_handle_shows_a_task_from_its_beginning_to_its_end() -> None:
    with asking(serving(store=tasks(poll=0.001))) as client:
        task = start(client, "slow_compute", seconds=60)
        assert task.status().status == "working"
        assert repr(task).startswith(f"<PolledTask tools/call {task.id!r}: working")
        task.cancel()
        assert [each.status for each in task.changes()][-1] == "cancelled"
        assert repr(task).startswith(f"<PolledTask tools/call {task.id!r}: cancelled")
        with pytest.raises(TaskCancelled):
            task.result(PATIENCE)
        failed = start(client, "protocol_error_job")
        with pytest.raises(ResponseError, match="the job broke") as raised:
            failed.result(PATIENCE)
        assert raised.value.data == {"job": "protocol_error_job"}
        at_once = start(client, "greet", name="Ada")
        assert (at_once.id, at_once.status(), list(at_once)) == (None, None, [])
        assert repr(at_once) == "<PolledTask tools/call: answered without a task>"
        assert text_of(at_once.result()) == "Hello, Ada!"


def test_a_client_asks_as_often_as_is_proposed() -> None:
    go = threading.Event()
    pauses: list[float] = []

    def hold(context: Any) -> str:
        go.wait(PATIENCE)
        return "done"

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            go.set()
            eventually(lambda: task.status().status == "completed")

    server = serving({"hold": hold}, MemoryTasks(tools={"hold": "optional"}, poll=7))
    with mcp.Client.in_memory(server, tasks=True, timeout=PATIENCE) as client:
        answer = client.rounds(mcp.methods.CALL_TOOL, mcp.CallToolRequestParams(meta=client.meta(), name="hold"))
        task: Any = PolledTask(client, mcp.methods.CALL_TOOL, answer, limit=100, pause=pause)
        assert text_of(task.result()) == "done"
        assert pauses == [7, 7, 7]


def test_a_handle_cancels_by_a_request() -> None:
    seen: list[str] = []

    def play(peer: Spoken) -> None:
        stamp = {"createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttlMs": None}
        peer.answer(peer.hear(), {"resultType": "task", "taskId": "t", "status": "working", **stamp})
        asked = peer.hear()
        seen.append(asked["method"])
        peer.answer(asked, {"resultType": "complete"})

    with scripted_server(mcp.Client, play, tasks=True, discover=False) as (client, _):
        client.connect()
        client.call_tool_as_task("x").cancel()
    assert seen == ["tasks/cancel"]


def test_a_task_of_somebody_is_refused_to_others() -> None:
    store = tasks()
    server = serving(store=store)
    with suite(server) as client:
        theirs = store.create("ada", "tools/call")
        for method in ("tasks/get", "tasks/update", "tasks/cancel"):
            more = {"inputResponses": {}} if method == "tasks/update" else {}
            assert client.code(method, {"taskId": theirs.id, **more}) == INVALID_PARAMS
        assert not theirs.ended


def test_decorated_tools_are_those_of_the_scenarios() -> None:
    server = mcp.Server("worker", "1.0", tasks=tasks(poll=0.001))
    register(server)
    with asking(server) as client:
        assert {tool.name for tool in client.list_tools()} == set(TOOLS)
        for name, arguments, text in CALLS:
            assert text_of(client.call_tool(name, arguments)) == text
        with pytest.raises(ResponseError, match="the job broke"):
            client.call_tool("protocol_error_job")
        assert client.call_tool("failing_job", {"seconds": 0}).is_error


def test_each_question_is_put_to_the_user_once() -> None:
    seen: list[str] = []
    store = tasks(poll=0.001)
    client = mcp.Client.in_memory(serving(store=store), tasks=True, timeout=PATIENCE)

    @client.handler(mcp.methods.ELICIT)
    def elicit(params: Any, context: Any) -> Any:
        seen.append(params.message)
        return mcp.ElicitResult(action="accept", content={"confirm": True})

    with client:
        task = start(client, "confirm_delete", filename="a.txt")
        eventually(lambda: task.status().status == "input_required")
        assert task.answer()
        assert not task.answer()
        assert text_of(task.result(PATIENCE)) == "a.txt is deleted"
        assert seen == ["Delete a.txt?"]


def test_a_question_is_put_to_the_user_once_though_two_threads_wait_for_the_task() -> None:
    begun, go = threading.Event(), threading.Event()
    seen: list[str] = []
    client = mcp.Client.in_memory(serving(store=tasks(poll=0.001)), tasks=True, timeout=PATIENCE)

    @client.handler(mcp.methods.ELICIT)
    def elicit(params: Any, context: Any) -> Any:
        seen.append(params.message)
        if len(seen) == 1:
            begun.set()
            assert go.wait(PATIENCE)
        return mcp.ElicitResult(action="accept", content={"confirm": True})

    with client, ThreadPoolExecutor(1) as threads:
        task = start(client, "confirm_delete", filename="a.txt")
        first = threads.submit(task.result, PATIENCE)
        try:
            assert begun.wait(PATIENCE)
            assert not task.answer()
        finally:
            go.set()
        assert text_of(first.result(PATIENCE)) == "a.txt is deleted"
    assert seen == ["Delete a.txt?"]


def test_a_question_that_no_handler_could_answer_is_put_again() -> None:
    failures = [ValueError("no terminal")]
    client = mcp.Client.in_memory(serving(store=tasks(poll=0.001)), tasks=True, timeout=PATIENCE)

    @client.handler(mcp.methods.ELICIT)
    def elicit(params: Any, context: Any) -> Any:
        if failures:
            raise failures.pop()
        return mcp.ElicitResult(action="accept", content={"confirm": True})

    with client:
        task = start(client, "confirm_delete", filename="a.txt")
        with pytest.raises(ValueError, match="no terminal"):
            task.result(PATIENCE)
        assert text_of(task.result(PATIENCE)) == "a.txt is deleted"


def test_a_question_that_is_shown_again_is_not_put_again() -> None:
    seen: list[str] = []
    updates: list[Any] = []

    def play(peer: Spoken) -> None:
        stamp = {"createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttlMs": None}
        task = {"taskId": "t", **stamp, "pollIntervalMs": 1}
        peer.answer(peer.hear(), {"resultType": "task", "status": "working", **task})
        question = {"method": "elicitation/create", "params": {"message": "?", "requestedSchema": FORM}}
        asking = {"resultType": "complete", "status": "input_required", **task}
        peer.answer(peer.hear(), {**asking, "inputRequests": {"a": question}})
        updates.append(peer.hear()["params"]["inputResponses"])
        peer.answer({"id": 3}, {"resultType": "complete"})
        # The server takes its time to see the answer, and has one question more.
        peer.answer(peer.hear(), {**asking, "inputRequests": {"a": question, "b": question}})
        updates.append(peer.hear()["params"]["inputResponses"])
        peer.answer({"id": 5}, {"resultType": "complete"})
        done = {"resultType": "complete", "content": [{"type": "text", "text": "done"}]}
        peer.answer(peer.hear(), {"resultType": "complete", "status": "completed", **task, "result": done})

    with scripted_server(mcp.Client, play, tasks=True, discover=False) as (client, _):

        @client.handler(mcp.methods.ELICIT)
        def elicit(params: Any, context: Any) -> Any:
            seen.append(params.message)
            return mcp.ElicitResult(action="decline")

        client.connect()
        assert text_of(client.call_tool("x")) == "done"
    assert seen == ["?", "?"]
    assert updates == [{"a": {"action": "decline"}}, {"b": {"action": "decline"}}]


def test_a_question_without_a_handler_is_the_servers_fault() -> None:
    def ask(context: Any) -> str:
        return "never"

    def play(peer: Spoken) -> None:
        asked = peer.hear()
        stamp = {"createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttlMs": None}
        peer.answer(asked, {"resultType": "task", "taskId": "t", "status": "working", **stamp})
        question = {"method": "elicitation/create", "params": {"message": "?", "requestedSchema": FORM}}
        more = {"resultType": "complete", "taskId": "t", "status": "input_required", "inputRequests": {"q": question}}
        peer.answer(peer.hear(), {**more, **stamp})

    with scripted_server(mcp.Client, play, tasks=True, discover=False) as (client, _):
        client.connect()
        with pytest.raises(ProtocolError, match="elicitation/create"):
            client.call_tool("x")


FORM = {"type": "object", "properties": {}}


@pytest.mark.parametrize("method", ["tools/list", "tools/call"])
def test_a_task_is_an_answer_to_calls_of_clients_that_know_tasks(method: str) -> None:
    def play(peer: Spoken) -> None:
        stamp = {"createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttlMs": None}
        more = {"tools": [], "ttlMs": 1, "cacheScope": "private"} if method == "tools/list" else {}
        peer.answer(peer.hear(), {"resultType": "task", "taskId": "t", "status": "working", **stamp, **more})

    tasks_known = method == "tools/list"
    with scripted_server(mcp.Client, play, tasks=tasks_known, discover=False) as (client, _):
        client.connect()
        with pytest.raises(ProtocolError, match="resultType"):
            list(client.list_tools()) if method == "tools/list" else client.call_tool("x")
