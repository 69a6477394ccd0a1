"""Tasks that are cancelled while their requestor waits for the result, whatever their receiver answers to that."""

from __future__ import annotations

import threading
from queue import Empty, Queue
from types import SimpleNamespace
from typing import Any

import pytest
from mcp_bindings import v2025_11_25 as mcp
from mcp_bindings import v2026_07_28
from mcp_bindings_runtime.errors import TaskCancelled
from mcp_bindings_runtime.tasks.extension_binding import with_tasks
from mcp_bindings_runtime.tasks.polled_task import PolledTask
from support.scripted_peers import PATIENCE, eventually, scripted_server
from support.task_server import serving

REVISION = "2025-11-25"
TASK = {"taskId": "t", "createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttl": None}
CAPABILITIES = {"tasks": {"cancel": {}, "list": {}, "requests": {"tools": {"call": {}}}}, "tools": {}}
STOPPED = {**TASK, "status": "cancelled", "statusMessage": "the disk is full"}


def playing(follows: Any, asked: Queue[Any]) -> Any:
    """The script of a server that never answers ``tasks/result``, and does ``follows`` once it was asked for that."""

    def play(peer: Any) -> None:
        peer.welcome(REVISION, CAPABILITIES)
        peer.answer(peer.hear(), {"task": {**TASK, "status": "working"}})
        while (heard := peer.hear())["method"] != "tasks/result":
            pass
        follows(peer)
        while True:
            asked.put(heard := peer.hear())
            if heard.get("method") in {"tasks/cancel", "tasks/get"}:
                peer.answer(heard, STOPPED)
            elif heard.get("method") == "tools/call":
                peer.answer(heard, {"content": []})

    return play


def waiting(task: Any) -> tuple[threading.Thread, Queue[Any]]:
    """A thread that waits for the result of a task, and what comes of it."""
    ends: Queue[Any] = Queue()

    def wait() -> None:
        try:
            ends.put(task.result(PATIENCE * 10))
        except Exception as fault:  # noqa: BLE001  # the test looks at it
            ends.put(fault)

    thread = threading.Thread(target=wait)
    thread.start()
    return thread, ends


def test_who_waits_hears_at_once_that_the_task_was_cancelled() -> None:
    asked: Queue[Any] = Queue()
    told = playing(lambda peer: peer.notify("notifications/tasks/status", STOPPED), asked)
    with scripted_server(mcp.Client, told) as (client, _):
        client.connect()
        thread, ends = waiting(client.call_tool_as_task("work"))
        end = ends.get(timeout=PATIENCE)
        thread.join(PATIENCE)
        assert isinstance(end, TaskCancelled)
        assert str(end) == "tools/call: the task was cancelled: the disk is full"
        # The request is given up in good order, and the connection goes on.
        assert asked.get(timeout=PATIENCE)["method"] == "notifications/cancelled"
        assert client.call_tool("work").content == []


def test_who_cancels_ends_the_wait_of_another_thread() -> None:
    asked: Queue[Any] = Queue()
    reached = threading.Event()
    with scripted_server(mcp.Client, playing(lambda peer: reached.set(), asked)) as (client, _):
        client.connect()
        task = client.call_tool_as_task("work")
        waits = [waiting(task) for _ in range(2)]
        assert reached.wait(PATIENCE)
        # The second of them has asked, too.
        assert asked.get(timeout=PATIENCE)["method"] == "tasks/result"
        assert task.cancel().status == "cancelled"
        for thread, ends in waits:
            assert isinstance(ends.get(timeout=PATIENCE), TaskCancelled)
            thread.join(PATIENCE)


def test_other_states_and_other_tasks_end_no_wait() -> None:
    asked: Queue[Any] = Queue()
    other = {**STOPPED, "taskId": "another"}

    def tell(peer: Any) -> None:
        peer.notify("notifications/tasks/status", other)
        peer.notify("notifications/tasks/status", {**TASK, "status": "working", "statusMessage": "on it"})
        peer.notify("notifications/tasks/status", {**TASK, "status": "failed"})

    with scripted_server(mcp.Client, playing(tell, asked)) as (client, _):
        client.connect()
        thread, ends = waiting(task := client.call_tool_as_task("work"))
        # By the time that this is answered, all of that was heard.
        eventually(lambda: client.connection.session.tasks._awaited)
        assert client.call_tool("work").content == []
        assert ends.empty()
        task.cancel()
        assert isinstance(ends.get(timeout=PATIENCE), TaskCancelled)
        thread.join(PATIENCE)


def test_a_server_that_says_nothing_is_asked_after_a_while() -> None:
    asked: Queue[Any] = Queue()
    with scripted_server(mcp.Client, playing(lambda peer: None, asked), timeout=1.0) as (client, _):
        client.connect()
        with pytest.raises(TaskCancelled, match="the disk is full"):
            client.call_tool_as_task("work").result(PATIENCE)


class Stubborn:
    """A client as far as a task knows one, of a server that works on whatever it is told."""

    binding = with_tasks(v2026_07_28.Client.binding)
    followed = ()

    def __init__(self) -> None:
        self.asked: Queue[str] = Queue()

    def meta(self) -> Any:
        return v2026_07_28.types.RequestMetaObject(
            protocol_version="2026-07-28", client_capabilities=v2026_07_28.types.ClientCapabilities()
        )

    def request(self, key: Any, params: Any, *, timeout: float | None = None) -> Any:
        self.asked.put(key.name)
        return SimpleNamespace(task_id="t", status="working", poll_interval_ms=3_600_000)


def test_a_task_that_works_on_after_it_was_cancelled_is_asked_for_as_often_as_before() -> None:
    client = Stubborn()
    task = PolledTask(client, v2026_07_28.methods.CALL_TOOL, SimpleNamespace(task_id="t"), limit=PATIENCE)
    threading.Thread(target=lambda: list(task), daemon=True).start()
    heard = [client.asked.get(timeout=PATIENCE)]
    for _ in range(2):
        task.cancel()
        heard += [client.asked.get(timeout=PATIENCE) for _ in range(2)]
    assert sorted(heard) == ["tasks/cancel"] * 2 + ["tasks/get"] * 3
    with pytest.raises(Empty):
        client.asked.get(timeout=0.05)


def test_a_task_of_the_extension_is_looked_at_when_it_is_cancelled() -> None:
    begun = threading.Event()

    def hold(context: Any) -> str:
        context.begin_task()
        begun.set()
        while not context.cancelled:
            context.task.wait(0.01)
        return "stopped"

    store = v2026_07_28.MemoryTasks(poll=3600.0)
    server = serving({"hold": hold}, store)
    with v2026_07_28.Client.in_memory(server, tasks=True, timeout=PATIENCE) as client:
        thread, ends = waiting(task := client.call_tool_as_task("hold"))
        assert begun.wait(PATIENCE)
        task.cancel()
        assert isinstance(ends.get(timeout=PATIENCE), TaskCancelled)
        thread.join(PATIENCE)
