"""Input requests of the fixture server in rounds, under agreed keys.

``ask`` returns them as results (2026-07-28, Multi Round-Trip Requests); ``ask_during_call`` sends them during the call, as
the revisions with a handshake do.
"""

from __future__ import annotations

import base64
import hmac
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from mcp_bindings import v2026_07_28 as mcp
from mcp_bindings_runtime.errors import ResponseError

Json = Any
Questions = Mapping[str, Json]
Answers = Mapping[str, Json]

MISSING_CAPABILITY = -32021
CAPABILITY = {
    "elicitation/create": "elicitation",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
}


class Rounds(NamedTuple):
    """Input requests, round by round, and the text made of the answers."""

    steps: Sequence[Questions]
    text: Callable[[Answers], str]
    stateful: bool = False
    """True if each round has a state, without which no answer is accepted."""
    only_declared: bool = False
    """True to leave out what the client does not support; otherwise that is an error."""


def elicitation(message: str, **properties: Json) -> Json:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def sampling(text: str, most: int) -> Json:
    messages = [{"role": "user", "content": {"type": "text", "text": text}}]
    return {"method": "sampling/createMessage", "params": {"messages": messages, "maxTokens": most}}


ROOTS: Json = {"method": "roots/list", "params": {}}
TEXT: Json = {"type": "string"}


def _name(answers: Answers) -> str:
    return f"Hello, {answers['user_name'].get('content', {}).get('name')}!"


def _said(answers: Answers) -> str:
    return str(answers["capital_question"]["content"]["text"])


def _roots(answers: Answers) -> str:
    return f"The roots: {', '.join(root['uri'] for root in answers['client_roots']['roots'])}"


def _all(answers: Answers) -> str:
    return f"Answered: {', '.join(sorted(answers))}"


TOOLS: Mapping[str, Rounds] = {
    "elicitation": Rounds([{"user_name": elicitation("What is your name?", name=TEXT)}], _name),
    "sampling": Rounds([{"capital_question": sampling("What is the capital of France?", 100)}], _said),
    "list_roots": Rounds([{"client_roots": ROOTS}], _roots),
    "request_state": Rounds(
        [{"confirm": elicitation("Please confirm", ok={"type": "boolean"})}], lambda answers: "state-ok", stateful=True
    ),
    "multiple_inputs": Rounds(
        [
            {
                "user_name": elicitation("What is your name?", name=TEXT),
                "greeting": sampling("Generate a greeting", 50),
                "client_roots": ROOTS,
            }
        ],
        _all,
        stateful=True,
    ),
    "multi_round": Rounds(
        [
            {"step1": elicitation("Step 1: What is your name?", name=TEXT)},
            {"step2": elicitation("Step 2: What is your favorite color?", color=TEXT)},
        ],
        _all,
        stateful=True,
    ),
    "tampered_state": Rounds([{"confirm": elicitation("Please confirm", ok={"type": "boolean"})}], _all, stateful=True),
    "capabilities": Rounds(
        [
            {
                "user_name": elicitation("What is your name?", name=TEXT),
                "greeting": sampling("Generate a greeting", 50),
                "client_roots": ROOTS,
            }
        ],
        _all,
        only_declared=True,
    ),
}
"""Rounds by the end of the tool's name, ``test_input_required_result_…``."""

PROMPT = Rounds(
    [{"user_context": elicitation("What context should the prompt use?", context=TEXT)}],
    lambda answers: f"The context: {answers['user_context'].get('content', {}).get('context')}",
)

_KEY = secrets.token_bytes(32)


def _seal(name: str, answered: Sequence[Answers]) -> str:
    """Return the previous answers to a request of this name, signed."""
    payload = base64.urlsafe_b64encode(json.dumps([name, answered]).encode())
    return f"{payload.decode()}.{hmac.digest(_KEY, payload, 'sha256').hex()}"


def _open(state: str, name: str) -> list[Answers]:
    payload, _, signature = state.partition(".")
    if not hmac.compare_digest(hmac.digest(_KEY, payload.encode(), "sha256").hex().encode(), signature.encode()):
        raise ResponseError(-32602, "Invalid params", {"reason": "requestState was changed"})
    owner, answered = json.loads(base64.urlsafe_b64decode(payload))
    if owner != name:
        raise ResponseError(-32602, "Invalid params", {"reason": "requestState belongs to another request"})
    return answered


def ask(name: str, rounds: Rounds, params: Any) -> mcp.InputRequiredResult | str:
    """Return the next input requests of a request; the text, once all are answered.

    Raise ResponseError for an invalid state, and for a client that has not declared the capability.
    """
    answered = [] if params.request_state is None else _open(params.request_state, name)
    asked = _declared(rounds, rounds.steps[len(answered)], params)
    given = {key: mcp.converter.unstructure(value) for key, value in (params.input_responses or {}).items()}
    if (params.request_state is not None or not rounds.stateful) and all(
        key in given and _fits(request["method"], given[key]) for key, request in asked.items()
    ):
        answered.append({key: given[key] for key in asked})
        if len(answered) == len(rounds.steps):
            return rounds.text({key: value for each in answered for key, value in each.items()})
        asked = _declared(rounds, rounds.steps[len(answered)], params)
    state = _seal(name, answered) if rounds.stateful else None
    result = {"resultType": "input_required", "inputRequests": asked} | ({"requestState": state} if state else {})
    return mcp.converter.structure(result, mcp.InputRequiredResult)


def ask_during_call(package: Any, context: Any, rounds: Rounds) -> str:
    """Return the text made of the client's answers; the requests of a round are sent at the same time.

    ``package`` is that of the server's revision. Raise NotDeclared for a client that has not declared the capability.
    """
    methods, converter = package.methods, package.converter
    keys = {each.name: each for each in (methods.ELICIT, methods.CREATE_MESSAGE, methods.LIST_ROOTS)}
    declared = converter.unstructure(context.peer_capabilities)

    def send(question: Json) -> Json:
        key = keys[question["method"]]
        params = converter.structure(question["params"], key.params) if question["params"] else None
        return converter.unstructure(context.request(key, params))

    answers: dict[str, Json] = {}
    for step in rounds.steps:
        asked = {key: each for key, each in step.items() if not rounds.only_declared or _is_declared(each, declared)}
        with ThreadPoolExecutor(len(asked)) as pool:
            answers |= dict(zip(asked, pool.map(send, asked.values()), strict=True))
    return rounds.text(answers)


def _is_declared(question: Json, capabilities: Mapping[str, Json]) -> bool:
    return CAPABILITY[question["method"]] in capabilities


def _declared(rounds: Rounds, questions: Questions, params: Any) -> Questions:
    capabilities = mcp.converter.unstructure(params.meta.client_capabilities)
    lacking = {CAPABILITY[each["method"]] for each in questions.values()} - set(capabilities)
    if lacking and not rounds.only_declared:
        raise ResponseError(
            MISSING_CAPABILITY, "Missing client capability", {"requiredCapabilities": {each: {} for each in lacking}}
        )
    return {key: each for key, each in questions.items() if CAPABILITY[each["method"]] not in lacking}


def _fits(method: str, answer: Json) -> bool:
    """Return whether an answer matches this input request."""
    member = {"elicitation/create": "action", "sampling/createMessage": "content", "roots/list": "roots"}[method]
    return member in answer
