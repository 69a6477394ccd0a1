"""Answers fit the method they are for, and end a request; cancellation ends it without one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import EncodeError
from mcp_bindings_runtime.jsonrpc import ErrorObject
from mcp_bindings_runtime.session.events import Dropped, Incoming, Outcome, RequestCancelled
from support.bindings import binding
from support.minimal_params import params_of
from support.revisions import HANDSHAKE, STATELESS, those_with_methods
from support.sessions import call, initialize, line, listed, only, opened, pair, result, server, tell

Json = Any

NEWEST = STATELESS[-1]

each_revision = pytest.mark.parametrize("revision", REVISIONS)
TASKS = those_with_methods("tasks/get")[-1]


def working(revision: str, method: str = "tools/list") -> tuple[Any, Any, Incoming, int]:
    """A client that waits, a server that works, on what, and its id."""
    left, right = pair(revision)
    key = binding(revision).requests[method]
    request_id, sent = left.request(key, params_of(revision, key))
    return left, right, only(right.receive(sent), Incoming), request_id


@each_revision
def test_a_result_of_another_method_is_not_sent(revision: str) -> None:
    _, right, incoming, _ = working(revision)
    made = binding(revision).types.CallToolResult(content=[])
    with pytest.raises(EncodeError) as refused:
        right.response_line(incoming, made)
    assert refused.value.path.startswith("$.result")
    # It is not settled: the request can still be answered.
    assert (
        right.settle(incoming, right.error_response_line(incoming, ErrorObject(-32603, "Internal error"))) is not None
    )


@each_revision
@pytest.mark.parametrize("made", [None, 5, "x", [], {}, {"tools": 5}, object()])
def test_what_is_no_result_is_not_sent(revision: str, made: object) -> None:
    _, right, incoming, _ = working(revision)
    with pytest.raises(EncodeError):
        right.response_line(incoming, made)


@each_revision
def test_json_that_fits_is_sent(revision: str) -> None:
    _, right, incoming, _ = working(revision)
    sent = json.loads(right.response_line(incoming, listed(revision, extra=1)))["result"]
    assert {name: value for name, value in sent.items() if name != "_meta"} == listed(revision, extra=1)


def test_input_is_asked_for_only_where_the_method_allows_it() -> None:
    _, right, incoming, _ = working(NEWEST)
    asking = binding(NEWEST).types.InputRequiredResult(request_state="s")
    with pytest.raises(EncodeError):
        right.response_line(incoming, asking)
    _, right, incoming, _ = working(NEWEST, "tools/call")
    assert json.loads(right.response_line(incoming, asking))["result"]["requestState"] == "s"


@pytest.mark.parametrize("questions", [None, {}])
def test_input_is_not_asked_for_without_a_question_or_a_state(questions: object) -> None:
    _, right, incoming, _ = working(NEWEST, "tools/call")
    with pytest.raises(EncodeError, match="neither `inputRequests` nor `requestState`"):
        right.response_line(incoming, binding(NEWEST).types.InputRequiredResult(input_requests=questions))


def test_the_payload_of_a_task_is_that_of_the_request_it_came_from() -> None:
    _, right, incoming, _ = working(TASKS, "tasks/result")
    made = binding(TASKS).types.CallToolResult(content=[])
    assert json.loads(right.response_line(incoming, made))["result"] == {"content": []}


@each_revision
def test_a_refusal_carries_what_it_is_given(revision: str) -> None:
    left, right, incoming, request_id = working(revision)
    sent = right.settle(incoming, right.error_response_line(incoming, ErrorObject(-32002, "no", {"a": [None, "ü"]})))
    error = {"code": -32002, "message": "no", "data": {"a": [None, "ü"]}}
    assert json.loads(sent) == {"jsonrpc": "2.0", "id": request_id, "error": error}
    outcome = only(left.receive(sent), Outcome)
    assert (outcome.error.code, outcome.error.message, outcome.error.data) == (-32002, "no", error["data"])
    bare = json.loads(right.error_response_line(incoming, ErrorObject(1, "no")))
    assert bare["error"] == {"code": 1, "message": "no"}


@each_revision
@pytest.mark.parametrize("request_id", ["", "1", "ü", 0, -1, 2**70])
def test_an_answer_has_the_id_of_its_request(revision: str, request_id: Json) -> None:
    session = opened(revision, "server")
    incoming = only(session.receive(line(call(revision, "tools/list", request_id))), Incoming)
    for sent in (
        session.response_line(incoming, listed(revision)),
        session.settle(incoming, session.error_response_line(incoming, ErrorObject(1, ""))),
    ):
        assert json.loads(sent)["id"] == request_id
        assert type(json.loads(sent)["id"]) is type(request_id)


@each_revision
def test_an_id_and_its_text_are_two_ids(revision: str) -> None:
    session = opened(revision, "server")
    first, second = (only(session.receive(line(call(revision, "tools/list", each))), Incoming) for each in (1, "1"))
    only(session.receive(line(tell("notifications/cancelled", {"requestId": "1"}))), RequestCancelled)
    assert (first.cancelled, second.cancelled) == (False, True)


# Cancellation (Cancellation: Behavior Requirements).


@each_revision
@pytest.mark.parametrize("reason", [None, "too late"])
def test_who_cancels_says_which_request_and_why(revision: str, reason: str | None) -> None:
    left, right, incoming, request_id = working(revision)
    sent = left.cancel(request_id, reason)
    params = {"requestId": request_id, **({} if reason is None else {"reason": reason})}
    assert json.loads(sent) == tell("notifications/cancelled", params)
    event = only(right.receive(sent), RequestCancelled)
    assert (event.incoming, event.line, incoming.cancelled, incoming.reason) == (incoming, None, True, reason)
    assert right.settle(incoming, right.response_line(incoming, listed(revision))) is None
    # It is said once, and what arrives later is late.
    assert left.cancel(request_id) is None
    only(right.receive(sent), Dropped)
    only(left.receive(line(result(request_id, listed(revision)))), Dropped)


@each_revision
@pytest.mark.parametrize("params", [{"requestId": 99}, {"requestId": "1"}, {"requestId": 1.0}, {}, {"reason": "x"}])
def test_a_cancellation_of_nothing_is_ignored(revision: str, params: Json) -> None:
    session = opened(revision, "server")
    incoming = only(session.receive(line(call(revision, "tools/list", 1))), Incoming)
    only(session.receive(line(tell("notifications/cancelled", params))), Dropped)
    assert not incoming.cancelled


@each_revision
def test_a_cancellation_that_comes_too_late_is_ignored(revision: str) -> None:
    left, right, incoming, request_id = working(revision)
    sent = right.settle(incoming, right.response_line(incoming, listed(revision)))
    cancelled = left.cancel(request_id)
    only(right.receive(cancelled), Dropped)
    only(left.receive(sent), Dropped)


@each_revision
def test_what_was_answered_is_not_cancelled(revision: str) -> None:
    left, right, incoming, request_id = working(revision)
    left.receive(right.settle(incoming, right.response_line(incoming, listed(revision))))
    assert left.cancel(request_id) is None


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_servers_cancel_their_requests_too(revision: str) -> None:
    left, right = pair(revision)
    request_id, sent = right.request(binding(revision).requests["roots/list"], None)
    incoming = only(left.receive(sent), Incoming)
    only(left.receive(right.cancel(request_id)), RequestCancelled)
    assert left.settle(incoming, left.response_line(incoming, {"roots": []})) is None


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_ping_that_is_given_up_before_the_session_is_open_is_forgotten_in_silence(revision: str) -> None:
    session = server(revision)
    session.receive(line(initialize(revision)))
    assert session.state == "agreed"
    request_id, _ = session.request(binding(revision).requests["ping"], None)
    assert session.cancel(request_id) is None
    only(session.receive(line(result(request_id, {}))), Dropped)


def test_what_becomes_a_task_is_cancelled_as_a_task() -> None:
    left, _ = pair(TASKS)
    key = binding(TASKS).requests["tools/call"]
    params = key.params(name="t", task=binding(TASKS).types.TaskMetadata())
    lasting, _ = left.request(key, params)
    assert left.cancel(lasting) is None
    ordinary, _ = left.request(key, key.params(name="t"))
    assert left.cancel(ordinary) is not None


@each_revision
def test_closing_cancels_what_runs(revision: str) -> None:
    left, right, incoming, request_id = working(revision)
    right.close()
    assert (incoming.cancelled, incoming.reason) == (True, "the connection is closed")
    assert right.settle(incoming, b"late") is None
    left.close()
    assert left.cancel(request_id) is None
