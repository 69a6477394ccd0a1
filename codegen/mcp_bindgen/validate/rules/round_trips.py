"""Rules about requests in several rounds, as of 2026-07-28: requested inputs and the repeated request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from mcp_bindings_runtime.codec.error_wording import NOTHING, describe

from mcp_bindgen.validate.entries import Json
from mcp_bindgen.validate.rules import json_access
from mcp_bindgen.validate.rules.calls import declared_in
from mcp_bindgen.validate.rules.demands import Demand, subject
from mcp_bindgen.validate.rules.rule import Fault, Rule
from mcp_bindgen.validate.rules.turn import Area, Turn

_PAGE = "basic/patterns/mrtr"

RESULT_TYPE: Final = Rule(
    "result-type",
    "The `resultType` of a result is complete, input_required, or a value of a declared extension.",
    "basic/index, ResultType",
    since="2026-07-28",
)
INPUT_OUT_OF_PLACE: Final = Rule(
    "input-out-of-place",
    "Only results of `tools/call`, `prompts/get` and `resources/read` request input.",
    f"{_PAGE}, Supported Requests",
    since="2026-07-28",
)
INPUT_EMPTY: Final = Rule(
    "input-empty",
    "A result that requests input has `inputRequests` or `requestState`.",
    f"{_PAGE}, Server Requirements (Basic Workflow)",
    since="2026-07-28",
)
REQUEST_STATE: Final = Rule(
    "request-state",
    "A repeated request has the `requestState` of the result that requested input, or none if that had none.",
    f"{_PAGE}, Client Requirements (Basic Workflow)",
    since="2026-07-28",
)
INPUT_UNASKED: Final = Rule(
    "input-unasked",
    "The keys of `inputResponses` are those of `inputRequests`.",
    f"{_PAGE}, InputResponses",
    since="2026-07-28",
)
INPUT_MISSING: Final = Rule(
    "input-missing",
    "A repeated request has all requested inputs.",
    f"{_PAGE}, Client Requirements (Basic Workflow)",
    since="2026-07-28",
)
INPUT_KIND: Final = Rule(
    "input-kind",
    "Each input is a result of the input request with the same key.",
    f"{_PAGE}, InputResponses",
    since="2026-07-28",
)
ROUND_ID: Final = Rule(
    "round-id",
    "A repeated request has a new id.",
    f"{_PAGE}, Client Requirements (Basic Workflow)",
    since="2026-07-28",
)

_IN_ROUNDS = ("tools/call", "prompts/get", "resources/read")
_MEMBERS = {
    "elicitation/create": frozenset({"action"}),
    "roots/list": frozenset({"roots"}),
    "sampling/createMessage": frozenset({"model", "role", "content"}),
}
"""Members of results by method, at least one of which is present."""


class RoundTrips(Area):
    """Compares inputs with the requested ones."""

    RULES: ClassVar = (
        RESULT_TYPE,
        INPUT_OUT_OF_PLACE,
        INPUT_EMPTY,
        REQUEST_STATE,
        INPUT_UNASKED,
        INPUT_MISSING,
        INPUT_KIND,
        ROUND_ID,
    )

    def check(self, turn: Turn) -> Iterator[Fault]:
        """Yield the faults of a round."""
        if turn.message.kind == "result":
            yield from _result(turn)
        elif turn.message.kind == "request" and ("inputResponses" in turn.params or "requestState" in turn.params):
            yield from _again(turn)


def _result(turn: Turn) -> Iterator[Fault]:
    if not isinstance(turn.value.get("result"), dict):
        return
    kind = turn.result.get("resultType")
    # A server that also supports earlier revisions answers ``initialize`` by one of these.
    if kind is None and turn.method != "initialize":
        message = "the result has no `resultType`, which is required"
        yield Fault(RESULT_TYPE, ("result",), message, NOTHING, '"complete" or "input_required"')
    elif kind == "input_required":
        if turn.method is not None and turn.method not in _IN_ROUNDS:
            message = f"the result of `{turn.method}` requests input; only those of {', '.join(_IN_ROUNDS)} may"
            yield Fault(INPUT_OUT_OF_PLACE, ("result", "resultType"), message, '"input_required"', '"complete"')
        if "inputRequests" not in turn.result and "requestState" not in turn.result:
            message = "the result requests input, but has neither `inputRequests` nor `requestState`"
            yield Fault(INPUT_EMPTY, ("result",), message, "neither", "`inputRequests` or `requestState`")
    elif isinstance(kind, str) and kind != "complete":
        declared = declared_in(turn.request_params)
        if declared is not None and not json_access.fields(declared.get("extensions")):
            message = f"`resultType` is {describe(kind)}, but the client has declared no extension that could define it"
            yield Fault(
                RESULT_TYPE, ("result", "resultType"), message, describe(kind), '"complete" or "input_required"'
            )


def _again(turn: Turn) -> Iterator[Fault]:
    demands = turn.history.demands
    about = demands.about(subject(turn.method, turn.params))
    yield from _foreign_state(turn)
    if not about or not turn.history.whole or demands.has_dropped:
        return
    state = json_access.text(turn.params.get("requestState"))
    of_state = [each for each in about if each.state == state] or about
    yield from _state(turn, about)
    yield from _inputs(turn, about, of_state)
    key = json_access.identity(turn.value.get("id"))
    if key is not None and all(each.id == key for each in of_state):
        message = "the repeated request has the same id as before; it must have a new one"
        yield Fault(ROUND_ID, ("id",), message, describe(key[1]), "a new id")


def _foreign_state(turn: Turn) -> Iterator[Fault]:
    state = json_access.text(turn.params.get("requestState"))
    having = turn.history.demands.with_state(state) if state is not None else []
    if having and all(each.subject != subject(turn.method, turn.params) for each in having):
        method, name = having[0].subject
        message = f"the `requestState` belongs to another request, `{method}` of {describe(name)}"
        yield Fault(REQUEST_STATE, ("params", "requestState"), message, describe(state), "the state of this request")


def _state(turn: Turn, about: list[Demand]) -> Iterator[Fault]:
    state = json_access.text(turn.params.get("requestState"))
    if state is None:
        if all(each.state is not None for each in about):
            message = "the request has no `requestState`, but the result that requested input had one"
            yield Fault(REQUEST_STATE, ("params",), message, NOTHING, "the `requestState` of the result")
    elif not turn.history.demands.with_state(state):
        message = "the `requestState` differs from that of the result that requested input"
        path = ("params", "requestState")
        yield Fault(REQUEST_STATE, path, message, describe(state), "the `requestState` of the result")


def _inputs(turn: Turn, about: list[Demand], of_state: list[Demand]) -> Iterator[Fault]:
    responses = json_access.fields(turn.params.get("inputResponses"))
    path = ("params", "inputResponses")
    for key, response in responses.items():
        requests = [each.inputs[key] for each in about if key in each.inputs]
        if not requests:
            message = f"no result has requested the input {describe(key)}"
            yield Fault(INPUT_UNASKED, (*path, key), message, describe(key), "a key of `inputRequests`")
        elif not any(_fits(response, entry) for entry in requests):
            method = describe(json_access.member(requests[-1], "method"))
            message = f"the input {describe(key)} is not a result of {method}, which was requested under that key"
            yield Fault(INPUT_KIND, (*path, key), message, None, f"a result of {method}")
    if of_state and not any(each.inputs.keys() <= responses.keys() for each in of_state):
        missing = describe(next(key for key in of_state[-1].inputs if key not in responses))
        message = f"the repeated request lacks the requested input {missing}"
        yield Fault(INPUT_MISSING, path if "inputResponses" in turn.params else ("params",), message, NOTHING, missing)


def _fits(response: Json, request: Json) -> bool:
    method = json_access.text(json_access.member(request, "method"))
    members = _MEMBERS.get(method or "")
    return members is None or not isinstance(response, dict) or bool(members & response.keys())
