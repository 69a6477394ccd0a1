"""Tasks of a server behind a proxy are tasks for the clients of each revision that has tasks."""

from __future__ import annotations

import threading
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import ResponseError, TaskCancelled
from mcp_bindings_runtime.proxy.backend_server import BackendServer
from mcp_bindings_runtime.proxy.backend_tasks import MAX_EARLY, BackendTasks
from mcp_bindings_runtime.proxy.server import Proxy
from mcp_bindings_runtime.session.events import Incoming
from support.backends import connection_to
from support.revisions import HANDSHAKE, STATELESS, newest
from support.scripted_peers import PATIENCE, eventually, package, text_of, threads_of

pytestmark = pytest.mark.skipif(len(REVISIONS) < 2, reason="one revision has no other era")
CORE = newest(HANDSHAKE, "tasks/result")
NEW = STATELESS[-1]
WITH_TASKS = (CORE, *STATELESS)
each_backend = pytest.mark.parametrize("behind", WITH_TASKS)
each_front = pytest.mark.parametrize("front", WITH_TASKS)
SUPPORT = {"work": "optional", "ask": "optional", "fail": "optional", "must": "required"}


class Worker:
    """A server of one revision whose tools run as tasks; it counts their runs."""

    def __init__(self, revision: str, **options: Any) -> None:
        self.mcp = mcp = package(revision)
        self.go = threading.Event()
        self.runs: list[str] = []
        self.stopped = threading.Event()
        self.store = mcp.MemoryTasks(tools=SUPPORT, poll=0.01)
        self.server = mcp.Server("worker", "1.0", tasks=self.store, revisions=[revision], **options)
        for name in (*SUPPORT, "plain"):
            self.server.tools.add(self._tool(name), name=name)

    def _tool(self, name: str) -> Any:
        def run(context: Any) -> str:
            self.runs.append(name)
            if name == "fail":
                raise ResponseError(-32050, "it broke", {"part": "engine"})
            if name == "ask":
                return f"root {context.list_roots().roots[0].name}"
            if name == "work":
                while not context.cancelled and not self.go.wait(0.002):
                    pass
                if context.cancelled:
                    self.stopped.set()
            return f"{name} done"

        run.__annotations__ = {"context": self.mcp.Context, "return": str}
        return run


@pytest.fixture
def start():
    """Starts a proxy before workers, and closes it."""
    made = []

    def make(*workers: Worker, names: tuple[str, ...] = ("",)) -> Any:
        backends = [
            BackendServer(connection_to(each.server), name=name, timeout=PATIENCE)
            for name, each in zip(names, workers, strict=True)
        ]
        made.append((Proxy(backends), workers))
        return made[-1][0].server

    yield make
    for proxy, workers in made:
        proxy.close()
        for each in workers:
            each.go.set()
    # A thread that is free waits ten seconds for the next parked call.
    eventually(lambda: set(threads_of()) <= {"mcp-parked"})


def client_of(server: Any, revision: str, *, tasks: bool = True, **options: Any) -> Any:
    """Return a client with one root that may call tools as tasks."""
    mcp = package(revision)
    if tasks and revision in STATELESS:
        options["tasks"] = True
    client = mcp.Client.in_memory(server, timeout=PATIENCE, revisions=[revision], **options)
    root = mcp.types.Root(uri="file:///r", name="of the client")
    client.handles(mcp.methods.LIST_ROOTS, lambda *_: mcp.types.ListRootsResult(roots=[root]))
    return client


@each_front
@each_backend
def test_a_call_is_a_task_that_runs_once(behind, front, start):
    worker = Worker(behind)
    with client_of(start(worker), front) as client:
        task = client.call_tool_as_task("work")
        assert task.id
        assert task.status().status == "working"
        eventually(lambda: worker.runs == ["work"])
        worker.go.set()
        assert text_of(task.result(PATIENCE)) == "work done"
        assert task.status().status == "completed"
        assert text_of(task.result(PATIENCE)) == "work done"
    assert worker.runs == ["work"]


@each_front
@each_backend
def test_a_question_of_a_task_reaches_the_client(behind, front, start):
    worker = Worker(behind)
    with client_of(start(worker), front) as client:
        assert text_of(client.call_tool_as_task("ask").result(PATIENCE)) == "root of the client"


@each_front
@each_backend
def test_two_tasks_ask_their_own_client_at_the_same_time(behind, front, start):
    worker = Worker(behind)
    with client_of(start(worker), front) as client:
        tasks = [client.call_tool_as_task("ask") for _ in range(3)]
        assert [text_of(each.result(PATIENCE)) for each in tasks] == ["root of the client"] * 3
    assert worker.runs == ["ask"] * 3


@each_front
@each_backend
def test_a_cancelled_task_is_cancelled_behind(behind, front, start):
    worker = Worker(behind)
    with client_of(start(worker), front) as client:
        task = client.call_tool_as_task("work")
        eventually(lambda: worker.runs == ["work"])
        task.cancel()
        assert worker.stopped.wait(PATIENCE)
        with pytest.raises(TaskCancelled):
            task.result(PATIENCE)


@pytest.mark.parametrize("threads", ["busy", "missing"])
def test_a_task_whose_handler_does_not_begin_is_cancelled_behind(threads, start, monkeypatch):
    worker = Worker(NEW)
    server = start(worker)
    jobs = []

    def execute(job):
        eventually(lambda: worker.runs == ["work"])
        if threads == "missing":
            text = "can't start new thread"
            raise RuntimeError(text)
        jobs.append(job)

    monkeypatch.setattr(server.options.tasks, "execute", execute)
    with client_of(server, NEW) as client:
        task = client.call_tool_as_task("work")
        if threads == "busy":
            eventually(lambda: jobs)
            task.cancel()
            jobs[0]()
        assert worker.stopped.wait(PATIENCE)
        eventually(lambda: task.status().status == ("cancelled" if jobs else "failed"))
    assert worker.runs == ["work"]


def test_a_task_for_which_the_proxy_has_no_room_is_cancelled_behind(start):
    worker = Worker(NEW)
    server = start(worker)
    store = server.options.tasks
    with client_of(server, NEW) as client:
        with pytest.raises(ResponseError) as full:  # noqa: PT012  # the limit is where it ends
            for number in range(10_000):
                store.create(f"user {number}", "tools/call")
        with pytest.raises(ResponseError) as refused:
            client.call_tool_as_task("work").result(PATIENCE)
        assert refused.value.code == full.value.code
        assert worker.stopped.wait(PATIENCE)
    assert worker.runs == ["work"]
    # No timer may wait for them.
    for number in range(10_000):
        store.leave(f"user {number}")


@each_front
@each_backend
def test_the_error_of_a_task_reaches_the_client(behind, front, start):
    worker = Worker(behind)
    with client_of(start(worker), front) as client:
        task = client.call_tool_as_task("fail")
        with pytest.raises(ResponseError, match="it broke") as caught:
            task.result(PATIENCE)
        assert caught.value.data == {"part": "engine"}
    assert worker.runs == ["fail"]


@each_front
@each_backend
def test_a_call_that_is_no_task_is_answered_at_once(behind, front, start):
    worker = Worker(behind)
    with client_of(start(worker), front, tasks=False) as client:
        worker.go.set()
        assert text_of(client.call_tool("plain")) == "plain done"
        assert text_of(client.call_tool("work")) == "work done"
    assert worker.runs == ["plain", "work"]


@each_front
def test_a_tool_that_runs_as_no_task_says_so(front, start):
    worker = Worker(CORE)
    with client_of(start(worker), front) as client:
        if front == CORE:
            with pytest.raises(ResponseError, match="not done as a task") as caught:
                client.call_tool_as_task("plain")
            assert caught.value.code == -32601
            assert worker.runs == []
        else:
            # There the server decides.
            assert client.call_tool_as_task("plain").id is None


def test_a_plain_result_ends_the_task_of_a_client_that_asks_for_one(start):
    worker = Worker(NEW)
    with client_of(start(worker), CORE) as client:
        assert text_of(client.call_tool_as_task("plain").result(PATIENCE)) == "plain done"
    assert worker.runs == ["plain"]


def test_a_tool_that_must_be_a_task_works_for_a_client_without_tasks(start):
    worker = Worker(CORE)
    with client_of(start(worker), HANDSHAKE[0], tasks=False) as client:
        assert text_of(client.call_tool("must")) == "must done"
    assert worker.runs == ["must"]


@each_front
@each_backend
def test_a_tool_that_must_be_a_task_is_refused_to_a_client_that_could_ask(behind, front, start):
    worker = Worker(behind)
    code = -32021 if front in STATELESS else -32603 if behind in STATELESS else -32601
    with client_of(start(worker), front, tasks=False) as client, pytest.raises(ResponseError) as caught:
        client.call_tool("must")
    assert (caught.value.code, worker.runs) == (code, [])


@each_front
@each_backend
def test_a_task_of_a_server_that_dies_fails_with_the_reason(behind, front, start):
    worker = Worker(behind)
    with client_of(start(worker), front) as client:
        task = client.call_tool_as_task("work")
        eventually(lambda: worker.runs == ["work"])
        worker.server.close()
        with pytest.raises(ResponseError) as caught:
            task.result(PATIENCE)
    assert "the server behind has ended" in caught.value.data["reason"]
    assert worker.runs == ["work"]


@each_front
@each_backend
def test_tasks_of_several_servers(behind, front, start):
    workers = (Worker(behind), Worker(behind))
    with client_of(start(*workers, names=("one", "two")), front) as client:
        tasks = [client.call_tool_as_task(f"{name}__ask") for name in ("one", "two")]
        assert [text_of(each.result(PATIENCE)) for each in tasks] == ["root of the client"] * 2
    assert [each.runs for each in workers] == [["ask"], ["ask"]]


@each_backend
def test_the_list_of_tasks_has_those_of_the_client(behind, start):
    worker = Worker(behind)
    server = start(worker)
    worker.go.set()
    with client_of(server, CORE) as client, client_of(server, CORE) as other:
        task = client.call_tool_as_task("work")
        task.result(PATIENCE)
        assert [each.task_id for each in client.list_tasks()] == [task.id]
        assert list(other.list_tasks()) == []


@each_front
def test_progress_of_a_task_goes_on_where_the_client_has_it(front, start):
    worker = Worker(CORE)
    reported: list[float] = []

    def steps(context: Any) -> str:
        worker.go.wait(PATIENCE)
        for step in range(3):
            context.progress(step + 1)
        return "done"

    steps.__annotations__ = {"context": worker.mcp.Context, "return": str}
    worker.store.declare("steps", "optional")
    worker.server.tools.add(steps, name="steps")
    with client_of(start(worker), front) as client:
        task = client.call_tool_as_task("steps", on_progress=lambda params: reported.append(params.progress))
        worker.go.set()
        assert text_of(task.result(PATIENCE)) == "done"
        if front == CORE:
            eventually(lambda: reported == [1, 2, 3])
        else:
            assert reported == []


@each_front
def test_the_message_of_the_status_reaches_the_client(front, start):
    worker = Worker(CORE)

    def explain(context: Any) -> str:
        context.task.tell("half done")
        worker.go.wait(PATIENCE)
        return "done"

    explain.__annotations__ = {"context": worker.mcp.Context, "return": str}
    worker.store.declare("explain", "optional")
    worker.server.tools.add(explain, name="explain")
    with client_of(start(worker), front) as client:
        task = client.call_tool_as_task("explain")
        eventually(lambda: task.status().status_message == "half done")
        worker.go.set()
        assert text_of(task.result(PATIENCE)) == "done"


@pytest.mark.parametrize(("earlier", "expected"), [(MAX_EARLY - 1, ["begun"]), (MAX_EARLY, [])])
def test_messages_before_the_answer_to_a_call_are_kept_up_to_a_limit(earlier, expected):
    mcp = package(CORE)
    binding = mcp.Client.binding
    contact: Any = SimpleNamespace(binding=binding, limit=PATIENCE, has_tasks=True, task_support={})
    tasks = BackendTasks(contact)
    told: list[str] = []

    def request(key: Any, params: Any, **_: Any) -> Any:
        if key.name != "tools/call":
            raise ResponseError(-32602, "Unknown task", None)
        for number in range(earlier):
            note(f"other {number}", "other")
        note("t", "begun")
        return mcp.types.CreateTaskResult(task=state("t", None))

    def note(task_id: str, message: str) -> None:
        tasks.note_status("", state(task_id, message))

    def state(task_id: str, message: str | None) -> Any:
        moment = "2026-01-01T00:00:00Z"
        return mcp.types.Task(
            task_id=task_id,
            status="working",
            status_message=message,
            created_at=moment,
            last_updated_at=moment,
            ttl=9999,
        )

    connection = SimpleNamespace(request=request, closed=True)
    client = SimpleNamespace(binding=binding, connection=connection, timeout=PATIENCE)
    own = SimpleNamespace(tell=told.append, watched=lambda _: nullcontext(), cancelled=False, seconds_kept=9.0)
    params = mcp.types.CallToolRequestParams(name="work")
    context = SimpleNamespace(task=own, incoming=Incoming(mcp.methods.CALL_TOOL, 1, params))
    with pytest.raises(ResponseError, match="Unknown task"):
        tasks.call(client, mcp.methods.CALL_TOOL, params, context)
    assert told == expected
