"""Requests that ask for a task: who may, and the progress that goes on until it has ended (2025-11-25, Tasks; Progress)."""

from __future__ import annotations

import gc
import json
from typing import Any

import pytest
from mcp_bindings_runtime.errors import UsageError
from mcp_bindings_runtime.session.events import Dropped, Incoming, Notified, Outcome, Progressed
from mcp_bindings_runtime.session.task_tracker import MOST, RELATED
from support.bindings import binding
from support.minimal_params import params_of
from support.session_cases import task
from support.sessions import TASKS, call, line, only, opened, pair, result, tell

Json = Any

REVISION = "2025-11-25"
BINDING = binding(REVISION)
AUGMENTED = [
    ("client", "tools/call", {"tools": {"call": {}}}),
    ("server", "sampling/createMessage", {"sampling": {"createMessage": {}}}),
    ("server", "elicitation/create", {"elicitation": {"create": {}}}),
]
"""Who sends it, the method, and what the receiver declares among ``tasks.requests``."""
ABLE = {"tools": {}, "sampling": {}, "elicitation": {"form": {}}}
FINAL = ["completed", "failed", "cancelled"]

each_method = pytest.mark.parametrize(("side", "method", "requests"), AUGMENTED, ids=[each[1] for each in AUGMENTED])


def asking(method: str) -> Any:
    """Params that ask for a task."""
    return params_of(REVISION, BINDING.requests[method]).__replace__(task=BINDING.types.TaskMetadata(ttl=5))


def declared_by_receiver(side: str, declared: Json) -> tuple[Any, Any]:
    """Who asks and who is asked; the latter has declared this."""
    left, right = pair(REVISION, *((declared, {}) if side == "server" else ({}, declared)))
    return (left, right) if side == "client" else (right, left)


@each_method
def test_a_task_is_asked_for_where_the_receiver_has_declared_it(side: str, method: str, requests: Json) -> None:
    asker, asked = declared_by_receiver(side, {**ABLE, "tasks": {"requests": requests}})
    _, sent = asker.request(BINDING.requests[method], asking(method))
    assert only(asked.receive(sent), Incoming).params.task == BINDING.types.TaskMetadata(ttl=5)


@each_method
@pytest.mark.parametrize("tasks", ["none", "empty", "other"])
def test_no_task_is_asked_for_where_the_receiver_has_not(side: str, method: str, requests: Json, tasks: str) -> None:
    # What is declared of other requests says nothing of this one: the set is exhaustive.
    others = {name: each for _, other, value in AUGMENTED if other != method for name, each in value.items()}
    declared = {"none": {}, "empty": {"tasks": TASKS}, "other": {"tasks": {"requests": others}}}[tasks]
    asker, _ = declared_by_receiver(side, {**ABLE, **declared})
    key = BINDING.requests[method]
    with pytest.raises(UsageError) as refused:
        asker.request(key, asking(method))
    path = "tasks.requests." + method.replace("/", ".")
    who = "server" if side == "client" else "client"
    instead = "without `task` the response is the result itself"
    if method == "tools/call":
        instead = "write call_tool() instead of call_tool_as_task()"
    assert str(refused.value) == (
        f"{method} with a task needs the capability '{path}', which the {who} has not declared; {instead}"
    )
    assert not asker._pending
    asker.request(key, params_of(REVISION, key))


@each_method
def test_a_task_that_was_not_to_be_asked_for_is_ignored(side: str, method: str, requests: Json) -> None:
    for tasks, kept in (({}, False), ({"tasks": {"requests": requests}}, True)):
        _, asked = declared_by_receiver(side, {**ABLE, **tasks})
        raw = BINDING.codec.unstructure(asking(method))
        incoming = only(asked.receive(line(call(REVISION, method, 7, raw))), Incoming)
        assert (incoming.params.task is not None) == kept
        without = {name: value for name, value in raw.items() if name != "task"}
        assert BINDING.codec.unstructure(incoming.params.__replace__(task=None)) == without


# Progress, seen by who executes the task.


def executing(status: str = "working", token: Json = "t") -> tuple[Any, Incoming]:
    """A server that has answered a call with a task, and that call."""
    server = opened(REVISION, "server")
    params = {"name": "x", "task": {}, **({} if token is None else {"_meta": {"progressToken": token}})}
    incoming = only(server.receive(line(call(REVISION, "tools/call", 7, params))), Incoming)
    created = BINDING.codec.structure({"task": task(status)}, BINDING.types.CreateTaskResult)
    assert server.settle(incoming, server.response_line(incoming, created))
    return server, incoming


def answer(server: Any, method: str, params: Json, given: Json) -> None:
    """The server is asked about tasks, and answers."""
    incoming = only(server.receive(line(call(REVISION, method, 8, params))), Incoming)
    typed = BINDING.codec.decode_result(BINDING.requests[method], given)
    assert server.settle(incoming, server.response_line(incoming, typed))


def test_progress_goes_on_under_its_token_after_the_task_was_created() -> None:
    server, incoming = executing()
    sent = json.loads(server.progress(incoming, 1, 5, "half way"))
    assert sent["params"] == {
        "progressToken": "t",
        "progress": 1,
        "total": 5,
        "message": "half way",
        "_meta": {RELATED: {"taskId": "k"}},
    }
    with pytest.raises(UsageError, match="progress must increase"):
        server.progress(incoming, 1)
    assert server.progress(incoming, 2)


def test_without_a_token_there_is_no_progress_of_a_task() -> None:
    server, incoming = executing(token=None)
    assert server.progress(incoming, 1) is None


@pytest.mark.parametrize("status", FINAL)
def test_a_task_that_has_ended_when_it_is_told_of_has_no_progress(status: str) -> None:
    server, incoming = executing(status)
    assert server.progress(incoming, 1) is None


def shown_by(server: Any, how: str, status: str, name: str = "k") -> None:
    """The server says how a task stands."""
    if how == "status":
        key = BINDING.notifications["notifications/tasks/status"]
        server.notify(key, BINDING.codec.structure(task(status, name), key.params))
    elif how == "list":
        answer(server, "tasks/list", None, {"tasks": [task(name="another"), task(status, name)]})
    elif how == "result":
        answer(server, "tasks/result", {"taskId": name}, {"content": [], "_meta": {RELATED: {"taskId": name}}})
    else:
        answer(server, f"tasks/{how}", {"taskId": name}, task(status, name))


@pytest.mark.parametrize(
    ("how", "status"),
    [*((how, status) for how in ("status", "get", "cancel", "list") for status in FINAL), ("result", "completed")],
)
def test_progress_stops_when_the_end_of_the_task_is_told(how: str, status: str) -> None:
    server, incoming = executing()
    assert server.progress(incoming, 1)
    shown_by(server, how, status)
    assert server.progress(incoming, 2) is None


@pytest.mark.parametrize(
    ("how", "status", "name"),
    [
        *((how, status, "k") for how in ("status", "get", "list") for status in ("working", "input_required")),
        *((how, "completed", "other") for how in ("status", "get", "cancel", "list", "result")),
    ],
)
def test_progress_does_not_stop_for_less(how: str, status: str, name: str) -> None:
    server, incoming = executing()
    shown_by(server, how, status, name)
    assert server.progress(incoming, 1)


def test_who_executes_a_task_may_say_that_it_has_ended() -> None:
    server, incoming = executing()
    server.tasks.end("k")
    server.tasks.end("k")
    assert server.progress(incoming, 1) is None


def test_a_task_whose_session_has_ended_has_no_progress() -> None:
    server, incoming = executing()
    server.close()
    assert server.progress(incoming, 1) is None


def test_a_task_of_which_nobody_can_tell_any_more_is_forgotten() -> None:
    server, incoming = executing()
    assert len(server.tasks._ours) == 1
    del incoming
    gc.collect()
    assert not server.tasks._ours


def test_a_request_that_became_no_task_has_no_progress_after_its_answer() -> None:
    server = opened(REVISION, "server")
    params = {"name": "x", "_meta": {"progressToken": "t"}}
    incoming = only(server.receive(line(call(REVISION, "tools/call", 7, params))), Incoming)
    assert server.settle(incoming, server.response_line(incoming, BINDING.types.CallToolResult(content=[])))
    assert server.progress(incoming, 1) is None


# Progress, seen by who asked for the task.


def following(
    status: str = "working", name: str = "k", client: Any = None, *, progress: bool = True
) -> tuple[Any, Any]:
    """A client whose call became a task, and the id of that call."""
    client = client or opened(REVISION, "client")
    request_id, _ = client.request(BINDING.requests["tools/call"], asking("tools/call"), progress=progress)
    outcome = only(client.receive(line(result(request_id, {"task": task(status, name)}))), Outcome)
    assert outcome.goes_on == (progress and status not in FINAL)
    return client, request_id


def reported(client: Any, token: Json, value: float) -> type:
    """What becomes of progress that the client hears."""
    said = {"progressToken": token, "progress": value, "_meta": {RELATED: {"taskId": "k"}}}
    return only(client.receive(line(tell("notifications/progress", said)))).__class__


def heard_of(client: Any, how: str, status: str, name: str = "k") -> None:
    """The client hears how a task stands."""
    if how == "status":
        only(client.receive(line(tell("notifications/tasks/status", task(status, name)))), Notified)
        return
    given = {
        "list": {"tasks": [task(name="another"), task(status, name)]},
        "result": {"content": [], "_meta": {RELATED: {"taskId": name}}},
    }.get(how, task(status, name))
    key = BINDING.requests[f"tasks/{how}"]
    request_id, _ = client.request(key, params_of(REVISION, key))
    only(client.receive(line(result(request_id, given))), Outcome)


def test_progress_of_a_task_is_taken_under_the_token_of_its_request() -> None:
    client, token = following()
    assert client.awaits_progress(token)
    assert [reported(client, token, value) for value in (1, 2, 2, 3)] == [Progressed, Progressed, Dropped, Progressed]


def test_values_go_on_from_where_they_were_before_the_task_was_created() -> None:
    client = opened(REVISION, "client")
    token, _ = client.request(BINDING.requests["tools/call"], asking("tools/call"), progress=True)
    assert reported(client, token, 5) is Progressed
    client.receive(line(result(token, {"task": task()})))
    assert [reported(client, token, 5), reported(client, token, 6)] == [Dropped, Progressed]


def test_progress_of_a_task_that_nobody_asked_for_is_dropped() -> None:
    client, token = following(progress=False)
    assert reported(client, token, 1) is Dropped


@pytest.mark.parametrize("status", FINAL)
def test_progress_of_a_task_that_was_over_at_once_is_dropped(status: str) -> None:
    client, token = following(status)
    assert reported(client, token, 1) is Dropped


@pytest.mark.parametrize(
    ("how", "status"),
    [*((how, status) for how in ("status", "get", "cancel", "list") for status in FINAL), ("result", "completed")],
)
def test_progress_after_the_end_of_a_task_is_dropped(how: str, status: str) -> None:
    client, token = following()
    heard_of(client, how, status)
    assert reported(client, token, 1) is Dropped
    assert not client.awaits_progress(token)


@pytest.mark.parametrize(
    ("how", "status", "name"),
    [
        *((how, status, "k") for how in ("status", "get", "list") for status in ("working", "input_required")),
        *((how, "completed", "other") for how in ("status", "get", "cancel", "list", "result")),
    ],
)
def test_progress_is_taken_as_long_as_the_task_has_not_ended(how: str, status: str, name: str) -> None:
    client, token = following()
    heard_of(client, how, status, name)
    assert reported(client, token, 1) is Progressed


def test_tasks_of_both_sides_are_told_apart_though_their_names_be_the_same() -> None:
    client, token = following()
    # The client executes a task that has the same name, and ends it.
    key = BINDING.notifications["notifications/tasks/status"]
    client.notify(key, BINDING.codec.structure(task("completed"), key.params))
    assert reported(client, token, 1) is Progressed


def test_a_task_is_not_cancelled_by_the_notification_for_requests() -> None:
    client, token = following()
    assert client.cancel(token) is None


def test_the_number_of_tasks_that_are_followed_is_bounded() -> None:
    client, first = following(name="0")
    tokens = [following(name=str(number), client=client)[1] for number in range(1, MOST + 1)]
    assert reported(client, first, 1) is Dropped
    assert {reported(client, token, 1) for token in tokens} == {Progressed}
    assert len(client._progress) == MOST
