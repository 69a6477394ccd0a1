"""Tasks of a server of one revision, for clients of another: each runs the handler once, whatever it asks."""

from __future__ import annotations

from threading import Event
from typing import Any

import pytest
from bridge.wires import Wire, in_memory, over_pipes, over_streamable_http
from checkout import REVISIONS
from mcp_bindings_runtime.bridge import client_tasks
from mcp_bindings_runtime.errors import ResponseError, TaskCancelled
from support.revisions import HANDSHAKE, STATELESS, those_with_methods
from support.scripted_peers import PATIENCE, eventually, package, text_of

WITH_CORE_TASKS = those_with_methods("tasks/result")
WITH_TASKS = [*WITH_CORE_TASKS, *STATELESS]
PAIRS = [(server, client) for server in WITH_TASKS for client in WITH_TASKS if server != client]
WITHOUT_TASKS = [(server, client) for server in WITH_TASKS for client in REVISIONS if client not in WITH_TASKS]

across_revisions = pytest.mark.parametrize(("server", "client"), PAIRS)
without_handshake = pytest.mark.parametrize(
    ("server", "client"), [(server, client) for server in STATELESS for client in STATELESS]
)
by_either_side = pytest.mark.parametrize("converts", ["server", "client"])
per_wire = pytest.mark.parametrize("wire", [in_memory, over_pipes, over_streamable_http])


def serving(revision: str, converts: str = "server", **options: Any) -> tuple[Any, list[str], Event]:
    """Return a server whose tools may run as tasks, the names of its runs, and the event for which ``wait`` waits.

    ``converts`` is the side that knows the other revision.
    """
    mcp = package(revision)
    tools = dict.fromkeys(("double", "wait", "ask", "fail"), "optional")
    revisions = [revision] if converts == "client" else None
    server = mcp.Server("s", "1", tasks=mcp.MemoryTasks(tools=tools, poll=0.01, **options), revisions=revisions)
    runs: list[str] = []
    go = Event()

    @server.handler(mcp.methods.LIST_TOOLS)
    def listed(_params: Any, _context: Any) -> Any:
        execution = {"execution": mcp.types.ToolExecution(task_support="optional")} if revision in HANDSHAKE else {}
        made = [mcp.types.Tool(name=name, input_schema=mcp.types.ToolInputSchema(), **execution) for name in tools]
        return mcp.types.ListToolsResult(
            tools=made, **server.cache_hints("tools/list") if revision in STATELESS else {}
        )

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        runs.append(params.name)
        kind = "plain" if getattr(context, "task", None) is None else "task"
        if params.name == "wait":
            context.task.tell("under way")
            eventually(lambda: go.is_set() or context.cancelled)
        elif params.name == "ask":
            kind = f"{kind} {context.sample('How?', max_tokens=5)}"
        elif params.name == "fail":
            raise ResponseError(-5, "no such luck", {"why": 7})
        return mcp.types.CallToolResult(content=[mcp.types.TextContent(text=kind)])

    return server, runs, go


def options_of(client: str, **options: Any) -> dict[str, Any]:
    return {**options, "tasks": True} if client in STATELESS else options


@per_wire
@by_either_side
@across_revisions
def test_a_call_is_a_task_of_the_client_s_revision(server: str, client: str, wire: Wire, converts: str) -> None:
    made, runs, _ = serving(server, converts)
    with wire(made, client) as connect, connect(**options_of(client)) as user:
        task = user.call_tool_as_task("double")
        assert text_of(task.result(PATIENCE)) == "task"
        assert task.id is not None
        assert task.status().status == "completed"
    assert runs == ["double"]


@by_either_side
@across_revisions
def test_a_task_has_a_status_and_can_be_cancelled(server: str, client: str, converts: str) -> None:
    made, _, _ = serving(server, converts)
    with in_memory(made, client) as connect, connect(**options_of(client)) as user:
        task = user.call_tool_as_task("wait")
        eventually(lambda: task.status().status_message == "under way")
        task.cancel()
        with pytest.raises(TaskCancelled):
            task.result(PATIENCE)


@per_wire
@by_either_side
@across_revisions
def test_the_handler_of_a_task_asks_the_client(server: str, client: str, wire: Wire, converts: str) -> None:
    made, runs, _ = serving(server, converts)
    types = package(client).types

    def sample(params: Any, context: Any) -> Any:
        content = types.TextContent(text=f"so, {params.max_tokens}")
        return types.CreateMessageResult(role="assistant", model="m", content=content)

    with wire(made, client) as connect, connect(**options_of(client, sampling=sample)) as user:
        assert text_of(user.call_tool_as_task("ask").result(PATIENCE)) == "task so, 5"
    assert runs == ["ask"]


@by_either_side
@without_handshake
def test_a_call_becomes_a_task_after_a_question_which_is_not_asked_again(
    server: str, client: str, converts: str
) -> None:
    mcp, types = package(server), package(client).types
    revisions = [server] if converts == "client" else None
    made = mcp.Server("s", "1", tasks=mcp.MemoryTasks(poll=0.01), revisions=revisions)

    @made.handler(mcp.methods.CALL_TOOL)
    def call(_params: Any, context: Any) -> Any:
        before = context.sample("Begin?", max_tokens=1)
        context.begin_task()
        context.log("error", "Tasks send no log messages.")
        answers = [before, *(context.sample(f"Step {each}", max_tokens=each) for each in (2, 3))]
        return mcp.types.CallToolResult(content=[mcp.types.TextContent(text=" ".join(answers))])

    asked: list[int] = []

    def sample(params: Any, context: Any) -> Any:
        asked.append(params.max_tokens)
        content = types.TextContent(text=f"<{params.max_tokens}>")
        return types.CreateMessageResult(role="assistant", model="m", content=content)

    logged: list[Any] = []
    options = {"sampling": sample, "on_log": logged.append, "log_level": "debug", "tasks": True}
    with in_memory(made, client) as connect, connect(**options) as user:
        task = user.call_tool_as_task("work")
        assert text_of(task.result(PATIENCE)) == "<1> <2> <3>"
        assert task.id is not None
    assert (asked, logged) == ([1, 2, 3], [])


@per_wire
@pytest.mark.parametrize("client", WITH_CORE_TASKS)
@pytest.mark.parametrize("server", WITH_TASKS)
def test_log_messages_of_a_task_name_it(server: str, client: str, wire: Wire) -> None:
    mcp = package(server)
    made = mcp.Server("s", "1", tasks=mcp.MemoryTasks(tools={"work": "optional"}))

    @made.tool
    def work(context: Any) -> str:
        context.log("warning", "under way")
        return "done"

    logged: list[Any] = []
    with wire(made, client) as connect, connect(on_log=logged.append) as user:
        task = user.call_tool_as_task("work")
        assert text_of(task.result(PATIENCE)) == "done"
        eventually(lambda: logged)
    assert [(each.data, each.meta) for each in logged] == [
        ("under way", {"io.modelcontextprotocol/related-task": {"taskId": task.id}})
    ]


@by_either_side
@without_handshake
def test_a_subscription_to_a_task_has_its_states(server: str, client: str, converts: str) -> None:
    made, _, _ = serving(server, converts, notify=True)
    types, states = package(client).types, []

    def sample(params: Any, context: Any) -> Any:
        content = types.TextContent(text="so")
        return types.CreateMessageResult(role="assistant", model="m", content=content)

    with in_memory(made, client) as connect, connect(tasks=True, sampling=sample) as user:
        task = user.call_tool_as_task("ask")
        eventually(lambda: task.status().status == "input_required")
        with user.listen(task=[task.id], timeout=PATIENCE) as changes:
            assert changes.acknowledged.extra == {"taskIds": [task.id]}
            assert text_of(task.result(PATIENCE)) == "task so"
            while "completed" not in states:
                change = changes.get(PATIENCE)
                assert change.key.name == "notifications/tasks"
                states.append(change.params.status)
        assert change.params.result["content"] == [{"type": "text", "text": "task so"}]


@by_either_side
@across_revisions
def test_a_failure_is_that_of_the_handler(server: str, client: str, converts: str) -> None:
    made, _, _ = serving(server, converts)
    with in_memory(made, client) as connect, connect(**options_of(client)) as user:
        with pytest.raises(ResponseError) as caught:
            user.call_tool_as_task("fail").result(PATIENCE)
        assert (caught.value.code, caught.value.message, caught.value.data) == (-5, "no such luck", {"why": 7})


@pytest.mark.parametrize(("server", "client"), WITHOUT_TASKS)
def test_a_client_without_tasks_gets_the_result(server: str, client: str) -> None:
    made, runs, _ = serving(server)
    with in_memory(made, client) as connect, connect() as user:
        assert text_of(user.call_tool("double")) == "plain"
    assert runs == ["double"]


@pytest.mark.parametrize("client", WITH_CORE_TASKS)
def test_a_client_with_a_session_lists_its_tasks_and_is_told_which_tools_have_them(client: str) -> None:
    mcp, user_mcp = package(STATELESS[-1]), package(client)
    server = mcp.Server("s", "1", tasks=mcp.MemoryTasks(tools={"add": "optional"}, poll=0.01))

    @server.tool
    def add(a: int, b: int) -> int:
        return a + b

    with user_mcp.Client.in_memory(server, timeout=PATIENCE) as user:
        (tool,) = user.list_tools()
        assert tool.execution.task_support == "optional"
        task = user.call_tool_as_task("add", {"a": 1, "b": 2})
        assert text_of(task.result(PATIENCE)) == "3"
        listed = user.request(user_mcp.methods.LIST_TASKS, user_mcp.types.PaginatedRequestParams())
        assert [each.task_id for each in listed.tasks] == [task.id]


def test_the_capability_is_that_of_the_revision() -> None:
    for revision in WITH_TASKS:
        made, _, _ = serving(revision)
        for client in HANDSHAKE:
            with package(client).Client.in_memory(made, timeout=PATIENCE) as user:
                declared = getattr(user.server_capabilities, "tasks", None)
                assert (declared is not None) == (client in WITH_CORE_TASKS)


# Clients that convert, at servers that know their own revision only.

TO_STATELESS = [(server, client) for server, client in PAIRS if server in STATELESS and client in HANDSHAKE]
TO_SESSIONS = [(server, client) for server, client in PAIRS if server in HANDSHAKE and client in STATELESS]


@pytest.mark.parametrize(("server", "client"), TO_STATELESS)
def test_a_call_without_task_makes_none(server: str, client: str) -> None:
    made, runs, _ = serving(server, "client")
    with in_memory(made, client) as connect, connect() as user:
        assert text_of(user.call_tool("double")) == "plain"
        assert [tool.execution.task_support for tool in user.list_tools()] == ["optional"] * 4
        listed = user.request(package(client).methods.LIST_TASKS, package(client).types.PaginatedRequestParams())
        assert listed.tasks == []
    assert runs == ["double"]


@pytest.mark.parametrize(("server", "client"), TO_STATELESS)
def test_a_call_that_the_server_answers_at_once_is_a_completed_task(server: str, client: str) -> None:
    made, runs, _ = serving(server, "client")
    made.tasks.declare("double", "forbidden")
    with in_memory(made, client) as connect, connect() as user:
        task = user.call_tool_as_task("double", ttl=60)
        assert (task.last.status, task.last.ttl) == ("completed", 60_000)
        assert text_of(task.result(PATIENCE)) == "plain"
        assert text_of(task.result(PATIENCE)) == "plain"
        with pytest.raises(ResponseError, match="it is completed"):
            task.cancel()
    assert runs == ["double"]


@pytest.mark.parametrize(("server", "client"), TO_STATELESS)
def test_tasks_are_listed_with_their_states_and_only_the_last_are_kept(
    server: str, client: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_tasks, "MOST", 2)
    made, _, go = serving(server, "client")
    mcp = package(client)
    with in_memory(made, client) as connect, connect() as user:
        first, second, third = [user.call_tool_as_task(name) for name in ("double", "double", "wait")]
        assert text_of(second.result(PATIENCE)) == "task"
        with pytest.raises(ResponseError, match="dropped"):
            first.status()
        listed = user.request(mcp.methods.LIST_TASKS, mcp.types.PaginatedRequestParams())
        assert [(each.task_id, each.status) for each in listed.tasks] == [
            (second.id, "completed"),
            (third.id, "working"),
        ]
        third.cancel()
        assert third.status().status == "cancelled"
        assert go.is_set() is False


@pytest.mark.parametrize(("server", "client"), TO_STATELESS)
def test_a_list_leaves_out_tasks_that_the_server_has_removed(
    server: str, client: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, _, _ = serving(server, "client")
    mcp = package(client)
    with in_memory(made, client) as connect, connect() as user:
        removed, left = [user.call_tool_as_task("wait") for _ in range(2)]
        find = made.tasks.find
        monkeypatch.setattr(
            made.tasks, "find", lambda task_id, owner: None if task_id == removed.id else find(task_id, owner)
        )
        listed = user.request(mcp.methods.LIST_TASKS, mcp.types.PaginatedRequestParams())
        assert [each.task_id for each in listed.tasks] == [left.id]
        left.cancel()


@pytest.mark.parametrize(("server", "client"), TO_SESSIONS)
def test_a_list_whose_pages_never_end_is_read_once(server: str, client: str) -> None:
    mcp = package(server)
    made = mcp.Server("s", "1", tasks=mcp.MemoryTasks(tools={"double": "optional"}, poll=0.01), revisions=[server])
    pages: list[Any] = []

    @made.handler(mcp.methods.LIST_TOOLS)
    def listed(params: Any, _context: Any) -> Any:
        pages.append(params and params.cursor)
        tool = mcp.types.Tool(
            name="double",
            input_schema=mcp.types.ToolInputSchema(),
            execution=mcp.types.ToolExecution(task_support="optional"),
        )
        assert len(pages) < 10
        return mcp.types.ListToolsResult(tools=[tool], next_cursor="a" if pages[-1] == "b" else "b")

    @made.handler(mcp.methods.CALL_TOOL)
    def call(_params: Any, _context: Any) -> Any:
        return mcp.types.CallToolResult(content=[mcp.types.TextContent(text="done")])

    with in_memory(made, client) as connect, connect(tasks=True) as user:
        task = user.call_tool_as_task("double")
        assert task.id is not None
        assert text_of(task.result(PATIENCE)) == "done"
    assert pages == [None, "b", "a"]


@pytest.mark.parametrize(("server", "client"), TO_SESSIONS)
def test_a_tool_that_the_server_does_not_list_as_a_task_is_called_plainly(server: str, client: str) -> None:
    mcp = package(server)
    made = mcp.Server("s", "1", tasks=mcp.MemoryTasks(tools={"slow": "required"}, poll=0.01), revisions=[server])
    kinds: list[str] = []

    @made.tool
    def quick(context) -> str:
        kinds.append("plain" if getattr(context, "task", None) is None else "task")
        return "done"

    with in_memory(made, client) as connect, connect(tasks=True, on_tools_changed=lambda: kinds.append("!")) as user:
        task = user.call_tool_as_task("quick")
        assert task.id is None
        assert text_of(task.result(PATIENCE)) == "done"
        made.tools.add(quick, "slow")
        # After the change the list is read again.
        eventually(lambda: "!" in kinds)
        assert text_of(user.call_tool("slow")) == "done"
        task = user.call_tool_as_task("slow")
        assert task.id is not None
        assert text_of(task.result(PATIENCE)) == "done"
        # An ended task can be cancelled without effect, as its revision says.
        task.cancel()
        assert task.status().status == "completed"
    assert kinds == ["plain", "!", "task", "task"]
