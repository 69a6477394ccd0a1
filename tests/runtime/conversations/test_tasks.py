"""A call that becomes a task, with handlers of one's own: its progress, from one thread to another."""

from __future__ import annotations

from threading import Event, Thread, current_thread
from typing import Any

import pytest
from mcp_bindings import v2025_11_25 as mcp
from mcp_bindings_runtime.errors import UsageError
from support.scripted_peers import PATIENCE, eventually
from support.session_cases import task

AUGMENTED = mcp.converter.structure({"tasks": {"requests": {"tools": {"call": {}}}}}, mcp.types.ServerCapabilities)


class Work:
    """A server whose tool becomes a task; the test says when it goes on."""

    def __init__(self) -> None:
        self.server = mcp.Server("s", "1", capabilities=AUGMENTED)
        self.context: Any = None
        self.server.handler(mcp.methods.CALL_TOOL)(self._call)
        self.server.handler(mcp.methods.GET_TASK)(self._get)

    def _call(self, params: Any, context: Any) -> Any:
        if params.task is None:
            return mcp.CallToolResult(content=[])
        context.progress(1)
        self.context = context
        return mcp.converter.structure({"task": task()}, mcp.CreateTaskResult)

    def _get(self, params: Any, context: Any) -> Any:
        return mcp.converter.structure(task("completed"), mcp.types.GetTaskResult)


def begin(client: Any, on_progress: Any) -> Any:
    return client.call_tool("x", task=mcp.types.TaskMetadata(), on_progress=on_progress)


def test_progress_goes_on_after_the_call_has_returned() -> None:
    work, seen, threads = Work(), [], set()

    def note(params: Any) -> None:
        seen.append(params.progress)
        threads.add(current_thread())

    with mcp.Client.in_memory(work.server) as client:
        assert isinstance(begin(client, note), mcp.CreateTaskResult)
        assert seen == [1]
        assert threads == {current_thread()}
        for value in (2, 3):
            work.context.progress(value)
            eventually(lambda value=value: seen[-1] == value)
        assert len(threads) == 2
        client.get_task("k")
        work.context.progress(4)
        client.ping()
        assert seen == [1, 2, 3]
        assert not client.connection.session._progress


def test_progress_of_a_task_that_arrives_while_the_callback_is_busy_is_delivered_in_order() -> None:
    work, seen, told, go = Work(), [], Event(), Event()

    def note(params: Any) -> None:
        seen.append(params.progress)
        if params.progress == 2:
            told.set()
            assert go.wait(PATIENCE)

    with mcp.Client.in_memory(work.server) as client:
        begin(client, note)
        work.context.progress(2)
        assert told.wait(PATIENCE)
        for value in range(3, 200):
            work.context.progress(value)
        client.ping()
        go.set()
        eventually(lambda: seen[-1] == 199)
    assert seen == list(range(1, 200))


def test_a_function_that_fails_is_logged_and_called_again(caplog: pytest.LogCaptureFixture) -> None:
    work, seen = Work(), []

    def note(params: Any) -> None:
        seen.append(params.progress)
        if params.progress == 2:
            raise ValueError(params.progress)

    with mcp.Client.in_memory(work.server) as client:
        begin(client, note)
        work.context.progress(2)
        eventually(lambda: caplog.records)
        work.context.progress(3)
        eventually(lambda: seen == [1, 2, 3])
    assert "on_progress of a task failed" in caplog.text


def test_a_function_that_waits_for_progress_of_a_task_does_not_keep_others_from_theirs() -> None:
    work, seen = Work(), []
    with mcp.Client.in_memory(work.server) as client:
        begin(client, lambda params: None)
        thread = Thread(target=lambda: seen.append(client.call_tool("x")))
        thread.start()
        thread.join(PATIENCE)
        assert isinstance(seen[0], mcp.CallToolResult)


def test_no_task_is_asked_of_a_server_that_has_not_said_it_makes_them() -> None:
    server = mcp.Server("s", "1")
    server.handler(mcp.methods.CALL_TOOL)(lambda params, context: mcp.CallToolResult(content=[]))
    with mcp.Client.in_memory(server) as client:
        with pytest.raises(UsageError, match=r"needs the capability 'tasks\.requests\.tools\.call', which the server"):
            begin(client, None)
        assert isinstance(client.call_tool("x"), mcp.CallToolResult)
