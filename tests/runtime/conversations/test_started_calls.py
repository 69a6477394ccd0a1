"""Calls that run in a thread of their own, and that other threads cancel."""

from __future__ import annotations

import threading
import time
from concurrent.futures import FIRST_COMPLETED, as_completed, wait
from dataclasses import dataclass
from random import Random
from threading import Event, Thread, current_thread
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import (
    CallCancelled,
    ConnectionClosed,
    RequestTimeout,
    ResponseError,
    UsageError,
)
from mcp_bindings_runtime.tasks.store import MemoryTasks
from support.echo_server import echo_server
from support.revisions import HANDSHAKE, STATELESS, TASK_EXTENSION, WITH_BATCHES
from support.scripted_peers import PATIENCE, environment, eventually, package, program, scripted_server, text_of
from support.task_server import serving

each_revision = pytest.mark.parametrize("revision", REVISIONS)
LATEST = HANDSHAKE[-1]
NEWEST = STATELESS[-1]


def greet(spoken: Any, revision: str) -> None:
    """Plays the server's part until the client is connected."""
    if revision in STATELESS:
        known = {"supportedVersions": [revision], "capabilities": {"tools": {}}, "ttlMs": 0, "cacheScope": "private"}
        spoken.answer(spoken.hear(), {"resultType": "complete", **known})
    else:
        spoken.welcome(revision)


@each_revision
def test_a_started_call_gives_its_result_to_whoever_asks_for_it(revision: str) -> None:
    server, seen = echo_server(revision)
    with package(revision).Client.in_memory(server, timeout=PATIENCE) as client:
        call = client.start(client.call_tool, "echo", {"n": 1, "hold": True})
        with pytest.raises(TimeoutError) as waited:
            call.result(0.01)
        # It goes on; and this says so, as the call's own end would be another exception.
        assert not isinstance(waited.value, RequestTimeout)
        assert call.running()
        assert not call.done()
        seen.go.set()
        assert text_of(call.result(PATIENCE)) == "1"
        assert text_of(call.result(PATIENCE)) == "1"
        assert call.done()
        assert not call.cancelled()
        assert not call.cancel("too late")
        assert text_of(call.result(PATIENCE)) == "1"


@each_revision
def test_nobody_has_to_wait_for_a_started_call(revision: str) -> None:
    server, _ = echo_server(revision)
    told: list[float] = []
    threads: list[Thread] = []
    done = Event()

    def note(params: Any) -> None:
        told.append(params.progress)
        threads.append(current_thread())

    with package(revision).Client.in_memory(server, timeout=PATIENCE) as client:
        call = client.start(client.call_tool, "echo", {"progress": 5}, on_progress=note)
        call.add_done_callback(lambda _: done.set())
        assert done.wait(PATIENCE)
    assert told == [1, 2, 3, 4, 5]
    assert len(set(threads)) == 1
    assert current_thread() not in threads


@each_revision
def test_every_method_that_waits_for_an_answer_can_be_started(revision: str) -> None:
    mcp = package(revision)
    server, _ = echo_server(revision)
    with mcp.Client.in_memory(server, timeout=PATIENCE) as client:
        meta = {"meta": client.meta()} if revision in STATELESS else {}
        params = mcp.CallToolRequestParams(name="echo", arguments={"n": 2}, **meta)
        assert text_of(client.start(client.request, mcp.methods.CALL_TOOL, params).result(PATIENCE)) == "2"
        calls = [client.start(client.call_tool, "echo", {"n": n}) for n in range(8)]
        assert sorted(text_of(call.result()) for call in as_completed(calls, PATIENCE)) == [*"01234567"]


@each_revision
def test_what_the_call_raises_comes_out_of_its_result(revision: str) -> None:
    server, _ = echo_server(revision)
    with package(revision).Client.in_memory(server, timeout=PATIENCE) as client:
        failed = client.start(client.call_tool, "echo", {"raise": "Exception"})
        with pytest.raises(ResponseError):
            failed.result(PATIENCE)
        assert isinstance(failed.exception(), ResponseError)
        late = client.start(client.call_tool, "echo", {"hold": True}, timeout=0.05)
        with pytest.raises(RequestTimeout, match=r"no answer in 0.05 s"):
            late.result(PATIENCE)
        assert not late.cancelled()
        with pytest.raises(UsageError, match="pass a method and its arguments"):
            client.start(client.call_tool("echo", {}))
    with pytest.raises(ConnectionClosed):
        client.start(client.call_tool, "echo", {}).result(PATIENCE)


@each_revision
def test_cancelling_ends_the_call_and_the_handler_sees_the_reason(revision: str) -> None:
    mcp = package(revision)
    server = mcp.Server("s", "1")
    running, released = Event(), Event()
    reasons: list[Any] = []

    @server.handler(mcp.methods.CALL_TOOL)
    def call_tool(params: Any, context: Any) -> Any:
        reasons.append(context.cancel_reason)
        running.set()
        eventually(lambda: context.cancelled)
        reasons.append(context.cancel_reason)
        released.set()
        return mcp.CallToolResult(content=[])

    with mcp.Client.in_memory(server, timeout=PATIENCE) as client:
        call = client.start(client.call_tool, "x")
        assert running.wait(PATIENCE)
        assert call.cancel("the user has closed the window")
        assert call.done()
        assert call.cancelled()
        with pytest.raises(CallCancelled, match="the user has closed the window") as cancelled:
            call.result(PATIENCE)
        assert not isinstance(cancelled.value, TimeoutError)
        assert cancelled.value.reason == "the user has closed the window"
        assert released.wait(PATIENCE)
        eventually(lambda: not client.connection.calls)
        assert not client.connection.session._pending
    assert reasons == [None, "the user has closed the window"]


@each_revision
@pytest.mark.parametrize("reason", [None, "enough"])
def test_the_server_is_told_once_however_many_threads_cancel(revision: str, reason: str | None) -> None:
    heard: list[Any] = []

    def play(spoken: Any) -> None:
        greet(spoken, revision)
        heard.append(spoken.hear())
        asked.set()
        heard.append(spoken.hear())
        # Whatever else the cancelled call had sent would come before this.
        spoken.answer(spoken.hear(), {"resultType": "complete", "content": []})

    asked = Event()
    with scripted_server(package(revision).Client, play, timeout=PATIENCE) as (client, _):
        client.connect()
        call = client.start(client.call_tool, "x")
        assert asked.wait(PATIENCE)
        threads = [Thread(target=call.cancel, args=(reason,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        eventually(lambda: len(heard) == 2)
        client.call_tool("y")
    request, cancelled = heard
    assert cancelled["method"] == "notifications/cancelled"
    assert cancelled["params"]["requestId"] == request["id"]
    assert cancelled["params"].get("reason") == reason


@each_revision
def test_a_call_is_answered_or_cancelled_and_never_lost(revision: str) -> None:
    """Cancelled at any moment: before it is sent, on its way, while it is answered, and afterwards."""
    server, seen = echo_server(revision)
    random = Random(20)
    outcomes = {True: 0, False: 0}
    with package(revision).Client.in_memory(server, timeout=PATIENCE) as client:
        for number in range(150):
            call = client.start(client.call_tool, "echo", {"n": number})
            for _ in range(random.randrange(2000)):
                pass
            cancelled = call.cancel()
            outcomes[cancelled] += 1
            if cancelled:
                with pytest.raises(CallCancelled):
                    call.result(PATIENCE)
            else:
                assert text_of(call.result(PATIENCE)) == str(number)
        assert text_of(client.call_tool("echo", {"n": "after"})) == "after"
        eventually(lambda: not client.connection.calls and not client.connection.session._pending)
        assert seen.begun == seen.ended or not seen.running


def test_a_call_that_was_cancelled_before_it_was_sent_is_not_sent() -> None:
    heard: list[Any] = []
    connected = Event()

    def play(spoken: Any) -> None:
        spoken.welcome(LATEST)
        connected.wait(PATIENCE)
        heard.append(spoken.hear()["params"]["name"])
        spoken.close()

    with scripted_server(package(LATEST).Client, play, timeout=PATIENCE) as (client, _):
        client.connect()
        with client.connection.lock:
            # It cannot be sent while this thread has the lock.
            call = client.start(client.call_tool, "first")
            call.cancel()
        eventually(lambda: not threads_named("mcp-call"))
        connected.set()
        with pytest.raises(ConnectionClosed):
            client.call_tool("second")
    assert heard == ["second"]


def threads_named(name: str) -> list[Thread]:

    return [each for each in threading.enumerate() if each.name == name]


def test_a_server_that_reads_nothing_does_not_keep_a_cancelled_call() -> None:
    client = package(LATEST).Client.stdio(program("deaf.py", LATEST), env=environment(), timeout=PATIENCE)
    with client:
        # More than a pipe holds, so that sending it does not end.
        call = client.start(client.call_tool, "x", {"text": "x" * 10_000_000})
        time.sleep(0.05)
        assert call.cancel("it does not read")
        with pytest.raises(CallCancelled):
            call.result(PATIENCE)


def test_closing_the_client_ends_its_started_calls() -> None:
    server, seen = echo_server(LATEST)
    with package(LATEST).Client.in_memory(server, timeout=PATIENCE) as client:
        calls = [client.start(client.call_tool, "echo", {"hold": True}) for _ in range(3)]
        eventually(lambda: seen.running == 3)
    for call in calls:
        with pytest.raises(ConnectionClosed):
            call.result(PATIENCE)
    seen.go.set()


def test_progress_that_waits_is_not_delivered_after_the_cancellation() -> None:
    server, seen = echo_server(LATEST)
    told: list[float] = []
    first, go = Event(), Event()

    def note(params: Any) -> None:
        told.append(params.progress)
        first.set()
        assert go.wait(PATIENCE)

    with package(LATEST).Client.in_memory(server, timeout=PATIENCE) as client:
        call = client.start(client.call_tool, "echo", {"progress": 100, "hold": True}, on_progress=note)
        assert first.wait(PATIENCE)
        call.cancel()
        assert call.done()
        go.set()
        eventually(lambda: seen.cancelled)
        eventually(lambda: not threads_named("mcp-call"))
    assert told == [1]


def test_the_first_of_several_calls_wins_and_the_others_are_cancelled() -> None:
    server, seen = echo_server(LATEST)
    with package(LATEST).Client.in_memory(server, timeout=PATIENCE) as client:
        slow = [client.start(client.call_tool, "echo", {"n": n, "hold": True}) for n in range(2)]
        eventually(lambda: seen.running == 2)
        quick = client.start(client.call_tool, "echo", {"n": 2})
        done, rest = wait([*slow, quick], PATIENCE, return_when=FIRST_COMPLETED)
        assert done == {quick}
        for call in rest:
            call.cancel("another one was faster")
        eventually(lambda: sorted(seen.cancelled) == [0, 1])


# Rounds of questions, tasks, batches.


@dataclass
class Answer:
    name: str


def test_a_call_is_cancelled_between_the_rounds_of_its_questions() -> None:
    mcp = package(NEWEST)
    server = mcp.Server("s", "1")
    rounds: list[int] = []
    asked, go = Event(), Event()

    @server.handler(mcp.methods.CALL_TOOL)
    def ask(params: Any, context: Any) -> Any:
        rounds.append(1)
        context.elicit_form("?", Answer)
        return mcp.CallToolResult(content=[])

    def answer(params: Any, context: Any) -> Any:
        asked.set()
        assert go.wait(PATIENCE)
        return mcp.ElicitResult(action="decline")

    with mcp.Client.in_memory(server, timeout=PATIENCE, elicitation=answer) as client:
        call = client.start(client.call_tool, "ask")
        assert asked.wait(PATIENCE)
        assert call.cancel()
        with pytest.raises(CallCancelled):
            call.result(PATIENCE)
        go.set()
        eventually(lambda: not threads_named("mcp-call"))
    assert rounds == [1]


def held_task() -> tuple[Any, Event, Event]:
    """A server whose one tool is a task that goes on until it is cancelled; set when it begins, and when it ends so."""
    running, cancelled = Event(), Event()

    def hold(context: Any) -> str:
        running.set()
        if context.task.wait(PATIENCE):
            cancelled.set()
        return "done"

    return serving({"hold": hold}, MemoryTasks(tools={"hold": "required"}, poll=60)), running, cancelled


def test_a_call_that_became_a_task_is_cancelled_as_a_task() -> None:
    server, running, cancelled = held_task()
    with package(TASK_EXTENSION).Client.in_memory(server, tasks=True, timeout=PATIENCE) as client:
        call = client.start(client.call_tool, "hold")
        assert running.wait(PATIENCE)
        # The next question about it is a minute away.
        assert call.cancel("enough")
        with pytest.raises(CallCancelled, match="enough"):
            call.result(PATIENCE)
        assert cancelled.wait(PATIENCE)


def test_a_task_that_only_a_cancelled_call_knows_is_cancelled() -> None:
    server, running, cancelled = held_task()
    go = Event()

    def begin(client: Any) -> Any:
        task = client.call_tool_as_task("hold")
        # The call is cancelled between the arrival of the task and the end of the method.
        assert go.wait(PATIENCE)
        return task

    with package(TASK_EXTENSION).Client.in_memory(server, tasks=True, timeout=PATIENCE) as client:
        call = client.start(begin, client)
        assert running.wait(PATIENCE)
        eventually(lambda: not client.connection.calls)
        assert call.cancel("enough")
        go.set()
        assert cancelled.wait(PATIENCE)


def test_waiting_for_a_task_can_be_cancelled_without_the_task() -> None:
    server, running, cancelled = held_task()
    with package(TASK_EXTENSION).Client.in_memory(server, tasks=True, timeout=PATIENCE) as client:
        task = client.call_tool_as_task("hold")
        call = client.start(task.result)
        assert running.wait(PATIENCE)
        assert call.cancel()
        with pytest.raises(CallCancelled):
            call.result(PATIENCE)
        eventually(lambda: not threads_named("mcp-call"))
        assert not cancelled.is_set()
        task.cancel()
        assert cancelled.wait(PATIENCE)


def test_a_batch_is_cancelled_request_by_request() -> None:
    revision = WITH_BATCHES[-1]
    mcp = package(revision)
    server, seen = echo_server(revision)
    with mcp.Client.in_memory(server, timeout=PATIENCE) as client:
        messages = [
            (mcp.methods.CALL_TOOL, mcp.CallToolRequestParams(name="echo", arguments={"n": n, "hold": True}))
            for n in range(3)
        ]
        call = client.start(client.batch, *messages)
        eventually(lambda: seen.running == 3)
        assert call.cancel()
        with pytest.raises(CallCancelled):
            call.result(PATIENCE)
        eventually(lambda: sorted(seen.cancelled) == [0, 1, 2])
        assert text_of(client.call_tool("echo", {"n": 5})) == "5"


def test_the_answer_to_a_subscription_may_be_waited_for_in_a_started_call() -> None:
    heard = Event()

    def play(spoken: Any) -> None:
        greet(spoken, NEWEST)
        assert spoken.hear()["method"] == "subscriptions/listen"
        heard.set()
        assert spoken.hear()["method"] == "notifications/cancelled"

    with scripted_server(package(NEWEST).Client, play, timeout=PATIENCE) as (client, _):
        client.connect()
        call = client.start(client.listen, tools=True)
        assert heard.wait(PATIENCE)
        assert call.cancel()
        with pytest.raises(CallCancelled):
            call.result(PATIENCE)
        eventually(lambda: not threads_named("mcp-call"))
