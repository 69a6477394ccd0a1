"""Questions inside a request that stands alone, and the state that carries their answers (Multi Round-Trip Requests)."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from mcp_bindings_runtime.errors import ResponseError
from mcp_bindings_runtime.session.control_flow import InputNeeded
from mcp_bindings_runtime.session.events import Incoming, Outcome
from mcp_bindings_runtime.session.multi_round import RequestStates, Round
from support.bindings import binding
from support.revisions import STATELESS
from support.sessions import call, line, meta, only, pair

Json = Any

NEWEST = STATELESS[-1]

BINDING = binding(NEWEST)
TYPES = BINDING.types
CALL = BINDING.requests["tools/call"]
ELICIT = BINDING.requests["elicitation/create"]
ROOTS = BINDING.requests["roots/list"]
SAMPLE = BINDING.requests["sampling/createMessage"]
ACCEPTED = {"action": "accept", "content": {"sure": True}}
DECLINED = {"action": "decline"}


class Clock:
    """Seconds since 1970, as the test has them."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def states(clock: Clock) -> RequestStates:
    return RequestStates(b"k" * 32, 60.0, clock)


def question(message: str) -> Any:
    raw = {"message": message, "requestedSchema": {"type": "object", "properties": {}}}
    return BINDING.codec.structure(raw, ELICIT.params)


def request(name: str = "t", method: Any = CALL, entries: Json = None, **members: Json) -> Any:
    """Params as they come in."""
    return BINDING.codec.structure({"name": name, **members, "_meta": entries or meta()}, method.params)


def again(params: Any, state: str, **given: Json) -> Any:
    """The params of the next round, as they come in; ``q1`` is the answer to question 1."""
    raw = BINDING.codec.unstructure(params)
    answers = {name.replace("q", "question-"): value for name, value in given.items()}
    return BINDING.codec.structure({**raw, "requestState": state, "inputResponses": answers}, CALL.params)


def suspended(
    states: RequestStates, params: Any, *messages: str, key: Any = CALL, by: str | None = None
) -> InputNeeded:
    """How a handler that asks these questions is left."""
    with pytest.raises(InputNeeded) as left:
        answers(states, params, *messages, key=key, by=by)
    return left.value


def answers(states: RequestStates, params: Any, *messages: str, key: Any = CALL, by: str | None = None) -> list[Json]:
    """What a handler hears that asks these questions; ``by`` is who sends the request."""
    replay = Round(BINDING, states, key, params, by)
    return [replay.answer(ELICIT, question(message)).action for message in messages]


def test_a_handler_is_run_from_its_start_in_every_round(states: RequestStates) -> None:
    params = request()
    first = suspended(states, params, "a?", "b?", "c?")
    assert (first.name, first.request.params.message) == ("question-1", "a?")
    second = suspended(states, again(params, first.state, q1=ACCEPTED), "a?", "b?", "c?")
    assert (second.name, second.request.params.message) == ("question-2", "b?")
    third = suspended(states, again(params, second.state, q2=DECLINED), "a?", "b?", "c?")
    assert (third.name, third.request.params.message) == ("question-3", "c?")
    last = again(params, third.state, q3={"action": "cancel"})
    assert answers(states, last, "a?", "b?", "c?") == ["accept", "decline", "cancel"]


def test_every_kind_of_question_has_its_kind_of_answer(states: RequestStates) -> None:
    sample = {"messages": [], "maxTokens": 1}
    asked = [(ELICIT, question("?")), (ROOTS, None), (SAMPLE, BINDING.codec.structure(sample, SAMPLE.params))]
    written = {"role": "assistant", "content": {"type": "text", "text": "x"}, "model": "m"}
    given = [ACCEPTED, {"roots": []}, written]
    params, heard, methods = request(), [], []
    for place in range(4):
        replay = Round(BINDING, states, CALL, params)
        try:
            heard = [replay.answer(*each) for each in asked]
        except InputNeeded as left:
            methods.append(left.request.method)
            params = again(request(), left.state, **{f"q{place + 1}": given[place]})
    assert methods == [key.name for key, _ in asked]
    assert [type(each) for each in heard] == [TYPES.ElicitResult, TYPES.ListRootsResult, TYPES.CreateMessageResult]


def test_one_question_twice_is_asked_twice(states: RequestStates) -> None:
    first = suspended(states, request(), "a?", "a?")
    second = suspended(states, again(request(), first.state, q1=ACCEPTED), "a?", "a?")
    assert second.name == "question-2"
    assert answers(states, again(request(), second.state, q2=DECLINED), "a?", "a?") == ["accept", "decline"]


def test_an_answer_that_is_missing_is_asked_for_again(states: RequestStates) -> None:
    first = suspended(states, request(), "a?", "b?")
    for given in ({}, {"q2": ACCEPTED}, {"q7": ACCEPTED}):
        left = suspended(states, again(request(), first.state, **given), "a?", "b?")
        assert (left.name, left.request.params.message) == ("question-1", "a?")
    without = request().__replace__(request_state=first.state)
    assert suspended(states, without, "a?", "b?").name == "question-1"


def test_answers_that_nobody_asked_for_are_ignored(states: RequestStates) -> None:
    first = suspended(states, request(), "a?", "b?")
    rash = again(request(), first.state, q1=ACCEPTED, q2=ACCEPTED, q3=ACCEPTED)
    second = suspended(states, rash, "a?", "b?")
    assert second.name == "question-2"
    # An answer is given once: what was said in an earlier round stands.
    changed = again(request(), second.state, q1=DECLINED, q2=DECLINED)
    assert answers(states, changed, "a?", "b?") == ["accept", "decline"]


def test_answers_without_a_state_are_ignored(states: RequestStates) -> None:
    raw = {**BINDING.codec.unstructure(request()), "inputResponses": {"question-1": ACCEPTED}}
    assert suspended(states, BINDING.codec.structure(raw, CALL.params), "a?").name == "question-1"


@pytest.mark.parametrize("now", [("other?",), ("a?", "other?"), ("b?", "a?")])
def test_questions_that_differ_from_those_before_are_a_fault_of_the_handler(
    states: RequestStates, now: tuple[str, ...]
) -> None:
    first = suspended(states, request(), "a?", "b?")
    second = suspended(states, again(request(), first.state, q1=ACCEPTED), "a?", "b?")
    with pytest.raises(RuntimeError, match=r"question [12] differs from the round before"):
        answers(states, again(request(), second.state, q2=ACCEPTED), *now)


def test_no_question_gets_the_answer_to_another(states: RequestStates) -> None:
    asked = suspended(states, request(), "Delete a?")
    with pytest.raises(RuntimeError, match="question 1 differs"):
        answers(states, again(request(), asked.state, q1=ACCEPTED), "Delete b?")


def test_an_answer_of_another_kind_is_refused(states: RequestStates) -> None:
    asked = suspended(states, request(), "a?")
    with pytest.raises(ResponseError) as refused:
        answers(states, again(request(), asked.state, q1={"roots": []}), "a?")
    assert refused.value.code == -32602
    assert "question-1" in refused.value.data["reason"]


# The state.


def refusal(states: RequestStates, params: Any, key: Any = CALL, by: str | None = None) -> str:
    with pytest.raises(ResponseError) as refused:
        answers(states, params, "a?", key=key, by=by)
    assert (refused.value.code, refused.value.message) == (-32602, "Invalid params")
    return str(refused.value.data["reason"])


@pytest.mark.parametrize("state", ["", ".", "x", "x.y", "é.ü", "=.=", "e30.e30", "a" * 10_000])
def test_a_state_that_was_not_made_here_is_refused(states: RequestStates, state: str) -> None:
    assert "of a process with another key" in refusal(states, again(request(), state))


def test_a_state_of_another_key_is_refused(states: RequestStates, clock: Clock) -> None:
    theirs = suspended(RequestStates(b"K" * 32, 60.0, clock), request(), "a?").state
    assert "of a process with another key" in refusal(states, again(request(), theirs))


def test_a_state_that_was_changed_anywhere_is_refused(states: RequestStates) -> None:
    state = suspended(states, request(), "a?").state
    for place, char in enumerate(state):
        for other in ("A", "B", "-", "", char + "!", char + "="):
            changed = state[:place] + other + state[place + 1 :]
            if changed != state:
                assert "of a process with another key" in refusal(states, again(request(), changed))


def test_an_answer_put_into_the_state_is_refused(states: RequestStates) -> None:
    payload, signature = suspended(states, request(), "a?").state.split(".")
    inside = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    inside["a"].append([inside["q"], ACCEPTED])
    forged = base64.urlsafe_b64encode(json.dumps(inside).encode()).rstrip(b"=").decode()
    assert "of a process with another key" in refusal(states, again(request(), f"{forged}.{signature}"))


def test_a_state_lasts_as_long_as_it_says(states: RequestStates, clock: Clock) -> None:
    state = suspended(states, request(), "a?").state
    clock.now += 60.0
    assert answers(states, again(request(), state, q1=ACCEPTED), "a?") == ["accept"]
    clock.now += 0.001
    assert "expired" in refusal(states, again(request(), state, q1=ACCEPTED))


@pytest.mark.parametrize("other", [request("u"), request("t", arguments={}), request("t", arguments={"a": 1})])
def test_a_state_belongs_to_the_params_it_was_made_for(states: RequestStates, other: Any) -> None:
    state = suspended(states, request(), "a?").state
    assert "another request" in refusal(states, again(other, state, q1=ACCEPTED))


def test_a_state_belongs_to_the_method_it_was_made_for(states: RequestStates) -> None:
    prompt = BINDING.requests["prompts/get"]
    raw = {"name": "t", "_meta": meta()}
    state = suspended(states, BINDING.codec.structure(raw, prompt.params), "a?", key=prompt).state
    assert "another request" in refusal(states, again(request(), state, q1=ACCEPTED))


@pytest.mark.parametrize(("one", "other"), [("ada", "bob"), ("ada", None), (None, "bob"), ("ada", ""), ("", None)])
def test_a_state_belongs_to_the_user_it_was_made_for(states: RequestStates, one: str | None, other: str | None) -> None:
    state = suspended(states, request(), "a?", by=one).state
    params = again(request(), state, q1=ACCEPTED)
    assert refusal(states, params, by=other) == "requestState belongs to another user"
    assert answers(states, params, "a?", by=one) == ["accept"]


def test_a_state_does_not_say_who_the_user_is(states: RequestStates) -> None:
    payload = suspended(states, request(), "a?", by="ada@example.com").state.partition(".")[0]
    assert b"ada" not in base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))


def test_meta_may_change_between_rounds(states: RequestStates) -> None:
    state = suspended(states, request(entries=meta(progressToken=1)), "a?").state
    later = request(entries=meta(progressToken=2, **{"example.com/trace": "x"}))
    assert answers(states, again(later, state, q1=ACCEPTED), "a?") == ["accept"]


# What the client can do.


@pytest.mark.parametrize(("key", "name"), [(ELICIT, "elicitation"), (ROOTS, "roots"), (SAMPLE, "sampling")])
def test_nothing_is_asked_of_a_client_that_cannot_answer(states: RequestStates, key: Any, name: str) -> None:
    able = {each: {} for each in ("elicitation", "roots", "sampling") if each != name}
    replay = Round(
        BINDING, states, CALL, request(entries={**meta(), "io.modelcontextprotocol/clientCapabilities": able})
    )
    with pytest.raises(ResponseError) as refused:
        replay.answer(key, None)
    reason = f"{key.name} needs the capability {name!r}, which the client has not declared"
    data = {"requiredCapabilities": {name: {}}, "reason": reason}
    assert (refused.value.code, refused.value.data) == (-32021, data)


# Over the wire.


def test_the_state_comes_back_byte_for_byte_under_another_id(states: RequestStates) -> None:
    left, right = pair(NEWEST)
    params = CALL.params(name="t", meta=left.meta())
    first_id, sent = left.request(CALL, params)
    incoming = only(right.receive(sent), Incoming)
    asked = suspended(states, incoming.params, "a?")
    asking = TYPES.InputRequiredResult(
        result_type="input_required", input_requests={asked.name: asked.request}, request_state=asked.state
    )
    answered = only(left.receive(right.settle(incoming, right.response_line(incoming, asking))), Outcome).result
    assert answered.request_state == asked.state
    assert answered.input_requests == {"question-1": asked.request}
    given = {"question-1": TYPES.ElicitResult(action="accept")}
    params = params.__replace__(input_responses=given, request_state=answered.request_state)
    second_id, sent = left.request(CALL, params)
    assert json.loads(sent)["params"]["requestState"] == asked.state
    assert json.loads(sent)["params"]["_meta"] == meta()
    assert second_id != first_id
    incoming = only(right.receive(sent), Incoming)
    assert answers(states, incoming.params, "a?") == ["accept"]


def test_answers_of_no_kind_are_refused_before_any_handler() -> None:
    _, right = pair(NEWEST)
    message = call(NEWEST, "tools/call", 7, {"name": "t", "inputResponses": {"question-1": {"odd": 1}}})
    given = json.loads(only(right.receive(line(message))).line)
    assert given["error"]["code"] == -32602
    assert "inputResponses" in given["error"]["data"]["reason"]
